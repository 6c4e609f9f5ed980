//! What in the environment makes a program fail: text, JSON, one page.

mod page;

pub use page::{compared_page, page};

use crate::columns::plural;
use crate::envelope;
use hydrogen_evidence::environment::{Cause, Compared, Detail, Difference, Outcome, Searched};
use std::fmt::Write as _;

/// So many differences that do not matter are shown.
const SHOWN: usize = 12;

/// The search as `env-why/1`.
pub fn json(searched: &Searched) -> String {
    envelope::json("env-why/1", &serde_json::to_value(searched).unwrap_or_default())
}

/// The comparison as `env-diff/1`.
pub fn compared_json(compared: &Compared) -> String {
    envelope::json("env-diff/1", &serde_json::to_value(compared).unwrap_or_default())
}

/// The search for a terminal.
pub fn text(searched: &Searched) -> String {
    let mut out = format!(
        "{}: {} here; when it was recorded, {}.\n",
        searched.command, searched.here, searched.recorded
    );
    let reason = searched.reason.as_deref().unwrap_or("nothing is known");
    match searched.outcome {
        Outcome::Found => found(&mut out, searched),
        Outcome::PassesHere => out.push_str("\nIt passes here, too: there is nothing to explain.\n"),
        Outcome::Flaky => {
            let _ = writeln!(out, "\nIt is flaky: {reason}. No cause is named.");
        }
        Outcome::NotFound => {
            let _ = writeln!(out, "\nThe cause was not found: {reason}.");
            let others: Vec<&Difference> = searched.differences.iter().filter(|one| !one.volatile).collect();
            if !others.is_empty() {
                out.push_str("What differs, whether it matters or not:\n");
                list(&mut out, &others);
            }
        }
    }
    if !searched.source.is_empty() {
        out.push_str("\nIn the source:\n");
        for line in &searched.source {
            let _ = writeln!(out, "  {line}");
        }
    }
    for note in &searched.notes {
        let _ = writeln!(out, "Note: {note}.");
    }
    let _ = writeln!(out, "{}, {}.", plural(searched.runs, "run"), plural(searched.calls, "recorded call"));
    out
}

fn found(out: &mut String, searched: &Searched) {
    for cause in &searched.causes {
        out.push('\n');
        let headline = sentences(cause);
        for sentence in &headline {
            let _ = writeln!(out, "{sentence}");
        }
        let difference = &cause.difference;
        if difference.call > 0 {
            let _ = writeln!(out, "  call {}, as recorded: {}", difference.call, difference.recorded);
            let _ = writeln!(out, "  the same call here:  {}", difference.here);
        }
    }
    out.push_str(match searched.causes.len() {
        1 => "\nWith this as recorded the program passes; without it it fails.\n",
        _ => "\nWith all of these as recorded the program passes; without any one of them it fails.\n",
    });
    if let Some(boundary) = &searched.boundary {
        let (call, shown) = (boundary.call, &boundary.shown);
        let _ = match call {
            0 => writeln!(out, "In order: it passes when only the start of the program is as recorded."),
            _ => writeln!(
                out,
                "In order: with the calls before number {call} as recorded it fails, with that one it passes: {shown}"
            ),
        };
        let _ = writeln!(out, "  ({})", plural(boundary.replays, "replay"));
    }
}

/// A cause in sentences.
fn sentences(cause: &Cause) -> Vec<String> {
    let difference = &cause.difference;
    let name = &difference.name;
    if cause.details.is_empty() {
        return vec![match difference.call {
            0 => format!("{name}: {} here, {} when it was recorded", difference.here, difference.recorded),
            _ => match &difference.results {
                Some([recorded, here]) if recorded != here => {
                    format!("{name}: {here} here, {recorded} when it was recorded")
                }
                _ => format!("{name}: other contents here"),
            },
        }];
    }
    cause.details.iter().map(|detail| format!("{name}: {}", detail_words(detail))).collect()
}

fn detail_words(detail: &Detail) -> String {
    let which = &detail.which;
    match (detail.kind, &detail.here, &detail.recorded) {
        ("line", Some(here), Some(recorded)) => {
            format!("line {which} is `{here}` here, `{recorded}` as recorded")
        }
        ("line", Some(here), None) => format!("line {which}, `{here}`, is only here"),
        ("line", None, Some(recorded)) => format!("line {which} as recorded, `{recorded}`, is missing here"),
        ("byte", Some(here), Some(recorded)) => {
            format!("byte {which} is {here} here, {recorded} as recorded")
        }
        ("folder", ..) => format!("the folder `{which}` is missing here"),
        ("name", Some(_), None) => format!("`{which}` is only here"),
        ("name", ..) => format!("`{which}` is missing here"),
        (_, here, recorded) => {
            let words = |value: &Option<String>| value.clone().unwrap_or_else(|| "nothing".into());
            format!("{which} is {} here, {} as recorded", words(here), words(recorded))
        }
    }
}

/// The comparison for a terminal.
pub fn compared_text(compared: &Compared) -> String {
    let mut out = format!("{}: it {} here.\n", compared.command, compared.here);
    let (volatile, others): (Vec<&Difference>, Vec<&Difference>) =
        compared.differences.iter().partition(|one| one.volatile);
    if others.is_empty() {
        out.push_str("Nothing that it asked for differs.\n");
    }
    list(&mut out, &others);
    if !volatile.is_empty() {
        let names: Vec<&str> = volatile.iter().map(|one| &one.name[..]).take(SHOWN).collect();
        let _ = writeln!(out, "Different in any two runs: {}", names.join(", "));
    }
    out
}

fn list(out: &mut String, all: &[&Difference]) {
    for one in all {
        let _ = match one.call {
            0 => writeln!(out, "  {}: {} here, {} as recorded", one.name, one.here, one.recorded),
            call => writeln!(
                out,
                "  {}: call {call}\n    recorded: {}\n    here:     {}",
                one.name, one.recorded, one.here
            ),
        };
    }
}
