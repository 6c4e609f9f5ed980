//! Compiling and exploring.

use hydrogen_evidence::Input;
use hydrogen_explore::{ByPath, Exploration, Kind, Options, Test, explore, show};
use hydrogen_machine::{End, Limits, Program, World};
use hydrogen_testkit::Compile;
pub use hydrogen_testkit::HEADER;
use std::time::Duration;

/// Whether there is a C library.
pub fn has_library() -> bool {
    hydrogen_testkit::archive().is_some()
}

/// A program of one file; with the C library or without.
pub fn program(source: &str, library: bool) -> Program {
    let archive = if library { hydrogen_testkit::archive() } else { None };
    Program::load(vec![Compile { header: HEADER, flags: &[] }.model(source)], archive)
}

pub fn options() -> Options {
    Options {
        limits: Limits { steps: 1_000_000, ..Limits::default() },
        runs: 2000,
        time: Duration::from_secs(60),
        ..Options::default()
    }
}

/// Explores a program that has no use for the C library, from an input of zeros.
pub fn paths(source: &str) -> Exploration {
    paths_with(source, &options())
}

pub fn paths_with(source: &str, options: &Options) -> Exploration {
    explore(&program(source, false), &World::default(), Input::default(), options, &ByPath)
}

/// How a run ended, in short.
pub fn end(test: &Test) -> String {
    match &test.end {
        End::Exit(status) => format!("exit {status}"),
        End::Fault(fault) => format!("{} {}", fault.kind.name(), fault.stack[0].line),
        End::Assumption(_) => "assumption".to_owned(),
        End::Limit(limit, _) => limit.to_string(),
        other => format!("{other:?}"),
    }
}

/// Every test: how many branches decided, what came out, and how it ended unless well; sorted. No promise may be broken.
pub fn summary(found: &mut Exploration) -> Vec<String> {
    assert_eq!(found.alarms, []);
    let mut shown = Vec::new();
    for test in &found.tests {
        let branches = test.path.iter().filter(|one| one.kind == Kind::Branch).count();
        let mut text = format!("{branches}");
        for one in &test.outputs {
            text.push_str(&format!(" {}={}", one.name, show(&mut found.pool, one.value)));
        }
        if test.end != End::Exit(0) {
            text.push_str(&format!(" {}", end(test)));
        }
        shown.push(text);
    }
    shown.sort();
    shown
}

/// The exploration must be complete and give these.
pub fn check(source: &str, expect: &[&str]) {
    check_with(source, &options(), expect);
}

pub fn check_with(source: &str, options: &Options, expect: &[&str]) {
    let mut found = paths_with(source, options);
    assert!(found.is_complete(), "{:?} {:?}", found.missing, found.alarms);
    assert_eq!(summary(&mut found), expect);
}
