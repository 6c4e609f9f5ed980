//! Conditions that certainly cannot hold.

use crate::walk::Analyst;
use hydrogen_term::{Answer, Limits, Term};
use std::time::Duration;

/// How long a condition may be checked on the way.
const QUICKLY: Duration = Duration::from_millis(100);
/// Conditions that are not checked after one that took longer.
const AFTER_FAILURE: usize = 12;

impl Analyst<'_> {
    /// As [`Analyst::is_refuted`], in little time; the larger conditions are, the fewer are checked.
    pub(super) fn is_refuted_in_passing(&mut self, term: Term, size: usize) -> bool {
        if self.run.pause > 0 {
            self.run.pause -= 1;
            return false;
        }
        self.run.pause = size / 100;
        let limits = self.engine.limits();
        self.engine.set_limits(Limits { time: limits.time.min(QUICKLY), ..limits });
        let before = self.engine.counters().unknown;
        let refuted = self.is_refuted(term);
        self.engine.set_limits(limits);
        // What grows out of a condition that takes too long takes longer.
        if self.engine.counters().unknown > before {
            self.run.pause += AFTER_FAILURE;
        }
        refuted
    }

    /// Whether a condition certainly cannot hold.
    pub(crate) fn is_refuted(&mut self, term: Term) -> bool {
        if let Some(value) = self.terms.pool.as_bool(term) {
            return !value;
        }
        let constraints = self.with_axioms(term);
        matches!(self.engine.check(&mut self.terms.pool, &constraints), Answer::Unsat)
    }
}
