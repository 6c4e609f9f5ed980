//! What a search for differences did.

use std::collections::BTreeMap;

/// What a question is for; the first ones are asked first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Both paths as they are, and something else comes out.
    Differ,
    /// A branch that both versions take decides differently.
    Disagree,
    /// A change is reached.
    Reach,
    /// Behind a change, a branch goes the other way.
    Propagate,
    /// A change is reached on another way.
    Again,
    /// A changed statement computes something else (INFECT).
    Infect,
    /// An operation that hid what changed gives something else (M).
    Unmask,
    /// What changed is used (U).
    Use,
    /// An operation faults.
    Fault,
}

impl std::fmt::Display for Class {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Differ => "another outcome on the same paths",
            Self::Disagree => "a branch that decides differently",
            Self::Reach => "a way to a change",
            Self::Propagate => "another way behind a change",
            Self::Again => "another way to a change",
            Self::Infect => "a changed statement that computes something else",
            Self::Unmask => "an operation that no longer hides what changed",
            Self::Use => "a use of what changed",
            Self::Fault => "a fault",
        })
    }
}

/// What a search did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Inputs that were run in both versions.
    pub runs: usize,
    /// The first of them that executed a change, from 1.
    pub reached: Option<usize>,
    /// Inputs that were made of others and run without being watched.
    pub tried: u64,
    /// Questions by what they were for.
    pub asked: BTreeMap<Class, u64>,
    /// Branches that lead to no change: the versions are the same there, and nothing was asked.
    pub elsewhere: u64,
    /// Questions that were answered with neither yes nor no, by reason.
    pub unknown: BTreeMap<String, u64>,
    /// Runs that were cut short, by reason.
    pub cut: BTreeMap<String, u64>,
    /// Values that were made concrete, by reason.
    pub concrete: BTreeMap<String, u64>,
}

impl Statistics {
    /// Whether an exhausted search has seen every input: nothing was unknown, cut short or made concrete.
    pub fn is_complete(&self) -> bool {
        self.unknown.is_empty() && self.cut.is_empty() && self.concrete.is_empty()
    }
}
