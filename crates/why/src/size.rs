//! How large formulas are, before and after each step that makes them smaller (RT-5).

use hydrogen_term::{Pool, Term};
use rustc_hash::FxHashSet;
use std::time::Duration;

/// The sizes of formulas in nodes, each counted once, of the old version first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sizes {
    /// The conditions of the paths.
    pub path: [usize; 2],
    /// Those that the wrong output depends on.
    pub relevant: [usize; 2],
    /// The largest question, of conditions that have to do with each other alone.
    pub largest: usize,
}

/// What each step took (RT-5).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Times {
    /// Running the failing input in both versions, with conditions.
    pub runs: Duration,
    /// What the wrong output depends on, and where it begins.
    pub slices: Duration,
    /// Questions to the solver.
    pub questions: Duration,
    /// Running the inputs that it gave.
    pub runs_of_others: Duration,
}

/// The nodes of some terms.
pub(crate) fn size(pool: &Pool, terms: impl IntoIterator<Item = Term>) -> usize {
    let mut open: Vec<Term> = terms.into_iter().collect();
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    while let Some(term) = open.pop() {
        if seen.insert(term) {
            open.extend(pool.args(term));
        }
    }
    seen.len()
}
