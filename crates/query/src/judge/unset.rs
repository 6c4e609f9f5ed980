//! Variables whose address is taken: what else can give them a value is not followed from statement to statement, but before the first
//! of it they have none.

use crate::meaning::shape::{Shape, StepId, is_silent};
use hydrogen_ir::{InstructionId, Op, Operand, Reference};

/// Whether a load reads a variable that nothing can have given a value: on no way to it lies an instruction that names the variable, but
/// for loads.
pub(super) fn is_untouched(shape: &Shape, slot: InstructionId, load: InstructionId) -> bool {
    let Some(own) = shape.steps.iter().position(|step| step.instructions.contains(&load)) else {
        return false;
    };
    let before = shape.steps[own].instructions.iter().take_while(|id| **id != load);
    if before.into_iter().any(|id| touches(shape, slot, *id)) {
        return false;
    }
    let mut seen = vec![false; shape.steps.len()];
    let mut open: Vec<StepId> = shape.steps[own].entering.iter().map(|one| one.from).collect();
    while let Some(step) = open.pop() {
        if std::mem::replace(&mut seen[step], true) {
            continue;
        }
        if shape.steps[step].instructions.iter().any(|id| touches(shape, slot, *id)) {
            return false;
        }
        open.extend(shape.steps[step].entering.iter().map(|one| one.from));
    }
    true
}

/// Whether an instruction can give the variable a value, or somebody who can its address.
fn touches(shape: &Shape, slot: InstructionId, id: InstructionId) -> bool {
    let op = shape.op(id);
    if matches!(op, Op::Load { .. }) || is_silent(&shape.module, op) {
        return false;
    }
    let mut named = false;
    op.references(|reference| {
        named |= matches!(reference, Reference::Operand(operand) if *operand == Operand::Instruction(slot));
    });
    named
}
