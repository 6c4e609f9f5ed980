//! What an exploration of a program's inputs found.

use crate::{Condition, End, FaultKind, FrameInfo, Input, Natively, Note, Output};
use std::collections::BTreeMap;

/// An exploration.
#[derive(Debug, Clone)]
pub struct Explored {
    /// In the order in which they were found.
    pub tests: Vec<ExploredTest>,
    /// Inputs that do not do what they were made for: bugs of ours.
    pub alarms: Vec<Alarm>,
    /// What no output depends on and could fault.
    pub warnings: Vec<Warning>,
    /// Tests that compute the output in the same way, where that was asked for.
    pub groups: Option<Vec<Group>>,
    /// What was assumed, cut short or not followed.
    pub ledger: Vec<Note>,
    /// Per file: the lines with code, and whether they were executed.
    pub lines: BTreeMap<String, BTreeMap<u32, bool>>,
    /// Functions that were called.
    pub called: usize,
    /// Functions with a body.
    pub functions: usize,
    /// Questions that were answered.
    pub asked: usize,
    /// How many of them at an earlier time.
    pub earlier: usize,
    /// The test that came to the place asked for.
    pub reached: Option<usize>,
    /// Branches that were not asked about.
    pub open: usize,
    /// Whether every way was tried.
    pub complete: bool,
    /// How it ended, in a sentence.
    pub verdict: String,
}

/// A run with an input of its own.
#[derive(Debug, Clone)]
pub struct ExploredTest {
    /// The test whose condition was turned around, and which one; both from 0.
    pub from: Option<(usize, usize)>,
    /// The input.
    pub input: Input,
    /// How it ended.
    pub end: End,
    /// What it wrote.
    pub stdout: Vec<u8>,
    /// What it wrote there.
    pub stderr: Vec<u8>,
    /// Instructions.
    pub steps: u64,
    /// Instructions that no test before had executed.
    pub new: u64,
    /// How it went natively.
    pub native: Option<Natively>,
    /// For which inputs it does so, where that is wanted.
    pub signature: Option<Signature>,
}

/// For which inputs a program does what it does in a test.
#[derive(Debug, Clone)]
pub struct Signature {
    /// All of them must hold.
    pub conditions: Vec<Condition>,
    /// Whether operations that these do not speak of must not fault either.
    pub nothing_else_faults: bool,
    /// What comes out.
    pub outputs: Vec<Output>,
}

/// Tests that share a relevant-slice condition.
#[derive(Debug, Clone)]
pub struct Group {
    /// The condition.
    pub conditions: Vec<Condition>,
    /// The tests, from 0.
    pub tests: Vec<usize>,
}

/// An input that does not do what it was made for.
#[derive(Debug, Clone)]
pub struct Alarm {
    /// The test it was made from.
    pub from: usize,
    /// The input.
    pub input: Input,
    /// What is wrong, in words.
    pub what: String,
    /// The same, for those who look for the cause.
    pub detail: String,
}

/// A fault that is possible where exploring by relevant slices does not look.
#[derive(Debug, Clone)]
pub struct Warning {
    /// Where.
    pub place: FrameInfo,
    /// Which.
    pub kind: FaultKind,
    /// The branch before it that no run turned; none where the place was executed.
    pub behind: Option<FrameInfo>,
}
