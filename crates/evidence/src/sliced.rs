//! A slice of a run.

use crate::{End, FrameInfo};
use std::collections::BTreeMap;

/// A slice, by lines of the source.
#[derive(Debug, Clone)]
pub struct Sliced<'s> {
    /// `dynamic` or `relevant`.
    pub kind: &'static str,
    /// What was asked about, in words.
    pub criterion: String,
    /// How the run ended.
    pub end: &'s End,
    /// Instructions of the run.
    pub executed: u64,
    /// Those in the slice.
    pub sliced: u64,
    /// Whether the analysis of pointers came to its end.
    pub precise: bool,
    /// The executed lines, by file and number.
    pub lines: BTreeMap<(String, u32), Line>,
    /// The functions with lines in the slice: file, first and last line.
    pub functions: Vec<(String, u32, u32)>,
    /// The way back, where that was asked for.
    pub explanation: Option<Explained>,
    /// The executions of lines, where those were asked for.
    pub executions: Option<Vec<Execution>>,
}

/// An execution of a line; others are meant by their numbers, from 0.
#[derive(Debug, Clone)]
pub struct Execution {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// How often the line was executed until now.
    pub nth: u64,
    /// What decided about it.
    pub control: Option<usize>,
    /// Where its values come from.
    pub data: Vec<usize>,
    /// Whether it is in the slice.
    pub sliced: bool,
}

/// A line of the source that was executed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Line {
    /// How many of its instructions were executed, each counted as often as it was.
    pub executed: u64,
    /// How many of these are in the slice.
    pub sliced: u64,
}

/// The way back along a slice.
#[derive(Debug, Clone)]
pub struct Explained {
    /// From what is explained to the input.
    pub rows: Vec<ExplainedRow>,
    /// Whether the way is longer than what was looked at.
    pub cut: bool,
}

/// One step back.
#[derive(Debug, Clone)]
pub struct ExplainedRow {
    /// Where; none for what is explained.
    pub place: Option<FrameInfo>,
    /// Values that were put for symbols here.
    pub values: Vec<(String, String)>,
    /// What is still to be explained.
    pub open: Vec<String>,
    /// What must hold so far.
    pub condition: Vec<String>,
}
