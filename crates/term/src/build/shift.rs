//! Shifts. By a constant, they are multiplications and extractions.

use crate::{
    pool::Pool,
    term::{Op, Term},
};

impl Pool {
    /// `left << right`; zero if `right` is the width or more.
    pub fn shl(&mut self, left: Term, right: Term) -> Term {
        self.binary(Op::Shl, left, right, |pool, left, right, width| {
            if pool.as_bits(left) == Some(0) || pool.facts(right).unsigned.0 >= u128::from(width) {
                return Some(pool.zero(width));
            }
            let factor = pool.bits(width, 1 << pool.as_bits(right)?);
            Some(pool.mul(left, factor))
        })
    }

    /// Unsigned `left >> right`; zero if `right` is the width or more.
    pub fn lshr(&mut self, left: Term, right: Term) -> Term {
        self.binary(Op::Lshr, left, right, |pool, left, right, width| {
            if pool.as_bits(left) == Some(0) || pool.facts(right).unsigned.0 >= u128::from(width) {
                return Some(pool.zero(width));
            }
            let by = amount(pool, right)?;
            let high = pool.extract(left, width - 1, by);
            Some(pool.zext(high, width))
        })
    }

    /// Signed `left >> right`; copies of the sign if `right` is the width or more.
    pub fn ashr(&mut self, left: Term, right: Term) -> Term {
        self.binary(Op::Ashr, left, right, |pool, left, right, width| {
            if pool.facts(left).is_nonnegative() {
                return Some(pool.lshr(left, right));
            }
            let beyond = pool.facts(right).unsigned.0 >= u128::from(width);
            let by = if beyond { width - 1 } else { amount(pool, right)? };
            let high = pool.extract(left, width - 1, by);
            Some(pool.sext(high, width))
        })
    }
}

/// A constant shift amount, known to be below the width.
fn amount(pool: &Pool, term: Term) -> Option<u32> {
    pool.as_bits(term).and_then(|value| u32::try_from(value).ok())
}
