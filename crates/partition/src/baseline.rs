//! What simpler methods find in the same engine (D22, C12): all paths of the new version, only those that may execute a change, or
//! random inputs.

use crate::ask::Answers;
use crate::search::{Method, Options, Partitioner};
use crate::subject::Subject;
use hydrogen_evidence::Input;
use hydrogen_evidence::partitioned::{Baselined, Measure};
use hydrogen_pair::Outcome;
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
        state >> 16
    };
    let (mut tried, mut differences, mut when) = (0, 0, None);
    for _ in 0..tests {
        let stop = options.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
        if stop || begun.elapsed() > options.time {
            break;
        }
        let input = filled(&shape, range.as_ref(), &mut next);
        let outcomes: Vec<Outcome> = (0..subject.programs.len())
            .map(|version| {
                let program = subject.programs[version];
                let own = subject.own_input(version, &input);
                let world = subject.symbolic.world(program, subject.world, &own);
                let run = program.run(world, subject.limits.clone());
                Outcome::of(&run.end, &run.world, None)
            })
            .collect();
        tried += 1;
        let whole = outcomes.iter().all(Outcome::is_whole);
        if whole && outcomes.windows(2).any(|two| !two[0].same(&two[1], &subject.observables)) {
            differences += 1;
            when.get_or_insert(begun.elapsed());
        }
    }
    let rate = Some(Measure::estimated(differences, tried));
    Baselined { tests: tried, differences, first: when, time: begun.elapsed(), rate }
}

/// An input of the same shape with random bytes; memory of the size of a number gets one out of the range.
fn filled(shape: &Input, range: Option<&RangeInclusive<i64>>, next: &mut impl FnMut() -> u64) -> Input {
    let mut input = shape.clone();
    for bytes in input.named.values_mut() {
        match range {
            Some(range) if bytes.len() <= 8 => {
                let width = range.end().wrapping_sub(*range.start()) as u64;
                let above = if width == u64::MAX { next() } else { next() % (width + 1) };
                let number = range.start().wrapping_add(above as i64);
                let len = bytes.len();
                bytes.copy_from_slice(&number.to_le_bytes()[..len]);
            }
            _ => bytes.iter_mut().for_each(|byte| *byte = next() as u8),
        }
    }
    let others =
        input.args.values_mut().chain(input.files.values_mut()).chain(input.environment.values_mut());
    for bytes in others.chain([&mut input.stdin]) {
        bytes.iter_mut().for_each(|byte| *byte = next() as u8);
    }
    input
}
