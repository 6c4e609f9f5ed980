//! Arithmetic, comparison and classification.

use std::cmp::Ordering;

use rustc_apfloat::{
    Category, Float, FloatConvert,
    ieee::{BFloat, Double, Half, Quad, Single, X87DoubleExtended},
};

use crate::{Format, Rounding, convert};

/// An operation on two numbers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Arithmetic {
    /// The sum.
    Add,
    /// The difference.
    Sub,
    /// The product.
    Mul,
    /// The quotient.
    Div,
    /// What C's `fmod` gives: exact, with the first operand's sign.
    Rem,
}

/// A computation on the software form of any format.
pub(crate) trait OnFloats {
    type Output;
    fn on<F>(self) -> Self::Output
    where
        F: Float
            + FloatConvert<Single>
            + FloatConvert<Double>
            + FloatConvert<X87DoubleExtended>
            + FloatConvert<Quad>
            + FloatConvert<Half>
            + FloatConvert<BFloat>;
}

pub(crate) fn with_format<C: OnFloats>(format: Format, computation: C) -> C::Output {
    match format {
        Format::Half => computation.on::<Half>(),
        Format::BFloat => computation.on::<BFloat>(),
        Format::Single => computation.on::<Single>(),
        Format::Double => computation.on::<Double>(),
        Format::X87 => computation.on::<X87DoubleExtended>(),
        Format::Quad => computation.on::<Quad>(),
    }
}

/// The result, or what stands for it if it is no number.
#[inline]
fn settled(format: Format, operands: &[u128], result: u128) -> u128 {
    if !format.is_nan(result) {
        return result;
    }
    match operands.iter().find(|&&operand| format.is_nan(operand)) {
        Some(operand) => operand | format.quiet_bit(),
        None => format.default_nan(),
    }
}

/// `a op b`.
#[inline]
pub fn arithmetic(op: Arithmetic, format: Format, a: u128, b: u128) -> u128 {
    let result = match format {
        Format::Double => {
            let (x, y) = (f64::from_bits(a as u64), f64::from_bits(b as u64));
            let value = match op {
                Arithmetic::Add => x + y,
                Arithmetic::Sub => x - y,
                Arithmetic::Mul => x * y,
                Arithmetic::Div => x / y,
                Arithmetic::Rem => x % y,
            };
            u128::from(value.to_bits())
        }
        Format::Single => {
            let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
            let value = match op {
                Arithmetic::Add => x + y,
                Arithmetic::Sub => x - y,
                Arithmetic::Mul => x * y,
                Arithmetic::Div => x / y,
                Arithmetic::Rem => x % y,
            };
            u128::from(value.to_bits())
        }
        _ => with_format(format, Binary(op, a, b)),
    };
    settled(format, &[a, b], result)
}

struct Binary(Arithmetic, u128, u128);

impl OnFloats for Binary {
    type Output = u128;
    fn on<F: Float>(self) -> u128 {
        let (a, b) = (F::from_bits(self.1), F::from_bits(self.2));
        let result = match self.0 {
            Arithmetic::Add => a + b,
            Arithmetic::Sub => a - b,
            Arithmetic::Mul => a * b,
            Arithmetic::Div => a / b,
            Arithmetic::Rem => a.c_fmod(b),
        };
        result.value.to_bits()
    }
}

/// `a × b + c`, rounded once.
pub fn fused(format: Format, a: u128, b: u128, c: u128) -> u128 {
    struct Fused(u128, u128, u128);
    impl OnFloats for Fused {
        type Output = u128;
        fn on<F: Float>(self) -> u128 {
            F::from_bits(self.0).mul_add(F::from_bits(self.1), F::from_bits(self.2)).value.to_bits()
        }
    }
    settled(format, &[a, b, c], with_format(format, Fused(a, b, c)))
}

/// The square root; none where it is not known how to round it.
pub fn sqrt(format: Format, a: u128) -> Option<u128> {
    let result = match format {
        Format::Double => u128::from(f64::from_bits(a as u64).sqrt().to_bits()),
        Format::Single => u128::from(f32::from_bits(a as u32).sqrt().to_bits()),
        // A root rounded to 53 bits and then to at most 24 is rounded right.
        Format::Half | Format::BFloat => {
            let wide = f64::from_bits(convert(format, Format::Double, a) as u64).sqrt();
            convert(Format::Double, format, u128::from(wide.to_bits()))
        }
        Format::X87 | Format::Quad => return None,
    };
    Some(settled(format, &[a], result))
}

/// Rounded to a whole number of the format.
pub fn round(format: Format, how: Rounding, a: u128) -> u128 {
    struct Round(u128, Rounding);
    impl OnFloats for Round {
        type Output = u128;
        fn on<F: Float>(self) -> u128 {
            F::from_bits(self.0).round_to_integral(self.1.into()).value.to_bits()
        }
    }
    settled(format, &[a], with_format(format, Round(a, how)))
}

/// How two numbers compare; none if one of them is no number.
#[inline]
pub fn compare(format: Format, a: u128, b: u128) -> Option<Ordering> {
    struct Compare(u128, u128);
    impl OnFloats for Compare {
        type Output = Option<Ordering>;
        fn on<F: Float>(self) -> Option<Ordering> {
            F::from_bits(self.0).partial_cmp(&F::from_bits(self.1))
        }
    }
    match format {
        Format::Double => f64::from_bits(a as u64).partial_cmp(&f64::from_bits(b as u64)),
        Format::Single => f32::from_bits(a as u32).partial_cmp(&f32::from_bits(b as u32)),
        _ => with_format(format, Compare(a, b)),
    }
}

/// The bit of `llvm.is.fpclass` that describes the number.
pub fn class(format: Format, value: u128) -> u32 {
    struct Class(u128);
    impl OnFloats for Class {
        type Output = u32;
        fn on<F: Float>(self) -> u32 {
            let value = F::from_bits(self.0);
            let signed = |negative, positive| if value.is_negative() { negative } else { positive };
            match value.category() {
                Category::NaN if value.is_signaling() => 1,
                Category::NaN => 2,
                Category::Infinity => signed(4, 512),
                Category::Zero => signed(32, 64),
                Category::Normal if value.is_denormal() => signed(16, 128),
                Category::Normal => signed(8, 256),
            }
        }
    }
    with_format(format, Class(value))
}
