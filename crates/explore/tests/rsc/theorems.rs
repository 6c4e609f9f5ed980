//! Theorems 6.1 and 6.2, the prefix property and the rest, on random programs, against all inputs.

use super::support::{input, model, options};
use hydrogen_evidence::Input;
use hydrogen_explore::{Assignment, ByRsc, Concolic, Conjunct, Kind, Relevant, explore, holds};
use hydrogen_machine::{End, Program, Site, World};
use hydrogen_term::{Evaluator, Pool, Term};
use hydrogen_testkit::generate::{PRELUDE, Style, program};
use hydrogen_trace::{Both, Criterion, OutputName, Recorder, Static};
use std::collections::BTreeSet;

/// What one run shows.
pub struct Seen {
    input: Input,
    /// Branches in order: index, part and what holds.
    pub condition: Vec<(u64, u32, Term)>,
    /// Where each is.
    pub sites: Vec<Site>,
    pub outputs: Vec<(String, Term)>,
    path: Vec<Term>,
    end: End,
}

pub fn criterion() -> Criterion {
    Criterion::Output(OutputName::Named("out".into()))
}

/// Runs one input and finds its condition.
pub fn run(statics: &Static<'_>, world: &World, input: Input, pool: &mut Pool) -> Seen {
    let symbolic = options().symbolic;
    let world = world.with_input(&input);
    let mut concolic = Concolic::new(statics.program(), &symbolic, &world, std::mem::take(pool));
    concolic.every = true;
    let run = statics.program().run_with(world, options().limits, Both(Recorder::default(), concolic));
    let Both(recorder, mut concolic) = run.monitor;
    concolic.finish(&run.end, |pool, term| holds(pool, &input, term));
    let Concolic { pool: terms, path, outputs, somewhere, .. } = concolic;
    *pool = terms;
    let trace = recorder.finish().unwrap();
    let by_rsc = ByRsc { statics, criteria: &[criterion()], check: false };
    let Relevant { branches, .. } = by_rsc.relevant(&trace, &path, somewhere, &run.end).unwrap();
    let branch = |one: &&Conjunct| one.kind == Kind::Branch;
    Seen {
        input,
        condition: branches.iter().map(|one| (one.index, one.part, one.conjunct.term)).collect(),
        sites: branches.iter().map(|one| one.conjunct.site).collect(),
        outputs: outputs.into_iter().map(|one| (one.name, one.value)).collect(),
        path: path.iter().filter(branch).map(|one| one.term).collect(),
        end: run.end,
    }
}

fn check(statics: &Static<'_>, number: u64, source: &str) {
    let mut world = World::default();
    world.entry = format!("p{number}");
    let mut pool = Pool::new();
    let mut all = Vec::new();
    for bits in 0..32 {
        let values = [("a", bits & 3), ("b", bits >> 2 & 3), ("c", bits >> 4)];
        all.push(run(statics, &world, input(&values), &mut pool));
    }
    // One run per condition.
    let mut distinct: Vec<&Seen> = Vec::new();
    for seen in &all {
        if !distinct.iter().any(|one| one.condition == seen.condition) {
            distinct.push(seen);
        }
    }
    for one in &distinct {
        let terms: Vec<Term> = one.condition.iter().map(|branch| branch.2).collect();
        for other in &all {
            let model = other.input.model(&pool, &pool.variables(&terms));
            let mut evaluator = Evaluator::new(&pool, &model);
            let fails = terms.iter().position(|term| !evaluator.holds(*term));
            let (a, b) = (&one.input.named, &other.input.named);
            match fails {
                // INV-R6, L-6.2, Th-6.1: who fulfils a condition has it, and computes the same.
                None => {
                    assert_eq!(other.condition, one.condition, "{source}\n{a:?}\n{b:?}");
                    assert_eq!(other.outputs, one.outputs, "{source}\n{a:?}\n{b:?}");
                }
                // L-6.11, L-6.12: who breaks it first at a branch agrees before, and turns just that branch.
                Some(at) => {
                    assert_eq!(other.condition.get(..at), one.condition.get(..at), "{source}\n{a:?}\n{b:?}");
                    let (index, part, term) = one.condition[at];
                    let turned = (index, part, pool.not(term));
                    assert_eq!(other.condition.get(at), Some(&turned), "{source}\n{a:?}\n{b:?}");
                }
            }
        }
    }
    // INV-R8: never more conditions than paths.
    let paths: BTreeSet<Vec<Term>> = all.iter().map(|seen| seen.path.clone()).collect();
    assert!(distinct.len() <= paths.len(), "{source}");
    // Th-6.2 and INV-R7: exploring finds each condition, once.
    let criteria = [criterion()];
    let by_rsc = ByRsc { statics, criteria: &criteria, check: true };
    let found = explore(statics.program(), &world, Input::default(), &options(), &by_rsc);
    assert_eq!(found.alarms, [], "{source}");
    let faults = all.iter().any(|seen| matches!(seen.end, End::Fault(_)));
    assert!(!faults, "{source}");
    assert!(found.is_complete(), "{source}\n{:?}", found.missing);
    assert_eq!(found.tests.len(), distinct.len(), "{source}");
}

/// `HYDROGEN_RANDOM=FROM..TO` checks other programs than usual.
fn check_style(style: Style) {
    let asked = std::env::var("HYDROGEN_RANDOM").ok();
    let range = asked.as_deref().and_then(|text| text.split_once("..")).unwrap_or(("0", "40"));
    let numbers = range.0.parse::<u64>().unwrap()..range.1.parse().unwrap();
    let mut source = PRELUDE.to_owned();
    let sources: Vec<String> = numbers.clone().map(|number| program(number, style)).collect();
    sources.iter().for_each(|one| source.push_str(one));
    let program = Program::load(vec![model(&source)], None);
    let entries: Vec<String> = numbers.clone().map(|number| format!("p{number}")).collect();
    let names: Vec<&str> = entries.iter().map(String::as_str).collect();
    let statics = Static::new(&program, &names);
    for (number, source) in numbers.zip(&sources) {
        check(&statics, number, source);
    }
}

#[test]
fn structured_programs_keep_the_theorems() {
    check_style(Style::Scalars);
}

#[test]
fn programs_with_pointers_and_arrays_keep_the_theorems() {
    check_style(Style::Memory);
}

#[test]
fn programs_with_calls_keep_the_theorems() {
    check_style(Style::Calls);
}

#[test]
fn whole_programs_keep_the_theorems() {
    check_style(Style::Whole);
}

#[test]
fn programs_with_jumps_keep_the_theorems() {
    check_style(Style::Jumps);
}

#[test]
fn programs_with_indices_from_the_input_keep_the_theorems() {
    check_style(Style::Indices);
}
