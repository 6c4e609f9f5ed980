//! The part of a condition that an example is in: of two ways to the same fault the reader is told the one that is shown.

use crate::walk::Analyst;
use hydrogen_term::{Evaluator, Model, Op, Sort, Substitution, Term};

/// Choices that are made; with more of them nothing gets shorter.
const MOST_CHOICES: usize = 40;

impl Analyst<'_> {
    /// A condition that holds in a model and implies the given one: where that chooses between values or between conditions, the choice of the
    /// model.
    pub(crate) fn as_chosen(&mut self, term: Term, model: &Model) -> Term {
        let mut chosen = Substitution::default();
        let mut because = Vec::new();
        for one in self.terms.pool.postorder(&[term]) {
            let Op::Ite = self.terms.pool.op(one) else { continue };
            let (&[condition, then, otherwise], Sort::Bits(_)) =
                (self.terms.pool.args(one), self.terms.pool.sort(one))
            else {
                continue;
            };
            if because.len() == MOST_CHOICES {
                return term;
            }
            let holds = Evaluator::new(&self.terms.pool, model).holds(condition);
            let value = self.terms.pool.substitute(if holds { then } else { otherwise }, &chosen);
            let condition = self.terms.pool.substitute(condition, &chosen);
            because.push(if holds { condition } else { self.terms.pool.not(condition) });
            chosen.insert(one, value);
        }
        let plain = self.terms.pool.substitute(term, &chosen);
        let mut parts = Vec::new();
        for part in self.terms.pool.conjuncts(plain).into_iter().chain(because) {
            let one_of = match self.terms.pool.op(part) {
                Op::Or => self.terms.pool.args(part).to_vec(),
                _ => Vec::new(),
            };
            let shown = one_of.into_iter().find(|&one| Evaluator::new(&self.terms.pool, model).holds(one));
            parts.push(shown.unwrap_or(part));
        }
        let all = self.terms.pool.and_all(parts);
        // Whoever cannot be sure that the example is in it says the whole.
        match Evaluator::new(&self.terms.pool, model).holds(all) {
            true => all,
            false => term,
        }
    }
}
