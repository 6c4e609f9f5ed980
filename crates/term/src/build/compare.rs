//! Order of bit-vectors. Only `<` is an operator; a constant stands on the right where that is possible.

use crate::{
    pool::Pool,
    term::{Op, Term},
    words::{mask, signed},
};

impl Pool {
    /// Unsigned `left < right`.
    pub fn ult(&mut self, left: Term, right: Term) -> Term {
        self.binary(Op::Ult, left, right, less_unsigned)
    }

    /// Unsigned `left <= right`.
    pub fn ule(&mut self, left: Term, right: Term) -> Term {
        let greater = self.ult(right, left);
        self.not(greater)
    }

    /// Unsigned `left > right`.
    pub fn ugt(&mut self, left: Term, right: Term) -> Term {
        self.ult(right, left)
    }

    /// Unsigned `left >= right`.
    pub fn uge(&mut self, left: Term, right: Term) -> Term {
        self.ule(right, left)
    }

    /// Signed `left < right`.
    pub fn slt(&mut self, left: Term, right: Term) -> Term {
        self.binary(Op::Slt, left, right, less_signed)
    }

    /// Signed `left <= right`.
    pub fn sle(&mut self, left: Term, right: Term) -> Term {
        let greater = self.slt(right, left);
        self.not(greater)
    }

    /// Signed `left > right`.
    pub fn sgt(&mut self, left: Term, right: Term) -> Term {
        self.slt(right, left)
    }

    /// Signed `left >= right`.
    pub fn sge(&mut self, left: Term, right: Term) -> Term {
        self.sle(right, left)
    }
}

fn less_unsigned(pool: &mut Pool, left: Term, right: Term, width: u32) -> Option<Term> {
    let (a, b) = (*pool.facts(left), *pool.facts(right));
    if left == right || a.unsigned.0 >= b.unsigned.1 {
        return Some(pool.bool(false));
    }
    if a.unsigned.1 < b.unsigned.0 {
        return Some(pool.bool(true));
    }
    // 3 < x is !(x < 4).
    if let Some(value) = pool.as_bits(left) {
        let next = pool.bits(width, value.wrapping_add(1));
        let below = pool.ult(right, next);
        return Some(pool.not(below));
    }
    // x < 1 + the least it can be is an equality, and so is x < the most it can be.
    if let Some(value) = pool.as_bits(right) {
        if value == a.unsigned.0 + 1 {
            let least = pool.bits(width, a.unsigned.0);
            return Some(pool.eq(left, least));
        }
        if value == a.unsigned.1 {
            return Some(pool.ne(left, right));
        }
        if let Some(simpler) = without_offset(pool, left, value, width, Op::Ult) {
            return Some(simpler);
        }
        if let Some(simpler) = ite_branch(pool, left, right, Op::Ult) {
            return Some(simpler);
        }
    }
    let (a, b) = narrowed(pool, left, right, width)?;
    Some(pool.ult(a, b))
}

fn less_signed(pool: &mut Pool, left: Term, right: Term, width: u32) -> Option<Term> {
    let (a, b) = (*pool.facts(left), *pool.facts(right));
    if left == right || a.signed.0 >= b.signed.1 {
        return Some(pool.bool(false));
    }
    if a.signed.1 < b.signed.0 {
        return Some(pool.bool(true));
    }
    // With one sign, both orders are the same.
    let negative = |range: (i128, i128)| range.1 < 0;
    if (a.is_nonnegative() && b.is_nonnegative()) || (negative(a.signed) && negative(b.signed)) {
        return Some(pool.ult(left, right));
    }
    if let Some(value) = pool.as_bits(left) {
        let next = pool.bits(width, value.wrapping_add(1));
        let below = pool.slt(right, next);
        return Some(pool.not(below));
    }
    if let Some(value) = pool.as_bits(right) {
        let number = signed(value, width);
        if number == a.signed.0 + 1 {
            let least = pool.bits(width, a.signed.0 as u128);
            return Some(pool.eq(left, least));
        }
        if number == a.signed.1 {
            return Some(pool.ne(left, right));
        }
        if let Some(simpler) = without_offset(pool, left, value, width, Op::Slt) {
            return Some(simpler);
        }
        if let Some(simpler) = ite_branch(pool, left, right, Op::Slt) {
            return Some(simpler);
        }
    }
    let (a, b) = narrowed(pool, left, right, width)?;
    Some(pool.slt(a, b))
}

/// Extending both sides in the same way keeps their order: signed if by the sign, unsigned in any case. Zero-extended terms are
/// not negative and never compared as signed here.
fn narrowed(pool: &mut Pool, left: Term, right: Term, width: u32) -> Option<(Term, Term)> {
    let inner = match pool.op(left) {
        Op::Zext(_) | Op::Sext(_) => pool.args(left)[0],
        _ => return None,
    };
    let (narrow, by_sign) = (pool.width(inner), matches!(pool.op(left), Op::Sext(_)));
    if let Some(value) = pool.as_bits(right) {
        let back = if by_sign { signed(value, narrow) as u128 & mask(width) } else { value & mask(narrow) };
        return (back == value).then(|| (inner, pool.bits(narrow, value)));
    }
    let other = if by_sign { pool.sext_of(right) } else { pool.zext_of(right) }?;
    (pool.width(other) == narrow).then_some((inner, other))
}

/// `x + 1 < 9` is `x < 8` if the sum cannot wrap.
fn without_offset(pool: &mut Pool, left: Term, value: u128, width: u32, op: Op) -> Option<Term> {
    pool.args_if(left, Op::Add)?;
    let mut sum = pool.sum_of(left);
    let offset = std::mem::take(&mut sum.constant);
    if offset == 0 {
        return None;
    }
    let rest = pool.sum_term(&sum, width);
    let facts = *pool.facts(rest);
    if op == Op::Ult {
        facts.unsigned.1.checked_add(offset).filter(|&highest| highest <= mask(width))?;
        // Below the offset nothing is; what is known of the sum has decided that already.
        let bound = pool.bits(width, value.checked_sub(offset)?);
        return Some(pool.ult(rest, bound));
    }
    let offset = signed(offset, width);
    let fits = |number: i128| {
        number.checked_add(offset).is_some_and(|sum| signed(sum as u128 & mask(width), width) == sum)
    };
    let bound = signed(value, width).checked_sub(offset)?;
    let in_range = signed(bound as u128 & mask(width), width) == bound;
    if !fits(facts.signed.0) || !fits(facts.signed.1) || !in_range {
        return None;
    }
    let bound = pool.bits(width, bound as u128);
    Some(pool.slt(rest, bound))
}

/// Where a branch of an if-then-else is a constant, the condition decides at least half of the comparison with a constant.
fn ite_branch(pool: &mut Pool, left: Term, right: Term, op: Op) -> Option<Term> {
    let [condition, then, otherwise] = *pool.args_if(left, Op::Ite)? else { return None };
    let denied = pool.not(condition);
    for (branch, other, condition, denied) in
        [(then, otherwise, condition, denied), (otherwise, then, denied, condition)]
    {
        if pool.as_bits(branch).is_none() {
            continue;
        }
        let here = pool.make(op, &[branch, right]);
        let elsewhere = pool.make(op, &[other, right]);
        return Some(match pool.as_bool(here) {
            Some(true) => pool.or(condition, elsewhere),
            _ => pool.and(denied, elsewhere),
        });
    }
    None
}
