//! What a run needs that the machine does not have: threads, other processes, the network. Then nothing that it computes there counts.

use super::input::Given;
use crate::commands::program::Two;
use crate::output::shortened;
use hydrogen_machine::{Limits, Program};
use hydrogen_why::{Ask, Side, Spot, changed_statements, executed_changes};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::time::Duration;

/// What a run is told that it cannot have, and what people call that.
const NEEDED: [(&str, &str); 7] = [
    ("thread", "threads or processes"),
    ("another program", "other programs"),
    ("a socket", "the network"),
    ("a pipe", "pipes"),
    ("`select`", "waiting for several files"),
    ("`shmget`", "shared memory"),
    ("`setitimer`", "timers"),
];

/// What is said instead of an answer, where a version needs what the machine does not have.
pub fn beyond(two: &Two, given: &Given, limits: &Limits) -> Option<String> {
    let mut text = String::new();
    for side in [&two.old, &two.new] {
        let all: Vec<&str> = needs(side.program(), given, limits).into_iter().collect();
        if !all.is_empty() {
            let _ = writeln!(
                text,
                "{} uses {}, which runs that are looked into do not have: they say nothing about it",
                side.name,
                all.join(" and ")
            );
        }
    }
    if text.is_empty() {
        return None;
    }
    let changed = changed_statements(two.old.program(), two.new.program());
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
    Some(text)
}

fn named(spot: &Spot) -> String {
    let gone = if spot.side == Side::Old { " (old version)" } else { "" };
    format!("{}:{}{gone} in {}: `{}`", spot.file, spot.line, spot.function, spot.text)
}

/// What is said where the time was over before the runs were looked into.
pub fn late(ask: &Ask<'_>, looked_at: u64, budget: Duration) -> String {
    let (changed, steps) = executed_changes(ask);
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

fn needs(program: &Program, given: &Given, limits: &Limits) -> BTreeSet<&'static str> {
    let run = given.run(program, &given.input, limits);
    let lacking = |note: &str| {
        let ends =
            ["not supported", "cannot be started", "asked for and refused", "take turns in a fixed order"];
        ends.iter().any(|end| note.ends_with(end))
    };
    let notes: Vec<&str> = run.world.ledger().map(|(note, _)| note).filter(|note| lacking(note)).collect();
    NEEDED
        .iter()
        .filter(|(call, _)| notes.iter().any(|note| note.contains(call)))
        .map(|(_, what)| *what)
        .collect()
}
