//! What is cheaply known of every bit-vector term: bits, and ranges of the unsigned and the signed reading. Computed once,
//! when the term is made, from what is known of its arguments.

use crate::{
    pool::Pool,
    sort::Sort,
    term::{Op, Term},
    words::{largest, mask, sign_bit, signed, smallest},
};

/// Known bits and ranges of a bit-vector; of other sorts, nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Facts {
    /// Bits that are zero in every value.
    pub zeros: u128,
    /// Bits that are one in every value.
    pub ones: u128,
    /// Bounds of the unsigned reading, included.
    pub unsigned: (u128, u128),
    /// Bounds of the signed reading, included.
    pub signed: (i128, i128),
}

impl Facts {
    /// Nothing is known.
    pub fn any(width: u32) -> Self {
        Self { zeros: 0, ones: 0, unsigned: (0, mask(width)), signed: (smallest(width), largest(width)) }
    }

    /// Exactly this value.
    pub fn exactly(value: u128, width: u32) -> Self {
        let number = signed(value, width);
        let zeros = !value & mask(width);
        Self { zeros, ones: value, unsigned: (value, value), signed: (number, number) }
    }

    fn from_bits(width: u32, zeros: u128, ones: u128) -> Self {
        Self { zeros, ones, ..Self::any(width) }.tightened(width)
    }

    pub fn from_unsigned(width: u32, low: u128, high: u128) -> Self {
        Self { unsigned: (low, high), ..Self::any(width) }.tightened(width)
    }

    pub fn from_signed(width: u32, low: i128, high: i128) -> Self {
        Self { signed: (low, high), ..Self::any(width) }.tightened(width)
    }

    /// The only value left, if it is one.
    pub fn single(&self) -> Option<u128> {
        (self.unsigned.0 == self.unsigned.1).then_some(self.unsigned.0)
    }

    /// Whether no value is left.
    pub fn is_empty(&self) -> bool {
        self.unsigned.0 > self.unsigned.1 || self.signed.0 > self.signed.1 || self.zeros & self.ones != 0
    }

    /// Whether the sign bit is known to be zero.
    pub fn is_nonnegative(&self) -> bool {
        self.signed.0 >= 0
    }

    /// Whether no value satisfies both.
    pub fn excludes(&self, other: &Facts) -> bool {
        let apart = |a: &Facts, b: &Facts| a.unsigned.1 < b.unsigned.0 || a.signed.1 < b.signed.0;
        (self.ones & other.zeros) | (self.zeros & other.ones) != 0 || apart(self, other) || apart(other, self)
    }

    /// Carries each kind of knowledge over to the others.
    fn tightened(mut self, width: u32) -> Self {
        // Ranges from bits.
        self.unsigned.0 = self.unsigned.0.max(self.ones);
        self.unsigned.1 = self.unsigned.1.min(mask(width) & !self.zeros);
        // The two readings agree on each side of the sign bit.
        let half = sign_bit(width);
        if self.signed.0 >= 0 || self.signed.1 < 0 {
            let low = self.signed.0 as u128 & mask(width);
            let high = self.signed.1 as u128 & mask(width);
            self.unsigned = (self.unsigned.0.max(low), self.unsigned.1.min(high));
        }
        if self.unsigned.1 < half || self.unsigned.0 >= half {
            let (low, high) = (signed(self.unsigned.0, width), signed(self.unsigned.1, width));
            self.signed = (self.signed.0.max(low), self.signed.1.min(high));
        }
        // Bits from the range: those above the highest one that differs between its ends.
        let differing = self.unsigned.0 ^ self.unsigned.1;
        let fixed = mask(width) & !(u128::MAX.checked_shr(differing.leading_zeros()).unwrap_or(0));
        self.ones |= self.unsigned.0 & fixed;
        self.zeros |= !self.unsigned.0 & fixed;
        self
    }

    /// Both hold.
    pub fn meet(self, other: Facts, width: u32) -> Self {
        Self {
            zeros: self.zeros | other.zeros,
            ones: self.ones | other.ones,
            unsigned: (self.unsigned.0.max(other.unsigned.0), self.unsigned.1.min(other.unsigned.1)),
            signed: (self.signed.0.max(other.signed.0), self.signed.1.min(other.signed.1)),
        }
        .tightened(width)
    }

    fn join(self, other: Facts) -> Self {
        Self {
            zeros: self.zeros & other.zeros,
            ones: self.ones & other.ones,
            unsigned: (self.unsigned.0.min(other.unsigned.0), self.unsigned.1.max(other.unsigned.1)),
            signed: (self.signed.0.min(other.signed.0), self.signed.1.max(other.signed.1)),
        }
    }

    /// Facts of a node to be made in the pool.
    pub fn of(pool: &Pool, op: Op, sort: Sort, args: &[Term]) -> Self {
        Self::of_with(pool, op, sort, args, |term| *pool.facts(term))
    }

    /// Facts of a node that follow from those of its arguments.
    pub fn of_with(pool: &Pool, op: Op, sort: Sort, args: &[Term], facts: impl Fn(Term) -> Facts) -> Self {
        let Sort::Bits(width) = sort else {
            return Self { zeros: 0, ones: 0, unsigned: (0, 1), signed: (0, 1) };
        };
        let fact = |position: usize| facts(args[position]);
        let constant = |position: usize| pool.as_bits(args[position]);
        match op {
            Op::Bits(value) => Self::exactly(value, width),
            Op::Ite => fact(1).join(fact(2)),
            Op::BitNot => Self::from_bits(width, fact(0).ones, fact(0).zeros),
            Op::BitAnd => {
                let (a, b) = (fact(0), fact(1));
                let bits = Self::from_bits(width, a.zeros | b.zeros, a.ones & b.ones);
                bits.meet(Self::from_unsigned(width, 0, a.unsigned.1.min(b.unsigned.1)), width)
            }
            Op::BitOr => {
                let (a, b) = (fact(0), fact(1));
                let bits = Self::from_bits(width, a.zeros & b.zeros, a.ones | b.ones);
                bits.meet(Self::from_unsigned(width, a.unsigned.0.max(b.unsigned.0), mask(width)), width)
            }
            Op::BitXor => {
                let (a, b) = (fact(0), fact(1));
                let zeros = (a.zeros & b.zeros) | (a.ones & b.ones);
                Self::from_bits(width, zeros, (a.zeros & b.ones) | (a.ones & b.zeros))
            }
            Op::Add => args[1..].iter().fold(fact(0), |sum, &arg| add(sum, facts(arg), width)),
            Op::Mul => multiply(fact(0), fact(1), width),
            Op::Udiv => {
                let (a, b) = (fact(0), fact(1));
                if b.unsigned.0 == 0 {
                    return Self::any(width);
                }
                Self::from_unsigned(width, a.unsigned.0 / b.unsigned.1, a.unsigned.1 / b.unsigned.0)
            }
            Op::Urem => {
                let (a, b) = (fact(0), fact(1));
                let below = if b.unsigned.0 == 0 { a.unsigned.1 } else { a.unsigned.1.min(b.unsigned.1 - 1) };
                Self::from_unsigned(width, 0, below)
            }
            Op::Sdiv | Op::Srem => signed_division(op, fact(0), constant(1), width),
            Op::Shl => match constant(1) {
                Some(by) if by < u128::from(width) => {
                    let (a, fill) = (fact(0), !(u128::MAX << by));
                    Self::from_bits(width, (a.zeros << by | fill) & mask(width), (a.ones << by) & mask(width))
                }
                _ => Self::any(width),
            },
            Op::Lshr => match constant(1) {
                Some(by) if by < u128::from(width) => {
                    Self::from_unsigned(width, fact(0).unsigned.0 >> by, fact(0).unsigned.1 >> by)
                }
                _ => Self::from_unsigned(width, 0, fact(0).unsigned.1),
            },
            Op::Ashr => {
                let (low, high) = fact(0).signed;
                match constant(1) {
                    Some(by) if by < u128::from(width) => Self::from_signed(width, low >> by, high >> by),
                    _ => Self::from_signed(width, low.min(0), high.max(-1)),
                }
            }
            Op::Concat => {
                let (a, b, by) = (fact(0), fact(1), pool.width(args[1]));
                let bits = Self::from_bits(width, a.zeros << by | b.zeros, a.ones << by | b.ones);
                let low = a.unsigned.0 << by | b.unsigned.0;
                bits.meet(Self::from_unsigned(width, low, a.unsigned.1 << by | b.unsigned.1), width)
            }
            Op::Extract { high: _, low } => {
                let (a, kept) = (fact(0), mask(width));
                let bits = Self::from_bits(width, a.zeros >> low & kept, a.ones >> low & kept);
                match (a.unsigned.1 >> low <= kept, low == 0 && fits_signed(a.signed, width)) {
                    (true, _) => {
                        bits.meet(Self::from_unsigned(width, a.unsigned.0 >> low, a.unsigned.1 >> low), width)
                    }
                    (false, true) => bits.meet(Self::from_signed(width, a.signed.0, a.signed.1), width),
                    (false, false) => bits,
                }
            }
            Op::Zext(_) => {
                let inner = mask(pool.width(args[0]));
                let a = fact(0);
                let bits = Self::from_bits(width, a.zeros | (mask(width) & !inner), a.ones);
                bits.meet(Self::from_unsigned(width, a.unsigned.0, a.unsigned.1), width)
            }
            Op::Sext(_) => {
                let (a, from) = (fact(0), pool.width(args[0]));
                let extend = |bits: u128| signed(bits, from) as u128 & mask(width);
                let bits = Self::from_bits(width, extend(a.zeros), extend(a.ones));
                bits.meet(Self::from_signed(width, a.signed.0, a.signed.1), width)
            }
            _ => Self::any(width),
        }
    }
}

fn fits_signed((low, high): (i128, i128), width: u32) -> bool {
    low >= smallest(width) && high <= largest(width)
}

fn add(a: Facts, b: Facts, width: u32) -> Facts {
    let mut sum = Facts::any(width);
    if let Some(high) = a.unsigned.1.checked_add(b.unsigned.1).filter(|&high| high <= mask(width)) {
        sum.unsigned = (a.unsigned.0 + b.unsigned.0, high);
    } else if let Some(low) =
        a.unsigned.0.checked_add(b.unsigned.0).filter(|&low| low > mask(width) && width < 128)
    {
        // Every sum wraps exactly once.
        let high = a.unsigned.1 + b.unsigned.1;
        sum.unsigned = (low & mask(width), high & mask(width));
    }
    let low = a.signed.0.checked_add(b.signed.0).filter(|&low| low >= smallest(width));
    let high = a.signed.1.checked_add(b.signed.1).filter(|&high| high <= largest(width));
    if let (Some(low), Some(high)) = (low, high) {
        sum.signed = (low, high);
    }
    // Low bits are known as far as both are.
    let known = ((a.zeros | a.ones) & (b.zeros | b.ones)).trailing_ones();
    if known > 0 {
        let low_bits = mask(known.min(width));
        let value = a.ones.wrapping_add(b.ones) & low_bits;
        sum.ones |= value;
        sum.zeros |= !value & low_bits;
    }
    sum.tightened(width)
}

fn multiply(a: Facts, b: Facts, width: u32) -> Facts {
    let mut product = Facts::any(width);
    if let Some(high) = a.unsigned.1.checked_mul(b.unsigned.1).filter(|&high| high <= mask(width)) {
        product.unsigned = (a.unsigned.0 * b.unsigned.0, high);
    }
    let corners = [
        (a.signed.0, b.signed.0),
        (a.signed.0, b.signed.1),
        (a.signed.1, b.signed.0),
        (a.signed.1, b.signed.1),
    ];
    let corners = corners.map(|(x, y)| x.checked_mul(y));
    if let [Some(p), Some(q), Some(r), Some(s)] = corners {
        let range = (p.min(q).min(r).min(s), p.max(q).max(r).max(s));
        if fits_signed(range, width) {
            product.signed = range;
        }
    }
    let factors_of_two = |facts: &Facts| facts.zeros.trailing_ones();
    let low_zeros = (factors_of_two(&a) + factors_of_two(&b)).min(width);
    if low_zeros > 0 {
        product.zeros |= mask(low_zeros);
    }
    product.tightened(width)
}

fn signed_division(op: Op, dividend: Facts, divisor: Option<u128>, width: u32) -> Facts {
    let Some(divisor) = divisor.map(|value| signed(value, width)).filter(|&value| value != 0 && value != -1)
    else {
        return Facts::any(width);
    };
    let (low, high) = dividend.signed;
    if op == Op::Sdiv {
        let (p, q) = (low / divisor, high / divisor);
        return Facts::from_signed(width, p.min(q), p.max(q));
    }
    let largest_rest = i128::try_from(divisor.unsigned_abs() - 1).unwrap_or(i128::MAX);
    let below = if low >= 0 { 0 } else { low.max(-largest_rest) };
    let above = if high <= 0 { 0 } else { high.min(largest_rest) };
    Facts::from_signed(width, below, above)
}
