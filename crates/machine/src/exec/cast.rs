//! Conversions that are more than moves.

use super::float::format;
use super::int::{low_wide, sign_wide};
use crate::code::Scalar;
use hydrogen_float::Format;
use hydrogen_ir::CastOp;

/// The converted bits; `None` when there is no such conversion.
pub(super) fn cast(op: CastOp, from: Scalar, to: Scalar, value: u128) -> Option<u128> {
    let width = to.width();
    Some(match op {
        CastOp::Trunc
        | CastOp::ZExt
        | CastOp::PtrToInt
        | CastOp::IntToPtr
        | CastOp::BitCast
        | CastOp::AddrSpaceCast => low_wide(value, width),
        CastOp::SExt => low_wide(sign_wide(value, from.width() as u8), width),
        CastOp::FpToSi | CastOp::FpToUi => to_int(op == CastOp::FpToSi, format(from)?, width, value),
        CastOp::SiToFp => hydrogen_float::from_int(format(to)?, true, sign_wide(value, from.width() as u8)),
        CastOp::UiToFp => hydrogen_float::from_int(format(to)?, false, value),
        CastOp::FpTrunc | CastOp::FpExt => hydrogen_float::convert(format(from)?, format(to)?, value),
    })
}

/// Whether C says what becomes of a number: one without its fraction must be of the integer type.
pub(super) fn fits(op: CastOp, from: Scalar, to: Scalar, value: u128) -> bool {
    let signed = match op {
        CastOp::FpToSi => true,
        CastOp::FpToUi => false,
        _ => return true,
    };
    let width = to.width();
    // What is certainly inside is most of it.
    let near = |value: f64| value.abs() < 2f64.powi(width.min(64) as i32 - 1) && (signed || value >= 0.0);
    match format(from) {
        // The table of meanings cannot say it of these.
        _ if width >= 128 => true,
        Some(Format::Double) if near(f64::from_bits(value as u64)) => true,
        Some(Format::Single) if near(f64::from(f32::from_bits(value as u32))) => true,
        Some(format) => hydrogen_float::to_int(format, signed, width, value).is_some(),
        None => true,
    }
}

/// A number that does not fit, in words.
pub(super) fn unfit(from: Scalar, to: Scalar, value: u128) -> String {
    let width = to.width();
    match format(from) {
        Some(Format::Double) => format!("{:?} does not fit in {width} bits", f64::from_bits(value as u64)),
        Some(Format::Single) => format!("{:?} does not fit in {width} bits", f32::from_bits(value as u32)),
        _ => format!("a floating-point number does not fit in {width} bits"),
    }
}

/// What x86 does with a number that does not fit: the "indefinite" value.
fn to_int(signed: bool, from: Format, width: u32, value: u128) -> u128 {
    // Small types go through the next larger register of the processor.
    let register = match (signed, width) {
        (true, 0..=32) => 32,
        (_, 0..=64) => 64,
        _ => 128,
    };
    // A negative number becomes what its signed conversion is, and so does one for which the signed conversion of a larger register will do.
    let negative = value & from.sign_bit() != 0;
    let as_signed = signed || width <= 32 || negative;
    // A value of 2^63 and more is converted in two steps, of which the second goes wrong in this way.
    let indefinite = 1 << (register - 1);
    let result = hydrogen_float::to_int(from, as_signed, register, value).unwrap_or(indefinite);
    low_wide(result, width)
}
