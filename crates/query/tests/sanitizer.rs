//! AINV-9: generated programs are run under gcc's address and undefined sanitizers. A fault that happens is never called absent, and the
//! inputs of a witness have the fault.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod common;
mod generated;

use common::{compile, graph_of};
use generated::native::{self, End, Input};
use generated::{Chance, Generator, Program as Source};
use hydrogen_evidence::{Class, Entry, Finding, Verdict};
use hydrogen_graph::{NodeId, VersionId, VersionSet};
use hydrogen_library::Library;
use hydrogen_query::{Analyst, Budget, Program, Question};
use std::collections::{BTreeMap, BTreeSet};

/// All findings, by line.
fn judge(code: &str) -> Vec<(u32, Finding)> {
    let modules = vec![vec![(compile(code))]];
    let graph = graph_of(&modules);
    let program = Program { graph: &graph, code: &modules };
    // Small programs need no more; what is not decided soon is unknown.
    let question = number("HYDROGEN_QUESTION", 600_000);
    let budget = Budget { question, solver: question / 2, rounds: 2, more_rounds: 2, ..Budget::default() };
    let mut analyst = Analyst::new(program, hydrogen_term::standard(), Library::default(), budget);
    let (versions, at) = (VersionSet::all(1), VersionId::at(0));
    let nodes: Vec<NodeId> = graph.nodes().collect();
    let mut out = Vec::new();
    for node in nodes {
        let Some(line) = graph.line(node, at) else { continue };
        for finding in analyst.judge(&Question { node, at, kind: None, versions: &versions, inside: false }) {
            out.push((line, finding));
        }
    }
    out
}

#[derive(Default)]
struct Tally {
    programs: usize,
    runs: usize,
    faults: usize,
    witnesses: usize,
    masked: usize,
    verdicts: BTreeMap<(Class, &'static str), usize>,
    wrong: Vec<String>,
}

fn batch(seed: u64, count: usize, tries: usize, tally: &mut Tally) {
    let programs: Vec<Source> = (0..count).map(|at| Generator::new(seed + at as u64).program(at)).collect();
    let code = native::file(&programs);
    let started = std::time::Instant::now();
    let findings = judge(&code);
    let judged = started.elapsed();
    for (_, finding) in &findings {
        *tally.verdicts.entry((finding.kind, finding.verdicts[0].verdict.word())).or_default() += 1;
    }
    let mut said: BTreeMap<(u32, Class), BTreeSet<Verdict>> = BTreeMap::new();
    for (line, finding) in &findings {
        said.entry((*line, finding.kind)).or_default().insert(finding.verdicts[0].verdict);
    }
    let mut chance = Chance::new(seed);
    let mut inputs = Vec::new();
    for (at, program) in programs.iter().enumerate() {
        inputs.extend(native::inputs(&mut chance, at, program.parameters.len(), tries));
    }
    let usual = inputs.len();
    // The witnesses of functions that get numbers only, where nothing else comes in.
    let mut expected: Vec<(usize, Class, u32, String)> = Vec::new();
    for (line, finding) in &findings {
        let ruling = &finding.verdicts[0];
        let Some(at) = programs.iter().position(|one| one.entry().name == finding.location.function) else {
            continue;
        };
        let memory = ruling.ledger.contains(&Entry::MemoryHoldsAnything);
        if ruling.verdict != Verdict::Present || memory {
            continue;
        }
        let parameters = &programs[at].parameters;
        let mut values = vec![0_i64; parameters.len()];
        let mut understood = true;
        let mut may_fail = false;
        for (name, value) in &ruling.evidence.model {
            match parameters.iter().position(|(one, _)| one == name) {
                Some(at) => values[at] = value.parse::<i128>().map_or(0, |value| value as i64),
                None if name.starts_with("(what malloc()") || name.starts_with("(what calloc()") => {
                    may_fail |= value == "true"
                }
                None => understood = false,
            }
        }
        // The harness knows these kinds only, and only overflows and double frees that it cannot miss.
        let seen = matches!(
            finding.kind,
            Class::Null
                | Class::SignedOverflow
                | Class::Division
                | Class::Shift
                | Class::Overflow
                | Class::DoubleFree
        );
        // gcc computes in the narrow type what is stored into one, and does not see the overflow of the wide type then.
        let narrowed = finding.kind == Class::SignedOverflow
            && ["char", "short"].iter().any(|one| programs[at].text().contains(one));
        if !understood || !seen || narrowed {
            continue;
        }
        let place = expected.len();
        for failing in if may_fail { 0..16 } else { 0..1 } {
            inputs.push(Input { program: at, values: values.clone(), failing });
            expected.push((
                place,
                finding.kind,
                *line,
                format!("{:?} {:?}", ruling.evidence.model, ruling.ledger),
            ));
        }
    }
    let started = std::time::Instant::now();
    let ends = native::run(&programs, &inputs);
    println!("seed {seed}: judged in {judged:?}, run in {:?}", started.elapsed());
    tally.programs += count;
    tally.runs += usual;
    let mut told: BTreeSet<(u32, Class)> = BTreeSet::new();
    for (input, end) in inputs.iter().zip(&ends) {
        let (kinds, line) = match end {
            End::Fault(kind, line) => (vec![*kind], line),
            End::Wild(line) => (vec![Class::Overflow, Class::Null], line),
            _ => continue,
        };
        tally.faults += 1;
        let kind = &kinds[0];
        let verdicts: BTreeSet<Verdict> =
            kinds.iter().filter_map(|kind| said.get(&(*line, *kind))).flatten().copied().collect();
        let honest = verdicts.iter().any(|one| matches!(one, Verdict::Present | Verdict::Unknown));
        if !honest && told.insert((*line, *kind)) {
            let program = &programs[input.program];
            tally.wrong.push(format!(
                "seed {}: {} at line {line} happens with {:?} failing {}, but is {verdicts:?}\n{}",
                seed + input.program as u64,
                kind.word(),
                input.values,
                input.failing,
                program.excerpt(&code)
            ));
        }
    }
    // A witness is tried with every way in which allocations fail: one of them must show the fault.
    let mut shown: BTreeMap<usize, Vec<&End>> = BTreeMap::new();
    for (at, (place, ..)) in expected.iter().enumerate() {
        shown.entry(*place).or_default().push(&ends[usual + at]);
    }
    for (place, ends) in shown {
        let (_, kind, line, model) = &expected[place];
        tally.witnesses += 1;
        if ends.iter().any(|end| **end == End::Fault(*kind, *line)) {
            continue;
        }
        // Another fault came first, which the witness does not exclude.
        if ends.iter().any(|end| **end != End::Well) {
            tally.masked += 1;
            continue;
        }
        let input = &inputs[usual + place];
        tally.wrong.push(format!(
            "seed {}: {} at line {line} is present with {model}, but all goes well\n{}",
            seed + input.program as u64,
            kind.word(),
            programs[input.program].excerpt(&code)
        ));
    }
}

fn report(tally: &Tally) -> String {
    let mut out = format!(
        "{} programs, {} runs, {} faults, {} witnesses run ({} masked)\n",
        tally.programs, tally.runs, tally.faults, tally.witnesses, tally.masked
    );
    for ((kind, verdict), count) in &tally.verdicts {
        out.push_str(&format!("  {} {verdict}: {count}\n", kind.word()));
    }
    out
}

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

/// `HYDROGEN_SEED`, `HYDROGEN_BATCHES` and `HYDROGEN_BATCH` try other programs, and more of them.
#[test]
fn faults_that_happen_are_never_absent() {
    if !native::is_there() {
        return hydrogen_testkit::skip("gcc or its sanitizers are not here");
    }
    let (seed, batches, size) =
        (number("HYDROGEN_SEED", 1), number("HYDROGEN_BATCHES", 2), number("HYDROGEN_BATCH", 12));
    let mut tally = Tally::default();
    let mut all = 0;
    for at in 0..batches {
        batch(seed + at * size, size as usize, 60, &mut tally);
        for wrong in tally.wrong.drain(..) {
            println!("WRONG {wrong}");
            all += 1;
        }
    }
    println!("{}", report(&tally));
    assert_eq!(all, 0, "wrong answers, printed above");
    assert!(tally.faults > 0, "no program had a fault");
}
