//! Terms as polynomials over what is no sum or product. Bit-vectors of one width are a ring, so equal polynomials are equal terms, for every number; a
//! solver that looks at single bits of products would not come to an end.

use std::collections::BTreeMap;

use crate::{
    pool::Pool,
    term::{Op, Term},
    words::mask,
};

/// Products that a polynomial may have on the way; a term with more is not read as one.
const MOST: usize = 256;
/// Factors of one product.
const LONGEST: usize = 12;
/// Sums and products inside of each other; what lies deeper is taken as it is.
const DEEPEST: u32 = 64;

/// Factors in order, with their coefficient.
type Polynomial = BTreeMap<Vec<Term>, u128>;

impl Pool {
    /// Whether two bit-vectors of one width are the same polynomial. `false` says nothing.
    pub fn same_polynomial(&self, left: Term, right: Term) -> bool {
        if left == right {
            return true;
        }
        let has_product =
            |term| matches!(self.op(term), Op::Add | Op::Mul | Op::Shl | Op::BitNot | Op::Extract { .. });
        if !has_product(left) && !has_product(right) {
            return false;
        }
        let width = self.width(left);
        let (Some(mut left), Some(right)) =
            (self.polynomial(left, width, DEEPEST), self.polynomial(right, width, DEEPEST))
        else {
            return false;
        };
        add(&mut left, &right, mask(width), width);
        left.is_empty()
    }

    /// The lower bits of a term as a polynomial.
    fn polynomial(&self, term: Term, width: u32, depth: u32) -> Option<Polynomial> {
        if let Some(value) = self.as_bits(term) {
            return Some(monomial(Vec::new(), value, width));
        }
        let Some(depth) = depth.checked_sub(1) else { return Some(monomial(vec![term], 1, width)) };
        let args = self.args(term);
        match self.op(term) {
            Op::Add => {
                let mut sum = Polynomial::new();
                for &arg in args {
                    add(&mut sum, &self.polynomial(arg, width, depth)?, 1, width);
                }
                (sum.len() <= MOST).then_some(sum)
            }
            Op::Mul => {
                let mut product = self.polynomial(args[0], width, depth)?;
                for &arg in &args[1..] {
                    product = multiplied(&product, &self.polynomial(arg, width, depth)?, width)?;
                }
                Some(product)
            }
            Op::BitNot => {
                // ~x is -x - 1.
                let mut sum = monomial(Vec::new(), mask(width), width);
                add(&mut sum, &self.polynomial(args[0], width, depth)?, mask(width), width);
                Some(sum)
            }
            Op::Shl => match self.as_bits(args[1]) {
                Some(by) if by < u128::from(width) => {
                    let mut sum = Polynomial::new();
                    add(&mut sum, &self.polynomial(args[0], width, depth)?, 1 << by, width);
                    Some(sum)
                }
                _ => Some(monomial(vec![term], 1, width)),
            },
            // The lower bits of a sum or product are those of the sum or product of lower bits.
            Op::Extract { low: 0, .. } if self.width(term) >= width => self.polynomial(args[0], width, depth),
            Op::Zext(_) | Op::Sext(_) if self.width(args[0]) >= width => {
                self.polynomial(args[0], width, depth)
            }
            _ => Some(monomial(vec![term], 1, width)),
        }
    }
}

fn monomial(factors: Vec<Term>, coefficient: u128, width: u32) -> Polynomial {
    let coefficient = coefficient & mask(width);
    if coefficient == 0 { Polynomial::new() } else { Polynomial::from([(factors, coefficient)]) }
}

/// Adds a multiple of a polynomial.
fn add(sum: &mut Polynomial, more: &Polynomial, factor: u128, width: u32) {
    for (factors, &coefficient) in more {
        let own = sum.entry(factors.clone()).or_default();
        *own = own.wrapping_add(coefficient.wrapping_mul(factor)) & mask(width);
        if *own == 0 {
            sum.remove(factors);
        }
    }
}

fn multiplied(left: &Polynomial, right: &Polynomial, width: u32) -> Option<Polynomial> {
    let mut product = Polynomial::new();
    for (one, &a) in left {
        for (other, &b) in right {
            let mut factors: Vec<Term> = one.iter().chain(other).copied().collect();
            factors.sort_unstable();
            if factors.len() > LONGEST {
                return None;
            }
            add(&mut product, &monomial(factors, a.wrapping_mul(b), width), 1, width);
            if product.len() > MOST {
                return None;
            }
        }
    }
    Some(product)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::Sort;

    #[test]
    fn expanded_and_nested_sums_are_the_same() {
        let mut pool = Pool::new();
        let x = pool.var("x", Sort::Bits(32));
        let (two, three, four) = (pool.bits(32, 2), pool.bits(32, 3), pool.bits(32, 4));
        let square = pool.mul(x, x);
        let cube = pool.mul(square, x);
        let (twice, thrice) = (pool.mul(square, two), pool.mul(x, three));
        let expanded = pool.add(cube, twice);
        let expanded = pool.add(expanded, thrice);
        let expanded = pool.add(expanded, four);
        let nested = pool.add(x, two);
        let nested = pool.mul(nested, x);
        let nested = pool.add(nested, three);
        let nested = pool.mul(nested, x);
        let nested = pool.add(nested, four);
        assert!(pool.same_polynomial(expanded, nested));
        let other = pool.add(nested, three);
        assert!(!pool.same_polynomial(expanded, other));
    }

    #[test]
    fn lower_bits_of_a_wider_product_are_a_product() {
        let mut pool = Pool::new();
        let (x, y) = (pool.var("x", Sort::Bits(64)), pool.var("y", Sort::Bits(64)));
        let wide = pool.mul(x, y);
        let low = pool.truncate(wide, 32);
        let (a, b) = (pool.truncate(x, 32), pool.truncate(y, 32));
        let narrow = pool.mul(a, b);
        assert!(pool.same_polynomial(low, narrow));
        let (a, b) = (pool.truncate(x, 16), pool.truncate(y, 16));
        let (a, b) = (pool.resize_unsigned(a, 32), pool.resize_unsigned(b, 32));
        let narrower = pool.mul(a, b);
        assert!(!pool.same_polynomial(low, narrower));
    }
}
