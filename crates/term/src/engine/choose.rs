//! Answers that say more: which constraints contradict each other, and which values are nearest to given ones.

use super::Engine;
use crate::{
    eval::Evaluator,
    pool::Pool,
    solver::{Answer, Solver},
    term::Term,
};

impl<S: Solver> Engine<S> {
    /// Of constraints that cannot hold together, a part that cannot either and of which nothing can be left out, in their order. None if
    /// they can hold, or if that is unknown. Whatever the solver has no answer for stays in the part.
    pub fn core(&mut self, pool: &mut Pool, constraints: &[Term]) -> Option<Vec<Term>> {
        if !self.check(pool, constraints).is_unsat() {
            return None;
        }
        let mut core: Vec<Term> = Vec::with_capacity(constraints.len());
        for term in constraints {
            if !core.contains(term) {
                core.push(*term);
            }
        }
        // Halves go first: most of a long path has nothing to do with the contradiction.
        let mut size = core.len().div_ceil(2);
        while size > 0 {
            let mut at = 0;
            while at < core.len() {
                let end = (at + size).min(core.len());
                let rest: Vec<Term> = core[..at].iter().chain(&core[end..]).copied().collect();
                if self.check(pool, &rest).is_unsat() {
                    core = rest;
                } else {
                    at = end;
                }
            }
            size = if size == 1 { 0 } else { size.div_ceil(2) };
        }
        Some(core)
    }

    /// An answer to whether the constraints can hold that keeps as many of the wished equalities (`variable = value`, with the value's bits)
    /// as it can: none of those given up could be added to those kept, as far as the solver knows.
    pub fn near(&mut self, pool: &mut Pool, constraints: &[Term], wished: &[(Term, u128)]) -> Answer {
        let mut all = constraints.to_vec();
        let mut best = match self.check(pool, &all) {
            Answer::Sat(model) => model,
            other => return other,
        };
        let mut open: Vec<(Term, u128)> = wished.to_vec();
        let mut size = open.len();
        while size > 0 {
            let mut at = 0;
            while at < open.len() {
                let end = (at + size).min(open.len());
                let kept = all.len();
                for (variable, value) in &open[at..end] {
                    let width = pool.width(*variable);
                    let value = pool.bits(width, *value);
                    all.push(pool.eq(*variable, value));
                }
                // The values at hand may do already.
                let fits = {
                    let mut evaluator = Evaluator::new(pool, &best);
                    all[kept..].iter().all(|term| evaluator.holds(*term))
                };
                let answer = if fits { Answer::Sat(best.clone()) } else { self.check(pool, &all) };
                if let Answer::Sat(model) = answer {
                    best = model;
                    open.drain(at..end);
                } else {
                    all.truncate(kept);
                    at = end;
                }
            }
            size = if size == 1 { 0 } else { size.div_ceil(2) };
        }
        Answer::Sat(best)
    }
}
