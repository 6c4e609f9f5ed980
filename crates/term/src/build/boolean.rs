//! Truth values.

use super::interval;
use crate::{
    pool::Pool,
    sort::Sort,
    term::{Op, Term},
};

impl Pool {
    /// Negation.
    pub fn not(&mut self, term: Term) -> Term {
        self.expect_bool(term);
        if !self.is_raw() {
            match self.op(term) {
                Op::Bool(value) => return self.bool(!value),
                Op::Not => return self.args(term)[0],
                _ => {}
            }
        }
        self.intern(Op::Not, Sort::Bool, &[term])
    }

    /// Conjunction.
    pub fn and(&mut self, left: Term, right: Term) -> Term {
        self.expect_bool(left);
        self.expect_bool(right);
        if self.is_raw() {
            return self.intern(Op::And, Sort::Bool, &[left, right]);
        }
        let (left, right) = self.ordered(left, right);
        match conjunction(self, left, right) {
            Some(simpler) => simpler,
            None => self.intern(Op::And, Sort::Bool, &[left, right]),
        }
    }

    /// Disjunction.
    pub fn or(&mut self, left: Term, right: Term) -> Term {
        self.expect_bool(left);
        self.expect_bool(right);
        if self.is_raw() {
            return self.intern(Op::Or, Sort::Bool, &[left, right]);
        }
        let (left, right) = self.ordered(left, right);
        match disjunction(self, left, right) {
            Some(simpler) => simpler,
            None => self.intern(Op::Or, Sort::Bool, &[left, right]),
        }
    }

    /// Exclusive or.
    pub fn xor(&mut self, left: Term, right: Term) -> Term {
        let same = self.eq(left, right);
        self.not(same)
    }

    /// `left` implies `right`.
    pub fn implies(&mut self, left: Term, right: Term) -> Term {
        let denied = self.not(left);
        self.or(denied, right)
    }

    /// Conjunction of all; true for none.
    pub fn and_all(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        let start = self.bool(true);
        terms.into_iter().fold(start, |all, term| self.and(all, term))
    }

    /// Disjunction of all; false for none.
    pub fn or_all(&mut self, terms: impl IntoIterator<Item = Term>) -> Term {
        let start = self.bool(false);
        terms.into_iter().fold(start, |any, term| self.or(any, term))
    }

    /// The conjuncts of a term, from left to right; those of `true` are none.
    pub fn conjuncts(&self, term: Term) -> Vec<Term> {
        let (mut found, mut open) = (Vec::new(), vec![term]);
        while let Some(term) = open.pop() {
            match self.op(term) {
                Op::And => open.extend(self.args(term).iter().rev()),
                Op::Bool(true) => {}
                _ => found.push(term),
            }
        }
        found
    }

    /// 1 or 0 of a width, for true or false.
    pub fn bool_to_bits(&mut self, term: Term, width: u32) -> Term {
        let (one, zero) = (self.bits(width, 1), self.bits(width, 0));
        self.ite(term, one, zero)
    }

    /// Whether a bit-vector is not zero.
    pub fn bits_to_bool(&mut self, term: Term) -> Term {
        let zero = self.bits(self.width(term), 0);
        self.ne(term, zero)
    }

    pub(super) fn expect_bool(&self, term: Term) {
        assert_eq!(self.sort(term), Sort::Bool, "a truth value is expected");
    }

    /// Whether one is the negation of the other.
    pub(super) fn are_opposite(&self, left: Term, right: Term) -> bool {
        self.single_if(left, Op::Not) == Some(right) || self.single_if(right, Op::Not) == Some(left)
    }
}

fn conjunction(pool: &mut Pool, left: Term, right: Term) -> Option<Term> {
    match (pool.as_bool(left), pool.as_bool(right)) {
        (Some(true), _) => return Some(right),
        (_, Some(true)) => return Some(left),
        (Some(false), _) | (_, Some(false)) => return Some(pool.bool(false)),
        _ => {}
    }
    if left == right {
        return Some(left);
    }
    if pool.are_opposite(left, right) {
        return Some(pool.bool(false));
    }
    for (one, other) in [(left, right), (right, left)] {
        if let Some((a, b)) = pool.pair_if(other, Op::And) {
            if a == one || b == one {
                return Some(other);
            }
            if pool.are_opposite(a, one)
                || pool.are_opposite(b, one)
                || interval::apart(pool, one, a)
                || interval::apart(pool, one, b)
            {
                return Some(pool.bool(false));
            }
        }
        if let Some((a, b)) = pool.pair_if(other, Op::Or) {
            if a == one || b == one {
                return Some(one);
            }
            if pool.are_opposite(a, one) {
                return Some(pool.and(one, b));
            }
            if pool.are_opposite(b, one) {
                return Some(pool.and(one, a));
            }
        }
        // a && !(a && b) is a && !b; a && !(a || b) is false.
        if let Some(inner) = pool.single_if(other, Op::Not) {
            match pool.op(inner) {
                Op::And => {
                    let (a, b) = pool.pair_if(inner, Op::And)?;
                    if a == one || b == one {
                        let rest = pool.not(if a == one { b } else { a });
                        return Some(pool.and(one, rest));
                    }
                    if pool.are_opposite(a, one) || pool.are_opposite(b, one) {
                        return Some(one);
                    }
                }
                Op::Or if pool.args(inner).contains(&one) => return Some(pool.bool(false)),
                _ => {}
            }
        }
    }
    interval::both(pool, left, right)
}

/// By De Morgan, the rules of conjunctions.
fn disjunction(pool: &mut Pool, left: Term, right: Term) -> Option<Term> {
    let (a, b) = (pool.not(left), pool.not(right));
    if let Some(denied) = conjunction(pool, a, b) {
        return Some(pool.not(denied));
    }
    for (one, other) in [(left, right), (right, left)] {
        if let Some((a, b)) = pool.pair_if(other, Op::Or) {
            if a == one || b == one {
                return Some(other);
            }
            if pool.are_opposite(a, one) || pool.are_opposite(b, one) {
                return Some(pool.bool(true));
            }
        }
        if let Some((a, b)) = pool.pair_if(other, Op::And) {
            if a == one || b == one {
                return Some(one);
            }
            if pool.are_opposite(a, one) {
                return Some(pool.or(one, b));
            }
            if pool.are_opposite(b, one) {
                return Some(pool.or(one, a));
            }
        }
    }
    None
}
