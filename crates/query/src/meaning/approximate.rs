//! Conditions without what is not followed: weaker or stronger ones that speak of states alone.

use crate::meaning::state::Terms;
use hydrogen_term::{Op, Sort, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// In which direction a condition may differ from the original.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Toward {
    /// It holds wherever the original does, whatever the unknown values are.
    Weaker,
    /// It holds only where the original does for all of them.
    Stronger,
}

impl Toward {
    pub fn opposite(self) -> Self {
        match self {
            Toward::Weaker => Toward::Stronger,
            Toward::Stronger => Toward::Weaker,
        }
    }
}

impl Terms {
    /// Whether a term is a value that is not followed.
    pub fn is_unknown(&self, term: Term) -> bool {
        match self.pool.op(term) {
            Op::Var(_) => {
                self.event_of_variable(term).is_some_and(|event| !self.event_by_number(event).input)
            }
            Op::Apply(function) => self.event_of(function).is_some_and(|(_, event)| !event.input),
            _ => false,
        }
    }

    /// Whether a term is a number that speaks of a member which another version has not: it has no value there.
    fn is_alone(&self, term: Term) -> bool {
        let Some(layouts) = &self.layouts else { return false };
        let number = self.pool.as_bits(term).filter(|_| self.pool.sort(term) == Sort::Bits(64));
        number.and_then(|number| u64::try_from(number).ok()).is_some_and(|number| layouts.is_alone(number))
    }

    /// The condition without unknown values.
    pub fn approximate(&mut self, term: Term, toward: Toward) -> Term {
        self.approximate_but(term, toward, &FxHashSet::default())
    }

    /// The condition without unknown values, those aside that are known to be the same wherever they occur.
    pub fn approximate_but(&mut self, term: Term, toward: Toward, same: &FxHashSet<Term>) -> Term {
        let mut doubtful: FxHashMap<Term, bool> = FxHashMap::default();
        for one in self.pool.postorder(&[term]) {
            if same.contains(&one) {
                doubtful.insert(one, false);
                continue;
            }
            let found = self.is_unknown(one)
                || self.is_alone(one)
                || self.pool.args(one).iter().any(|inner| doubtful[inner]);
            doubtful.insert(one, found);
        }
        let mut done = FxHashMap::default();
        self.strip(term, toward, &doubtful, &mut done)
    }

    fn strip(
        &mut self,
        term: Term,
        toward: Toward,
        doubtful: &FxHashMap<Term, bool>,
        done: &mut FxHashMap<(Term, Toward), Term>,
    ) -> Term {
        if !doubtful.get(&term).copied().unwrap_or(false) {
            return term;
        }
        if let Some(found) = done.get(&(term, toward)) {
            return *found;
        }
        let args = self.pool.args(term).to_vec();
        let result = match (self.pool.op(term), &args[..]) {
            (Op::Not, &[inner]) => {
                let inner = self.strip(inner, toward.opposite(), doubtful, done);
                self.pool.not(inner)
            }
            (Op::And, &[left, right]) => {
                let (left, right) =
                    (self.strip(left, toward, doubtful, done), self.strip(right, toward, doubtful, done));
                self.pool.and(left, right)
            }
            (Op::Or, &[left, right]) => {
                let (left, right) =
                    (self.strip(left, toward, doubtful, done), self.strip(right, toward, doubtful, done));
                self.pool.or(left, right)
            }
            (Op::Ite, &[condition, then, otherwise]) if self.pool.sort(term) == Sort::Bool => {
                let (then, otherwise) =
                    (self.strip(then, toward, doubtful, done), self.strip(otherwise, toward, doubtful, done));
                if doubtful[&condition] {
                    // Either side may be taken.
                    match toward {
                        Toward::Weaker => self.pool.or(then, otherwise),
                        Toward::Stronger => self.pool.and(then, otherwise),
                    }
                } else {
                    self.pool.ite(condition, then, otherwise)
                }
            }
            _ => self.pool.bool(toward == Toward::Weaker),
        };
        done.insert((term, toward), result);
        result
    }
}
