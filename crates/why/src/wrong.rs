//! The output that is wrong: of all differences between two outcomes, the one that is explained.

use hydrogen_pair::{Difference, Ending, Observable, Outcome};
use hydrogen_trace::{Criterion, CriterionError, Dependences, OutputName, Seeds, TraceError};
use std::ops::Range;

/// A crash is explained first, then what was given out, then the exit status: who exits otherwise has often said before why.
pub(crate) fn wrong(old: &Outcome, new: &Outcome, observables: &[Observable]) -> Option<Difference> {
    let differences = old.differences(new, observables);
    let of = |ending: bool| differences.iter().find(|it| (it.observable == Observable::Ending) == ending);
    let ending = of(true);
    match ending {
        Some(_) if crashes(old) || crashes(new) => ending.cloned(),
        _ => of(false).or(ending).cloned(),
    }
}

fn crashes(outcome: &Outcome) -> bool {
    matches!(outcome.ending, Ending::Fault(..) | Ending::Signal(_))
}

/// Where the wrong output is in a run.
pub(crate) struct Where {
    criterion: Criterion,
    /// The bytes that dependences are asked to keep.
    pub(crate) bytes: Option<(i32, Range<u64>)>,
}

impl Where {
    /// In the run with this outcome, where the other version's run has that one.
    pub(crate) fn of(wrong: &Difference, outcome: &Outcome, other: &Outcome) -> Self {
        let at = wrong.same as u64;
        let byte = |descriptor: i32, stream: &[u8]| match wrong.same < stream.len() {
            true => Criterion::Bytes(descriptor, at..at + 1),
            false => Criterion::Output(OutputName::Descriptor(descriptor)),
        };
        let criterion = match &wrong.observable {
            Observable::Stdout => byte(1, &outcome.stdout),
            Observable::Stderr => byte(2, &outcome.stderr),
            Observable::Named => match outcome.named.get(wrong.same) {
                Some((name, _)) => Criterion::Output(OutputName::Named(name.to_string())),
                None => Criterion::Everything,
            },
            // Where only the other version crashes, all that this one does counts, unless it says itself that it failed.
            Observable::Ending | Observable::FaultPlace => match &outcome.ending {
                Ending::Exit(0) if crashes(other) => Criterion::Everything,
                _ => Criterion::End,
            },
            Observable::Files | Observable::File(_) | Observable::Memory => Criterion::Everything,
        };
        let bytes = match &criterion {
            Criterion::Bytes(descriptor, range) => Some((*descriptor, range.clone())),
            _ => None,
        };
        Self { criterion, bytes }
    }

    /// Where slicing begins. What is missing in the output depends on what might have been given out.
    pub(crate) fn seeds(&self, dependences: &Dependences<'_, '_>) -> Result<Seeds, TraceError> {
        match dependences.find(&self.criterion) {
            Ok(seeds) => Ok(seeds),
            Err(CriterionError::Trace(error)) => Err(error),
            Err(_) => {
                let mut seeds = Seeds::steps([dependences.steps]);
                seeds.extend(Seeds::any_output());
                Ok(seeds)
            }
        }
    }
}
