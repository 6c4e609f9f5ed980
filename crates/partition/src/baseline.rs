//! What simpler methods find in the same engine (D22, C12): all paths of the new version, only those that may execute a change, or
//! random inputs.

use crate::ask::Answers;
use crate::search::{Method, Options, Partitioner};
use crate::subject::Subject;
use hydrogen_evidence::Input;
use hydrogen_evidence::partitioned::{Baselined, Measure};
use hydrogen_explore::Symbolic;
use hydrogen_pair::{Ending, Outcome, memory};
use std::ops::RangeInclusive;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// A simpler method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Baseline {
    /// All paths of the newest version.
    Dart,
    /// Those that may execute a change.
    Express,
    /// Random inputs, so many; numbers out of a range where one is given.
    Random(u64, Option<RangeInclusive<i64>>),
}

/// Measures a simpler method.
pub fn measure(
    subject: &Subject<'_>,
    options: &Options,
    given: Vec<Input>,
    baseline: &Baseline,
) -> Baselined {
    let method = match baseline {
        Baseline::Dart => Method::Paths,
        Baseline::Express => Method::PathsToChanges,
        Baseline::Random(tests, range) => return random(subject, options, given, *tests, range.clone()),
    };
    let begun = Instant::now();
    let options = Options { method, ..options.clone() };
    let found = Partitioner::new(subject, &options, given, Answers::default()).run();
    Baselined {
        tests: found.cells.len() as u64,
        differences: found.differences().count() as u64,
        first: found.first_difference,
        time: begun.elapsed(),
        rate: None,
    }
}

fn random(
    subject: &Subject<'_>,
    options: &Options,
    given: Vec<Input>,
    tests: u64,
    range: Option<RangeInclusive<i64>>,
) -> Baselined {
    let begun = Instant::now();
    // A first exploration of one run tells which memory the programs name as input.
    let once = Options { runs: 1, ..options.clone() };
    let first = Partitioner::new(subject, &once, given, Answers::default()).run();
    let shape = first.cells.first().map(|cell| cell.input.clone());
    let shape = shape.or_else(|| first.excluded.first().cloned()).unwrap_or_default();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 32
    };
    let (mut tried, mut counted, mut differences, mut when) = (0, 0, 0, None);
    for _ in 0..tests {
        let stop = options.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
        if stop || begun.elapsed() > options.time {
            break;
        }
        let input = filled(subject.symbolic, &shape, range.as_ref(), &mut next);
        let outcomes: Vec<Outcome> = (0..subject.programs.len())
            .map(|version| {
                let program = subject.programs[version];
                let own = subject.own_input(version, &input);
                let world = subject.symbolic.world(program, subject.world, &own);
                let call = world.call.clone();
                let run = program.run(world, subject.limits.clone());
                let memory = memory(program, call.as_deref(), run.after.as_ref());
                Outcome::of(&run.end, &run.world, None).with_memory(&memory)
            })
            .collect();
        tried += 1;
        // What is not in the space of inputs, or not known, counts for no share.
        let is_left_out = |(version, outcome): (usize, &Outcome)| {
            outcome.ending == Ending::Assumption
                || outcome.is_undefined() && subject.undefined.excludes(version)
                || !outcome.is_whole()
        };
        if outcomes.iter().enumerate().any(is_left_out) {
            continue;
        }
        counted += 1;
        if outcomes.windows(2).any(|two| !two[0].same(&two[1], &subject.observables)) {
            differences += 1;
            when.get_or_insert(begun.elapsed());
        }
    }
    let rate = (counted > 0).then(|| Measure::estimated(differences, counted));
    Baselined { tests: tried, differences, first: when, time: begun.elapsed(), rate }
}

/// An input of the space that is compared, chosen at random: numbers in their range, texts of characters that can be printed, every length
/// that standard input may have. Memory of the size of a number gets one out of the range.
fn filled(
    symbolic: &Symbolic,
    shape: &Input,
    range: Option<&RangeInclusive<i64>>,
    next: &mut impl FnMut() -> u64,
) -> Input {
    let mut input = shape.clone();
    let mut within = |low: i64, high: i64| {
        let width = high.wrapping_sub(low) as u64;
        let number = next() << 32 | next();
        low.wrapping_add(if width == u64::MAX { number } else { number % (width + 1) } as i64)
    };
    for bytes in input.named.values_mut() {
        match range {
            Some(range) if bytes.len() <= 8 => {
                let number = within(*range.start(), *range.end());
                let len = bytes.len();
                bytes.copy_from_slice(&number.to_le_bytes()[..len]);
            }
            _ => bytes.iter_mut().for_each(|byte| *byte = within(0, 255) as u8),
        }
    }
    for (index, number) in &symbolic.numbers {
        input.args.insert(*index, within(number.low, number.high).to_string().into_bytes());
    }
    for (index, len) in &symbolic.args {
        let (low, high) = if symbolic.texts.contains(index) { (32, 126) } else { (0, 255) };
        let bytes = input.args.entry(*index).or_default();
        bytes.resize(*len.max(&bytes.len()), 0);
        bytes.iter_mut().take(*len).for_each(|byte| *byte = within(low, high) as u8);
    }
    for (name, len) in &symbolic.files {
        fill(input.files.entry(name.clone()).or_default(), *len, &mut within);
    }
    for (name, len) in &symbolic.environment {
        fill(input.environment.entry(name.clone()).or_default(), *len, &mut within);
    }
    let len = match symbolic.shorter {
        true => within(0, symbolic.stdin as i64) as usize,
        false => symbolic.stdin,
    };
    if symbolic.stdin > 0 {
        let ends: Vec<bool> = input.stdin.iter().map(|byte| *byte == b'\n').collect();
        if symbolic.shorter {
            input.stdin.truncate(len);
        }
        fill(&mut input.stdin, len, &mut within);
        // The ends of lines are where they are.
        let keeps = |at: &usize| symbolic.line.is_some() && ends.get(*at) == Some(&true);
        (0..input.stdin.len()).filter(keeps).for_each(|at| input.stdin[at] = b'\n');
    }
    input
}

/// Random first bytes.
fn fill(bytes: &mut Vec<u8>, len: usize, within: &mut impl FnMut(i64, i64) -> i64) {
    bytes.resize(len.max(bytes.len()), 0);
    bytes.iter_mut().take(len).for_each(|byte| *byte = within(0, 255) as u8);
}
