//! What an operator computes and when it faults.

use crate::{Obstacle, context::Context};
use hydrogen_evidence::Class;
use hydrogen_ir::{BinaryOp, CastOp, FloatPredicate, IntPredicate, WrapFlags};
use hydrogen_term::{Sort, Term};

/// A condition under which an operation faults.
pub(crate) type Faults = Vec<(Class, Term)>;

pub(crate) fn binary(
    context: &mut Context,
    op: BinaryOp,
    flags: WrapFlags,
    a: Term,
    b: Term,
) -> Result<(Term, Faults), Obstacle> {
    use BinaryOp::*;
    let mut faults = Vec::new();
    if matches!(op, FAdd | FSub | FMul | FDiv | FRem) {
        return Ok((float_binary(context, op, a, b), faults));
    }
    let pool = &mut context.pool;
    let width = pool.width(a);
    if width != pool.width(b) {
        return Err(Obstacle::new("operands of different widths"));
    }
    let zero = pool.bits(width, 0);
    if flags.nsw {
        match op {
            Add => faults.push((Class::SignedOverflow, pool.sadd_overflows(a, b))),
            Sub => faults.push((Class::SignedOverflow, pool.ssub_overflows(a, b))),
            Mul => faults.push((Class::SignedOverflow, pool.smul_overflows(a, b))),
            _ => {}
        }
    }
    match op {
        UDiv | URem | SDiv | SRem => {
            faults.push((Class::Division, pool.eq(b, zero)));
            if matches!(op, SDiv | SRem) {
                let overflow = pool.sdiv_overflows(a, b);
                faults.push((Class::Division, overflow));
            }
        }
        Shl | LShr | AShr => {
            let most = pool.bits(width, u128::from(width));
            // In widths of few bits every amount is within the width.
            if width >= 3 {
                faults.push((Class::Shift, pool.uge(b, most)));
            }
            if op == Shl && flags.nsw {
                let moved = pool.shl(a, b);
                let back = pool.ashr(moved, b);
                faults.push((Class::SignedOverflow, pool.ne(back, a)));
            }
        }
        _ => {}
    }
    let value = match op {
        Add => pool.add(a, b),
        Sub => pool.sub(a, b),
        Mul => pool.mul(a, b),
        UDiv => pool.udiv(a, b),
        SDiv => pool.sdiv(a, b),
        URem => pool.urem(a, b),
        SRem => pool.srem(a, b),
        Shl => pool.shl(a, b),
        LShr => pool.lshr(a, b),
        AShr => pool.ashr(a, b),
        And => pool.bitand(a, b),
        Or => pool.bitor(a, b),
        Xor => pool.bitxor(a, b),
        FAdd | FSub | FMul | FDiv | FRem => a,
    };
    Ok((value, faults))
}

/// Floating-point arithmetic is exact on numbers, and otherwise an unknown function of which only the commutative laws are known.
fn float_binary(context: &mut Context, op: BinaryOp, a: Term, b: Term) -> Term {
    let pool = &mut context.pool;
    let width = pool.width(a);
    if let (Some(x), Some(y)) = (pool.as_bits(a), pool.as_bits(b)) {
        let folded =
            match width {
                64 => fold(op, f64::from_bits(x as u64), f64::from_bits(y as u64))
                    .map(|v| u128::from(v.to_bits())),
                32 => fold(op, f32::from_bits(x as u32), f32::from_bits(y as u32))
                    .map(|v| u128::from(v.to_bits())),
                _ => None,
            };
        if let Some(bits) = folded {
            return pool.bits(width, bits);
        }
    }
    let is_commutative = matches!(op, BinaryOp::FAdd | BinaryOp::FMul);
    let (a, b) = if is_commutative && b < a { (b, a) } else { (a, b) };
    context.unknown(&format!("{op:?}"), &[a, b], Sort::Bits(width))
}

fn fold<F>(op: BinaryOp, x: F, y: F) -> Option<F>
where
    F: std::ops::Add<Output = F>
        + std::ops::Sub<Output = F>
        + std::ops::Mul<Output = F>
        + std::ops::Div<Output = F>
        + PartialEq
        + Copy,
{
    let result = match op {
        BinaryOp::FAdd => x + y,
        BinaryOp::FSub => x - y,
        BinaryOp::FMul => x * y,
        BinaryOp::FDiv => x / y,
        _ => return None,
    };
    // The bits of a NaN are the hardware's choice.
    #[allow(clippy::eq_op)]
    (result == result).then_some(result)
}

pub(crate) fn int_compare(context: &mut Context, predicate: IntPredicate, a: Term, b: Term) -> Term {
    let pool = &mut context.pool;
    let truth = match predicate {
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
    };
    pool.bool_to_bits(truth, 1)
}

/// Comparisons of floating-point numbers are made of four: less, equal, and whether either is no number.
pub(crate) fn float_compare(context: &mut Context, predicate: FloatPredicate, a: Term, b: Term) -> Term {
    use FloatPredicate::*;
    let truth = match predicate {
        False => context.pool.bool(false),
        True => context.pool.bool(true),
        Oeq => equal(context, a, b),
        Ogt => less(context, b, a),
        Olt => less(context, a, b),
        Oge | Ole => {
            let (a, b) = if predicate == Oge { (b, a) } else { (a, b) };
            let (less, equal) = (less(context, a, b), equal(context, a, b));
            context.pool.or(less, equal)
        }
        One => {
            let (less, more) = (less(context, a, b), less(context, b, a));
            context.pool.or(less, more)
        }
        Ord => {
            let (a, b) = (no_number(context, a), no_number(context, b));
            let either = context.pool.or(a, b);
            context.pool.not(either)
        }
        Uno => {
            let (a, b) = (no_number(context, a), no_number(context, b));
            context.pool.or(a, b)
        }
        Ueq => return denied(context, One, a, b),
        Ugt => return denied(context, Ole, a, b),
        Uge => return denied(context, Olt, a, b),
        Ult => return denied(context, Oge, a, b),
        Ule => return denied(context, Ogt, a, b),
        Une => return denied(context, Oeq, a, b),
    };
    context.pool.bool_to_bits(truth, 1)
}

fn denied(context: &mut Context, predicate: FloatPredicate, a: Term, b: Term) -> Term {
    let bit = float_compare(context, predicate, a, b);
    context.pool.bitnot(bit)
}

fn numbers(context: &Context, a: Term, b: Term) -> Option<(f64, f64)> {
    let (x, y) = (context.pool.as_bits(a)?, context.pool.as_bits(b)?);
    match context.pool.width(a) {
        64 => Some((f64::from_bits(x as u64), f64::from_bits(y as u64))),
        32 => Some((f32::from_bits(x as u32).into(), f32::from_bits(y as u32).into())),
        _ => None,
    }
}

fn less(context: &mut Context, a: Term, b: Term) -> Term {
    match numbers(context, a, b) {
        Some((x, y)) => context.pool.bool(x < y),
        None => context.unknown("less", &[a, b], Sort::Bool),
    }
}

fn equal(context: &mut Context, a: Term, b: Term) -> Term {
    let (a, b) = if b < a { (b, a) } else { (a, b) };
    match numbers(context, a, b) {
        Some((x, y)) => context.pool.bool(x == y),
        None => context.unknown("equal", &[a, b], Sort::Bool),
    }
}

fn no_number(context: &mut Context, a: Term) -> Term {
    match numbers(context, a, a) {
        Some((x, _)) => context.pool.bool(x.is_nan()),
        None => context.unknown("is no number", &[a], Sort::Bool),
    }
}

pub(crate) fn cast(context: &mut Context, op: CastOp, a: Term, width: u32) -> Result<Term, Obstacle> {
    use CastOp::*;
    let pool = &mut context.pool;
    let from = pool.width(a);
    Ok(match op {
        Trunc => pool.truncate(a, width),
        ZExt => pool.zext(a, width),
        SExt => pool.sext(a, width),
        PtrToInt | IntToPtr => pool.resize_unsigned(a, width),
        BitCast | AddrSpaceCast if from == width => a,
        BitCast | AddrSpaceCast => return Err(Obstacle::new("a conversion that is not followed")),
        FpToUi | FpToSi | UiToFp | SiToFp | FpTrunc | FpExt => {
            let folded = pool.as_bits(a).and_then(|bits| fold_cast(op, from, width, bits));
            match folded {
                Some(bits) => pool.bits(width, bits),
                None => context.unknown(&format!("{op:?}{width}"), &[a], Sort::Bits(width)),
            }
        }
    })
}

fn fold_cast(op: CastOp, from: u32, to: u32, bits: u128) -> Option<u128> {
    let signed = |bits: u128| (bits << (128 - from)) as i128 >> (128 - from);
    let result = |value: f64| match to {
        64 => Some(u128::from(value.to_bits())),
        _ => None,
    };
    let source = || match from {
        64 => Some(f64::from_bits(bits as u64)),
        32 => Some(f64::from(f32::from_bits(bits as u32))),
        _ => None,
    };
    match op {
        CastOp::SiToFp if to == 32 => Some(u128::from((signed(bits) as f32).to_bits())),
        CastOp::UiToFp if to == 32 => Some(u128::from((bits as f32).to_bits())),
        CastOp::SiToFp => result(signed(bits) as f64),
        CastOp::UiToFp => result(bits as f64),
        CastOp::FpExt if from == 32 && to == 64 => result(source()?),
        CastOp::FpTrunc if from == 64 && to == 32 => Some(u128::from((source()? as f32).to_bits())),
        CastOp::FpToSi if to <= 64 => {
            let value = source()?.trunc();
            let limit = 2f64.powi(i32::try_from(to).ok()? - 1);
            (value >= -limit && value < limit).then(|| (value as i64) as u128 & mask(to))
        }
        CastOp::FpToUi if to <= 64 => {
            let value = source()?.trunc();
            (value > -1.0 && value < 2f64.powi(i32::try_from(to).ok()?)).then_some(u128::from(value as u64))
        }
        _ => None,
    }
}

fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}
