//! Sums as constant plus multiples of atoms, in canonical order: `x + 1 + 2`, `x - y + y` and `~x + 1` meet here.

use smallvec::SmallVec;

use crate::{
    pool::Pool,
    sort::Sort,
    term::{Op, Term},
    words::mask,
};

/// Longer sums are not merged but nested, so that `s = s + a[i]` in a loop does not copy an ever longer list.
pub(super) const LONGEST: usize = 12;

/// `constant + Σ factor · atom`, modulo 2 to the width; factors are not zero, atoms distinct and in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Sum {
    pub constant: u128,
    pub parts: SmallVec<[(Term, u128); 4]>,
}

impl Sum {
    /// The sum if it is only a constant.
    pub fn as_constant(&self) -> Option<u128> {
        self.parts.is_empty().then_some(self.constant)
    }
}

impl Pool {
    /// Reads a bit-vector term as a sum.
    pub(crate) fn sum_of(&self, term: Term) -> Sum {
        match self.single_if(term, Op::BitNot) {
            // ~x is -x - 1.
            Some(inner) => {
                let ones = mask(self.width(term));
                let mut sum = self.scaled(self.plain_sum_of(inner), ones, self.width(term));
                sum.constant = sum.constant.wrapping_sub(1) & ones;
                sum
            }
            None => self.plain_sum_of(term),
        }
    }

    fn plain_sum_of(&self, term: Term) -> Sum {
        let mut sum = Sum { constant: 0, parts: SmallVec::new() };
        match self.args_if(term, Op::Add) {
            Some(args) => args.iter().for_each(|&arg| self.push_part(&mut sum, arg)),
            None => self.push_part(&mut sum, term),
        }
        sum.constant &= mask(self.width(term));
        sum
    }

    /// The arguments of a sum have distinct atoms in order already.
    fn push_part(&self, sum: &mut Sum, part: Term) {
        if let Some(value) = self.as_bits(part) {
            sum.constant = sum.constant.wrapping_add(value);
            return;
        }
        let scaled =
            self.pair_if(part, Op::Mul).and_then(|(atom, factor)| Some((atom, self.as_bits(factor)?)));
        sum.parts.push(scaled.unwrap_or((part, 1)));
    }

    /// Every part times a factor.
    pub(crate) fn scaled(&self, mut sum: Sum, factor: u128, width: u32) -> Sum {
        sum.constant = sum.constant.wrapping_mul(factor) & mask(width);
        sum.parts.iter_mut().for_each(|(_, own)| *own = own.wrapping_mul(factor) & mask(width));
        sum.parts.retain(|(_, own)| *own != 0);
        sum
    }

    /// The sum of two sums.
    pub(crate) fn added(&self, left: Sum, right: Sum, width: u32) -> Sum {
        let constant = left.constant.wrapping_add(right.constant) & mask(width);
        let mut parts = SmallVec::with_capacity(left.parts.len() + right.parts.len());
        let (mut left, mut right) = (left.parts.into_iter().peekable(), right.parts.into_iter().peekable());
        while let (Some(&(a, m)), Some(&(b, n))) = (left.peek(), right.peek()) {
            match self.compare(a, b) {
                std::cmp::Ordering::Less => parts.extend(left.next()),
                std::cmp::Ordering::Greater => parts.extend(right.next()),
                std::cmp::Ordering::Equal => {
                    let factor = m.wrapping_add(n) & mask(width);
                    parts.extend((factor != 0).then_some((a, factor)));
                    left.next();
                    right.next();
                }
            }
        }
        parts.extend(left);
        parts.extend(right);
        Sum { constant, parts }
    }

    /// `left - right`.
    pub(crate) fn difference(&self, left: Term, right: Term) -> Sum {
        let width = self.width(left);
        let negated = self.scaled(self.sum_of(right), mask(width), width);
        self.added(self.sum_of(left), negated, width)
    }

    /// The canonical term of a sum.
    pub(crate) fn sum_term(&mut self, sum: &Sum, width: u32) -> Term {
        // ~x is what -x - 1 is called.
        if let ([(atom, factor)], constant) = (sum.parts.as_slice(), sum.constant)
            && *factor == mask(width)
            && constant == mask(width)
        {
            return self.intern(Op::BitNot, Sort::Bits(width), &[*atom]);
        }
        let mut constant = sum.constant;
        let mut args: SmallVec<[Term; 8]> = SmallVec::new();
        for &(atom, factor) in &sum.parts {
            let part = self.multiple(atom, factor, width);
            match self.as_bits(part) {
                Some(value) => constant = constant.wrapping_add(value) & mask(width),
                None => args.push(part),
            }
        }
        if constant != 0 || args.is_empty() {
            let constant = self.bits(width, constant);
            args.push(constant);
        }
        match *args {
            [only] => only,
            _ => self.intern(Op::Add, Sort::Bits(width), &args),
        }
    }

    fn multiple(&mut self, atom: Term, factor: u128, width: u32) -> Term {
        if factor == 1 {
            return atom;
        }
        let factor = self.bits(width, factor);
        self.intern(Op::Mul, Sort::Bits(width), &[atom, factor])
    }

    /// Whether a term is more than an atom when read as a sum.
    pub(super) fn is_sum(&self, term: Term) -> bool {
        match self.op(term) {
            Op::Add | Op::BitNot => true,
            Op::Mul => self.args(term).last().is_some_and(|&factor| self.as_bits(factor).is_some()),
            _ => false,
        }
    }
}
