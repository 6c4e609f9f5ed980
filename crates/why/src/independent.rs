//! Independence of conditions (10.2): a question is about the conditions that share an input with it, directly or through others.
//!
//! The failing input fulfils every condition that is left out, so leaving it out loses nothing as long as its inputs keep
//! their values (INV-W6).

use hydrogen_term::{Pool, Term};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// Conditions, added one after the other.
#[derive(Default)]
pub(crate) struct Independent {
    /// In the order in which they came, with one of their variables.
    conditions: Vec<(Term, Term)>,
    known: FxHashSet<Term>,
    variables: FxHashMap<Term, Rc<[Term]>>,
    /// Variables that occur together, as a forest.
    above: FxHashMap<Term, Term>,
}

impl Independent {
    /// The variables of a term.
    pub(crate) fn variables(&mut self, pool: &Pool, term: Term) -> Rc<[Term]> {
        let known = self.variables.entry(term);
        Rc::clone(known.or_insert_with(|| pool.variables(&[term]).into()))
    }

    pub(crate) fn add(&mut self, pool: &Pool, term: Term) {
        if !self.known.insert(term) {
            return;
        }
        let variables = self.variables(pool, term);
        let Some(first) = variables.first().copied() else { return };
        self.conditions.push((term, first));
        for other in variables.iter().skip(1) {
            self.join(first, *other);
        }
    }

    /// Whether a condition was added.
    pub(crate) fn has(&self, term: Term) -> bool {
        self.known.contains(&term)
    }

    /// The conditions that a question is about, in order.
    pub(crate) fn about(&mut self, pool: &Pool, question: Term) -> Vec<Term> {
        let variables = self.variables(pool, question);
        let roots: FxHashSet<Term> = variables.iter().map(|one| self.root(*one)).collect();
        let conditions = std::mem::take(&mut self.conditions);
        let own = conditions.iter().filter(|(_, variable)| roots.contains(&self.root(*variable)));
        let own = own.map(|(term, _)| *term).collect();
        self.conditions = conditions;
        own
    }

    fn root(&mut self, variable: Term) -> Term {
        let mut root = variable;
        while let Some(above) = self.above.get(&root) {
            root = *above;
        }
        let mut at = variable;
        while at != root {
            at = self.above.insert(at, root).unwrap_or(root);
        }
        root
    }

    fn join(&mut self, one: Term, other: Term) {
        let (one, other) = (self.root(one), self.root(other));
        if one != other {
            self.above.insert(other, one);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hydrogen_term::Sort;

    /// E-23: of `x > y`, `y > 10`, `z > w`, `w > 0`, a question about `x` needs the first two.
    #[test]
    fn a_question_about_x_does_not_touch_z() {
        let mut pool = Pool::new();
        let [x, y, z, w] = ["x", "y", "z", "w"].map(|name| pool.var(name, Sort::Bits(32)));
        let [zero, ten, hundred] = [0, 10, 100].map(|value| pool.bits(32, value));
        let conditions = [pool.sgt(x, y), pool.sgt(y, ten), pool.sgt(z, w), pool.sgt(w, zero)];
        let mut all = Independent::default();
        for condition in conditions {
            all.add(&pool, condition);
        }
        let large = pool.sgt(x, hundred);
        let question = pool.not(large);
        assert_eq!(all.about(&pool, question), conditions[..2]);
    }
}
