//! Limits of an analysis.

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
    /// For all questions together, on the wall: a stop, not a measure.
    pub time: Duration,
    /// For one question, in processor time.
    pub question: Duration,
    /// For one call of the solver, in processor time.
    pub solver: Duration,
}

impl Default for Budget {
    fn default() -> Self {
        Self {
            steps: 20_000,
            terms: 1_500,
            depth: 4,
            rounds: 3,
            time: Duration::from_secs(600),
            question: Duration::from_secs(8),
            solver: Duration::from_secs(5),
        }
    }
}
