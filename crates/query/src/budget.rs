//! Limits of an analysis.
//!
//! What decides is work, which is the same on every machine and however busy it is: steps, terms, and the solver's own units. Time only
//! stops what goes on for far too long.

use std::time::Duration;

/// What an analysis may cost.
#[derive(Debug, Clone, Copy)]
pub struct Budget {
    /// Runs that conditions are taken through, per question.
    pub steps: usize,
    /// Terms of one condition; larger ones are made smaller, see `slim`.
    pub terms: usize,
    /// Calls entered inside each other.
    pub depth: usize,
    /// Rounds that a loop is followed when a witness is looked for.
    pub rounds: usize,
    /// As `rounds`, where fewer show nothing: a small table is full after so many.
    pub more_rounds: usize,
    /// Work for one question, in the solver's units.
    pub question: u64,
    /// Work for one call of the solver.
    pub solver: u64,
    /// For all questions together, on the wall: a stop, not a measure.
    pub time: Duration,
    /// For one question, in processor time: a stop as well.
    pub patience: Duration,
}

/// Which part of a question's work is spent on what stands beside it: the fault itself where a fix has decided, and in checks the statement's
/// own function where the way in is too long.
pub(crate) const BESIDE: u64 = 4;

/// What a step and a new term stand for, in the solver's units.
pub(crate) const STEP: u64 = 400;
pub(crate) const TERM: u64 = 4;

impl Default for Budget {
    fn default() -> Self {
        Self {
            steps: 20_000,
            terms: 1_500,
            depth: 4,
            rounds: 3,
            more_rounds: 18,
            question: 16_000_000,
            solver: 10_000_000,
            time: Duration::from_secs(600),
            patience: Duration::from_secs(90),
        }
    }
}
