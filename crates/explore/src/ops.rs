//! From instructions of the machine to the table of meanings.

use crate::frames::Registers;
use hydrogen_ir::{BinaryOp, IntPredicate, WrapFlags};
use hydrogen_machine::code::{Instr, Reg, Scalar};
use hydrogen_semantics::{self as semantics, Kind, Step};
use hydrogen_term::{Format, Pool, Term};

/// What an instruction computes.
pub(crate) enum Meaning {
    /// A value into a register, with what must hold for it not to fault.
    Value(Reg, Term, Option<Term>),
    /// Nothing that terms can say, and why: what it reads is made concrete.
    Unknown(&'static str),
}

/// Why there are no terms for a floating-point operation.
pub(crate) const NO_FLOAT: &str = "floating point that has no terms: long double, or a remainder";

/// What a scalar is to the table; none for integers that are too wide and formats of other machines.
pub(crate) fn kind_of(scalar: Scalar) -> Option<Kind> {
    match scalar {
        Scalar::Int(width) => (1..=128).contains(&width).then(|| Kind::Int(u32::from(width))),
        Scalar::Pointer => Some(Kind::Int(64)),
        Scalar::Float(kind) => semantics::format_of(kind).map(Kind::Float),
    }
}

/// The result of an integer operation and when the machine goes on behind it.
pub(crate) fn binary(
    pool: &mut Pool,
    op: BinaryOp,
    nsw: bool,
    a: Term,
    b: Term,
) -> Option<(Term, Option<Term>)> {
    let flags = WrapFlags { nsw, ..WrapFlags::default() };
    let outcome = semantics::binary(pool, op, flags, a, b)?;
    let fine = outcome.fine_when(pool, false);
    Some((outcome.value, fine))
}

/// The meaning of an instruction without memory or control.
pub(crate) fn meaning(pool: &mut Pool, instr: &Instr, registers: &Registers<'_>) -> Meaning {
    let read = |pool: &mut Pool, reg: Reg, width: u32| registers.read(pool, reg, width);
    use BinaryOp::*;
    let (op, width, nsw, dst, a, b) = match *instr {
        Instr::Add32 { dst, a, b } => (Add, 32, false, dst, a, b),
        Instr::Add64 { dst, a, b } => (Add, 64, false, dst, a, b),
        Instr::Sub32 { dst, a, b } => (Sub, 32, false, dst, a, b),
        Instr::Sub64 { dst, a, b } => (Sub, 64, false, dst, a, b),
        Instr::Mul32 { dst, a, b } => (Mul, 32, false, dst, a, b),
        Instr::Mul64 { dst, a, b } => (Mul, 64, false, dst, a, b),
        Instr::AddS32 { dst, a, b } => (Add, 32, true, dst, a, b),
        Instr::AddS64 { dst, a, b } => (Add, 64, true, dst, a, b),
        Instr::SubS32 { dst, a, b } => (Sub, 32, true, dst, a, b),
        Instr::SubS64 { dst, a, b } => (Sub, 64, true, dst, a, b),
        Instr::MulS32 { dst, a, b } => (Mul, 32, true, dst, a, b),
        Instr::MulS64 { dst, a, b } => (Mul, 64, true, dst, a, b),
        Instr::And { dst, a, b } => (And, 64, false, dst, a, b),
        Instr::Or { dst, a, b } => (Or, 64, false, dst, a, b),
        Instr::Xor { dst, a, b } => (Xor, 64, false, dst, a, b),
        Instr::Shl32 { dst, a, b } => (Shl, 32, false, dst, a, b),
        Instr::Shl64 { dst, a, b } => (Shl, 64, false, dst, a, b),
        // What shifts out of a signed number is tolerated: the run goes on.
        Instr::ShlS { width, dst, a, b } => (Shl, u32::from(width), false, dst, a, b),
        Instr::LShr32 { dst, a, b } => (LShr, 32, false, dst, a, b),
        Instr::LShr64 { dst, a, b } => (LShr, 64, false, dst, a, b),
        Instr::AShr32 { dst, a, b } => (AShr, 32, false, dst, a, b),
        Instr::AShr64 { dst, a, b } => (AShr, 64, false, dst, a, b),
        Instr::Int { op, width, nsw, dst, a, b } => (op, u32::from(width), nsw, dst, a, b),
        _ => return other(pool, instr, registers),
    };
    let (a, b) = (read(pool, a, width), read(pool, b, width));
    match binary(pool, op, nsw, a, b) {
        Some((value, fine)) => Meaning::Value(dst, value, fine),
        None => Meaning::Unknown("an operation that has no terms here"),
    }
}

/// Comparisons, moves, addresses.
fn other(pool: &mut Pool, instr: &Instr, registers: &Registers<'_>) -> Meaning {
    use IntPredicate::{Eq, Ne, Sle, Slt, Ule, Ult};
    let read = |pool: &mut Pool, reg: Reg, width: u32| registers.read(pool, reg, width);
    let (predicate, width, dst, a, b) = match *instr {
        Instr::Eq { dst, a, b } => (Eq, 64, dst, a, b),
        Instr::Ne { dst, a, b } => (Ne, 64, dst, a, b),
        Instr::Ult { dst, a, b } => (Ult, 64, dst, a, b),
        Instr::Ule { dst, a, b } => (Ule, 64, dst, a, b),
        Instr::Slt32 { dst, a, b } => (Slt, 32, dst, a, b),
        Instr::Sle32 { dst, a, b } => (Sle, 32, dst, a, b),
        Instr::Slt64 { dst, a, b } => (Slt, 64, dst, a, b),
        Instr::Sle64 { dst, a, b } => (Sle, 64, dst, a, b),
        Instr::SltN { width, or_equal: true, dst, a, b } => (Sle, u32::from(width), dst, a, b),
        Instr::SltN { width, or_equal: false, dst, a, b } => (Slt, u32::from(width), dst, a, b),
        Instr::Move { dst, src } => return Meaning::Value(dst, read(pool, src, 64), None),
        Instr::Trunc { dst, a, width } => return Meaning::Value(dst, read(pool, a, u32::from(width)), None),
        Instr::SExt { dst, a, from, to } => {
            let value = read(pool, a, u32::from(from));
            return Meaning::Value(dst, pool.sext(value, u32::from(to)), None);
        }
        Instr::Offset { dst, a, offset } => {
            let a = read(pool, a, 64);
            return Meaning::Value(dst, semantics::moved(pool, a, [Step::Field(offset as u64)]), None);
        }
        Instr::Scaled { dst, a, b, scale } => {
            let (a, b) = (read(pool, a, 64), read(pool, b, 64));
            return Meaning::Value(dst, semantics::moved(pool, a, [Step::Index(b, scale as u64)]), None);
        }
        _ => return floating(pool, instr, registers),
    };
    let (a, b) = (read(pool, a, width), read(pool, b, width));
    let holds = semantics::compare(pool, predicate, a, b);
    Meaning::Value(dst, pool.bool_to_bits(holds, 1), None)
}

fn floating(pool: &mut Pool, instr: &Instr, registers: &Registers<'_>) -> Meaning {
    let mut pair = |format: Format, a: Reg, b: Reg| {
        let width = format.width();
        (registers.read(pool, a, width), registers.read(pool, b, width))
    };
    let result = match *instr {
        Instr::FBin64 { op, dst, a, b } => {
            let (a, b) = pair(Format::Double, a, b);
            semantics::float_binary(pool, op, Format::Double, a, b).map(|value| (dst, value))
        }
        Instr::FBin32 { op, dst, a, b } => {
            let (a, b) = pair(Format::Single, a, b);
            semantics::float_binary(pool, op, Format::Single, a, b).map(|value| (dst, value))
        }
        Instr::FCmp64 { predicate, dst, a, b } => {
            let (a, b) = pair(Format::Double, a, b);
            let holds = semantics::float_compare(pool, predicate, Format::Double, a, b);
            holds.map(|holds| (dst, pool.bool_to_bits(holds, 1)))
        }
        Instr::FCmp32 { predicate, dst, a, b } => {
            let (a, b) = pair(Format::Single, a, b);
            let holds = semantics::float_compare(pool, predicate, Format::Single, a, b);
            holds.map(|holds| (dst, pool.bool_to_bits(holds, 1)))
        }
        _ => return Meaning::Unknown("an operation that has no terms here"),
    };
    match result {
        Some((dst, value)) => Meaning::Value(dst, value, None),
        None => Meaning::Unknown(NO_FLOAT),
    }
}
