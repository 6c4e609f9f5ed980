//! What the prover leaves open is explored at the function's own entry: for which part of the calls do both versions do the same?

use super::partition::{as_test, observables, undefined};
use crate::cli::{CompareOptions, ProgramOptions};
use crate::commands::program::{self, Two};
use crate::context::Context;
use anyhow::{Result, bail};
use hydrogen_evidence::{Call, Value, compared};
use hydrogen_explore::{FunctionEntry, Symbolic};
use hydrogen_partition::{Answers, Options, Partitioner, Share, Status, Subject};
use hydrogen_relate::{Certificate, Inputs, Method, Proof, Subject as Judged};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How far pointers of a call lead, and how many elements an object has.
const DEPTH: u32 = 3;
const ELEMENTS: u64 = 4;
/// Steps of one run.
const STEPS: u64 = 200_000;

/// What stands behind a proof by runs.
const BY_RUNS: &str = "each partition of the arguments was run in both versions, and a solver found no arguments outside of them";

/// What exploring the calls of a function came to.
pub struct Bounded {
    pub share: Share,
    pub partitions: usize,
    /// Whether every call within the bounds is in a partition, and none was decided by one value alone where others are possible.
    pub is_complete: bool,
    /// Whether nothing was left out, made concrete or not answered either.
    pub is_whole: bool,
    /// Whether the checker does not say so too.
    pub is_doubted: bool,
    /// The arguments of one call of each partition, where they are numbers.
    pub inputs: Vec<Vec<u64>>,
    /// Calls on which the versions seem to differ; they count when they have been run again.
    pub differing: Vec<Call>,
}

impl Bounded {
    pub fn told(&self) -> compared::Bounded {
        compared::Bounded {
            share: self.share,
            partitions: self.partitions,
            elements: ELEMENTS,
            is_equal: self.is_complete && !self.is_doubted && self.differing.is_empty(),
        }
    }

    /// The proof that a function is equal whose arguments alone decide, and all of whose partitions were run. Its certificate is one input of each.
    pub fn proof(&self, old: Judged<'_>, new: Judged<'_>) -> Proof {
        let certificate = Inputs::new(old, new, self.inputs.clone()).map(Certificate::Inputs);
        Proof {
            method: Method::Partitions,
            lemmas: Vec::new(),
            ledger: vec![BY_RUNS.to_owned()],
            obligations: self.partitions,
            asked: self.partitions,
            certificate,
        }
    }
}

/// Explores the calls of one function in both versions.
pub fn explore(
    context: &Context,
    options: &CompareOptions,
    program_options: &ProgramOptions,
    two: &Two,
    unit: Option<String>,
    time: Duration,
    interrupt: &Arc<AtomicBool>,
) -> Result<Bounded> {
    let Some(function) = program_options.function.clone() else { bail!("no function is named") };
    let entry = FunctionEntry { function, unit, depth: DEPTH, elements: ELEMENTS };
    if let Some(why) = [&two.old, &two.new].into_iter().find_map(|side| entry.refusal(side.program())) {
        bail!("{why}");
    }
    let symbolic = Symbolic { call: Some(entry), ..Symbolic::default() };
    let world = program::world(context, program_options)?;
    let mut limits = program::limits(program_options, Arc::clone(interrupt));
    limits.steps = STEPS;
    let mut subject = Subject::new(vec![two.old.program(), two.new.program()], &world, &symbolic, &limits);
    subject.observables = observables(&options.observe);
    subject.undefined = undefined(options);
    let how = Options {
        time,
        stop_on_difference: true,
        interrupt: Some(Arc::clone(interrupt)),
        ..Options::default()
    };
    let mut partitioner = Partitioner::new(&subject, &how, vec![symbolic.first(&world)], Answers::default());
    while partitioner.step() {}
    let mut found = partitioner.finish();
    if let Some(alarm) = found.alarms.first() {
        bail!("a run did not do what its condition promised: {}", alarm.wrong);
    }
    let call = |cell: &hydrogen_partition::Cell| as_test(&symbolic, two.new.program(), &cell.input).call;
    let inputs = found.cells.iter().filter_map(|cell| Some(numbers(&call(cell)?))).collect();
    let differing = found.differences().filter_map(|(_, cell)| call(cell)).collect();
    Ok(Bounded {
        share: found.share(),
        partitions: found.cells.len(),
        is_complete: found.status == Status::Complete && found.missing.is_empty(),
        is_whole: found.is_equal() && found.missing.is_empty() && found.excluded.is_empty(),
        is_doubted: false,
        inputs,
        differing,
    })
}

/// The arguments of a call that are numbers.
pub fn numbers(call: &Call) -> Vec<u64> {
    let bits = |value: &Value| match value {
        Value::Number(number) => Some(number.bits),
        _ => None,
    };
    call.arguments.iter().filter_map(|argument| bits(&argument.value)).collect()
}
