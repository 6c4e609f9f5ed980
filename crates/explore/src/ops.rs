//! The meaning of instructions as terms.

use crate::frames::Registers;
use hydrogen_ir::{BinaryOp, IntPredicate};
use hydrogen_machine::code::{Instr, Reg};
use hydrogen_term::{Pool, Term};

/// What an instruction computes.
pub(crate) enum Meaning {
    /// A value into a register, with what must hold for it not to fault.
    Value(Reg, Term, Option<Term>),
    /// Nothing that terms can say, and why: what it reads is made concrete.
    Unknown(&'static str),
}

/// The result of an integer operation and when it does not fault.
pub(crate) fn binary(
    pool: &mut Pool,
    op: BinaryOp,
    nsw: bool,
    a: Term,
    b: Term,
) -> Option<(Term, Option<Term>)> {
    use BinaryOp::*;
    let width = pool.width(a);
    let fits = |pool: &mut Pool, overflows: Term| Some(pool.not(overflows));
    Some(match op {
        Add => (
            pool.add(a, b),
            if nsw {
                let o = pool.sadd_overflows(a, b);
                fits(pool, o)
            } else {
                None
            },
        ),
        Sub => (
            pool.sub(a, b),
            if nsw {
                let o = pool.ssub_overflows(a, b);
                fits(pool, o)
            } else {
                None
            },
        ),
        Mul => (
            pool.mul(a, b),
            if nsw {
                let o = pool.smul_overflows(a, b);
                fits(pool, o)
            } else {
                None
            },
        ),
        And => (pool.bitand(a, b), None),
        Or => (pool.bitor(a, b), None),
        Xor => (pool.bitxor(a, b), None),
        UDiv | URem | SDiv | SRem => {
            let zero = pool.bits(width, 0);
            let mut fine = pool.ne(b, zero);
            if matches!(op, SDiv | SRem) {
                let over = pool.sdiv_overflows(a, b);
                let fits = pool.not(over);
                fine = pool.and(fine, fits);
            }
            let value = match op {
                UDiv => pool.udiv(a, b),
                URem => pool.urem(a, b),
                SDiv => pool.sdiv(a, b),
                _ => pool.srem(a, b),
            };
            (value, Some(fine))
        }
        // A left shift that is promised not to overflow is nothing that clang writes for C.
        Shl if nsw => return None,
        Shl | LShr | AShr => {
            let limit = pool.bits(width, u128::from(width));
            let fine = pool.ult(b, limit);
            let value = match op {
                Shl => pool.shl(a, b),
                LShr => pool.lshr(a, b),
                _ => pool.ashr(a, b),
            };
            (value, Some(fine))
        }
        FAdd | FSub | FMul | FDiv | FRem => return None,
    })
}

/// The comparison of two integers.
pub(crate) fn compare(pool: &mut Pool, predicate: IntPredicate, a: Term, b: Term) -> Term {
    match predicate {
        IntPredicate::Eq => pool.eq(a, b),
        IntPredicate::Ne => pool.ne(a, b),
        IntPredicate::Ugt => pool.ugt(a, b),
        IntPredicate::Uge => pool.uge(a, b),
        IntPredicate::Ult => pool.ult(a, b),
        IntPredicate::Ule => pool.ule(a, b),
        IntPredicate::Sgt => pool.sgt(a, b),
        IntPredicate::Sge => pool.sge(a, b),
        IntPredicate::Slt => pool.slt(a, b),
        IntPredicate::Sle => pool.sle(a, b),
    }
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

fn other(pool: &mut Pool, instr: &Instr, registers: &Registers<'_>) -> Meaning {
    let read = |pool: &mut Pool, reg: Reg, width: u32| registers.read(pool, reg, width);
    type Compare = fn(&mut Pool, Term, Term) -> Term;
    let compare: (Compare, u32, Reg, Reg, Reg) = match *instr {
        Instr::Eq { dst, a, b } => (Pool::eq, 64, dst, a, b),
        Instr::Ne { dst, a, b } => (Pool::ne, 64, dst, a, b),
        Instr::Ult { dst, a, b } => (Pool::ult, 64, dst, a, b),
        Instr::Ule { dst, a, b } => (Pool::ule, 64, dst, a, b),
        Instr::Slt32 { dst, a, b } => (Pool::slt, 32, dst, a, b),
        Instr::Sle32 { dst, a, b } => (Pool::sle, 32, dst, a, b),
        Instr::Slt64 { dst, a, b } => (Pool::slt, 64, dst, a, b),
        Instr::Sle64 { dst, a, b } => (Pool::sle, 64, dst, a, b),
        Instr::SltN { width, or_equal: true, dst, a, b } => (Pool::sle, u32::from(width), dst, a, b),
        Instr::SltN { width, or_equal: false, dst, a, b } => (Pool::slt, u32::from(width), dst, a, b),
        Instr::Move { dst, src } => return Meaning::Value(dst, read(pool, src, 64), None),
        Instr::Trunc { dst, a, width } => return Meaning::Value(dst, read(pool, a, u32::from(width)), None),
        Instr::SExt { dst, a, from, to } => {
            let value = read(pool, a, u32::from(from));
            return Meaning::Value(dst, pool.sext(value, u32::from(to)), None);
        }
        Instr::Offset { dst, a, offset } => {
            let (a, by) = (read(pool, a, 64), pool.signed_bits(64, i128::from(offset)));
            return Meaning::Value(dst, pool.add(a, by), None);
        }
        Instr::Scaled { dst, a, b, scale } => {
            let (a, b, by) = (read(pool, a, 64), read(pool, b, 64), pool.bits(64, u128::from(scale)));
            let by = pool.mul(b, by);
            return Meaning::Value(dst, pool.add(a, by), None);
        }
        _ => return Meaning::Unknown("floating point"),
    };
    let (make, width, dst, a, b) = compare;
    let (a, b) = (read(pool, a, width), read(pool, b, width));
    let holds = make(pool, a, b);
    Meaning::Value(dst, pool.bool_to_bits(holds, 1), None)
}
