//! Operators on floating-point numbers, which are bit-vectors like everything else that a machine holds.
//!
//! Every operator is a function of bits, also where a result is no number: which NaN it is, is said by [`hydrogen_float`]. So evaluator, machine and
//! solvers agree on every bit, and a number may be taken apart, stored and compared as bits at will.

use hydrogen_float::{self as float, Arithmetic, Format, Rounding};

use crate::{
    sort::Sort,
    words::{mask, sign_bit, signed},
};

/// What is done with numbers of a format. Rounds to the nearest, ties to even, unless said otherwise. Negation, absolute value and sign are
/// operations on the sign bit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FloatOp {
    /// The sum.
    Add,
    /// The difference.
    Sub,
    /// The product.
    Mul,
    /// The quotient.
    Div,
    /// The first times the second plus the third, rounded once.
    Fma,
    /// The square root.
    Sqrt,
    /// A whole number of the format.
    Round(Rounding),
    /// Equal as numbers: zeros are equal, and what is no number equals nothing.
    Eq,
    /// Less as numbers.
    Less,
    /// Less or equal as numbers.
    LessEq,
    /// The nearest number to a signed integer of any width.
    FromSigned,
    /// The nearest number to an unsigned integer of any width.
    FromUnsigned,
    /// The number without its fraction as a signed integer of a width; of what does not fit, the smallest one.
    ToSigned(u32),
    /// The number without its fraction as an unsigned integer of a width; of what does not fit, the one with only the highest bit.
    ToUnsigned(u32),
    /// The nearest number of another format.
    Convert(Format),
}

impl FloatOp {
    /// Number of arguments.
    pub fn arity(self) -> usize {
        use FloatOp::*;
        match self {
            Add | Sub | Mul | Div | Eq | Less | LessEq => 2,
            Fma => 3,
            Sqrt | Round(_) | FromSigned | FromUnsigned | ToSigned(_) | ToUnsigned(_) | Convert(_) => 1,
        }
    }

    /// The format of the result, if that is a number with one.
    pub fn result_format(self, format: Format) -> Option<Format> {
        use FloatOp::*;
        match self {
            Add | Sub | Mul | Div | Fma | Sqrt | Round(_) | FromSigned | FromUnsigned => Some(format),
            Convert(to) => Some(to),
            Eq | Less | LessEq | ToSigned(_) | ToUnsigned(_) => None,
        }
    }

    /// Whether the arguments are integers.
    pub fn takes_integers(self) -> bool {
        matches!(self, FloatOp::FromSigned | FloatOp::FromUnsigned)
    }

    pub(crate) fn sort(self, format: Format) -> Sort {
        match self {
            FloatOp::Eq | FloatOp::Less | FloatOp::LessEq => Sort::Bool,
            FloatOp::ToSigned(width) | FloatOp::ToUnsigned(width) => Sort::Bits(width),
            _ => Sort::Bits(self.result_format(format).map_or(1, Format::width)),
        }
    }

    /// The result on values; comparisons give 0 or 1. `width` is that of the first argument.
    pub(crate) fn value(self, format: Format, width: u32, args: &[u128]) -> u128 {
        use FloatOp::*;
        let arithmetic = |op| float::arithmetic(op, format, args[0], args[1]);
        let compare = || float::compare(format, args[0], args[1]);
        let to_int = |signed, width| {
            float::to_int(format, signed, width, args[0]).unwrap_or(sign_bit(width)) & mask(width)
        };
        match self {
            Add => arithmetic(Arithmetic::Add),
            Sub => arithmetic(Arithmetic::Sub),
            Mul => arithmetic(Arithmetic::Mul),
            Div => arithmetic(Arithmetic::Div),
            Fma => float::fused(format, args[0], args[1], args[2]),
            Sqrt => float::sqrt(format, args[0]).expect("terms have only formats with square roots"),
            Round(how) => float::round(format, how, args[0]),
            Eq => u128::from(compare().is_some_and(|order| order.is_eq())),
            Less => u128::from(compare().is_some_and(|order| order.is_lt())),
            LessEq => u128::from(compare().is_some_and(|order| order.is_le())),
            FromSigned => float::from_int(format, true, signed(args[0], width) as u128),
            FromUnsigned => float::from_int(format, false, args[0]),
            ToSigned(width) => to_int(true, width),
            ToUnsigned(width) => to_int(false, width),
            Convert(to) => float::convert(format, to, args[0]),
        }
    }

    /// A number that is not part of the structure of other operators, for hashes that never change.
    pub(crate) fn code(self) -> u64 {
        use FloatOp::*;
        match self {
            Add => 0,
            Sub => 1,
            Mul => 2,
            Div => 3,
            Fma => 4,
            Sqrt => 5,
            Round(how) => 0x100 + how as u64,
            Eq => 6,
            Less => 7,
            LessEq => 8,
            FromSigned => 9,
            FromUnsigned => 10,
            ToSigned(width) => 0x1000 + u64::from(width),
            ToUnsigned(width) => 0x2000 + u64::from(width),
            Convert(to) => 0x200 + to as u64,
        }
    }
}

/// Whether terms have operators of a format. `long double` of the x87 has bits that are no numbers and is unknown to solvers; binary128 has
/// no square root here.
pub fn has_terms(format: Format) -> bool {
    matches!(format, Format::Half | Format::BFloat | Format::Single | Format::Double)
}
