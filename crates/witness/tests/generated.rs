//! Query against machine: generated programs. What a run does is never called absent, what is called present is shown by its own input, and
//! what is unknown is counted.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

#[path = "../../query/tests/common/mod.rs"]
mod common;
#[path = "../../query/tests/generated/mod.rs"]
mod generated;
mod support;

use common::{compile, graph_of};
use generated::{Chance, Generator, Program as Source, native};
use hydrogen_evidence::{Argument, Call, Class, Entry, Finding, Input, Replay, Value, Verdict};
use hydrogen_graph::{NodeId, VersionId, VersionSet};
use hydrogen_ir::Module;
use hydrogen_library::Library;
use hydrogen_machine::{End, Limits, Program as Machine, World};
use hydrogen_query::{Analyst, Budget, Program, Question};
use hydrogen_witness::Runner;
use std::collections::{BTreeMap, BTreeSet};
use support::Compiled;

/// All findings of a kind, or of every kind, by line.
fn judge(
    module: &std::sync::Arc<Module>,
    kind: Option<Class>,
    is_asked: impl Fn(u32) -> bool,
) -> Vec<(u32, Finding)> {
    let modules = vec![vec![std::sync::Arc::clone(module)]];
    let graph = graph_of(&modules);
    let program = Program { graph: &graph, code: &modules };
    let question = number("HYDROGEN_QUESTION", 240_000);
    let budget = Budget { question, solver: question / 2, rounds: 2, more_rounds: 2, ..Budget::default() };
    let mut analyst = Analyst::new(program, hydrogen_term::standard(), Library::default(), budget);
    analyst.confirm_with(Runner::new(Compiled(&modules), None));
    let (versions, at) = (VersionSet::all(1), VersionId::at(0));
    let nodes: Vec<NodeId> = graph.nodes().collect();
    let mut out = Vec::new();
    for node in nodes {
        let Some(line) = graph.line(node, at).filter(|line| is_asked(*line)) else { continue };
        for finding in analyst.judge(&Question { node, at, kind, versions: &versions, inside: false }) {
            out.push((line, finding));
        }
    }
    out
}

/// The fault that a run ends with, and the line of the user's program.
fn fault(machine: &Machine, input: &Input) -> Option<(Class, u32)> {
    let limits = Limits { steps: 1_000_000, memory: 1 << 28, strict: true, ..Limits::default() };
    match machine.run(World::new(vec!["test"]).with_input(input), limits).end {
        End::Fault(fault) => {
            let line = fault.stack.iter().find(|frame| frame.users).map_or(0, |frame| frame.line);
            Some((fault.kind.class(), line))
        }
        _ => None,
    }
}

#[derive(Default)]
struct Tally {
    programs: usize,
    runs: usize,
    faults: usize,
    confirmed: usize,
    verdicts: BTreeMap<(Class, &'static str), usize>,
    why: BTreeMap<&'static str, usize>,
    wrong: Vec<String>,
}

fn batch(seed: u64, count: usize, tries: usize, tally: &mut Tally) {
    let programs: Vec<Source> = (0..count).map(|at| Generator::new(seed + at as u64).program(at)).collect();
    let code = native::file(&programs);
    let module = compile(&code);
    let machine = Machine::load(vec![Module::clone(&module)], hydrogen_testkit::archive());
    let findings = judge(&module, None, |_| true);
    let mut said: BTreeMap<(u32, Class), BTreeSet<Verdict>> = BTreeMap::new();
    for (line, finding) in &findings {
        let ruling = &finding.verdicts[0];
        *tally.verdicts.entry((finding.kind, ruling.verdict.word())).or_default() += 1;
        said.entry((*line, finding.kind)).or_default().insert(ruling.verdict);
        let why = match &ruling.evidence.replay {
            None => "no witness",
            Some(Replay::Confirmed) => "confirmed",
            Some(Replay::ConfirmedIf { .. }) => "confirmed if",
            Some(Replay::OtherFault { .. }) => "another fault first",
            Some(Replay::NotReached { .. }) => "not reached",
            Some(Replay::NotRun { .. }) => "not run",
        };
        *tally.why.entry(why).or_default() += 1;
        if ruling.verdict != Verdict::Present {
            continue;
        }
        // What fails whenever it is reached needs no input: `hydrogen-local` is tested against runs of its own.
        let is_local = ruling.ledger.iter().any(|one| matches!(one, Entry::WheneverReached { .. }));
        if is_local && ruling.evidence.input.is_none() {
            continue;
        }
        // Once more, and by other means than those that the verdict rests on.
        let input = ruling.evidence.input.as_ref().unwrap();
        // Some are no faults of the machine's, and an index or a function of the library may leave an array and not its structure.
        let watched = match finding.kind {
            Class::SizeOverflow | Class::Sign | Class::Uninitialised | Class::Leak | Class::UseAfterFree => {
                true
            }
            Class::Overflow => {
                let message = &finding.message;
                message.starts_with("the index") || message.ends_with("inside of its structure")
            }
            _ => false,
        };
        let shown = fault(&machine, input);
        let same = shown.is_some_and(|(class, _)| class == finding.kind);
        if ruling.evidence.replay != Some(Replay::Confirmed) || !same && !watched {
            let wrong = format!(
                "seed {seed}: {} at line {line} is present ({}), but {input} gives {shown:?}",
                finding.kind.word(),
                finding.message
            );
            tally.wrong.push(wrong);
        }
        tally.confirmed += 1;
    }
    let mut chance = Chance::new(seed);
    for (at, program) in programs.iter().enumerate() {
        let mut told = BTreeSet::new();
        let own: BTreeSet<u32> = program.numbered(&code).into_iter().map(|(number, _)| number).collect();
        for one in native::inputs(&mut chance, at, program.parameters.len(), tries) {
            let arguments = program.parameters.iter().zip(&one.values).map(|((name, _), value)| Argument {
                name: (*name).to_owned(),
                value: Value::number(64, value.cast_unsigned()),
            });
            let call = Call {
                function: program.entry().name.clone(),
                arguments: arguments.collect(),
                ..Call::default()
            };
            let refused = (0..32).filter(|bit| one.failing >> bit & 1 == 1).collect();
            let input = Input { call: Some(call), refused, ..Input::default() };
            tally.runs += 1;
            let Some((class, line)) = fault(&machine, &input) else { continue };
            tally.faults += 1;
            let mut verdicts = said.get(&(line, class)).cloned().unwrap_or_default();
            // A run ends where the value decides something, and not where it was read: anywhere in the program, also in a caller.
            if class == Class::Uninitialised {
                let read = findings.iter().filter(|(line, one)| one.kind == class && own.contains(line));
                verdicts.extend(read.map(|(_, one)| one.verdicts[0].verdict));
            }
            let is_honest = |verdicts: &BTreeSet<Verdict>| {
                verdicts.iter().any(|one| matches!(one, Verdict::Present | Verdict::Unknown))
            };
            // What is not known of the contents of memory is told to who asks for it by name.
            if class == Class::Uninitialised && !is_honest(&verdicts) && !told.contains(&(line, class)) {
                let asked = judge(&module, Some(class), |line| own.contains(&line));
                verdicts.extend(asked.iter().map(|(_, one)| one.verdicts[0].verdict));
            }
            if !is_honest(&verdicts) && told.insert((line, class)) {
                tally.wrong.push(format!(
                    "seed {}: {} at line {line} happens with {input}, but is {verdicts:?}\n{}",
                    seed + at as u64,
                    class.word(),
                    program.excerpt(&code)
                ));
            }
        }
    }
    tally.programs += count;
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// Fifty programs, and two hundred where `CI` is set: parts, so that they are tried side by side. `HYDROGEN_SEED`, `HYDROGEN_BATCHES`
/// (per part), `HYDROGEN_BATCH` and `HYDROGEN_QUESTION` (milliseconds) try other programs, and more of them.
const PARTS: u64 = 5;

fn verdicts_and_runs_agree(part: u64) {
    if hydrogen_testkit::archive().is_none() {
        return;
    }
    let usual = if std::env::var_os("CI").is_some() { 4 } else { 1 };
    let (seed, batches, size) =
        (number("HYDROGEN_SEED", 1), number("HYDROGEN_BATCHES", usual), number("HYDROGEN_BATCH", 10));
    let mut tally = Tally::default();
    let mut wrong = 0;
    for at in 0..batches {
        batch(seed + (at * PARTS + part) * size, size as usize, 40, &mut tally);
        for one in tally.wrong.drain(..) {
            println!("WRONG {one}");
            wrong += 1;
        }
    }
    println!(
        "{} programs, {} runs, {} faults, {} confirmed",
        tally.programs, tally.runs, tally.faults, tally.confirmed
    );
    println!("witnesses: {:?}", tally.why);
    for ((kind, verdict), count) in &tally.verdicts {
        println!("  {} {verdict}: {count}", kind.word());
    }
    assert_eq!(wrong, 0, "wrong answers, printed above");
    assert!(tally.faults > 0 && tally.confirmed > 0, "nothing was compared");
}

#[test]
fn verdicts_and_runs_agree_first_part() {
    verdicts_and_runs_agree(0);
}

#[test]
fn verdicts_and_runs_agree_second_part() {
    verdicts_and_runs_agree(1);
}

#[test]
fn verdicts_and_runs_agree_third_part() {
    verdicts_and_runs_agree(2);
}

#[test]
fn verdicts_and_runs_agree_fourth_part() {
    verdicts_and_runs_agree(3);
}

#[test]
fn verdicts_and_runs_agree_fifth_part() {
    verdicts_and_runs_agree(4);
}
