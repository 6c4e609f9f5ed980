//! Null that was moved back is not null: a test for null behind `p -= n` lets it pass, and moved on again it is null once more.

use crate::meaning::shape::Shape;
use crate::walk::Analyst;
use hydrogen_graph::{NodeId, VersionId};
use hydrogen_ir::{BinaryOp, Const, InstructionId, Op, Operand};
use rustc_hash::FxHashSet;

impl Analyst<'_> {
    /// Whether one of these statements uses a pointer that may be null, or comes of such a one, and that its function moves back.
    pub(super) fn moves_null(&mut self, statements: &[NodeId], version: VersionId) -> bool {
        self.any_function_of(statements, version, |_, shape, node| {
            let moved = moved(shape);
            let uses = |op: &Op| matches!(op, Op::Load { pointer: Operand::Instruction(slot), .. } if moved.contains(slot));
            shape.instructions_of(node).any(|instruction| uses(&instruction.op))
        })
    }
}

/// The variables that are given what a call gives, or null, and are moved back; and those that are set to what comes of them.
fn moved(shape: &Shape) -> FxHashSet<InstructionId> {
    let stores = || {
        shape.body().instructions.iter().filter_map(|instruction| match &instruction.op {
            Op::Store { value, pointer: Operand::Instruction(slot), .. }
                if shape.plain.contains_key(slot) =>
            {
                Some((*slot, value))
            }
            _ => None,
        })
    };
    let may_be_null = |slot: InstructionId| {
        stores().any(|(into, value)| {
            let given = match value {
                Operand::Instruction(id) => matches!(shape.op(*id), Op::Call { .. }),
                other => shape.is_zero(other),
            };
            into == slot && given
        })
    };
    let goes_back = |(slot, value): &(InstructionId, &Operand)| {
        comes_of(shape, value) == Some((*slot, true)) && may_be_null(*slot)
    };
    let mut found: FxHashSet<InstructionId> = stores().filter(goes_back).map(|(slot, _)| slot).collect();
    let others: Vec<InstructionId> = stores()
        .filter(|(_, value)| comes_of(shape, value).is_some_and(|(from, _)| found.contains(&from)))
        .map(|(slot, _)| slot)
        .collect();
    found.extend(others);
    found
}

/// The variable that a value is made of by moving what it holds, and whether it is moved back.
fn comes_of(shape: &Shape, value: &Operand) -> Option<(InstructionId, bool)> {
    let Operand::Instruction(id) = value else { return None };
    let Op::ElementAddress { base: Operand::Instruction(base), indices, .. } = shape.op(*id) else {
        return None;
    };
    let Op::Load { pointer: Operand::Instruction(slot), .. } = shape.op(*base) else { return None };
    Some((*slot, indices.iter().any(|index| is_negative(shape, index))))
}

/// Whether a number is certainly meant to be negative: a constant, or what is taken from zero.
fn is_negative(shape: &Shape, operand: &Operand) -> bool {
    match operand {
        Operand::Const(id) => {
            matches!(shape.module.constant(*id), Const::Int { bits, .. } if *bits >> 31 & 1 == 1)
        }
        Operand::Instruction(id) => match shape.op(*id) {
            Op::Binary { op: BinaryOp::Sub, left, .. } => shape.is_zero(left),
            Op::Cast { value, .. } => is_negative(shape, value),
            _ => false,
        },
        _ => false,
    }
}
