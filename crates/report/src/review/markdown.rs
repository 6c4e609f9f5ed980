//! A review as a comment on a pull request: a sentence, what must be seen, and the rest folded.

use super::{SHOWN, place};
use crate::md::{code, escape, prose};
use hydrogen_evidence::{Item, Review, Topic};
use std::fmt::Write as _;

/// The review as Markdown.
pub fn markdown(review: &Review) -> String {
    let mut out = format!("### What this change did\n\n**{}**  \n", escape(&review.headline()));
    let _ = writeln!(out, "{} → {}\n", code(&review.old), code(&review.new));
    for topic in review.topics() {
        let items: Vec<&Item> = review.of(topic).collect();
        let open = matches!(topic, Topic::Does | Topic::Faults | Topic::Different);
        if open {
            let _ = writeln!(out, "**{}**\n", topic.title());
        } else {
            let _ = writeln!(out, "<details><summary>{} ({})</summary>\n", topic.title(), items.len());
        }
        for item in items.iter().take(if open { SHOWN } else { usize::MAX }) {
            one(&mut out, item);
        }
        if open && items.len() > SHOWN {
            let _ = writeln!(out, "- … and {} more", items.len() - SHOWN);
        }
        out.push_str(if open { "\n" } else { "\n</details>\n\n" });
    }
    for gap in &review.gaps {
        let _ = writeln!(out, "Missing: {}: {}  ", code(&gap.part), prose(&gap.why));
    }
    out
}

fn one(out: &mut String, item: &Item) {
    let at = place(item).map_or(String::new(), |place| format!("{} ", code(&place)));
    let known = if item.known { " (known)" } else { "" };
    let _ = writeln!(out, "- {at}{}{known}", prose(&item.text));
    for detail in &item.details {
        let _ = writeln!(out, "  - {}", prose(detail));
    }
}
