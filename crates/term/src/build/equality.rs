//! Equality.

use crate::{
    pool::Pool,
    sort::Sort,
    term::{Op, Term},
    words::{inverse_of_odd, mask, sign_bit, signed},
};

impl Pool {
    /// Equality of two terms of one sort.
    pub fn eq(&mut self, left: Term, right: Term) -> Term {
        let sort = self.sort(left);
        assert_eq!(sort, self.sort(right), "both sides of an equality must have the same sort");
        match sort {
            Sort::Bits(_) => self.binary(Op::Eq, left, right, equal_bits),
            _ if self.is_raw() => self.intern(Op::Eq, Sort::Bool, &[left, right]),
            _ if left == right => self.bool(true),
            _ => {
                let (left, right) = self.ordered(left, right);
                match sort {
                    Sort::Bool => equal_truth(self, left, right),
                    _ => self.intern(Op::Eq, Sort::Bool, &[left, right]),
                }
            }
        }
    }

    /// Inequality.
    pub fn ne(&mut self, left: Term, right: Term) -> Term {
        let same = self.eq(left, right);
        self.not(same)
    }
}

fn equal_truth(pool: &mut Pool, left: Term, right: Term) -> Term {
    if let Some(value) = pool.as_bool(right) {
        return if value { left } else { pool.not(left) };
    }
    if pool.are_opposite(left, right) {
        return pool.bool(false);
    }
    match (pool.single_if(left, Op::Not), pool.single_if(right, Op::Not)) {
        (Some(a), Some(b)) => pool.eq(a, b),
        (Some(a), None) => pool.ne(a, right),
        (None, Some(b)) => pool.ne(left, b),
        (None, None) => pool.intern(Op::Eq, Sort::Bool, &[left, right]),
    }
}

fn equal_bits(pool: &mut Pool, left: Term, right: Term, width: u32) -> Option<Term> {
    if left == right {
        return Some(pool.bool(true));
    }
    if pool.facts(left).excludes(pool.facts(right)) {
        return Some(pool.bool(false));
    }
    if (pool.is_sum(left) || pool.is_sum(right))
        && let Some(solved) = solved_for_one(pool, left, right, width)
    {
        return Some(solved);
    }
    if let Some(value) = pool.as_bits(right) {
        return equal_constant(pool, left, value, width);
    }
    match (pool.op(left), pool.op(right)) {
        (Op::Zext(_), Op::Zext(_)) | (Op::Sext(_), Op::Sext(_)) => {
            let (a, b) = (pool.args(left)[0], pool.args(right)[0]);
            (pool.width(a) == pool.width(b)).then(|| pool.eq(a, b))
        }
        (Op::Concat, Op::Concat) => {
            let (a, b) = (pool.args_vec(left), pool.args_vec(right));
            if pool.width(a[0]) != pool.width(b[0]) {
                return None;
            }
            let (upper, lower) = (pool.eq(a[0], b[0]), pool.eq(a[1], b[1]));
            Some(pool.and(upper, lower))
        }
        _ => None,
    }
}

/// Brings everything to one side and back: the part of the first atom on the left, what has the same sign with it.
fn solved_for_one(pool: &mut Pool, left: Term, right: Term, width: u32) -> Option<Term> {
    let mut sum = pool.difference(left, right);
    if let Some(constant) = sum.as_constant() {
        return Some(pool.bool(constant == 0));
    }
    // sum == 0 is -sum == 0: let the first factor be positive.
    if sum.parts[0].1 > sign_bit(width) {
        sum = pool.scaled(sum, mask(width), width);
    }
    if let [(atom, factor)] = *sum.parts {
        // factor · atom == -constant: divide by the odd part, then take the power of two's low bits away.
        let zeros = factor.trailing_zeros();
        let odd = factor >> zeros;
        let wanted = sum.constant.wrapping_neg() & mask(width);
        if wanted.trailing_zeros() < zeros && wanted != 0 {
            return Some(pool.bool(false));
        }
        let narrow = width - zeros;
        let value = (wanted >> zeros).wrapping_mul(inverse_of_odd(odd)) & mask(narrow);
        let (atom, value) = (pool.extract(atom, narrow - 1, 0), pool.bits(narrow, value));
        return Some(pool.eq(atom, value));
    }
    let (mut positive, mut negative) = (sum.clone(), sum.clone());
    positive.parts.retain(|(_, factor)| *factor <= sign_bit(width));
    negative.parts.retain(|(_, factor)| *factor > sign_bit(width));
    negative = pool.scaled(negative, mask(width), width);
    positive.constant = 0;
    let (a, b) = (pool.sum_term(&positive, width), pool.sum_term(&negative, width));
    let (a, b) = pool.ordered(a, b);
    if pool.facts(a).excludes(pool.facts(b)) {
        return Some(pool.bool(false));
    }
    // What is in normal form already must go on to the other rules.
    if (a, b) == (left, right) {
        return None;
    }
    if !pool.is_sum(a) && !pool.is_sum(b) {
        return Some(pool.eq(a, b));
    }
    Some(pool.intern(Op::Eq, Sort::Bool, &[a, b]))
}

/// `left == value`, where `value` is within what is known of `left`.
fn equal_constant(pool: &mut Pool, left: Term, value: u128, width: u32) -> Option<Term> {
    let args = pool.args_vec(left);
    match pool.op(left) {
        Op::Zext(_) | Op::Sext(_) => {
            let narrow = pool.width(args[0]);
            let back = match pool.op(left) {
                Op::Zext(_) => value & mask(narrow),
                _ => signed(value, narrow) as u128 & mask(width),
            };
            if back != value {
                return Some(pool.bool(false));
            }
            let value = pool.bits(narrow, value);
            Some(pool.eq(args[0], value))
        }
        Op::Concat => {
            let split = pool.width(args[1]);
            let (high, low) = (pool.bits(width - split, value >> split), pool.bits(split, value));
            let (upper, lower) = (pool.eq(args[0], high), pool.eq(args[1], low));
            Some(pool.and(upper, lower))
        }
        Op::BitXor => {
            let other = pool.as_bits(args[1])?;
            let value = pool.bits(width, value ^ other);
            Some(pool.eq(args[0], value))
        }
        // Where a branch is a constant, the condition decides at least half of it.
        Op::Ite => {
            for (branch, other, condition) in
                [(args[1], args[2], args[0]), (args[2], args[1], pool.not(args[0]))]
            {
                let Some(own) = pool.as_bits(branch) else { continue };
                let wanted = pool.bits(width, value);
                let elsewhere = pool.eq(other, wanted);
                if own == value {
                    return Some(pool.or(condition, elsewhere));
                }
                let denied = pool.not(condition);
                return Some(pool.and(denied, elsewhere));
            }
            None
        }
        _ => None,
    }
}
