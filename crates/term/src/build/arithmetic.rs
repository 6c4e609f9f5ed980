//! Sums, products, divisions.

use super::linear::LONGEST;
use crate::{
    pool::Pool,
    sort::Sort,
    term::{Op, Term},
    words::{mask, sign_bit},
};

impl Pool {
    /// `left + right`, wrapping.
    pub fn add(&mut self, left: Term, right: Term) -> Term {
        let width = self.same_width(left, right);
        if self.is_raw() {
            return self.intern(Op::Add, Sort::Bits(width), &[left, right]);
        }
        if let Some(lifted) = self.lift_constant_ite(Op::Add, Sort::Bits(width), width, left, right) {
            return lifted;
        }
        let (a, b) = (self.sum_of(left), self.sum_of(right));
        if a.parts.len() + b.parts.len() > LONGEST && !a.parts.is_empty() && !b.parts.is_empty() {
            let (left, right) = self.ordered(left, right);
            return self.intern(Op::Add, Sort::Bits(width), &[left, right]);
        }
        let sum = self.added(a, b, width);
        let sum = self.with_remainders(sum, width);
        self.sum_term(&sum, width)
    }

    /// `left - right`, wrapping.
    pub fn sub(&mut self, left: Term, right: Term) -> Term {
        let negated = self.neg(right);
        self.add(left, negated)
    }

    /// `-term`, wrapping.
    pub fn neg(&mut self, term: Term) -> Term {
        let width = self.width(term);
        let minus_one = self.bits(width, u128::MAX);
        self.mul(term, minus_one)
    }

    /// `left * right`, wrapping.
    pub fn mul(&mut self, left: Term, right: Term) -> Term {
        self.binary(Op::Mul, left, right, multiply)
    }

    /// Unsigned `left / right`; by zero: all ones.
    pub fn udiv(&mut self, left: Term, right: Term) -> Term {
        self.binary(Op::Udiv, left, right, divide_unsigned)
    }

    /// Unsigned `left % right`; by zero: `left`.
    pub fn urem(&mut self, left: Term, right: Term) -> Term {
        self.binary(Op::Urem, left, right, rest_unsigned)
    }

    /// Signed `left / right`, truncating; by zero: 1 for negative dividends, −1 for others.
    pub fn sdiv(&mut self, left: Term, right: Term) -> Term {
        self.binary(Op::Sdiv, left, right, divide_signed)
    }

    /// Signed `left % right` with the sign of `left`; by zero: `left`.
    pub fn srem(&mut self, left: Term, right: Term) -> Term {
        self.binary(Op::Srem, left, right, rest_signed)
    }
}

fn multiply(pool: &mut Pool, left: Term, right: Term, width: u32) -> Option<Term> {
    if let Some(factor) = pool.as_bits(right) {
        return match factor {
            0 => Some(right),
            1 => Some(left),
            // Constants are distributed over sums, unless the sum is nested already.
            _ if pool.is_sum(left) => {
                let sum = pool.scaled(pool.sum_of(left), factor, width);
                Some(pool.sum_term(&sum, width))
            }
            _ => None,
        };
    }
    // (2 x) y is 2 (x y).
    for (scaled, other) in [(left, right), (right, left)] {
        if let Some((atom, factor)) = pool.pair_if(scaled, Op::Mul)
            && pool.as_bits(factor).is_some()
        {
            let product = pool.mul(atom, other);
            return Some(pool.mul(product, factor));
        }
    }
    None
}

fn divide_unsigned(pool: &mut Pool, left: Term, right: Term, width: u32) -> Option<Term> {
    let divisor = pool.as_bits(right);
    match divisor {
        Some(0) => return Some(pool.bits(width, u128::MAX)),
        Some(1) => return Some(left),
        Some(value) if value.is_power_of_two() => {
            let by = pool.bits(width, u128::from(value.trailing_zeros()));
            return Some(pool.lshr(left, by));
        }
        _ => {}
    }
    let (a, b) = (*pool.facts(left), *pool.facts(right));
    if a.unsigned.1 < b.unsigned.0 {
        return Some(pool.zero(width));
    }
    narrowed(pool, left, right, width, Pool::udiv)
}

fn rest_unsigned(pool: &mut Pool, left: Term, right: Term, width: u32) -> Option<Term> {
    match pool.as_bits(right) {
        Some(0) => return Some(left),
        Some(1) => return Some(pool.zero(width)),
        Some(value) if value.is_power_of_two() => {
            let low_bits = pool.bits(width, value - 1);
            return Some(pool.bitand(left, low_bits));
        }
        _ => {}
    }
    if pool.facts(left).unsigned.1 < pool.facts(right).unsigned.0 {
        return Some(left);
    }
    narrowed(pool, left, right, width, Pool::urem)
}

/// Division of zero-extended terms by a divisor that is not zero happens at the narrow width.
fn narrowed(
    pool: &mut Pool,
    left: Term,
    right: Term,
    width: u32,
    op: fn(&mut Pool, Term, Term) -> Term,
) -> Option<Term> {
    let inner = pool.zext_of(left)?;
    let narrow = pool.width(inner);
    let divisor = pool.as_bits(right).filter(|&value| value != 0 && value <= mask(narrow))?;
    let divisor = pool.bits(narrow, divisor);
    let quotient = op(pool, inner, divisor);
    Some(pool.zext(quotient, width))
}

fn divide_signed(pool: &mut Pool, left: Term, right: Term, width: u32) -> Option<Term> {
    // At width 1 the constant is both 1 and -1; -1 is right there as well, because -(-1) is -1.
    match pool.as_bits(right) {
        Some(value) if value == mask(width) => return Some(pool.neg(left)),
        Some(1) => return Some(left),
        _ => {}
    }
    let both_positive = pool.facts(left).is_nonnegative() && pool.facts(right).is_nonnegative();
    let divides = pool.facts(right).unsigned.0 > 0;
    (both_positive && divides).then(|| pool.udiv(left, right))
}

fn rest_signed(pool: &mut Pool, left: Term, right: Term, width: u32) -> Option<Term> {
    match pool.as_bits(right) {
        Some(0) => return Some(left),
        Some(1) => return Some(pool.zero(width)),
        Some(value) if value == mask(width) => return Some(pool.zero(width)),
        // The divisor's sign does not matter.
        Some(value) if value > sign_bit(width) => {
            let divisor = pool.bits(width, value.wrapping_neg());
            return Some(pool.srem(left, divisor));
        }
        _ => {}
    }
    let both_positive = pool.facts(left).is_nonnegative() && pool.facts(right).is_nonnegative();
    both_positive.then(|| pool.urem(left, right))
}
