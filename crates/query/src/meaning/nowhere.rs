//! Addresses of members: that of a member of null is not null, though it leads nowhere. A test for null tells such pointers apart only where
//! it is known that they may be of this kind; of all others, leading nowhere is being null.

use hydrogen_ir::{Body, Const, InstructionId, Module, Op, Operand, Type};
use std::collections::BTreeSet;

/// How many calls deep results are followed.
const DEEPEST: usize = 2;

/// Whether a pointer may be the address of a member that is not the first one of its structure.
pub(super) fn may_be_of_member(module: &Module, body: &Body, operand: &Operand) -> bool {
    Search { module, seen: BTreeSet::new() }.is_of_member(body, operand, 0)
}

struct Search<'a> {
    module: &'a Module,
    /// Instructions of functions, by how deep they are called.
    seen: BTreeSet<(usize, InstructionId)>,
}

impl Search<'_> {
    fn is_of_member(&mut self, body: &Body, operand: &Operand, deep: usize) -> bool {
        let Operand::Instruction(id) = operand else { return false };
        if !self.seen.insert((deep, *id)) {
            return false;
        }
        match &body.instruction(*id).op {
            Op::ElementAddress { source, base, indices, .. } => {
                let is_struct = matches!(self.module.types.get(*source), Type::Struct(_));
                let is_variable = match base {
                    Operand::Instruction(base) => matches!(body.instruction(*base).op, Op::Alloca { .. }),
                    _ => matches!(base, Operand::Const(_)),
                };
                let moves = |index: &Operand| !self.is_zero(index);
                is_struct && !is_variable && indices.iter().any(moves) || self.is_of_member(body, base, deep)
            }
            Op::Load { pointer: Operand::Instruction(slot), .. } => {
                let stores = body.instructions.iter().filter_map(|instruction| match &instruction.op {
                    Op::Store { value, pointer: Operand::Instruction(into), .. } if into == slot => {
                        Some(value)
                    }
                    _ => None,
                });
                let is_variable = matches!(body.instruction(*slot).op, Op::Alloca { .. });
                is_variable && stores.into_iter().any(|value| self.is_of_member(body, value, deep))
            }
            Op::Select { then, otherwise, .. } => {
                self.is_of_member(body, then, deep) || self.is_of_member(body, otherwise, deep)
            }
            Op::Phi { incoming } => incoming.iter().any(|(_, value)| self.is_of_member(body, value, deep)),
            Op::Call { callee: Operand::Const(callee), .. } if deep < DEEPEST => {
                let Const::Function(function) = self.module.constant(*callee) else { return false };
                let Some(body) = &self.module.function(*function).body else { return false };
                let results = body.instructions.iter().filter_map(|instruction| match &instruction.op {
                    Op::Return { value } => value.as_ref(),
                    _ => None,
                });
                results.into_iter().any(|value| self.is_of_member(body, value, deep + 1))
            }
            _ => false,
        }
    }

    fn is_zero(&self, operand: &Operand) -> bool {
        let Operand::Const(id) = operand else { return false };
        matches!(self.module.constant(*id), Const::Int { bits: 0, .. })
    }
}
