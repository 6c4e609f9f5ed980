//! Conversions.

use crate::Domain;
use hydrogen_ir::CastOp;
use hydrogen_term::{FloatOp, Format};

/// What a value is converted from or to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// An integer of a width, or a pointer as one of 64 bits.
    Int(u32),
    /// A floating-point number.
    Float(Format),
}

impl Kind {
    /// Bits of a value.
    pub fn width(self) -> u32 {
        match self {
            Kind::Int(width) => width,
            Kind::Float(format) => format.width(),
        }
    }
}

/// A converted value; none where the domain cannot say it, or there is no such conversion.
pub fn cast<D: Domain>(
    domain: &mut D,
    op: CastOp,
    from: Kind,
    to: Kind,
    value: D::Value,
) -> Option<D::Value> {
    let known = |kind: Kind| match kind {
        Kind::Int(width) => (1..=128).contains(&width),
        Kind::Float(format) => domain.has_format(format),
    };
    let bits_only = matches!(op, CastOp::BitCast);
    if !(bits_only || known(from) && known(to)) {
        return None;
    }
    Some(match (op, from, to) {
        (CastOp::BitCast, ..) if from.width() == to.width() => value,
        (CastOp::SExt, Kind::Int(_), Kind::Int(width)) => domain.resize_signed(value, width),
        (
            CastOp::Trunc | CastOp::ZExt | CastOp::PtrToInt | CastOp::IntToPtr | CastOp::AddrSpaceCast,
            Kind::Int(_),
            Kind::Int(width),
        ) => domain.resize_unsigned(value, width),
        (CastOp::SiToFp, Kind::Int(_), Kind::Float(to)) => domain.float(FloatOp::FromSigned, to, &[value]),
        (CastOp::UiToFp, Kind::Int(_), Kind::Float(to)) => domain.float(FloatOp::FromUnsigned, to, &[value]),
        (CastOp::FpTrunc | CastOp::FpExt, Kind::Float(from), Kind::Float(to)) => {
            domain.float(FloatOp::Convert(to), from, &[value])
        }
        (CastOp::FpToSi, Kind::Float(from), Kind::Int(width)) => to_integer(domain, true, from, width, value),
        (CastOp::FpToUi, Kind::Float(from), Kind::Int(width)) => {
            to_integer(domain, false, from, width, value)
        }
        _ => return None,
    })
}

/// What x86 computes. A number that does not fit its register is the "indefinite" value; a smaller type gets the lower bits of the
/// register, and an unsigned one goes through a signed register where that holds it.
fn to_integer<D: Domain>(
    domain: &mut D,
    signed: bool,
    from: Format,
    width: u32,
    value: D::Value,
) -> D::Value {
    let register = match (signed, width) {
        (true, 0..=32) => 32,
        (_, 0..=64) => 64,
        _ => 128,
    };
    let as_signed = domain.float(FloatOp::ToSigned(register), from, &[value]);
    let result = if signed || width <= 32 {
        as_signed
    } else {
        let as_unsigned = domain.float(FloatOp::ToUnsigned(register), from, &[value]);
        let top = from.width() - 1;
        let sign = domain.extract(value, top, top);
        let one = domain.number(1, 1);
        let negative = domain.equal(sign, one);
        domain.choose(negative, as_signed, as_unsigned)
    };
    domain.resize_unsigned(result, width)
}

/// Whether a number without its fraction fits an integer: if not, C says nothing about the conversion. None where the domain cannot say it.
pub fn fits<D: Domain>(
    domain: &mut D,
    signed: bool,
    from: Format,
    width: u32,
    value: D::Value,
) -> Option<D::Truth> {
    if !domain.has_format(from) || !(1..128).contains(&width) {
        return None;
    }
    // In one bit more, what does not fit is told from what does: it is there itself, or the indefinite value of that width.
    let wide = domain.float(FloatOp::ToSigned(width + 1), from, &[value]);
    let narrow = domain.resize_unsigned(wide, width);
    let back = match signed {
        true => domain.resize_signed(narrow, width + 1),
        false => domain.resize_unsigned(narrow, width + 1),
    };
    Some(domain.equal(back, wide))
}
