//! Values of a run.

use crate::Domain;
use hydrogen_float::{self as float, Arithmetic, Format};
use hydrogen_term::FloatOp;

/// The domain of numbers.
#[derive(Debug, Clone, Copy, Default)]
pub struct Numbers;

/// A bit-vector with a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Number {
    width: u32,
    bits: u128,
}

impl Number {
    /// The lowest `width` bits of a value.
    ///
    /// # Panics
    /// If the width is not 1 to 128.
    pub fn new(width: u32, bits: u128) -> Self {
        assert!((1..=128).contains(&width), "values have 1 to 128 bits");
        Self { width, bits: bits & u128::MAX >> (128 - width) }
    }

    /// The width in bits.
    pub fn width(self) -> u32 {
        self.width
    }

    /// The bits; those above the width are zero.
    pub fn bits(self) -> u128 {
        self.bits
    }

    /// Read as a signed number.
    pub fn signed(self) -> i128 {
        let unused = 128 - self.width;
        ((self.bits << unused) as i128) >> unused
    }

    fn with(self, bits: u128) -> Self {
        Self::new(self.width, bits)
    }

    /// Whether a signed result of this width is another number than the exact one.
    fn loses(self, exact: Option<i128>) -> bool {
        exact.is_none_or(|exact| self.with(exact as u128).signed() != exact)
    }

    fn loses_unsigned(self, exact: Option<u128>) -> bool {
        exact.is_none_or(|exact| self.with(exact).bits != exact)
    }

    fn shift(self) -> Option<u32> {
        u32::try_from(self.bits).ok().filter(|&by| by < self.width)
    }
}

impl Domain for Numbers {
    type Value = Number;
    type Truth = bool;

    fn width(&self, value: Number) -> u32 {
        value.width
    }
    fn number(&mut self, width: u32, value: u128) -> Number {
        Number::new(width, value)
    }
    fn known(&self, value: Number) -> Option<u128> {
        Some(value.bits)
    }
    fn truth(&mut self, value: bool) -> bool {
        value
    }
    fn not(&mut self, a: bool) -> bool {
        !a
    }
    fn both(&mut self, a: bool, b: bool) -> bool {
        a && b
    }
    fn either(&mut self, a: bool, b: bool) -> bool {
        a || b
    }
    fn choose(&mut self, condition: bool, then: Number, otherwise: Number) -> Number {
        if condition { then } else { otherwise }
    }
    fn bit(&mut self, truth: bool, width: u32) -> Number {
        Number::new(width, u128::from(truth))
    }
    fn equal(&mut self, a: Number, b: Number) -> bool {
        a.bits == b.bits
    }
    fn ult(&mut self, a: Number, b: Number) -> bool {
        a.bits < b.bits
    }
    fn slt(&mut self, a: Number, b: Number) -> bool {
        a.signed() < b.signed()
    }
    fn add(&mut self, a: Number, b: Number) -> Number {
        a.with(a.bits.wrapping_add(b.bits))
    }
    fn sub(&mut self, a: Number, b: Number) -> Number {
        a.with(a.bits.wrapping_sub(b.bits))
    }
    fn mul(&mut self, a: Number, b: Number) -> Number {
        a.with(a.bits.wrapping_mul(b.bits))
    }
    fn udiv(&mut self, a: Number, b: Number) -> Number {
        a.with(a.bits.checked_div(b.bits).unwrap_or(u128::MAX))
    }
    fn urem(&mut self, a: Number, b: Number) -> Number {
        a.with(a.bits.checked_rem(b.bits).unwrap_or(a.bits))
    }
    fn sdiv(&mut self, a: Number, b: Number) -> Number {
        match b.signed() {
            0 if a.signed() < 0 => a.with(1),
            0 => a.with(u128::MAX),
            divisor => a.with(a.signed().wrapping_div(divisor) as u128),
        }
    }
    fn srem(&mut self, a: Number, b: Number) -> Number {
        match b.signed() {
            0 => a,
            divisor => a.with(a.signed().wrapping_rem(divisor) as u128),
        }
    }
    fn shl(&mut self, a: Number, b: Number) -> Number {
        a.with(b.shift().map_or(0, |by| a.bits << by))
    }
    fn lshr(&mut self, a: Number, b: Number) -> Number {
        a.with(b.shift().map_or(0, |by| a.bits >> by))
    }
    fn ashr(&mut self, a: Number, b: Number) -> Number {
        a.with((a.signed() >> b.shift().unwrap_or(a.width - 1)) as u128)
    }
    fn bitand(&mut self, a: Number, b: Number) -> Number {
        a.with(a.bits & b.bits)
    }
    fn bitor(&mut self, a: Number, b: Number) -> Number {
        a.with(a.bits | b.bits)
    }
    fn bitxor(&mut self, a: Number, b: Number) -> Number {
        a.with(a.bits ^ b.bits)
    }
    fn sadd_overflows(&mut self, a: Number, b: Number) -> bool {
        a.loses(a.signed().checked_add(b.signed()))
    }
    fn uadd_overflows(&mut self, a: Number, b: Number) -> bool {
        a.loses_unsigned(a.bits.checked_add(b.bits))
    }
    fn ssub_overflows(&mut self, a: Number, b: Number) -> bool {
        a.loses(a.signed().checked_sub(b.signed()))
    }
    fn usub_overflows(&mut self, a: Number, b: Number) -> bool {
        a.loses_unsigned(a.bits.checked_sub(b.bits))
    }
    fn smul_overflows(&mut self, a: Number, b: Number) -> bool {
        a.loses(a.signed().checked_mul(b.signed()))
    }
    fn umul_overflows(&mut self, a: Number, b: Number) -> bool {
        a.loses_unsigned(a.bits.checked_mul(b.bits))
    }
    fn concat(&mut self, high: Number, low: Number) -> Number {
        Number::new(high.width + low.width, high.bits << low.width | low.bits)
    }
    fn extract(&mut self, value: Number, high: u32, low: u32) -> Number {
        Number::new(high - low + 1, value.bits >> low)
    }
    fn resize_unsigned(&mut self, value: Number, width: u32) -> Number {
        Number::new(width, value.bits)
    }
    fn resize_signed(&mut self, value: Number, width: u32) -> Number {
        Number::new(width, value.signed() as u128)
    }
    fn has_format(&self, _: Format) -> bool {
        true
    }
    fn float(&mut self, op: FloatOp, format: Format, args: &[Number]) -> Number {
        use FloatOp::*;
        let bits = |at: usize| args[at].bits;
        let arithmetic = |op| (format.width(), float::arithmetic(op, format, bits(0), bits(1)));
        let integer = |signed, width| {
            let value = float::to_int(format, signed, width, bits(0));
            (width, value.unwrap_or(1 << (width - 1)))
        };
        let (width, value) = match op {
            Add => arithmetic(Arithmetic::Add),
            Sub => arithmetic(Arithmetic::Sub),
            Mul => arithmetic(Arithmetic::Mul),
            Div => arithmetic(Arithmetic::Div),
            Fma => (format.width(), float::fused(format, bits(0), bits(1), bits(2))),
            Sqrt => (format.width(), float::sqrt(format, bits(0)).unwrap_or(format.default_nan())),
            Round(how) => (format.width(), float::round(format, how, bits(0))),
            FromSigned => (format.width(), float::from_int(format, true, args[0].signed() as u128)),
            FromUnsigned => (format.width(), float::from_int(format, false, bits(0))),
            ToSigned(width) => integer(true, width),
            ToUnsigned(width) => integer(false, width),
            Convert(to) => (to.width(), float::convert(format, to, bits(0))),
            Eq | Less | LessEq => (1, u128::from(self.float_holds(op, format, args[0], args[1]))),
        };
        Number::new(width, value)
    }
    fn float_holds(&mut self, op: FloatOp, format: Format, a: Number, b: Number) -> bool {
        float::compare(format, a.bits, b.bits).is_some_and(|order| match op {
            FloatOp::Eq => order.is_eq(),
            FloatOp::Less => order.is_lt(),
            _ => order.is_le(),
        })
    }
    fn float_remainder(&mut self, format: Format, a: Number, b: Number) -> Option<Number> {
        Some(a.with(float::arithmetic(Arithmetic::Rem, format, a.bits, b.bits)))
    }
}
