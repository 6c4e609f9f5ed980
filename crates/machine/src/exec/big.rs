//! Integers of more than 128 bits: long runs of bit-fields, and `_BitInt`. Least significant word first.

use crate::fault::FaultKind;
use hydrogen_ir::{BinaryOp, CastOp, IntPredicate};
use std::cmp::Ordering;

/// Clears what is above the width; with `sign`, copies the sign there.
fn cut(words: &mut [u64], width: u32, sign: bool) {
    let negative = sign && bit(words, width - 1);
    for (index, word) in words.iter_mut().enumerate() {
        let from = index as u32 * 64;
        let keep = width.saturating_sub(from).min(64);
        let mask = if keep == 64 { u64::MAX } else { (1 << keep) - 1 };
        *word = if negative { *word | !mask } else { *word & mask };
    }
}

fn bit(words: &[u64], at: u32) -> bool {
    words.get(at as usize / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
}

/// An operation of two numbers of one width; `None` when it is none of those that clang uses for bit-fields.
pub(super) fn binary(
    op: BinaryOp,
    width: u32,
    a: &[u64],
    b: &[u64],
) -> Option<Result<Vec<u64>, (FaultKind, String)>> {
    let each = |f: fn(u64, u64) -> u64| a.iter().zip(b).map(|(a, b)| f(*a, *b)).collect::<Vec<u64>>();
    let mut words = match op {
        BinaryOp::And => each(|a, b| a & b),
        BinaryOp::Or => each(|a, b| a | b),
        BinaryOp::Xor => each(|a, b| a ^ b),
        BinaryOp::Add | BinaryOp::Sub => {
            let mut carry = op == BinaryOp::Sub;
            let mut add = |(a, b): (&u64, &u64)| {
                let b = if op == BinaryOp::Sub { !*b } else { *b };
                let sum = u128::from(*a) + u128::from(b) + u128::from(carry);
                carry = sum >> 64 != 0;
                sum as u64
            };
            a.iter().zip(b).map(&mut add).collect()
        }
        BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => {
            let by = if b[1..].iter().all(|word| *word == 0) { b[0] } else { u64::MAX };
            if by >= u64::from(width) {
                return Some(Err((FaultKind::BadShift, super::int::bad_shift(by, u64::from(width)))));
            }
            let mut from = a.to_vec();
            cut(&mut from, width, op == BinaryOp::AShr);
            shift(&from, by as u32, op)
        }
        _ => return None,
    };
    cut(&mut words, width, false);
    Some(Ok(words))
}

fn shift(from: &[u64], by: u32, op: BinaryOp) -> Vec<u64> {
    let fill =
        if op == BinaryOp::AShr && from.last().is_some_and(|word| *word >> 63 == 1) { u64::MAX } else { 0 };
    let (words, bits) = ((by / 64) as usize, by % 64);
    let at = |index: Option<usize>| match (index, op) {
        (Some(index), _) => from.get(index).copied().unwrap_or(fill),
        (None, _) => 0,
    };
    (0..from.len())
        .map(|index| match op {
            BinaryOp::Shl => {
                let (high, low) = (at(index.checked_sub(words)), at(index.checked_sub(words + 1)));
                if bits == 0 { high } else { high << bits | low >> (64 - bits) }
            }
            _ => {
                let (low, high) = (at(Some(index + words)), at(Some(index + words + 1)));
                if bits == 0 { low } else { low >> bits | high << (64 - bits) }
            }
        })
        .collect()
}

/// Whether the predicate holds.
pub(super) fn compare(predicate: IntPredicate, width: u32, a: &[u64], b: &[u64]) -> bool {
    use IntPredicate::*;
    let flipped = |words: &[u64]| {
        let mut words = words.to_vec();
        if matches!(predicate, Slt | Sle | Sgt | Sge) {
            words[(width as usize - 1) / 64] ^= 1 << ((width - 1) % 64);
        }
        words
    };
    let order: Ordering = flipped(a).iter().rev().cmp(flipped(b).iter().rev());
    match predicate {
        Eq => order.is_eq(),
        Ne => order.is_ne(),
        Ugt | Sgt => order.is_gt(),
        Uge | Sge => order.is_ge(),
        Ult | Slt => order.is_lt(),
        Ule | Sle => order.is_le(),
    }
}

/// A conversion from or to such a number; `None` for floating point.
pub(super) fn cast(op: CastOp, from: u32, to: u32, value: &[u64]) -> Option<Vec<u64>> {
    let sign = match op {
        CastOp::SExt => true,
        CastOp::Trunc | CastOp::ZExt | CastOp::BitCast => false,
        _ => return None,
    };
    let mut words = value.to_vec();
    words.resize(words.len().max(to.div_ceil(64) as usize), 0);
    cut(&mut words, from, sign);
    cut(&mut words, to, false);
    words.truncate(to.div_ceil(64) as usize);
    Some(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn they_agree_with_smaller_numbers() {
        let split = |value: u128| vec![value as u64, (value >> 64) as u64, 0];
        let join = |words: &[u64]| u128::from(words[0]) | u128::from(words[1]) << 64;
        for a in [0, 1, u128::MAX / 3, 1 << 100, u128::MAX >> 1] {
            for by in [0, 1, 63, 64, 65, 127] {
                let left = binary(BinaryOp::Shl, 192, &split(a), &split(by)).unwrap().unwrap();
                assert_eq!(join(&left), a << by);
                let right = binary(BinaryOp::LShr, 192, &split(a), &split(by)).unwrap().unwrap();
                assert_eq!(join(&right), a >> by);
            }
            let sum = binary(BinaryOp::Add, 192, &split(a), &split(7)).unwrap().unwrap();
            assert_eq!(join(&sum), a.wrapping_add(7));
            assert_eq!(binary(BinaryOp::Sub, 192, &sum, &split(7)).unwrap().unwrap(), split(a));
        }
        let negative = cast(CastOp::SExt, 8, 160, &[0x80]).unwrap();
        assert_eq!(negative, [0xffff_ffff_ffff_ff80, u64::MAX, 0xffff_ffff]);
        let shifted = binary(BinaryOp::AShr, 160, &negative, &[4, 0, 0]).unwrap().unwrap();
        assert_eq!(cast(CastOp::Trunc, 160, 8, &shifted).unwrap(), [0xf8]);
        assert!(compare(IntPredicate::Slt, 160, &negative, &[1, 0, 0]));
        assert!(compare(IntPredicate::Ugt, 160, &negative, &[1, 0, 0]));
    }
}
