//! Variables of inner blocks end with their block. Where a block ends is not followed: what leads to such a variable and is kept outside of
//! its block may be used too late.

use crate::meaning::shape::Shape;
use crate::walk::Analyst;
use hydrogen_graph::{NodeId, VersionId};
use hydrogen_ir::{InstructionId, Op, Operand, VariableKind};
use rustc_hash::FxHashSet;

impl Analyst<'_> {
    /// Whether one of these statements uses a pointer that is kept outside of a block and may lead to a variable of that block.
    pub(super) fn outlives_block(&mut self, statements: &[NodeId], version: VersionId) -> bool {
        self.any_function_of(statements, version, |_, shape, node| {
            let keepers = keepers(shape);
            shape.instructions_of(node).any(|instruction| {
                let Op::Load { pointer, .. } = &instruction.op else { return false };
                matches!(origin(shape, pointer), Some(Origin::Variable(slot)) if keepers.contains(&slot))
            })
        })
    }
}

/// The variables of the whole function that are given addresses of what belongs to a block.
fn keepers(shape: &Shape) -> FxHashSet<InstructionId> {
    let body = shape.body();
    let variable = |slot: InstructionId| body.variables.iter().find(|one| one.slot == Some(slot));
    let is_inner = |slot: InstructionId| variable(slot).is_some_and(|one| one.kind == VariableKind::Inner);
    // What has no name of its own is a literal: nobody says which block it belongs to.
    let ends_early = |slot: InstructionId| is_inner(slot) || variable(slot).is_none();
    let mut keepers: FxHashSet<InstructionId> = FxHashSet::default();
    loop {
        let before = keepers.len();
        for instruction in &body.instructions {
            let Op::Store { value, pointer, .. } = &instruction.op else { continue };
            let Some(Origin::Variable(into)) = origin(shape, pointer) else { continue };
            let is_kept = match origin(shape, value) {
                Some(Origin::Variable(slot)) => ends_early(slot),
                Some(Origin::Held(slot)) => keepers.contains(&slot),
                None => false,
            };
            if is_kept && !is_inner(into) && variable(into).is_some() {
                keepers.insert(into);
            }
        }
        if keepers.len() == before {
            return keepers;
        }
    }
}

/// What an address is one in: a variable, or whatever a variable leads to.
enum Origin {
    Variable(InstructionId),
    Held(InstructionId),
}

fn origin(shape: &Shape, operand: &Operand) -> Option<Origin> {
    let mut current = operand;
    loop {
        let Operand::Instruction(id) = current else { return None };
        match shape.op(*id) {
            Op::ElementAddress { base, .. } => current = base,
            Op::Alloca { .. } => return Some(Origin::Variable(*id)),
            Op::Load { pointer, .. } => {
                return match origin(shape, pointer) {
                    Some(Origin::Variable(slot)) => Some(Origin::Held(slot)),
                    _ => None,
                };
            }
            _ => return None,
        }
    }
}
