//! Thousands of wrong accesses: old pointers and far indices, in states that differ.

use super::support::{file, load, tools};
use hydrogen_machine::{End, Limits, Program, World};

/// How many of so many mutants of a kind are not found.
fn missed(program: &Program, kind: u32, count: u32) -> u32 {
    let is_missed = |seed: &u32| {
        let world = World::new(["mutants", &kind.to_string(), &seed.to_string()]);
        let run = program.run(world, Limits { steps: 10_000_000, ..Limits::default() });
        match &run.end {
            // Which fault it is called depends on what is there by chance.
            End::Fault(_) => false,
            End::Exit(3) => true,
            other => panic!("{kind} {seed}: {other:#?}"),
        }
    };
    (0..count).filter(is_missed).count() as u32
}

#[test]
fn stale_pointers_and_far_indices_are_found() {
    let Some(archive) = tools() else { return };
    let (_folder, path) = file(include_str!("mutants.c"));
    let program = load(archive, &path, &[]);
    let asked = std::env::var("HYDROGEN_MUTANTS").ok().and_then(|count| count.parse().ok());
    let counts = asked.unwrap_or(1000);
    let found: Vec<u32> = (0..3).map(|kind| missed(&program, kind, counts)).collect();
    // A scalar of a call that has its place again, and lies where the old one did, is what it is natively.
    assert!(found[0] * 250 <= counts, "{found:?} of {counts}");
    assert_eq!(found[1..], [0, 0], "of {counts}");
}
