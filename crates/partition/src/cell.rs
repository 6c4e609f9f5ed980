//! Partitions of the inputs (Alg. 2).

use crate::changes::Change;
use crate::queue::Class;
use hydrogen_evidence::Input;
use hydrogen_explore::{Logs, NamedOutput};
use hydrogen_pair::Outcome;
use hydrogen_term::Term;
use std::collections::BTreeSet;

/// What all inputs of a cell have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Label {
    /// No changed statement is executed (R): the outcomes are equal.
    Unreached,
    /// Changed statements are executed, and the outcomes are equal all the same (P).
    Equal,
    /// The outcomes differ (D).
    Differs,
}

impl Label {
    /// R, P or D.
    pub fn letter(self) -> char {
        match self {
            Self::Unreached => 'R',
            Self::Equal => 'P',
            Self::Differs => 'D',
        }
    }
}

/// What one version does with the inputs of a cell.
#[derive(Debug, Clone)]
pub struct Side {
    /// With the cell's own input.
    pub outcome: Outcome,
    /// The exit status as a term of eight bits, if it depends on the input.
    pub status: Option<Term>,
    /// What the program named as output.
    pub outputs: Vec<NamedOutput>,
    /// The bytes that went out and depend on the input.
    pub logs: Logs,
}

/// A set of inputs that all go the same way in each version, and on which the versions do the same, or on all of which they do not.
#[derive(Debug, Clone)]
pub struct Cell {
    /// What its inputs have in common.
    pub label: Label,
    /// What an input must fulfil: all of it.
    pub condition: Vec<Term>,
    /// One of its inputs.
    pub input: Input,
    /// What the versions do, the oldest first.
    pub sides: Vec<Side>,
    /// The changed statements that are executed.
    pub executed: BTreeSet<Change>,
    /// Why this input was looked at, and the cell whose neighbour it is.
    pub why: (Class, Option<usize>),
    /// Where the runs of its input have become the same again although a change was executed, in the oldest and the newest version (Alg. 3): a hint,
    /// where it was asked for.
    pub converged: BTreeSet<(Change, Change)>,
    /// Whether a value was made concrete on the way: the cell is smaller than it could be.
    pub narrowed: bool,
}

impl Cell {
    /// Whether the versions do the same on its inputs.
    pub fn is_equal(&self) -> bool {
        self.label != Label::Differs
    }
}
