//! Conversions between formats, and from and to integers.

use rustc_apfloat::{
    Float, FloatConvert, Round, Status,
    ieee::{BFloat, Double, Half, Quad, Single, X87DoubleExtended},
};

use crate::{
    Format,
    arithmetic::{OnFloats, with_format},
};

/// The nearest number of another format.
pub fn convert(from: Format, to: Format, value: u128) -> u128 {
    match (from, to) {
        (Format::Single, Format::Double) if !from.is_nan(value) => {
            u128::from(f64::from(f32::from_bits(value as u32)).to_bits())
        }
        (Format::Double, Format::Single) if !from.is_nan(value) => {
            u128::from((f64::from_bits(value as u64) as f32).to_bits())
        }
        _ => {
            let converted = with_format(from, Convert(value, to));
            if to.is_nan(converted) { converted | to.quiet_bit() } else { converted }
        }
    }
}

struct Convert(u128, Format);

impl OnFloats for Convert {
    type Output = u128;
    fn on<F>(self) -> u128
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
        match self.1 {
            Format::Half => FloatConvert::<Half>::convert(value, &mut loses).value.to_bits(),
            Format::BFloat => FloatConvert::<BFloat>::convert(value, &mut loses).value.to_bits(),
            Format::Single => FloatConvert::<Single>::convert(value, &mut loses).value.to_bits(),
            Format::Double => FloatConvert::<Double>::convert(value, &mut loses).value.to_bits(),
            Format::X87 => FloatConvert::<X87DoubleExtended>::convert(value, &mut loses).value.to_bits(),
            Format::Quad => FloatConvert::<Quad>::convert(value, &mut loses).value.to_bits(),
        }
    }
}

/// The nearest number to an integer, of which a signed one is given with its sign in all 128 bits.
pub fn from_int(format: Format, signed: bool, value: u128) -> u128 {
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
    match (format, signed) {
        (Format::Double, true) => u128::from((value as i128 as f64).to_bits()),
        (Format::Double, false) => u128::from((value as f64).to_bits()),
        (Format::Single, true) => u128::from((value as i128 as f32).to_bits()),
        (Format::Single, false) => u128::from((value as f32).to_bits()),
        _ => with_format(format, FromInt(value, signed)),
    }
}

/// The number without its fraction as an integer of a width; none if it does not fit or is no number.
pub fn to_int(format: Format, signed: bool, width: u32, value: u128) -> Option<u128> {
    struct ToInt(u128, bool);
    impl OnFloats for ToInt {
        type Output = (u128, Status);
        fn on<F: Float>(self) -> (u128, Status) {
            let value = F::from_bits(self.0);
            let mut exact = false;
            match self.1 {
                true => {
                    let result = value.to_i128_r(128, Round::TowardZero, &mut exact);
                    (result.value as u128, result.status)
                }
                false => {
                    let result = value.to_u128_r(128, Round::TowardZero, &mut exact);
                    (result.value, result.status)
                }
            }
        }
    }
    let (result, status) = with_format(format, ToInt(value, signed));
    let unused = 128 - width;
    let cut = result << unused;
    let back = if signed { (cut as i128 >> unused) as u128 } else { cut >> unused };
    (!status.intersects(Status::INVALID_OP) && back == result).then_some(cut >> unused)
}
