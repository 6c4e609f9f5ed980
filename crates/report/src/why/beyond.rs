//! What is said where runs cannot answer: they need what the machine does not have, or more time.

use crate::columns::shortened;
use hydrogen_evidence::why::{Side, Spot};
use std::fmt::Write;
use std::time::Duration;

/// By version that needs something: its name, and what; and the statements that changed.
pub fn beyond(needs: &[(&str, Vec<&str>)], changed: &[Spot]) -> String {
    let mut text = String::new();
    for (name, all) in needs {
        let _ = writeln!(
            text,
            "{name} uses {}, which runs that are looked into do not have: they say nothing about it",
            all.join(" and ")
        );
    }
    let places: Vec<String> = changed.iter().map(named).collect();
    match places.is_empty() {
        true => text.push_str("without a run: no statement of the program differs between the versions\n"),
        false => {
            let _ =
                writeln!(text, "without a run, these statements changed:\n  {}", shortened(places, "\n  "));
        }
    }
    text.push_str(
        "`hydrogen check` says which faults they bring, `hydrogen compare` which functions are the same\n",
    );
    text
}

fn named(spot: &Spot) -> String {
    let gone = if spot.side == Side::Old { " (old version)" } else { "" };
    format!("{}:{}{gone} in {}: `{}`", spot.file, spot.line, spot.function, spot.text)
}

/// The time was over before the runs were looked into: the changed statements that they execute, how long they are, and how much of
/// them was looked at.
pub fn late(changed: &[Spot], steps: [u64; 2], looked_at: u64, budget: Duration) -> String {
    let mut text = format!(
        "no answer within {} s: the runs have {} and {} instructions, and {looked_at} were looked at\n",
        budget.as_secs(),
        steps[0],
        steps[1]
    );
    let places: Vec<String> = changed.iter().map(named).collect();
    match places.is_empty() {
        true => text.push_str("none of the statements that changed is executed\n"),
        false => {
            let all = shortened(places, "\n  ");
            let _ = writeln!(text, "of the statements that changed, these are executed:\n  {all}");
        }
    }
    text.push_str("more time helps (--budget), or a smaller input (--reduce)\n");
    text
}
