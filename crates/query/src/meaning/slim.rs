//! Large conditions made smaller, in the one direction that the analysis can bear: what is refuted in a weaker form is refuted, what holds in
//! a stronger form holds. Without this, a function like a decoder's main loop would end in a condition that no solver answers in time.

use crate::meaning::approximate::Toward;
use crate::meaning::state::Terms;
use hydrogen_term::{Op, Term};

/// A part with less room than this is left out.
const LEAST: usize = 40;

impl Terms {
    /// A condition of about so many terms at most: first without unknown values, then without its largest parts.
    pub fn slim(&mut self, term: Term, toward: Toward, most: usize) -> Term {
        if self.size_of(term) <= most {
            return term;
        }
        let known = self.approximate(term, toward);
        self.shrink(known, toward, most)
    }

    fn size_of(&self, term: Term) -> usize {
        self.pool.postorder(&[term]).len()
    }

    fn shrink(&mut self, term: Term, toward: Toward, most: usize) -> Term {
        if self.size_of(term) <= most {
            return term;
        }
        let nothing = self.pool.bool(toward == Toward::Weaker);
        if most < LEAST {
            return nothing;
        }
        match (self.pool.op(term), toward) {
            (Op::Not, _) => {
                let inner = self.pool.args(term)[0];
                let inner = self.shrink(inner, toward.opposite(), most - 1);
                self.pool.not(inner)
            }
            // Any of the parts may go.
            (Op::And, Toward::Weaker) | (Op::Or, Toward::Stronger) => {
                let op = self.pool.op(term);
                let mut parts: Vec<(usize, Term)> =
                    self.parts(term, op).into_iter().map(|part| (self.size_of(part), part)).collect();
                // The order of equals is that of the code, not that of the terms' making.
                parts.sort_by_key(|(size, _)| *size);
                let (mut room, mut result) = (most, nothing);
                for (size, part) in parts {
                    let part = self.shrink(part, toward, room);
                    result = self.pool.make(op, &[result, part]);
                    room = room.saturating_sub(size + 1);
                }
                result
            }
            // All of the parts must stay, each smaller.
            (Op::Or, Toward::Weaker) | (Op::And, Toward::Stronger) => {
                let op = self.pool.op(term);
                let parts = self.parts(term, op);
                let each = most / parts.len();
                let start = self.pool.bool(op == Op::And);
                parts.into_iter().fold(start, |result, part| {
                    let part = self.shrink(part, toward, each);
                    self.pool.make(op, &[result, part])
                })
            }
            _ => nothing,
        }
    }

    /// The parts of nested conjunctions or disjunctions, in order.
    fn parts(&self, term: Term, op: Op) -> Vec<Term> {
        let (mut open, mut out) = (vec![term], Vec::new());
        while let Some(one) = open.pop() {
            if self.pool.op(one) == op {
                open.extend(self.pool.args(one).iter().rev());
            } else if !out.contains(&one) {
                out.push(one);
            }
        }
        out
    }
}
