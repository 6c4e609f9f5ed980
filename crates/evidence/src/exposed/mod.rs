//! Inputs on which two versions differ, and what a search for them came to.

mod effect;
mod search;
mod selected;

pub use effect::{Effect, Effects, Point, Stopped, Way};
pub use search::{Class, Statistics};
pub use selected::{Required, Selected, SelectedTest};

use crate::{Input, Outcome};

/// What a program is started with, or the call of a function.
#[derive(Debug, Clone)]
pub struct Started {
    /// Where a function is called: the call as a programmer would write it.
    pub call: Option<String>,
    /// The arguments, without the program's name.
    pub arguments: Vec<Vec<u8>>,
    /// Standard input.
    pub stdin: Vec<u8>,
    /// The input that this comes from.
    pub input: Input,
}

/// How a version's native run went.
#[derive(Debug, Clone)]
pub enum Natively {
    /// As in the machine.
    Same,
    /// Undefined behaviour has no native outcome.
    Undefined,
    /// It was not run, and why.
    NotRun(String),
}

/// What became of a difference with the platform's own C library, which the machine's is not.
#[derive(Debug, Clone)]
pub enum Platform {
    /// It is there too.
    Differs,
    /// Undefined behaviour has no native outcome, or the native runs had that library already.
    NotAsked,
    /// It was not run, and why.
    NotRun(String),
}

/// What a difference is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// The old version is right, the new one is not.
    Regression,
    /// The new version is right, the old one was not.
    Progression,
    /// Neither is right: a fix that is not complete, or a new error in the place of an old one.
    Differential,
}

impl Label {
    /// As reports have it.
    pub fn text(self) -> &'static str {
        match self {
            Self::Regression => "regression",
            Self::Progression => "progression",
            Self::Differential => "both are wrong",
        }
    }
}

/// An input on which the versions differ.
#[derive(Debug)]
pub struct Finding<'a> {
    /// What both versions are started with.
    pub started: Started,
    /// What the old and the new version did.
    pub outcomes: &'a [Outcome; 2],
    /// What of it differs, by name.
    pub differs: &'a [String],
    /// How native runs went, the old version first.
    pub natively: &'a [Natively; 2],
    /// With the platform's own C library.
    pub platform: &'a Platform,
    /// How the change came to be seen.
    pub way: &'a Way,
    /// How it was found.
    pub how: &'a str,
    /// What it is, where a version is known to be right.
    pub label: Option<Label>,
    /// Whether it is words of messages alone.
    pub words: bool,
}

/// What is known in the end.
#[derive(Debug)]
pub enum Conclusion {
    /// An input tells the versions apart.
    Differs,
    /// No input tells the versions apart, and why.
    Never(String),
    /// None was found, and why there may be one.
    NoneFound(Vec<String>),
}

/// A question that the search asked.
#[derive(Debug)]
pub struct Asked<'a> {
    /// What it was for.
    pub class: Class,
    /// The condition that was asked for, as C.
    pub condition: &'a str,
    /// Whether there is an input.
    pub sat: Option<bool>,
}

/// An input that came to a change, with the change-effect graphs of the old and the new version.
#[derive(Debug)]
pub struct Reached {
    /// What the versions were started with.
    pub started: Started,
    /// How far the change got.
    pub effects: [Effects; 2],
    /// What would lead on from where the effect ends.
    pub further: Vec<Further>,
}

/// A question that leads on from where the effect of a change ends.
#[derive(Debug)]
pub struct Further {
    /// What it is for.
    pub class: Class,
    /// The condition, as C.
    pub condition: String,
    /// Whether there is such an input; none where that is not known.
    pub sat: Option<bool>,
}

/// One order in which runs came to changes.
#[derive(Debug)]
pub struct Sequence {
    /// Where the changes are.
    pub places: Vec<String>,
    /// How many tests have this order.
    pub tests: usize,
    /// Behind how many of them the versions differ.
    pub differ: usize,
}

/// All orders that were seen.
#[derive(Debug)]
pub struct Sequences {
    /// The orders.
    pub all: Vec<Sequence>,
    /// What every run that differs executes, in this order, and other runs need not: place and text.
    pub critical: Vec<(String, String)>,
}

/// Everything that is known in the end.
#[derive(Debug)]
pub struct Exposed<'a> {
    /// The names of both versions, the old one first.
    pub names: &'a [String; 2],
    /// The differences, the most telling first.
    pub findings: Vec<Finding<'a>>,
    /// What follows.
    pub conclusion: &'a Conclusion,
    /// What is assumed.
    pub ledger: &'a [String],
    /// Differences that were not confirmed, and why.
    pub refused: &'a [String],
    /// Where runs begin, if that is not plain.
    pub notes: &'a [String],
    /// The orders in which runs came to changes, where they are asked for.
    pub sequences: Option<&'a Sequences>,
    /// What the search did.
    pub statistics: &'a Statistics,
    /// What was asked, where it is wanted.
    pub log: Vec<Asked<'a>>,
    /// How far the change got, where that is wanted.
    pub reached: &'a [Reached],
}
