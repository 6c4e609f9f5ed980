//! Which numbers may have a sign: whether a size can be negative, or only large.

use crate::meaning::shape::Shape;
use hydrogen_ir::layout::{parameter_type, plain};
use hydrogen_ir::{BinaryOp, CType, CTypeId, CastOp, Encoding, InstructionId, Op, Operand};
use std::collections::BTreeSet;

/// Whether a number, or one that it is made of, may have a sign. Numbers of other functions and of memory may.
pub(super) fn may_have_sign(shape: &Shape, operand: &Operand) -> bool {
    has_sign(shape, operand, &mut BTreeSet::new())
}

fn has_sign(shape: &Shape, operand: &Operand, seen: &mut BTreeSet<InstructionId>) -> bool {
    let id = match operand {
        Operand::Parameter(at) => {
            let ctype = parameter_type(&shape.module, shape.function(), *at as usize);
            return ctype.is_none_or(|ctype| !is_unsigned(shape, ctype));
        }
        Operand::Const(_) => return false,
        Operand::Instruction(id) if seen.insert(*id) => *id,
        Operand::Instruction(_) => return false,
        _ => return true,
    };
    let mut any = |operands: &[&Operand]| operands.iter().any(|one| has_sign(shape, one, seen));
    match shape.op(id) {
        Op::Cast { op: CastOp::ZExt | CastOp::Trunc, value, .. } => any(&[value]),
        Op::Binary { flags, .. } if flags.nsw => true,
        Op::Binary {
            op:
                BinaryOp::Add
                | BinaryOp::Mul
                | BinaryOp::And
                | BinaryOp::Or
                | BinaryOp::UDiv
                | BinaryOp::URem
                | BinaryOp::Shl
                | BinaryOp::LShr,
            left,
            right,
            ..
        } => any(&[left, right]),
        Op::Select { then, otherwise, .. } => any(&[then, otherwise]),
        Op::Phi { incoming } => any(&incoming.iter().map(|(_, value)| value).collect::<Vec<_>>()),
        Op::Load { pointer: Operand::Instruction(slot), .. } if shape.plain.contains_key(slot) => {
            let variable = shape.body().variables.iter().find(|one| one.slot == Some(*slot));
            if !variable.and_then(|one| one.ctype).is_some_and(|ctype| is_unsigned(shape, ctype)) {
                return true;
            }
            let stored = shape.body().instructions.iter().filter_map(|instruction| match &instruction.op {
                Op::Store { value, pointer: Operand::Instruction(into), .. } if into == slot => Some(value),
                _ => None,
            });
            any(&stored.collect::<Vec<_>>())
        }
        _ => true,
    }
}

/// Whether a type is that of numbers of 64 bits without a sign: what is narrower loses its sign on the way.
fn is_unsigned(shape: &Shape, ctype: CTypeId) -> bool {
    let ctype = shape.module.ctype(plain(&shape.module, ctype));
    matches!(ctype, CType::Basic { encoding: Encoding::Unsigned, size_bits: 64, .. })
}

/// Whether a number is read from a variable that has a sign: its wrap is none of a size.
pub(super) fn is_of_signed_variable(shape: &Shape, operand: &Operand) -> bool {
    let Operand::Instruction(id) = operand else { return false };
    let Op::Load { pointer: Operand::Instruction(slot), .. } = shape.op(*id) else { return false };
    let variable = shape.body().variables.iter().find(|one| one.slot == Some(*slot));
    let ctype = variable.and_then(|one| one.ctype).map(|ctype| plain(&shape.module, ctype));
    let ctype = ctype.map(|ctype| shape.module.ctype(ctype));
    matches!(ctype, Some(CType::Basic { encoding: Encoding::Signed, .. }))
}
