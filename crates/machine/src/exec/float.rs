//! Floating point. `float` and `double` are the host's, which are IEEE's; the other formats are computed in software.

use crate::code::Scalar;
use hydrogen_ir::{BinaryOp, FloatKind, FloatPredicate};
use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert};
use std::cmp::Ordering;

#[inline]
pub(super) fn binary64(op: BinaryOp, a: u64, b: u64) -> u64 {
    let (x, y) = (f64::from_bits(a), f64::from_bits(b));
    let value = match op {
        BinaryOp::FAdd => x + y,
        BinaryOp::FSub => x - y,
        BinaryOp::FMul => x * y,
        BinaryOp::FDiv => x / y,
        _ => x % y,
    };
    if value.is_nan() { nan(a, b, x.is_nan(), y.is_nan(), 52, 0xfff8 << 48) } else { value.to_bits() }
}

#[inline]
pub(super) fn binary32(op: BinaryOp, a: u64, b: u64) -> u64 {
    let (x, y) = (f32::from_bits(a as u32), f32::from_bits(b as u32));
    let value = match op {
        BinaryOp::FAdd => x + y,
        BinaryOp::FSub => x - y,
        BinaryOp::FMul => x * y,
        BinaryOp::FDiv => x / y,
        _ => x % y,
    };
    if value.is_nan() {
        nan(a, b, x.is_nan(), y.is_nan(), 23, 0xffc0_0000)
    } else {
        u64::from(value.to_bits())
    }
}

/// Which NaN comes out is left open by Rust; the machine gives the one that x86 does: the first operand's, made quiet, else
/// the default one, which is negative.
fn nan(a: u64, b: u64, a_nan: bool, b_nan: bool, fraction: u32, default: u64) -> u64 {
    let quiet = 1 << (fraction - 1);
    match (a_nan, b_nan) {
        (true, _) => a | quiet,
        (_, true) => b | quiet,
        _ => default,
    }
}

/// Whether the predicate holds of two numbers in this order; `None` when one is no number.
#[inline]
pub(super) fn holds(predicate: FloatPredicate, order: Option<Ordering>) -> bool {
    use FloatPredicate::*;
    let Some(order) = order else {
        return matches!(predicate, Uno | Ueq | Ugt | Uge | Ult | Ule | Une | True);
    };
    match predicate {
        False | Uno => false,
        True | Ord => true,
        Oeq | Ueq => order.is_eq(),
        One | Une => order.is_ne(),
        Ogt | Ugt => order.is_gt(),
        Oge | Uge => order.is_ge(),
        Olt | Ult => order.is_lt(),
        Ole | Ule => order.is_le(),
    }
}

/// A computation on any of the formats.
pub(super) trait OnFloats {
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

/// Calls a computation with the software form of a format; `None` for what is no such format.
pub(super) fn with_format<C: OnFloats>(kind: Scalar, computation: C) -> Option<C::Output> {
    let Scalar::Float(kind) = kind else { return None };
    Some(match kind {
        FloatKind::Half => computation.on::<Half>(),
        FloatKind::BFloat => computation.on::<BFloat>(),
        FloatKind::Float => computation.on::<Single>(),
        FloatKind::Double => computation.on::<Double>(),
        FloatKind::X86Fp80 => computation.on::<X87DoubleExtended>(),
        FloatKind::Fp128 => computation.on::<Quad>(),
        FloatKind::PpcFp128 => return None,
    })
}

/// `a op b` of any format.
pub(super) fn binary(op: BinaryOp, kind: Scalar, a: u128, b: u128) -> Option<u128> {
    struct Binary(BinaryOp, u128, u128);
    impl OnFloats for Binary {
        type Output = u128;
        fn on<F: Float>(self) -> u128 {
            let (a, b) = (F::from_bits(self.1), F::from_bits(self.2));
            let result = match self.0 {
                BinaryOp::FAdd => a + b,
                BinaryOp::FSub => a - b,
                BinaryOp::FMul => a * b,
                BinaryOp::FDiv => a / b,
                _ => a.c_fmod(b),
            };
            // The processor's own NaN is negative.
            let fresh = result.value.is_nan() && !a.is_nan() && !b.is_nan();
            if fresh && !result.value.is_negative() {
                (-result.value).to_bits()
            } else {
                result.value.to_bits()
            }
        }
    }
    match kind {
        Scalar::Float(FloatKind::Double) => Some(u128::from(binary64(op, a as u64, b as u64))),
        Scalar::Float(FloatKind::Float) => Some(u128::from(binary32(op, a as u64, b as u64))),
        _ => with_format(kind, Binary(op, a, b)),
    }
}

/// How two numbers of any format compare.
pub(super) fn compare(kind: Scalar, a: u128, b: u128) -> Option<Option<Ordering>> {
    struct Compare(u128, u128);
    impl OnFloats for Compare {
        type Output = Option<Ordering>;
        fn on<F: Float>(self) -> Option<Ordering> {
            F::from_bits(self.0).partial_cmp(&F::from_bits(self.1))
        }
    }
    with_format(kind, Compare(a, b))
}

/// The number with the other sign.
pub(super) fn negate(kind: Scalar, value: u128) -> u128 {
    value ^ 1 << (kind.width() - 1)
}

/// Without its sign.
pub(super) fn absolute(kind: Scalar, value: u128) -> u128 {
    value & !(1 << (kind.width() - 1))
}

/// Rounded to a whole number.
pub(super) fn round(kind: Scalar, value: u128, how: rustc_apfloat::Round) -> Option<u128> {
    struct Round(u128, rustc_apfloat::Round);
    impl OnFloats for Round {
        type Output = u128;
        fn on<F: Float>(self) -> u128 {
            F::from_bits(self.0).round_to_integral(self.1).value.to_bits()
        }
    }
    with_format(kind, Round(value, how))
}

/// `a × b + c`, rounded once.
pub(super) fn fused(kind: Scalar, a: u128, b: u128, c: u128) -> Option<u128> {
    struct Fused(u128, u128, u128);
    impl OnFloats for Fused {
        type Output = u128;
        fn on<F: Float>(self) -> u128 {
            F::from_bits(self.0).mul_add(F::from_bits(self.1), F::from_bits(self.2)).value.to_bits()
        }
    }
    with_format(kind, Fused(a, b, c))
}

/// The bits of `llvm.is.fpclass` that describe the number.
pub(super) fn class(kind: Scalar, value: u128) -> Option<u32> {
    struct Class(u128);
    impl OnFloats for Class {
        type Output = u32;
        fn on<F: Float>(self) -> u32 {
            let value = F::from_bits(self.0);
            let negative = value.is_negative();
            match value.category() {
                rustc_apfloat::Category::NaN if value.is_signaling() => 1,
                rustc_apfloat::Category::NaN => 2,
                rustc_apfloat::Category::Infinity => {
                    if negative {
                        4
                    } else {
                        512
                    }
                }
                rustc_apfloat::Category::Zero => {
                    if negative {
                        32
                    } else {
                        64
                    }
                }
                rustc_apfloat::Category::Normal if value.is_denormal() => {
                    if negative {
                        16
                    } else {
                        128
                    }
                }
                rustc_apfloat::Category::Normal => {
                    if negative {
                        8
                    } else {
                        256
                    }
                }
            }
        }
    }
    with_format(kind, Class(value))
}
