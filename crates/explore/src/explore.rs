//! Exploring a program by path conditions: one input per path.

use crate::concolic::{Concolic, NamedOutput};
use crate::input::{Input, Symbolic};
use crate::path::{Conjunct, Kind};
use hydrogen_machine::{End, Limits, Program, Site, World};
use hydrogen_term::{Answer, Engine, Evaluator, Pool, Solver, Term};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// How to explore.
#[derive(Debug, Clone)]
pub struct Options {
    /// What of the input may change.
    pub symbolic: Symbolic,
    /// The limits of each run.
    pub limits: Limits,
    /// The most runs.
    pub runs: usize,
    /// The most time.
    pub time: Duration,
}

/// A run that was found.
#[derive(Debug, Clone)]
pub struct Test {
    /// Its input.
    pub input: Input,
    /// What the input fulfils.
    pub path: Vec<Conjunct>,
    /// What the program named as output.
    pub outputs: Vec<NamedOutput>,
    /// How it ended.
    pub end: End,
}

/// A run that did not do what its condition promised (INV-R5), or does not fulfil its own condition (INV-P1): a bug of ours, never of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alarm {
    /// The number of the test that the input was made from.
    pub from: usize,
    /// The input that went elsewhere.
    pub input: Input,
    /// The first conjunct that differs.
    pub at: usize,
}

/// What an exploration found.
pub struct Exploration {
    /// The terms of all conditions.
    pub pool: Pool,
    /// One test per path, in the order they were found.
    pub tests: Vec<Test>,
    /// Whether these are all paths: nothing was cut short, unknown or made concrete.
    pub complete: bool,
    /// Questions that the solver did not answer.
    pub unknown: u64,
    /// Runs that broke the prefix property.
    pub alarms: Vec<Alarm>,
    /// Values that were made concrete, by reason and place.
    pub concretised: BTreeMap<(String, Site), u64>,
}

/// A path that may exist: the conditions to solve, and how many of them come first in the new run.
struct Question {
    from: usize,
    conditions: Vec<Term>,
}

/// Explores from an input, depth first.
pub fn explore<S: Solver>(
    program: &Program,
    world: &World,
    first: Input,
    options: &Options,
    engine: &mut Engine<S>,
) -> Exploration {
    let begun = Instant::now();
    let mut found = Exploration {
        pool: Pool::new(),
        tests: Vec::new(),
        complete: true,
        unknown: 0,
        alarms: Vec::new(),
        concretised: BTreeMap::new(),
    };
    let mut stack: Vec<Question> = Vec::new();
    visit(program, world, first, options, &mut found, None, &mut stack);
    while let Some(question) = stack.pop() {
        if found.tests.len() >= options.runs || begun.elapsed() > options.time {
            found.complete = false;
            break;
        }
        match engine.check(&mut found.pool, &question.conditions) {
            Answer::Sat(model) => {
                let input = found.tests[question.from].input.with_model(&found.pool, &model);
                visit(program, world, input, options, &mut found, Some(question), &mut stack);
            }
            Answer::Unsat => {}
            Answer::Unknown(_) => {
                found.unknown += 1;
                found.complete = false;
            }
        }
    }
    found
}

/// Runs an input, checks that it did what it was made for, and asks for the other sides of its later branches.
fn visit(
    program: &Program,
    world: &World,
    input: Input,
    options: &Options,
    found: &mut Exploration,
    why: Option<Question>,
    stack: &mut Vec<Question>,
) {
    let monitor = Concolic::new(program, &options.symbolic, std::mem::take(&mut found.pool));
    let run = program.run_with(input.world(world), options.limits.clone(), monitor);
    let mut monitor = run.monitor;
    monitor.finish(&run.end);
    let Concolic { pool, path, outputs, concretised, .. } = monitor;
    found.pool = pool;
    for (key, count) in concretised {
        found.complete = false;
        *found.concretised.entry(key).or_insert(0) += count;
    }
    if matches!(run.end, End::Limit(..) | End::Unresolved(..) | End::Unsupported(..)) {
        found.complete = false;
    }
    // Every run fulfils its own condition (INV-P1); otherwise a term was wrong.
    let terms: Vec<Term> = path.iter().map(|one| one.term).collect();
    let model = input.model(&found.pool, &found.pool.variables(&terms));
    let mut evaluator = Evaluator::new(&found.pool, &model);
    if let Some(at) = terms.iter().position(|term| !evaluator.holds(*term)) {
        found.complete = false;
        let from = why.map_or(0, |question| question.from);
        found.alarms.push(Alarm { from, input, at });
        return;
    }
    let known = why.as_ref().map_or(0, |question| question.conditions.len());
    if let Some(question) = why {
        let same = |(at, term): (usize, &Term)| path.get(at).is_some_and(|one| one.term == *term);
        let differs = question.conditions.iter().enumerate().position(|pair| !same(pair));
        if let Some(at) = differs {
            found.complete = false;
            found.alarms.push(Alarm { from: question.from, input: input.clone(), at });
            return;
        }
    }
    let from = found.tests.len();
    for (index, conjunct) in path.iter().enumerate().skip(known) {
        if conjunct.kind == Kind::Branch {
            let mut conditions: Vec<Term> = path[..index].iter().map(|one| one.term).collect();
            conditions.push(found.pool.not(conjunct.term));
            stack.push(Question { from, conditions });
        }
    }
    found.tests.push(Test { input, path, outputs, end: run.end });
}
