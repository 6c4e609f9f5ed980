//! Bitwise operators.

use crate::{
    pool::Pool,
    sort::Sort,
    term::{Op, Term},
    words::mask,
};

impl Pool {
    /// Complement of every bit.
    pub fn bitnot(&mut self, term: Term) -> Term {
        let width = self.width(term);
        if self.is_raw() {
            return self.intern(Op::BitNot, Sort::Bits(width), &[term]);
        }
        let ones = mask(width);
        match self.op(term) {
            Op::Bits(value) => self.bits(width, !value),
            // As a sum: -1 - term. This also undoes a complement.
            _ if self.is_sum(term) => {
                let mut sum = self.scaled(self.sum_of(term), ones, width);
                sum.constant = sum.constant.wrapping_sub(1) & ones;
                self.sum_term(&sum, width)
            }
            _ => match self.constant_ite(term) {
                Some((condition, a, b)) => {
                    let (a, b) = (self.bits(width, !a), self.bits(width, !b));
                    self.ite(condition, a, b)
                }
                None => self.intern(Op::BitNot, Sort::Bits(width), &[term]),
            },
        }
    }

    /// Bitwise and.
    pub fn bitand(&mut self, left: Term, right: Term) -> Term {
        self.binary(Op::BitAnd, left, right, conjunction)
    }

    /// Bitwise or.
    pub fn bitor(&mut self, left: Term, right: Term) -> Term {
        self.binary(Op::BitOr, left, right, disjunction)
    }

    /// Bitwise exclusive or.
    pub fn bitxor(&mut self, left: Term, right: Term) -> Term {
        self.binary(Op::BitXor, left, right, exclusive)
    }
}

fn conjunction(pool: &mut Pool, left: Term, right: Term, width: u32) -> Option<Term> {
    if left == right {
        return Some(left);
    }
    if complements(pool, left, right) {
        return Some(pool.zero(width));
    }
    if let Some(value) = pool.as_bits(right) {
        if value == 0 {
            return Some(right);
        }
        // Bits that may be one at all must survive the mask.
        let possible = mask(width) & !pool.facts(left).zeros;
        if possible & !value == 0 {
            return Some(left);
        }
        // A mask of low bits takes them out.
        if (value + 1).is_power_of_two() {
            let low = pool.extract(left, value.trailing_ones() - 1, 0);
            return Some(pool.zext(low, width));
        }
        return regrouped(pool, Op::BitAnd, left, value, width);
    }
    absorbed(pool, Op::BitAnd, Op::BitOr, left, right)
}

fn disjunction(pool: &mut Pool, left: Term, right: Term, width: u32) -> Option<Term> {
    if left == right {
        return Some(left);
    }
    if complements(pool, left, right) {
        return Some(pool.bits(width, u128::MAX));
    }
    if let Some(value) = pool.as_bits(right) {
        if value & !pool.facts(left).ones == 0 {
            return Some(left);
        }
        if let Some(simpler) = regrouped(pool, Op::BitOr, left, value, width) {
            return Some(simpler);
        }
    }
    joined(pool, left, right, width).or_else(|| absorbed(pool, Op::BitOr, Op::BitAnd, left, right))
}

fn exclusive(pool: &mut Pool, left: Term, right: Term, width: u32) -> Option<Term> {
    if left == right {
        return Some(pool.zero(width));
    }
    if complements(pool, left, right) {
        return Some(pool.bits(width, u128::MAX));
    }
    match pool.as_bits(right) {
        Some(0) => return Some(left),
        Some(value) if value == mask(width) => return Some(pool.bitnot(left)),
        Some(value) => {
            if let Some(simpler) = regrouped(pool, Op::BitXor, left, value, width) {
                return Some(simpler);
            }
        }
        None => {}
    }
    // a ^ (a ^ b) is b.
    for (one, other) in [(left, right), (right, left)] {
        match pool.pair_if(other, Op::BitXor) {
            Some((a, b)) if a == one => return Some(b),
            Some((a, b)) if b == one => return Some(a),
            _ => {}
        }
    }
    joined(pool, left, right, width)
}

fn complements(pool: &Pool, left: Term, right: Term) -> bool {
    pool.single_if(left, Op::BitNot) == Some(right) || pool.single_if(right, Op::BitNot) == Some(left)
}

/// `(x op c) op d` is `x op (c op d)`.
fn regrouped(pool: &mut Pool, op: Op, left: Term, value: u128, width: u32) -> Option<Term> {
    let (inner, constant) = pool.pair_if(left, op)?;
    let both = crate::words::binary(op, width, pool.as_bits(constant)?, value)?;
    let both = pool.bits(width, both);
    Some(match op {
        Op::BitAnd => pool.bitand(inner, both),
        Op::BitOr => pool.bitor(inner, both),
        _ => pool.bitxor(inner, both),
    })
}

/// `a & (a & b)` and `a & (a | b)`, and the same the other way round.
fn absorbed(pool: &Pool, op: Op, dual: Op, left: Term, right: Term) -> Option<Term> {
    for (one, other) in [(left, right), (right, left)] {
        let has = |op| pool.pair_if(other, op).is_some_and(|(a, b)| a == one || b == one);
        if has(op) {
            return Some(other);
        }
        if has(dual) {
            return Some(one);
        }
    }
    None
}

/// High bits of one and low bits of the other: a concatenation. This is how `b[1] << 8 | b[0]` becomes a two-byte read.
fn joined(pool: &mut Pool, left: Term, right: Term, width: u32) -> Option<Term> {
    for (upper, lower) in [(left, right), (right, left)] {
        let free = pool.facts(upper).zeros.trailing_ones();
        let used = 128 - (mask(width) & !pool.facts(lower).zeros).leading_zeros();
        if used <= free && used > 0 && used < width {
            let high = pool.extract(upper, width - 1, used);
            let low = pool.extract(lower, used - 1, 0);
            return Some(pool.concat(high, low));
        }
    }
    None
}
