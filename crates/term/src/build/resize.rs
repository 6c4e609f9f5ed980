//! Extraction, concatenation, extension.

use smallvec::SmallVec;

use crate::{
    pool::Pool,
    sort::Sort,
    term::{Op, Term},
    words::{mask, signed},
};

impl Pool {
    /// Bits `high` down to `low`, both included.
    ///
    /// # Panics
    /// If there are no such bits.
    pub fn extract(&mut self, term: Term, high: u32, low: u32) -> Term {
        let from = self.width(term);
        assert!(low <= high && high < from, "a term of {from} bits has no bits {high} to {low}");
        let width = high - low + 1;
        if self.is_raw() {
            return self.intern(Op::Extract { high, low }, Sort::Bits(width), &[term]);
        }
        if width == from {
            return term;
        }
        match extract_rules(self, term, high, low) {
            Some(simpler) => simpler,
            None => self.intern(Op::Extract { high, low }, Sort::Bits(width), &[term]),
        }
    }

    /// The low bits, `width` of them.
    pub fn truncate(&mut self, term: Term, width: u32) -> Term {
        self.extract(term, width - 1, 0)
    }

    /// `left`'s bits above `right`'s.
    pub fn concat(&mut self, left: Term, right: Term) -> Term {
        let width = self.width(left) + self.width(right);
        if self.is_raw() {
            return self.intern(Op::Concat, Sort::Bits(width), &[left, right]);
        }
        match concat_rules(self, left, right, width) {
            Some(simpler) => simpler,
            None => self.intern(Op::Concat, Sort::Bits(width), &[left, right]),
        }
    }

    /// Zeros above, up to `width` bits.
    ///
    /// # Panics
    /// If the term is wider already.
    pub fn zext(&mut self, term: Term, width: u32) -> Term {
        let from = self.width(term);
        assert!(from <= width, "a term of {from} bits cannot be extended to {width}");
        if from == width {
            return term;
        }
        if !self.is_raw() {
            if let Some(value) = self.as_bits(term) {
                return self.bits(width, value);
            }
            if let Some(inner) = self.zext_of(term) {
                return self.intern(Op::Zext(width), Sort::Bits(width), &[inner]);
            }
            if let Some((condition, a, b)) = self.constant_ite(term) {
                let (a, b) = (self.bits(width, a), self.bits(width, b));
                return self.ite(condition, a, b);
            }
        }
        self.intern(Op::Zext(width), Sort::Bits(width), &[term])
    }

    /// Copies of the sign above, up to `width` bits.
    ///
    /// # Panics
    /// If the term is wider already.
    pub fn sext(&mut self, term: Term, width: u32) -> Term {
        let from = self.width(term);
        assert!(from <= width, "a term of {from} bits cannot be extended to {width}");
        if from == width {
            return term;
        }
        if !self.is_raw() {
            if self.facts(term).is_nonnegative() {
                return self.zext(term, width);
            }
            if let Some(value) = self.as_bits(term) {
                return self.bits(width, signed(value, from) as u128);
            }
            if let Some(inner) = self.sext_of(term) {
                return self.intern(Op::Sext(width), Sort::Bits(width), &[inner]);
            }
            if let Some((condition, a, b)) = self.constant_ite(term) {
                let extend = |pool: &mut Pool, value| pool.bits(width, signed(value, from) as u128);
                let (a, b) = (extend(self, a), extend(self, b));
                return self.ite(condition, a, b);
            }
        }
        self.intern(Op::Sext(width), Sort::Bits(width), &[term])
    }

    /// Widens with zeros or narrows, to `width` bits.
    pub fn resize_unsigned(&mut self, term: Term, width: u32) -> Term {
        if width < self.width(term) { self.truncate(term, width) } else { self.zext(term, width) }
    }

    /// Widens with the sign or narrows, to `width` bits.
    pub fn resize_signed(&mut self, term: Term, width: u32) -> Term {
        if width < self.width(term) { self.truncate(term, width) } else { self.sext(term, width) }
    }
}

fn extract_rules(pool: &mut Pool, term: Term, high: u32, low: u32) -> Option<Term> {
    let width = high - low + 1;
    let args = pool.args_vec(term);
    match pool.op(term) {
        Op::Bits(value) => Some(pool.bits(width, value >> low)),
        Op::Extract { low: inner, .. } => Some(pool.extract(args[0], high + inner, low + inner)),
        Op::Concat => {
            let split = pool.width(args[1]);
            if low >= split {
                return Some(pool.extract(args[0], high - split, low - split));
            }
            if high < split {
                return Some(pool.extract(args[1], high, low));
            }
            let upper = pool.extract(args[0], high - split, 0);
            let lower = pool.extract(args[1], split - 1, low);
            Some(pool.concat(upper, lower))
        }
        Op::Zext(_) => {
            let inner = pool.width(args[0]);
            if low >= inner {
                return Some(pool.zero(width));
            }
            let kept = pool.extract(args[0], high.min(inner - 1), low);
            Some(pool.zext(kept, width))
        }
        Op::Sext(_) => {
            let inner = pool.width(args[0]);
            let kept = pool.extract(args[0], high.min(inner - 1), low.min(inner - 1));
            Some(pool.sext(kept, width))
        }
        Op::Ite => {
            let (condition, a, b) = pool.constant_ite(term)?;
            let (a, b) = (pool.bits(width, a >> low), pool.bits(width, b >> low));
            Some(pool.ite(condition, a, b))
        }
        // A multiple of a power of two is shifted.
        Op::Mul => {
            let factor = pool.as_bits(args[1])?;
            let by = factor.trailing_zeros();
            if factor.is_power_of_two() && low >= by {
                return Some(pool.extract(args[0], high - by, low - by));
            }
            low_bits_of_sum(pool, term, width, low)
        }
        Op::Add => low_bits_of_sum(pool, term, width, low),
        op @ (Op::BitAnd | Op::BitOr | Op::BitXor) => {
            let splits = |&arg: &Term| resizes(pool, arg) || pool.as_bits(arg).is_some();
            if !args.iter().any(splits) {
                return None;
            }
            let (a, b) = (pool.extract(args[0], high, low), pool.extract(args[1], high, low));
            Some(pool.make(op, &[a, b]))
        }
        Op::BitNot if resizes(pool, args[0]) => {
            let inner = pool.extract(args[0], high, low);
            Some(pool.bitnot(inner))
        }
        _ => None,
    }
}

/// Whether extracting from the term is likely to lead to something smaller.
fn resizes(pool: &Pool, term: Term) -> bool {
    matches!(pool.op(term), Op::Zext(_) | Op::Sext(_) | Op::Extract { .. } | Op::Concat)
}

/// The low bits of a sum are the sum of the low bits; done when those of the parts get simpler: `(int)((long)i + 1)`.
fn low_bits_of_sum(pool: &mut Pool, term: Term, width: u32, low: u32) -> Option<Term> {
    if low != 0 {
        return None;
    }
    let sum = pool.sum_of(term);
    if !sum.parts.iter().all(|&(atom, _)| resizes(pool, atom)) {
        return None;
    }
    let mut narrow = pool.bits(width, sum.constant);
    let parts: SmallVec<[(Term, u128); 4]> = sum.parts;
    for (atom, factor) in parts {
        let atom = pool.extract(atom, width - 1, 0);
        let factor = pool.bits(width, factor);
        let part = pool.mul(atom, factor);
        narrow = pool.add(narrow, part);
    }
    Some(narrow)
}

fn concat_rules(pool: &mut Pool, left: Term, right: Term, width: u32) -> Option<Term> {
    if let Some(joined) = fused(pool, left, right) {
        return Some(joined);
    }
    if pool.as_bits(left) == Some(0) {
        return Some(pool.zext(right, width));
    }
    match pool.op(left) {
        // Nested to the right.
        Op::Concat => {
            let args = pool.args_vec(left);
            let rest = pool.concat(args[1], right);
            Some(pool.concat(args[0], rest))
        }
        Op::Zext(_) => {
            let inner = pool.args(left)[0];
            let rest = pool.concat(inner, right);
            Some(pool.zext(rest, width))
        }
        _ => {
            let (first, rest) = pool.pair_if(right, Op::Concat)?;
            let joined = fused(pool, left, first)?;
            Some(pool.concat(joined, rest))
        }
    }
}

/// Neighbours that are one piece: two constants, or adjoining bits of one term.
fn fused(pool: &mut Pool, left: Term, right: Term) -> Option<Term> {
    if let (Some(a), Some(b)) = (pool.as_bits(left), pool.as_bits(right)) {
        let by = pool.width(right);
        return Some(pool.bits(pool.width(left) + by, (a << by) | (b & mask(by))));
    }
    let (Op::Extract { high, low }, base) = (pool.op(left), *pool.args(left).first()?) else { return None };
    match pool.op(right) {
        Op::Extract { high: next, low: bottom } if next + 1 == low && pool.args(right)[0] == base => {
            Some(pool.extract(base, high, bottom))
        }
        _ => None,
    }
}
