//! Whether an operation overflows, made of the other operators at a width where it does not.

use crate::{
    pool::Pool,
    sort::MAX_WIDTH,
    term::Term,
    words::{largest, mask, sign_bit, smallest},
};

impl Pool {
    /// Whether unsigned `left + right` wraps.
    pub fn uadd_overflows(&mut self, left: Term, right: Term) -> Term {
        let sum = self.add(left, right);
        self.ult(sum, left)
    }

    /// Whether signed `left + right` overflows.
    pub fn sadd_overflows(&mut self, left: Term, right: Term) -> Term {
        let width = self.same_width(left, right);
        if width < MAX_WIDTH {
            let (a, b) = (self.sext(left, width + 1), self.sext(right, width + 1));
            let sum = self.add(a, b);
            return self.leaves_signed(sum, width);
        }
        // Both operands have the sign that the sum has not.
        let sum = self.add(left, right);
        let (p, q) = (self.bitxor(sum, left), self.bitxor(sum, right));
        let changed = self.bitand(p, q);
        self.is_negative(changed)
    }

    /// Whether unsigned `left - right` wraps.
    pub fn usub_overflows(&mut self, left: Term, right: Term) -> Term {
        self.ult(left, right)
    }

    /// Whether signed `left - right` overflows.
    pub fn ssub_overflows(&mut self, left: Term, right: Term) -> Term {
        let width = self.same_width(left, right);
        if width < MAX_WIDTH {
            let (a, b) = (self.sext(left, width + 1), self.sext(right, width + 1));
            let difference = self.sub(a, b);
            return self.leaves_signed(difference, width);
        }
        let difference = self.sub(left, right);
        let (p, q) = (self.bitxor(left, right), self.bitxor(difference, left));
        let changed = self.bitand(p, q);
        self.is_negative(changed)
    }

    /// Whether unsigned `left * right` wraps.
    pub fn umul_overflows(&mut self, left: Term, right: Term) -> Term {
        let width = self.same_width(left, right);
        for (constant, other) in [(left, right), (right, left)] {
            if let Some(value) = self.as_bits(constant) {
                let Some(most) = mask(width).checked_div(value) else { return self.bool(false) };
                let most = self.bits(width, most);
                return self.ugt(other, most);
            }
        }
        if 2 * width <= MAX_WIDTH {
            let (a, b) = (self.zext(left, 2 * width), self.zext(right, 2 * width));
            let product = self.mul(a, b);
            let most = self.bits(2 * width, mask(width));
            return self.ugt(product, most);
        }
        // Dividing the wrapped product by a factor that is not zero does not give the other factor back.
        let product = self.mul(left, right);
        let back = self.udiv(product, left);
        let (differs, divides) = (self.ne(back, right), self.bits_to_bool(left));
        self.and(divides, differs)
    }

    /// Whether signed `left * right` overflows.
    pub fn smul_overflows(&mut self, left: Term, right: Term) -> Term {
        let width = self.same_width(left, right);
        for (constant, other) in [(left, right), (right, left)] {
            if let Some(factor) = self.as_signed(constant) {
                return self.leaves_signed_times(other, factor, width);
            }
        }
        if 2 * width <= MAX_WIDTH {
            let (a, b) = (self.sext(left, 2 * width), self.sext(right, 2 * width));
            let product = self.mul(a, b);
            return self.leaves_signed(product, width);
        }
        // As for unsigned; and the smallest number times -1, which divides back.
        let product = self.mul(left, right);
        let back = self.sdiv(product, left);
        let (differs, divides) = (self.ne(back, right), self.bits_to_bool(left));
        let lost = self.and(divides, differs);
        let (least, minus_one) = (self.bits(width, sign_bit(width)), self.bits(width, u128::MAX));
        let (p, q) = (self.eq(left, minus_one), self.eq(right, least));
        let turned = self.and(p, q);
        self.or(lost, turned)
    }

    /// Whether `-term` overflows: it is the smallest number.
    pub fn neg_overflows(&mut self, term: Term) -> Term {
        let width = self.width(term);
        let least = self.bits(width, sign_bit(width));
        self.eq(term, least)
    }

    /// Whether signed `left / right` overflows: the smallest number by -1. Division by zero is another matter.
    pub fn sdiv_overflows(&mut self, left: Term, right: Term) -> Term {
        let width = self.same_width(left, right);
        let minus_one = self.bits(width, u128::MAX);
        let (least, by) = (self.neg_overflows(left), self.eq(right, minus_one));
        self.and(least, by)
    }

    /// Whether a term times a known factor leaves the signed numbers: it is above one bound or below another.
    fn leaves_signed_times(&mut self, term: Term, factor: i128, width: u32) -> Term {
        let (least, most) = (smallest(width), largest(width));
        let (low, high) = match factor {
            0 | 1 => return self.bool(false),
            -1 => return self.neg_overflows(term),
            _ if factor > 0 => (least / factor, most / factor),
            _ => (most / factor, least / factor),
        };
        let (low, high) = (self.signed_bits(width, low), self.signed_bits(width, high));
        let (below, above) = (self.slt(term, low), self.sgt(term, high));
        self.or(below, above)
    }

    fn is_negative(&mut self, term: Term) -> Term {
        let zero = self.bits(self.width(term), 0);
        self.slt(term, zero)
    }

    /// Whether a wide signed number does not fit into `width` bits.
    fn leaves_signed(&mut self, term: Term, width: u32) -> Term {
        let wide = self.width(term);
        let most = self.bits(wide, mask(width) >> 1);
        let least = self.signed_bits(wide, smallest(width));
        let (above, below) = (self.sgt(term, most), self.slt(term, least));
        self.or(above, below)
    }
}
