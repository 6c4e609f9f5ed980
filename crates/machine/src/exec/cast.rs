//! Conversions that are more than moves.

use super::float::{OnFloats, with_format};
use super::int::{low_wide, sign_wide};
use crate::code::Scalar;
use hydrogen_ir::{CastOp, FloatKind};
use rustc_apfloat::ieee::{BFloat, Double, Half, Quad, Single, X87DoubleExtended};
use rustc_apfloat::{Float, FloatConvert, Round};

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
        CastOp::FpToSi | CastOp::FpToUi => return to_int(op == CastOp::FpToSi, from, width, value),
        CastOp::SiToFp => {
            let value = sign_wide(value, from.width() as u8) as i128;
            match to {
                Scalar::Float(FloatKind::Double) => u128::from((value as f64).to_bits()),
                Scalar::Float(FloatKind::Float) => u128::from((value as f32).to_bits()),
                _ => with_format(to, FromInt(value as u128, true))?,
            }
        }
        CastOp::UiToFp => match to {
            Scalar::Float(FloatKind::Double) => u128::from((value as f64).to_bits()),
            Scalar::Float(FloatKind::Float) => u128::from((value as f32).to_bits()),
            _ => with_format(to, FromInt(value, false))?,
        },
        CastOp::FpTrunc | CastOp::FpExt => match (from, to) {
            (Scalar::Float(FloatKind::Float), Scalar::Float(FloatKind::Double)) => {
                let value = f32::from_bits(value as u32);
                match value.is_nan() {
                    true => return with_format(from, Convert(u128::from(value.to_bits()), to))?,
                    false => u128::from(f64::from(value).to_bits()),
                }
            }
            _ => with_format(from, Convert(value, to))??,
        },
    })
}

/// What x86 does with a number that does not fit: the "indefinite" value. In C that is undefined, but no fault of the
/// list, and programs do it.
fn to_int(signed: bool, from: Scalar, width: u32, value: u128) -> Option<u128> {
    // Small types go through the next larger register of the processor.
    let register = match (signed, width) {
        (true, 0..=32) => 32,
        (_, 0..=64) if signed || width <= 32 => 64,
        (false, 33..=64) => 64,
        _ => 128,
    };
    let unsigned = !signed && width > 32;
    let (result, fits) = with_format(from, ToInt(value, register, unsigned))?;
    let result = match (fits, unsigned) {
        (true, _) => result,
        // A value of 2^63 and more is converted in two steps, of which the second goes wrong in this way.
        (false, _) => 1 << (register - 1),
    };
    Some(low_wide(result, width))
}

struct ToInt(u128, u32, bool);
impl OnFloats for ToInt {
    type Output = (u128, bool);
    fn on<F: Float>(self) -> (u128, bool) {
        let value = F::from_bits(self.0);
        let mut exact = false;
        let fits = |status: rustc_apfloat::Status| !status.intersects(rustc_apfloat::Status::INVALID_OP);
        if self.2 {
            // A negative number becomes what its signed conversion is.
            if value.is_negative() {
                let result = value.to_i128_r(self.1 as usize, Round::TowardZero, &mut exact);
                return (result.value as u128, fits(result.status));
            }
            let result = value.to_u128_r(self.1 as usize, Round::TowardZero, &mut exact);
            return (result.value, fits(result.status));
        }
        let result = value.to_i128_r(self.1 as usize, Round::TowardZero, &mut exact);
        (result.value as u128, fits(result.status))
    }
}

struct FromInt(u128, bool);
impl OnFloats for FromInt {
    type Output = u128;
    fn on<F: Float>(self) -> u128 {
        match self.1 {
            true => F::from_i128(self.0 as i128).value.to_bits(),
            false => F::from_u128(self.0).value.to_bits(),
        }
    }
}

struct Convert(u128, Scalar);
impl OnFloats for Convert {
    type Output = Option<u128>;
    fn on<F>(self) -> Option<u128>
    where
        F: Float
            + FloatConvert<Single>
            + FloatConvert<Double>
            + FloatConvert<X87DoubleExtended>
            + FloatConvert<Quad>
            + FloatConvert<Half>
            + FloatConvert<BFloat>,
    {
        let value = F::from_bits(self.0);
        let mut loses = false;
        let Scalar::Float(kind) = self.1 else { return None };
        Some(match kind {
            FloatKind::Half => FloatConvert::<Half>::convert(value, &mut loses).value.to_bits(),
            FloatKind::BFloat => FloatConvert::<BFloat>::convert(value, &mut loses).value.to_bits(),
            FloatKind::Float => FloatConvert::<Single>::convert(value, &mut loses).value.to_bits(),
            FloatKind::Double => FloatConvert::<Double>::convert(value, &mut loses).value.to_bits(),
            FloatKind::X86Fp80 => {
                FloatConvert::<X87DoubleExtended>::convert(value, &mut loses).value.to_bits()
            }
            FloatKind::Fp128 => FloatConvert::<Quad>::convert(value, &mut loses).value.to_bits(),
            FloatKind::PpcFp128 => return None,
        })
    }
}
