//! What a run needs that the machine does not have: threads, other processes, the network. Then nothing that it computes there counts.

use super::input::Given;
use crate::commands::program::Two;
use hydrogen_machine::{Limits, Program};
use hydrogen_report::why as report;
use hydrogen_why::{Ask, changed_statements, executed_changes};
use std::collections::BTreeSet;
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
    let needs = [&two.old, &two.new].map(|side| {
        (side.name.as_str(), needs(side.program(), given, limits).into_iter().collect::<Vec<_>>())
    });
    let needs: Vec<_> = needs.into_iter().filter(|(_, all)| !all.is_empty()).collect();
    if needs.is_empty() {
        return None;
    }
    Some(report::beyond(&needs, &changed_statements(two.old.program(), two.new.program())))
}

/// What is said where the time was over before the runs were looked into.
pub fn late(ask: &Ask<'_>, looked_at: u64, budget: Duration) -> String {
    let (changed, steps) = executed_changes(ask);
    report::late(&changed, steps, looked_at, budget)
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
