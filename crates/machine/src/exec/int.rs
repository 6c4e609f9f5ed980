//! Integer arithmetic.

use crate::fault::FaultKind;
use hydrogen_ir::{BinaryOp, IntPredicate};

/// The lowest `width` bits.
#[inline(always)]
pub(super) fn low(value: u64, width: u32) -> u64 {
    if width >= 64 { value } else { value & ((1 << width) - 1) }
}

/// A value of `width` bits with its sign.
#[inline(always)]
pub(super) fn sign(value: u64, width: u8) -> i64 {
    let shift = 64 - u32::from(width.clamp(1, 64));
    (value << shift) as i64 >> shift
}

pub(super) fn bad_shift(by: u64, width: u64) -> String {
    format!("shift by {} in {width} bits", by as i64)
}

/// Whether C says nothing about a left shift of a signed number: it is negative, or loses bits.
pub(super) fn shifts_out(value: u64, result: u64, by: u64, width: u8) -> bool {
    let value = sign(value, width);
    value < 0 || sign(result, width) >> by != value
}

type Outcome<T> = Result<T, (FaultKind, String)>;

/// Any operation of at most 64 bits.
pub(super) fn binary(op: BinaryOp, width: u8, nsw: bool, a: u64, b: u64) -> Outcome<u64> {
    let wide = |value: u64| i128::from(sign(value, width)) as u128;
    let a = if reads_signed(op, nsw) { wide(a) } else { u128::from(a) };
    let b = if reads_signed(op, nsw) && !shifts(op) { wide(b) } else { u128::from(b) };
    Ok(low(wide_binary(op, width, nsw, a, b)? as u64, u32::from(width)))
}

/// Whether an operation takes its operands with their signs.
pub(super) fn reads_signed(op: BinaryOp, nsw: bool) -> bool {
    use BinaryOp::*;
    matches!(op, SDiv | SRem | AShr) || nsw && matches!(op, Add | Sub | Mul | Shl)
}

/// Whether the second operand is a distance.
pub(super) fn shifts(op: BinaryOp) -> bool {
    matches!(op, BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr)
}

/// Operations of up to 128 bits. Signed ones take sign-extended operands; the result is not yet cut.
pub(super) fn wide_binary(op: BinaryOp, width: u8, nsw: bool, a: u128, b: u128) -> Outcome<u128> {
    use BinaryOp::*;
    let (sa, sb) = (a as i128, b as i128);
    let fits = |value: Option<i128>, sign: &str| {
        let value = value.filter(|value| width >= 128 || *value == cut_signed(*value, width));
        let message = || format!("{sa} {sign} {sb} does not fit in {width} bits");
        value.map(|value| value as u128).ok_or_else(|| (FaultKind::SignedOverflow, message()))
    };
    let zero = || (FaultKind::DivisionByZero, format!("{sa} is divided by zero"));
    let large = || (FaultKind::SignedOverflow, format!("{sa} / {sb} does not fit in {width} bits"));
    let lowest = -1i128 << (width - 1);
    match op {
        Add if nsw => fits(sa.checked_add(sb), "+"),
        Sub if nsw => fits(sa.checked_sub(sb), "-"),
        Mul if nsw => fits(sa.checked_mul(sb), "*"),
        Add => Ok(a.wrapping_add(b)),
        Sub => Ok(a.wrapping_sub(b)),
        Mul => Ok(a.wrapping_mul(b)),
        UDiv => a.checked_div(b).ok_or_else(zero),
        URem => a.checked_rem(b).ok_or_else(zero),
        SDiv | SRem if sb == 0 => Err(zero()),
        SDiv | SRem if sb == -1 && sa == lowest => Err(large()),
        SDiv => Ok((sa / sb) as u128),
        SRem => Ok((sa % sb) as u128),
        And => Ok(a & b),
        Or => Ok(a | b),
        Xor => Ok(a ^ b),
        Shl | LShr | AShr if b >= u128::from(width) => {
            Err((FaultKind::BadShift, bad_shift(b as u64, u64::from(width))))
        }
        Shl if nsw => {
            let shifted = (sa << b >> b == sa).then_some(sa << b);
            fits(shifted, "<<")
        }
        Shl => Ok(a << b),
        LShr => Ok(a >> b),
        AShr => Ok((sa >> b) as u128),
        FAdd | FSub | FMul | FDiv | FRem => Ok(0),
    }
}

fn cut_signed(value: i128, width: u8) -> i128 {
    let shift = 128 - u32::from(width);
    (value << shift) >> shift
}

/// A value of `width` bits, sign-extended to 128.
pub(super) fn sign_wide(value: u128, width: u8) -> u128 {
    cut_signed(value as i128, width.clamp(1, 128)) as u128
}

/// The lowest `width` bits.
pub(super) fn low_wide(value: u128, width: u32) -> u128 {
    if width >= 128 { value } else { value & ((1 << width) - 1) }
}

/// Comparisons of up to 128 bits.
pub(super) fn compare(predicate: IntPredicate, width: u8, a: u128, b: u128) -> bool {
    use IntPredicate::*;
    let (sa, sb) = (sign_wide(a, width) as i128, sign_wide(b, width) as i128);
    match predicate {
        Eq => a == b,
        Ne => a != b,
        Ugt => a > b,
        Uge => a >= b,
        Ult => a < b,
        Ule => a <= b,
        Sgt => sa > sb,
        Sge => sa >= sb,
        Slt => sa < sb,
        Sle => sa <= sb,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_operations_agree_with_the_language() {
        let ops = [BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul, BinaryOp::SDiv, BinaryOp::SRem];
        for a in i8::MIN..=i8::MAX {
            for b in [-128i8, -3, -1, 0, 1, 2, 127] {
                for op in ops {
                    let expected = match op {
                        BinaryOp::Add => a.checked_add(b),
                        BinaryOp::Sub => a.checked_sub(b),
                        BinaryOp::Mul => a.checked_mul(b),
                        BinaryOp::SDiv => a.checked_div(b),
                        _ => a.checked_rem(b),
                    };
                    let found = binary(op, 8, true, u64::from(a as u8), u64::from(b as u8)).ok();
                    assert_eq!(found, expected.map(|value| u64::from(value as u8)), "{a} {op:?} {b}");
                }
            }
        }
    }
}
