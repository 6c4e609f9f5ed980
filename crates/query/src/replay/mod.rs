//! A witness as an input that can be run (W-1, W-2). Who runs it is not known here: see [`Confirm`].

mod attacked;
mod memory;
mod null_answers;
mod other;
mod witness;

use hydrogen_evidence::{Class, Input, Replay};
use hydrogen_graph::VersionId;
use std::collections::BTreeSet;

/// Somebody who can run a version's code.
pub trait Confirm {
    /// Runs an input, and says whether the fault happens that it was made for.
    fn confirm(&self, attempt: &Attempt) -> Ran;

    /// Runs the whole program with what showed the fault in a call of the statement's own function, or with what an exploration finds: an
    /// input that shows it there, too.
    fn carried(&self, attempt: &Attempt) -> Option<Ran>;

    /// A usual start of the program (long texts, many arguments) that fails at the statement, whatever input the attempt has.
    fn by_chance(&self, attempt: &Attempt) -> Option<Ran>;

    /// Runs an input of another version (W-5), whatever statement it was made for: what comes of it, or why it cannot be run.
    fn again(&self, attempt: &Attempt, made_in: VersionId) -> Result<Again, String>;

    /// Whether an input that does no harm does some at the attempt's statement when numbers in it are others.
    fn fails_near(&self, attempt: &Attempt) -> bool;

    /// Calls functions that lead to the statement of an attempt with values that their types and the constants in their code suggest, and
    /// starts the program in a few usual ways: an input on which the statement fails, or what it calls if `inside`.
    fn attacked(&self, attempt: &Attempt, entrances: &[Entrance], inside: bool) -> Option<Ran>;

    /// Calls a function of two versions with values that its types and the constants in its code suggest: the calls on which one of them
    /// fails and the other one does no harm, one for each place that fails.
    fn tried(&self, shared: &Shared) -> Vec<Tried>;
}

/// A function of a version that anyone may call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entrance {
    /// Its name.
    pub function: String,
    /// The file that it stands in.
    pub file: String,
}

/// A function that two versions have under one name.
#[derive(Debug, Clone)]
pub struct Shared {
    /// Its name.
    pub function: String,
    /// The versions, each with the file that it stands in there.
    pub places: [(VersionId, String); 2],
}

/// A call on which one of two versions fails.
#[derive(Debug, Clone)]
pub struct Tried {
    /// The version that fails.
    pub version: VersionId,
    /// How.
    pub kind: Class,
    /// Where: functions and lines, from the function that was called to the one that fails.
    pub stack: Vec<(String, u32)>,
    /// The call.
    pub input: Input,
    /// Whether it is one that anybody may write: of a function that takes numbers and texts alone.
    pub plain: bool,
    /// Where the other version fails in the same way, on other calls.
    pub elsewhere: BTreeSet<(String, u32)>,
}

/// What comes of an input in another version than the one that it was made for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Again {
    /// No fault.
    Harmless {
        /// Whether it came to the statement of the attempt.
        came: bool,
        /// Whether functions that nobody sees had to answer which the run of the other version did not call.
        unseen: bool,
    },
    /// The fault that it was made for, at the statement of the attempt.
    Same,
    /// Another fault, wherever it is.
    Fault(String),
    /// A limit ended the run before anything was seen.
    Unfinished(String),
}

/// An input, and the fault that it is claimed to lead to.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// The version whose code is to be run.
    pub version: VersionId,
    /// The fault.
    pub kind: Class,
    /// The function of the faulty statement.
    pub function: String,
    /// Its file.
    pub file: String,
    /// The lines that code of the statement is on.
    pub lines: BTreeSet<u32>,
    /// The input.
    pub input: Input,
    /// Calls that must give no memory: the function that makes them, and the line.
    pub without_memory: BTreeSet<(String, u32)>,
    /// Functions without a body whose answers the witness needs.
    pub answers: BTreeSet<String>,
    /// The files of the functions on the way, the outermost first.
    pub files: Vec<String>,
}

/// What a run gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// The input as it was run.
    pub input: Input,
    /// What it did.
    pub replay: Replay,
}
