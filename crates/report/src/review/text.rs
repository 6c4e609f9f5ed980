//! A review for a terminal: one screen, the most important first.

use super::{SHOWN, place};
use hydrogen_evidence::{Item, Review, Topic, Weight};
use std::fmt::Write as _;

/// A line of details longer than this is cut.
const WIDTH: usize = 160;
/// So many lines of details are shown.
const DETAILS: usize = 3;

/// The review on one screen.
pub fn text(review: &Review) -> String {
    let mut out = format!("{} → {}: {}\n", review.old, review.new, review.headline());
    for topic in review.topics() {
        let _ = writeln!(out, "\n{}", topic.title());
        let items: Vec<&Item> = review.of(topic).collect();
        for item in items.iter().take(SHOWN) {
            line(&mut out, item);
        }
        if items.len() > SHOWN {
            let _ = writeln!(out, "  … and {} more; --format json lists all", items.len() - SHOWN);
        }
    }
    if !review.gaps.is_empty() {
        out.push_str("\nMissing\n");
        for gap in &review.gaps {
            let _ = writeln!(out, "  {}: {}", gap.part, cut(&gap.why));
        }
    }
    if review.items.iter().any(|item| item.weight != Weight::Fact) {
        out.push_str("\n`hydrogen explain ID` tells all about one of them.\n");
    }
    out
}

fn line(out: &mut String, item: &Item) {
    let at = place(item).map_or(String::new(), |place| format!("{place} "));
    let known = if item.known { " (known)" } else { "" };
    // What is a plain fact has no story to tell.
    let id = if item.weight == Weight::Fact { String::new() } else { format!("  [{}]", item.id) };
    let _ = writeln!(out, "  {}{at}{}{known}{id}", mark(item), item.text);
    if matches!(item.topic, Topic::Faults | Topic::Different | Topic::Callers) {
        for detail in item.details.iter().take(DETAILS) {
            let _ = writeln!(out, "      {}", cut(detail));
        }
    }
}

fn mark(item: &Item) -> &'static str {
    match (item.topic, item.weight) {
        (_, Weight::Alarm) => "✗ ",
        (Topic::Faults, _) | (Topic::Same, _) => "✓ ",
        (Topic::Different, _) | (Topic::Does, Weight::Notice) => "≠ ",
        (Topic::Open, _) => "? ",
        _ => "",
    }
}

fn cut(line: &str) -> String {
    match line.char_indices().nth(WIDTH) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}

/// Everything about one item.
pub fn explained(review: &Review, item: &Item) -> String {
    let mut out = format!("{} ({} → {})\n", item.topic.title(), review.old, review.new);
    if let Some(place) = place(item) {
        let _ = writeln!(
            out,
            "{place}{}",
            item.function.as_ref().map_or(String::new(), |name| format!(" in {name}()"))
        );
    }
    let _ = writeln!(out, "{}", item.text);
    for detail in &item.details {
        let _ = writeln!(out, "  {detail}");
    }
    let _ = writeln!(out, "All of it: {}", item.command);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(topic: Topic, weight: Weight, text: &str, details: &[&str]) -> Item {
        Item {
            id: "H1234".into(),
            topic,
            weight,
            file: Some("a.c".into()),
            line: Some(7),
            function: Some("f".into()),
            text: text.into(),
            details: details.iter().map(|line| (*line).to_owned()).collect(),
            command: "hydrogen compare v1..v2 --function f".into(),
            known: false,
        }
    }

    #[test]
    fn one_screen() {
        let mut review = Review {
            old: "v1".into(),
            new: "v2".into(),
            items: vec![
                item(Topic::Same, Weight::Fact, "g() on all paths", &[]),
                item(Topic::Different, Weight::Notice, "f() for f(0)", &["v1: returns 1", "v2: returns 2"]),
            ],
            gaps: Vec::new(),
        };
        review.sort();
        let expected = "\
v1 → v2: 1 difference in behaviour, 1 function proved to behave as before

What behaves differently
  ≠ a.c:7 f() for f(0)  [H1234]
      v1: returns 1
      v2: returns 2

What behaves as before (proved)
  ✓ a.c:7 g() on all paths

`hydrogen explain ID` tells all about one of them.
";
        assert_eq!(text(&review), expected);
        assert!(
            explained(&review, &review.items[0])
                .ends_with("All of it: hydrogen compare v1..v2 --function f\n")
        );
    }
}
