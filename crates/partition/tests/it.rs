//! Partitions of small programs: the worked examples of the specification, and what holds for all programs.
#![allow(clippy::unwrap_used)]

mod it {
    pub mod laws;
    pub mod methods;
    pub mod pointers;
    pub mod support;
}

use hydrogen_evidence::Input;
use hydrogen_partition::{Options, Status, Undefined};
use hydrogen_testkit::Fixture;
use it::support::{Setting, input, line};
use std::fmt::Write;

/// A block ```` ```partitions [excluded] [wrapping] [reach] [x=1 y=2] ```` lists the cells from that start.
fn check(fixture: &Fixture, name: &str) {
    check_convergence(fixture, name);
    let sources: Vec<&str> = fixture.versions.iter().map(|files| files["main.c"].as_str()).collect();
    for block in fixture.blocks_of("partitions") {
        let has = |word: &str| block.head.iter().any(|one| one == word);
        let undefined = if has("excluded") { Undefined::Excluded } else { Undefined::Counts };
        let flags: &[&str] = if has("wrapping") { &["-fwrapv"] } else { &[] };
        let start: Vec<(&str, i32)> = block.head[1..]
            .iter()
            .filter_map(|word| word.split_once('='))
            .map(|(name, value)| (name, value.parse().unwrap()))
            .collect();
        let setting = Setting::new(&sources, undefined, flags);
        let given: Vec<Input> = vec![input(&start)];
        let options = Options { by_reach: has("reach"), ..Options::default() };
        let (found, conditions) = setting.explore_with(&options, given);
        assert_eq!(found.alarms, [], "{name}");
        let mut text = String::new();
        for (cell, condition) in found.cells.iter().zip(&conditions) {
            let _ = writeln!(text, "{}", line(cell, condition));
        }
        let _ = writeln!(
            text,
            "{}",
            if found.status == Status::Complete { "complete".into() } else { format!("{:?}", found.status) }
        );
        assert_eq!(sorted(&text), sorted(&block.text), "{name} {:?}", block.head);
    }
}

/// A block ```` ```convergence [x=1 y=2] ```` lists the lines, in the first and the last version, where the runs of that input become the same again.
fn check_convergence(fixture: &Fixture, name: &str) {
    let sources: Vec<&str> = fixture.versions.iter().map(|files| files["main.c"].as_str()).collect();
    for block in fixture.blocks_of("convergence") {
        let start: Vec<(&str, i32)> = block.head[1..]
            .iter()
            .filter_map(|word| word.split_once('='))
            .map(|(name, value)| (name, value.parse().unwrap()))
            .collect();
        let setting = Setting::new(&sources, Undefined::Excluded, &[]);
        let options = Options { hints: true, ..Options::default() };
        let (found, _) = setting.explore_with(&options, vec![input(&start)]);
        assert_eq!((&found.alarms[..], &found.status), (&[][..], &Status::Complete), "{name}");
        let mut text = String::new();
        for (old, new) in &found.cells[0].converged {
            let _ = writeln!(text, "{} {}", old.line, new.line);
        }
        assert_eq!(text, block.text, "{name} {:?}", block.head);
    }
}

/// The order in which partitions are found is nobody's business.
fn sorted(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

hydrogen_testkit::fixtures!(
    "fixtures",
    check,
    w01 = "w01-three-changes",
    w04 = "w04-incomplete-fix",
    w05 = "w05-reachability",
    w07a = "w07a-value-behind-a-branch",
    w07b = "w07b-deleted-guard",
    w13 = "w13-equivalent-mutant",
);
