//! Floating-point arithmetic and comparison.

use crate::Domain;
use hydrogen_ir::{BinaryOp, FloatKind, FloatPredicate};
use hydrogen_term::{FloatOp, Format};

/// The format of a floating-point type; none for that of another machine.
pub fn format_of(kind: FloatKind) -> Option<Format> {
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

/// An operation on two numbers of a format; none where the domain cannot say it.
pub fn float_binary<D: Domain>(
    domain: &mut D,
    op: BinaryOp,
    format: Format,
    a: D::Value,
    b: D::Value,
) -> Option<D::Value> {
    if !domain.has_format(format) {
        return None;
    }
    let op = match op {
        BinaryOp::FAdd => FloatOp::Add,
        BinaryOp::FSub => FloatOp::Sub,
        BinaryOp::FMul => FloatOp::Mul,
        BinaryOp::FDiv => FloatOp::Div,
        BinaryOp::FRem => return domain.float_remainder(format, a, b),
        _ => return None,
    };
    Some(domain.float(op, format, &[a, b]))
}

/// The number with the other sign.
pub fn float_negated<D: Domain>(domain: &mut D, a: D::Value) -> D::Value {
    let width = domain.width(a);
    let sign = domain.number(width, 1 << (width - 1));
    domain.bitxor(a, sign)
}

/// A comparison of two numbers of a format; none where the domain cannot say it. Predicates with a `U` also hold if one is no number.
pub fn float_compare<D: Domain>(
    domain: &mut D,
    predicate: FloatPredicate,
    format: Format,
    a: D::Value,
    b: D::Value,
) -> Option<D::Truth> {
    use FloatPredicate::*;
    if !domain.has_format(format) {
        return None;
    }
    let mut holds = |op: FloatOp, a: D::Value, b: D::Value| domain.float_holds(op, format, a, b);
    // Where what is no number counts, the contrary does not hold.
    Some(match predicate {
        False => domain.truth(false),
        True => domain.truth(true),
        Oeq => holds(FloatOp::Eq, a, b),
        Ogt => holds(FloatOp::Less, b, a),
        Oge => holds(FloatOp::LessEq, b, a),
        Olt => holds(FloatOp::Less, a, b),
        Ole => holds(FloatOp::LessEq, a, b),
        One => {
            let (less, greater) = (holds(FloatOp::Less, a, b), holds(FloatOp::Less, b, a));
            domain.either(less, greater)
        }
        Ueq => {
            let (less, greater) = (holds(FloatOp::Less, a, b), holds(FloatOp::Less, b, a));
            let apart = domain.either(less, greater);
            domain.not(apart)
        }
        Ugt => {
            let contrary = holds(FloatOp::LessEq, a, b);
            domain.not(contrary)
        }
        Uge => {
            let contrary = holds(FloatOp::Less, a, b);
            domain.not(contrary)
        }
        Ult => {
            let contrary = holds(FloatOp::LessEq, b, a);
            domain.not(contrary)
        }
        Ule => {
            let contrary = holds(FloatOp::Less, b, a);
            domain.not(contrary)
        }
        Une => {
            let contrary = holds(FloatOp::Eq, a, b);
            domain.not(contrary)
        }
        Ord | Uno => {
            let (a, b) = (holds(FloatOp::Eq, a, a), holds(FloatOp::Eq, b, b));
            let both = domain.both(a, b);
            if predicate == Ord { both } else { domain.not(both) }
        }
    })
}
