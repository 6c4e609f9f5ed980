//! Conditions that certainly cannot hold.

use crate::walk::Analyst;
use hydrogen_term::{Answer, Limits, Term};

/// What checking a condition on the way may cost, in the solver's units.
const QUICKLY: u64 = 200_000;
/// Conditions that are not checked after one that cost more.
const AFTER_FAILURE: usize = 12;

impl Analyst<'_> {
    /// As [`Analyst::is_refuted`], with little work; the larger conditions are, the fewer are checked.
    pub(super) fn is_refuted_in_passing(&mut self, term: Term, size: usize) -> bool {
        if self.run.pause > 0 {
            self.run.pause -= 1;
            return false;
        }
        self.run.pause = size / 100;
        let before = self.engine.counters().unknown;
        let refuted = self.is_refuted_with_little(term);
        // What grows out of a condition that costs too much costs more.
        if self.engine.counters().unknown > before {
            self.run.pause += AFTER_FAILURE;
        }
        refuted
    }

    /// As [`Analyst::is_refuted`], with little work.
    pub(super) fn is_refuted_with_little(&mut self, term: Term) -> bool {
        let limits = self.engine.limits();
        self.engine.set_limits(Limits { work: limits.work.min(QUICKLY), ..limits });
        let refuted = self.is_refuted(term);
        self.engine.set_limits(limits);
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
