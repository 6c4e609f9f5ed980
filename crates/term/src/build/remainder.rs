//! `x - x / c * c` is `x % c`: sums in which a quotient takes the rest of its dividend away.
//!
//! Both are common in C, and a solver that has to find out that they are the same multiplies and divides bit by bit. The remainder is the better of the
//! two: its range is known.

use super::linear::Sum;
use crate::{
    pool::Pool,
    term::{Op, Term},
    words::mask,
};

impl Pool {
    /// The sum with remainders for dividends and their quotients. The identity holds for every dividend and every divisor, zero included.
    pub(super) fn with_remainders(&mut self, sum: Sum, width: u32) -> Sum {
        let quotients: Vec<(Term, u128)> =
            sum.parts.iter().copied().filter(|&(atom, _)| self.is_quotient(atom)).collect();
        let mut sum = sum;
        for (atom, factor) in quotients {
            let (dividend, divisor, signed) = self.quotient(atom).expect("only quotients were kept");
            for times in [1, mask(width)] {
                if factor != divisor.wrapping_mul(times).wrapping_neg() & mask(width) {
                    continue;
                }
                let parts = self.sum_of(dividend);
                if let Some(rest) = self.without(&sum, (atom, factor), &parts, times, width) {
                    let by = self.bits(width, divisor);
                    let remainder = if signed { self.srem(dividend, by) } else { self.urem(dividend, by) };
                    let remainder = self.scaled(self.sum_of(remainder), times, width);
                    sum = self.added(rest, remainder, width);
                    break;
                }
            }
        }
        sum
    }

    /// The sum without a quotient and its dividend; nothing where the dividend is not in it as a whole.
    fn without(
        &self,
        sum: &Sum,
        quotient: (Term, u128),
        dividend: &Sum,
        times: u128,
        width: u32,
    ) -> Option<Sum> {
        let wanted = self.scaled(dividend.clone(), times, width);
        let is_there = wanted.parts.iter().all(|part| sum.parts.contains(part) && *part != quotient);
        if wanted.parts.is_empty() || !is_there {
            return None;
        }
        let taken = self.scaled(wanted, mask(width), width);
        let mut rest = self.added(sum.clone(), taken, width);
        rest.parts.retain(|part| *part != quotient);
        Some(rest)
    }

    fn is_quotient(&self, atom: Term) -> bool {
        self.quotient(atom).is_some()
    }

    /// Dividend, constant divisor, and whether the division is one of signed numbers.
    fn quotient(&self, atom: Term) -> Option<(Term, u128, bool)> {
        let signed = match self.op(atom) {
            Op::Sdiv => true,
            Op::Udiv => false,
            _ => return None,
        };
        let &[dividend, divisor] = self.args(atom) else { return None };
        Some((dividend, self.as_bits(divisor)?, signed))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Pool, Sort};

    #[test]
    fn what_a_quotient_leaves_is_the_remainder() {
        let mut pool = Pool::new();
        let (x, y) = (pool.var("x", Sort::Bits(32)), pool.var("y", Sort::Bits(32)));
        let ten = pool.bits(32, 10);
        for dividend in [x, pool.add(x, y)] {
            let quotient = pool.sdiv(dividend, ten);
            let product = pool.mul(quotient, ten);
            let left = pool.sub(dividend, product);
            let wanted = pool.srem(dividend, ten);
            assert_eq!(left, wanted);
            let quotient = pool.udiv(dividend, ten);
            let product = pool.mul(ten, quotient);
            let left = pool.sub(product, dividend);
            let remainder = pool.urem(dividend, ten);
            let wanted = pool.neg(remainder);
            assert_eq!(left, wanted);
        }
    }

    #[test]
    fn another_factor_or_dividend_is_left_alone() {
        let mut pool = Pool::new();
        let (x, y) = (pool.var("x", Sort::Bits(32)), pool.var("y", Sort::Bits(32)));
        let (ten, nine) = (pool.bits(32, 10), pool.bits(32, 9));
        let quotient = pool.sdiv(x, ten);
        let product = pool.mul(quotient, nine);
        let remainder = pool.srem(x, ten);
        assert_ne!(pool.sub(x, product), remainder);
        let product = pool.mul(quotient, ten);
        assert_ne!(pool.sub(y, product), remainder);
    }
}
