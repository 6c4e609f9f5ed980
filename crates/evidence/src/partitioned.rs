//! For which inputs versions do the same: partitions of the inputs, each with a test.

use crate::{Input, Note, Outcome};
use std::fmt;
use std::time::Duration;

/// A part of all inputs, between 0 and 1: exact, or an interval that holds it with 95 % confidence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measure {
    /// At least this much.
    pub low: f64,
    /// At most this much.
    pub high: f64,
    /// Whether it was counted: both numbers are the same then.
    pub exact: bool,
}

impl Measure {
    /// Counted.
    pub fn exact(value: f64) -> Self {
        let value = value.clamp(0.0, 1.0);
        Self { low: value, high: value, exact: true }
    }

    /// Wilson's interval for `hits` of `tries`.
    pub fn estimated(hits: u64, tries: u64) -> Self {
        if tries == 0 {
            return Self { low: 0.0, high: 1.0, exact: false };
        }
        let (n, p, z) = (tries as f64, hits as f64 / tries as f64, 1.959_964);
        let middle = p + z * z / (2.0 * n);
        let half = z * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
        let below = 1.0 + z * z / n;
        let low = if hits == 0 { 0.0 } else { (middle - half) / below };
        let high = if hits == tries { 1.0 } else { (middle + half) / below };
        Self { low: low.max(0.0), high: high.min(1.0), exact: false }
    }
}

/// What is known about all inputs together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// The versions do the same.
    pub equal: Measure,
    /// They do not.
    pub different: Measure,
    /// Nothing is known, or the input is left out of the comparison.
    pub rest: Measure,
}

/// What a difference is, seen from the version that is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Judgement {
    /// The old version was right and the new one is not.
    Regression,
    /// The new version is right.
    Progression,
    /// Neither is right: a fix that is not complete, or another error.
    Intermediate,
}

impl fmt::Display for Judgement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Regression => "regression",
            Self::Progression => "progression",
            Self::Intermediate => "intermediate",
        })
    }
}

/// How far an exploration came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Status {
    /// No input is outside of all partitions, and every run came to its end: they are all there are.
    Complete,
    /// A difference was found, and that was enough.
    Difference,
    /// It ended earlier, and why.
    Open(String),
}

/// What native runs of a difference did.
#[derive(Debug)]
pub enum Confirmed {
    /// The same in both versions.
    Same,
    /// A version's behaviour is undefined there: the machine stops at it, and native code does anything.
    Stopped,
    /// Something else than the machine, and what.
    Otherwise(String),
    /// They could not be made.
    Impossible(String),
    /// They were not wanted.
    NotAsked,
}

impl Confirmed {
    /// Whether the difference stands: nothing that was run speaks against it.
    pub fn stands(&self) -> bool {
        !matches!(self, Self::Otherwise(_))
    }
}

/// A set of inputs that all go the same way in each version.
#[derive(Debug)]
pub struct Part {
    /// R: no change is executed, P: the outcomes are equal all the same, D: they differ.
    pub letter: char,
    /// Whether the versions do the same on its inputs.
    pub is_equal: bool,
    /// What its inputs fulfil.
    pub condition: String,
    /// One of them.
    pub input: Input,
    /// What the versions do with it, the oldest first.
    pub outcomes: Vec<Outcome>,
    /// The changed statements that are executed: the number of the version, file and line.
    pub executed: Vec<(usize, String, u32)>,
    /// Why this input was looked at.
    pub why: String,
    /// The partition whose neighbour it is.
    pub beside: Option<usize>,
    /// Whether a value was made concrete on the way: the partition is smaller than it could be.
    pub narrowed: bool,
    /// Where the runs become the same again although a change was executed, as places in the old and in the new version.
    pub converged: Vec<(String, String)>,
    /// Of a difference that was run natively, what that did.
    pub confirmed: Option<Confirmed>,
    /// What a version that is right says to a difference; the inner one is missing where its run was cut short.
    pub judged: Option<Option<Judgement>>,
}

/// Which partitions the tests of a suite are in.
#[derive(Debug)]
pub struct Coverage {
    /// The tests, each with its partition, if one that was found holds it.
    pub tests: Vec<(String, Option<usize>)>,
    /// Tests of another form.
    pub others: Vec<String>,
}

/// Everything that is known in the end.
#[derive(Debug)]
pub struct Partitioned {
    /// The versions, the oldest first.
    pub names: Vec<String>,
    /// The partitions, in the order in which they were found.
    pub parts: Vec<Part>,
    /// How far it came.
    pub status: Status,
    /// How much of the input space is decided.
    pub share: Option<Share>,
    /// How many ways are left out of the comparison.
    pub excluded: usize,
    /// Runs that were cut short, with the reason.
    pub unresolved: Vec<(Input, String)>,
    /// Runs that did not do what was promised, and what is wrong: bugs of ours.
    pub alarms: Vec<(Input, String)>,
    /// Questions without an answer, and values that were made concrete, by reason.
    pub missing: Vec<Note>,
    /// What the input does not determine.
    pub shaken: Vec<String>,
    /// Questions to the solver.
    pub asked: u64,
    /// Runs of all versions.
    pub runs: usize,
    /// How long it took.
    pub time: Duration,
    /// Whether every partition is told.
    pub explain: bool,
    /// Which partitions the tests of a suite are in.
    pub suite: Option<Coverage>,
}

impl Partitioned {
    /// Whether some difference stands.
    pub fn has_difference(&self) -> bool {
        let stands = |part: &Part| part.confirmed.as_ref().is_some_and(Confirmed::stands);
        self.shaken.is_empty() && self.parts.iter().any(stands)
    }

    /// Whether equality for every input is shown.
    pub fn is_equal(&self) -> bool {
        self.shaken.is_empty() && self.is_complete() && self.parts.iter().all(|part| part.is_equal)
    }

    /// Whether the exploration came to its end.
    pub fn is_complete(&self) -> bool {
        self.status == Status::Complete
    }
}

/// What a simpler method found.
#[derive(Debug, Clone, PartialEq)]
pub struct Baselined {
    /// Inputs that were run.
    pub tests: u64,
    /// Those on which versions differ.
    pub differences: u64,
    /// When the first of them was found.
    pub first: Option<Duration>,
    /// How long it took.
    pub time: Duration,
    /// How probable a difference is, for random inputs.
    pub rate: Option<Measure>,
}
