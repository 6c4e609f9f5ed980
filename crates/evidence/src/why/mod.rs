//! Why a test fails since a change: suspects, with the inputs that show what they decide.

mod numbers;
mod statement;
mod suspect;

pub use numbers::{Numbers, Sizes, Times};
pub use statement::{Counterpart, Side, Spot};
pub use suspect::{Alternate, Change, Did, Suspect};

use crate::{Difference, Input, Outcome};
use std::collections::BTreeMap;

/// The answer.
#[derive(Debug)]
pub struct Explanation {
    /// What came out, of the old version first.
    pub outcomes: [Outcome; 2],
    /// The difference that is explained; none if the outcomes are the same.
    pub wrong: Option<Difference>,
    /// Whether both paths are taken by the same inputs. Nothing where that was not decided.
    pub equivalent: Option<bool>,
    /// Statements to look at, the best first.
    pub suspects: Vec<Suspect>,
    /// Changed statements that the wrong output depends on, with nothing else against them.
    pub others: Vec<Suspect>,
    /// Inputs that did not do what they should, and why.
    pub invalid: Vec<Alternate>,
    /// By side, the first statement of both versions that computed something else.
    pub first: [Option<Spot>; 2],
    /// By side, the lines that were executed, and whether the wrong output depends on them.
    pub lines: [BTreeMap<(String, u32), bool>; 2],
    /// By side, the statement at which the run faults, if it does.
    pub faults: [Option<Spot>; 2],
    /// The two runs side by side, from shortly before they differ.
    pub runs: Vec<Executed>,
    /// Where both go the same way: how the wrong output is computed.
    pub expressions: Option<Expressions>,
    /// And an input for which they agree on the same way, with what it changes.
    pub agreeing: Option<(Input, Vec<Change>)>,
    /// By side, what of the precondition of its output does not follow from the other's, where that was asked for.
    pub preconditions: [Vec<Precondition>; 2],
    /// What the answer stands on.
    pub numbers: Numbers,
}

/// A statement that was executed: by both runs in the same place, or by one of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Executed {
    /// The statement of the old version.
    pub old: Option<Spot>,
    /// That of the new one.
    pub new: Option<Spot>,
    /// Whether only one version executes it, or the two compute something else.
    pub differs: bool,
}

/// A condition of one run that the other run's do not imply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Precondition {
    /// The statement that has it; none for the output itself.
    pub spot: Option<Spot>,
    /// The condition, over the bytes of the input.
    pub condition: String,
}

/// The wrong output as expressions over the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expressions {
    /// What the old version computes, where the two begin to differ.
    pub old: String,
    /// What the new version computes there.
    pub new: String,
}

/// Everything that is told of an explanation.
#[derive(Debug)]
pub struct Told<'a> {
    /// The names of both versions, the old one first.
    pub names: [&'a str; 2],
    /// The failing input.
    pub input: &'a Input,
    /// The answer itself.
    pub found: &'a Explanation,
    /// What the input does not determine, by version.
    pub unsteady: Vec<String>,
    /// What native builds of both versions said, for the inputs that are shown.
    pub native: Vec<String>,
    /// The commit that brought the failure, where it was looked for.
    pub since: Option<String>,
    /// How a test started the failing run.
    pub start: Option<&'a str>,
    /// Other starts of the test that go wrong, and how many were not looked into.
    pub further: (Vec<Further>, usize),
    /// By suspect, the commit that wrote its statement.
    pub written: Vec<Option<String>>,
    /// By suspect, the definition by which it means something else.
    pub defined: Vec<Option<Defined>>,
    /// How long all of it took.
    pub seconds: f64,
}

/// Another start of a test that goes wrong.
#[derive(Debug)]
pub struct Further {
    /// How the test started it.
    pub start: String,
    /// The answer in words; nothing where the reason is one that was told before, or none is known.
    pub answer: Option<String>,
    /// Where the statement is that is named first.
    pub place: Option<String>,
    /// Whether that was told before.
    pub same: bool,
}

/// A definition that both versions have, with other words.
#[derive(Debug)]
pub struct Defined {
    /// Its file.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// The new words.
    pub new: String,
    /// The old words.
    pub old: String,
}
