//! What an exploration found.

use crate::cell::Cell;
use crate::changes::Change;
use hydrogen_evidence::Input;
use hydrogen_evidence::partitioned::Status;
use hydrogen_term::{Pool, Term};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// What is wrong with a run, by a bug of ours and never of the program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wrong {
    /// Its input does not fulfil its own condition with this number.
    Condition(usize),
    /// It does not go the way it was made for, from this condition on.
    Prefix(usize),
    /// Its outcomes are equal where the terms say they are not, or the other way round.
    Outcome,
    /// Run again without being watched, a version did something else.
    Again,
}

impl std::fmt::Display for Wrong {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Condition(at) => write!(out, "it does not fulfil its own condition {at}"),
            Self::Prefix(at) => write!(out, "it does not go the way it was made for, from condition {at} on"),
            Self::Outcome => write!(out, "its outcomes compare otherwise than their terms say"),
            Self::Again => write!(out, "run again, unwatched, it does something else"),
        }
    }
}

/// A run that did not do what was promised. It is no cell, and nothing is complete with one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alarm {
    /// The input.
    pub input: Input,
    /// What is wrong.
    pub wrong: Wrong,
}

/// What was found so far.
pub struct Found {
    /// The terms of all conditions.
    pub pool: Pool,
    /// The partitions (V), each with a test (T).
    pub cells: Vec<Cell>,
    /// Inputs that are left out of the comparison, one of each way: faults, where these are excluded, and broken assumptions.
    pub excluded: Vec<Input>,
    /// Runs that were cut short, with the reason: nothing is known about their inputs.
    pub unresolved: Vec<(Input, String)>,
    /// Runs that did not do what was promised.
    pub alarms: Vec<Alarm>,
    /// Questions without an answer, and values that were made concrete, by reason.
    pub missing: BTreeMap<String, u64>,
    /// What is assumed of single inputs, as that a length is at most what was asked for: the space that is explored.
    pub domain: Vec<Term>,
    /// How far it came.
    pub status: Status,
    /// Questions to the solver, answered earlier ones included.
    pub asked: u64,
    /// Runs of all versions.
    pub runs: usize,
    /// When the first difference was found.
    pub first_difference: Option<Duration>,
    /// All changed statements.
    pub changes: BTreeSet<Change>,
}

impl Found {
    /// Whether the versions are shown to do the same for every input.
    pub fn is_equal(&self) -> bool {
        self.status == Status::Complete && self.cells.iter().all(Cell::is_equal)
    }

    /// The cells whose inputs are treated differently.
    pub fn differences(&self) -> impl Iterator<Item = (usize, &Cell)> {
        self.cells.iter().enumerate().filter(|(_, cell)| !cell.is_equal())
    }
}
