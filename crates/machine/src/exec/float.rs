//! Floating point: the formats of values, and the few operations that are not those of `hydrogen_float` as they are.

use super::int::{low, sign};
use crate::code::Scalar;
use hydrogen_float::{Arithmetic, Format, arithmetic};
use hydrogen_ir::{BinaryOp, FloatKind, FloatPredicate};
use std::cmp::Ordering;

#[inline]
pub(super) fn binary64(op: BinaryOp, a: u64, b: u64) -> u64 {
    arithmetic(operation(op), Format::Double, u128::from(a), u128::from(b)) as u64
}

#[inline]
pub(super) fn binary32(op: BinaryOp, a: u64, b: u64) -> u64 {
    arithmetic(operation(op), Format::Single, u128::from(a), u128::from(b)) as u64
}

/// An integer of so many bits as floating point.
#[inline]
pub(super) fn from_int(value: u64, width: u8, signed: bool, double: bool) -> u64 {
    match (signed, double) {
        (true, true) => (sign(value, width) as f64).to_bits(),
        (true, false) => u64::from((sign(value, width) as f32).to_bits()),
        (false, true) => (value as f64).to_bits(),
        (false, false) => u64::from((value as f32).to_bits()),
    }
}

/// Floating point as an integer of so many bits, if it fits.
#[inline]
pub(super) fn to_int(bits: u64, width: u8, signed: bool, double: bool) -> Option<u64> {
    let value = if double { f64::from_bits(bits) } else { f64::from(f32::from_bits(bits as u32)) };
    // Powers of two are exact, and so is what lies between them here.
    let power = |exponent: u8| f64::from_bits(u64::from(1023 + u16::from(exponent)) << 52);
    let (least, end) = match signed {
        true => (-power(width - 1), power(width - 1)),
        false => (0.0, power(width)),
    };
    let whole = value.trunc();
    if !(whole >= least && whole < end) {
        return None;
    }
    Some(if signed { low(whole as i64 as u64, width.into()) } else { whole as u64 })
}

/// `a op b` of any format.
pub(super) fn binary(op: BinaryOp, kind: Scalar, a: u128, b: u128) -> Option<u128> {
    Some(arithmetic(operation(op), format(kind)?, a, b))
}

#[inline]
fn operation(op: BinaryOp) -> Arithmetic {
    match op {
        BinaryOp::FAdd => Arithmetic::Add,
        BinaryOp::FSub => Arithmetic::Sub,
        BinaryOp::FMul => Arithmetic::Mul,
        BinaryOp::FDiv => Arithmetic::Div,
        _ => Arithmetic::Rem,
    }
}

/// The format of a floating-point value; `None` for what has none here.
pub(super) fn format(kind: Scalar) -> Option<Format> {
    let Scalar::Float(kind) = kind else { return None };
    Some(match kind {
        FloatKind::Half => Format::Half,
        FloatKind::BFloat => Format::BFloat,
        FloatKind::Float => Format::Single,
        FloatKind::Double => Format::Double,
        FloatKind::X86Fp80 => Format::X87,
        FloatKind::Fp128 => Format::Quad,
        FloatKind::PpcFp128 => return None,
    })
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

/// How two numbers of any format compare.
pub(super) fn compare(kind: Scalar, a: u128, b: u128) -> Option<Option<Ordering>> {
    Some(hydrogen_float::compare(format(kind)?, a, b))
}

/// The number with the other sign.
pub(super) fn negate(kind: Scalar, value: u128) -> u128 {
    value ^ 1 << (kind.width() - 1)
}

/// Without its sign.
pub(super) fn absolute(kind: Scalar, value: u128) -> u128 {
    value & !(1 << (kind.width() - 1))
}
