//! What an explanation stands on.

use std::time::Duration;

/// What was asked and what came of it, for people who want to know what an answer stands on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Numbers {
    /// Instructions of both runs.
    pub steps: [u64; 2],
    /// Conditions of the paths.
    pub path: [usize; 2],
    /// Conditions that the wrong output depends on.
    pub relevant: [usize; 2],
    /// Questions that the solver was asked, by direction: branches of the old, then of the new version.
    pub asked: [usize; 2],
    /// Of these, without an answer.
    pub unknown: usize,
    /// Questions that no input fulfils: the condition follows from the others.
    pub dropped: usize,
    /// Questions that were asked again with the rest of the input kept, because they had no answer,
    pub again: usize,
    /// and those of them that no input fulfils that way: others may.
    pub lost: usize,
    /// Conditions of functions that are trusted, which were left out.
    pub trusted: usize,
    /// Predicates that no branch decides, of both runs, where they were asked about.
    pub predicates: [usize; 2],
    /// Instances that were not asked about, and inputs that were not run for lack of time.
    pub skipped: usize,
    /// What each step took.
    pub times: Times,
    /// How large the formulas are.
    pub sizes: Sizes,
    /// Values that were made concrete, by reason.
    pub concrete: Vec<String>,
}

/// The sizes of formulas in nodes, each counted once, of the old version first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Sizes {
    /// The conditions of the paths.
    pub path: [usize; 2],
    /// Those that the wrong output depends on.
    pub relevant: [usize; 2],
    /// The largest question, of conditions that have to do with each other alone.
    pub largest: usize,
    /// The largest of those that were asked again with the rest of the input kept, before and after.
    pub kept: [usize; 2],
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
