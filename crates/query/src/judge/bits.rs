//! Numbers of bits, which are mixed, taken apart and counted down, and no numbers of things.

use crate::meaning::shape::Shape;
use hydrogen_ir::{BinaryOp, Op, Operand};
use hydrogen_term::Term;

/// Whether a factor is no number of things: it has more than half of the bits.
pub(super) fn is_multiplier(pool: &hydrogen_term::Pool, factor: Term, width: u32) -> bool {
    pool.as_bits(factor).is_some_and(|bits| bits >> (width / 2) != 0)
}

/// Whether a number is one of bits and none of things: it is mixed, or its upper half is used as well (`x >> 32` beside `(uint32_t)x`).
pub(super) fn is_taken_apart(shape: &Shape, operand: &Operand) -> bool {
    if let Operand::Instruction(id) = operand
        && matches!(
            shape.op(*id),
            Op::Binary { op: BinaryOp::Xor | BinaryOp::Or | BinaryOp::LShr | BinaryOp::AShr, .. }
        )
    {
        return true;
    }
    let wanted = spelled(shape, operand);
    shape.body().instructions.iter().any(|instruction| match &instruction.op {
        Op::Binary { op: BinaryOp::LShr | BinaryOp::AShr, left, .. } => spelled(shape, left) == wanted,
        _ => false,
    })
}

/// A value as an expression of where it is read from: the same in every place that reads it there.
pub(super) fn spelled(shape: &Shape, operand: &Operand) -> String {
    let Operand::Instruction(id) = operand else { return format!("{operand:?}") };
    match shape.op(*id) {
        Op::Cast { value, .. } => spelled(shape, value),
        Op::Load { pointer, .. } => format!("*{}", spelled(shape, pointer)),
        Op::ElementAddress { base, indices, .. } => {
            let indices: Vec<String> = indices.iter().map(|index| spelled(shape, index)).collect();
            format!("{}[{}]", spelled(shape, base), indices.join(","))
        }
        _ => format!("{id:?}"),
    }
}

/// Whether a number that was read is compared with something, too.
pub(super) fn is_compared(shape: &Shape, operand: &Operand) -> bool {
    let Operand::Instruction(id) = operand else { return false };
    matches!(shape.op(*id), Op::Load { .. })
        && shape.body().instructions.iter().any(|instruction| match &instruction.op {
            Op::IntCompare { left, right, .. } => left == operand || right == operand,
            _ => false,
        })
}
