//! Which bits of a result are undefined, given those of the operands: at least those that depend on one.
//!
//! This is what a run keeps; terms have a variable for a value that was never written instead.

use crate::Number;
use hydrogen_ir::{BinaryOp, CastOp, IntPredicate};

/// A value and its undefined bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Partly {
    /// The value; its undefined bits are whatever they are.
    pub value: Number,
    /// The undefined bits.
    pub undefined: u128,
}

fn all(width: u32) -> u128 {
    u128::MAX >> (128 - width)
}

/// Undefined bits of an integer operation.
pub fn binary(op: BinaryOp, a: Partly, b: Partly) -> u128 {
    let width = a.value.width();
    let either = a.undefined | b.undefined;
    let (x, y) = (a.value.bits(), b.value.bits());
    match op {
        // A defined zero on one side decides the bit.
        BinaryOp::And => either & (x | a.undefined) & (y | b.undefined),
        BinaryOp::Or => either & (!x | a.undefined) & (!y | b.undefined),
        BinaryOp::Xor => either,
        _ if either == 0 => 0,
        // A carry can reach every bit above the lowest undefined one.
        BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul => u128::MAX << either.trailing_zeros() & all(width),
        BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr if b.undefined == 0 && y < u128::from(width) => {
            let undefined = Number::new(width, a.undefined);
            match op {
                BinaryOp::Shl => undefined.bits() << y & all(width),
                BinaryOp::LShr => undefined.bits() >> y,
                _ => (undefined.signed() >> y) as u128 & all(width),
            }
        }
        _ => all(width),
    }
}

/// Whether the result of a comparison is undefined.
pub fn compare(predicate: IntPredicate, a: Partly, b: Partly) -> bool {
    let either = a.undefined | b.undefined;
    match predicate {
        // Defined bits that differ decide.
        IntPredicate::Eq | IntPredicate::Ne => {
            either != 0 && (a.value.bits() ^ b.value.bits()) & !either == 0
        }
        _ => either != 0,
    }
}

/// Undefined bits of a conversion between integers.
pub fn cast(op: CastOp, value: Partly, width: u32) -> u128 {
    let undefined = Number::new(value.value.width(), value.undefined);
    match op {
        CastOp::SExt => undefined.signed() as u128 & all(width),
        _ => undefined.bits() & all(width),
    }
}
