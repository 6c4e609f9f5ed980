//! The way of a difference through a program, and how far a change gets.

use std::collections::BTreeSet;

/// A statement on the way of a difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Point {
    /// File and line in the old and in the new version; none where a version does not have the statement.
    pub lines: [Option<(String, u32)>; 2],
    /// The statement.
    pub text: String,
    /// Whether it is one that the change is about.
    pub changed: bool,
}

/// The way of a difference: the statements that computed something else, or that one version alone executed, as far as what came out depends on
/// them. The first is where it was born, the last where it came out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Way {
    /// The statements in the order in which they were first executed.
    pub points: Vec<Point>,
    /// How many more there were in the middle.
    pub left_out: usize,
}

/// Why an effect ends with a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stopped {
    /// It is used by a branch, which goes the same way in both versions (B).
    SameWay,
    /// It is used by an operation, which gives the same in both versions (M).
    Masked,
    /// No statement uses it (U): it is lost, or it has left the program.
    Unused,
}

impl std::fmt::Display for Stopped {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::SameWay => "used in a branch that goes the same way in both versions",
            Self::Masked => "used in an operation that gives the same in both versions",
            Self::Unused => "no statement uses it",
        })
    }
}

/// What a change does to one statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Effect {
    /// The statement.
    pub point: Point,
    /// How often it was executed with another value than in the other version, or in this version alone.
    pub times: usize,
    /// The statements that carry the effect on, by their number in the list.
    pub to: BTreeSet<usize>,
    /// Why the effect ends here, in executions from which nothing leads on, with the statement that uses it, if one does.
    pub stopped: BTreeSet<(Stopped, Option<String>)>,
}

/// How far a change got in a run of one version, by statement: in the order in which they were first executed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Effects {
    /// The statements.
    pub all: Vec<Effect>,
}
