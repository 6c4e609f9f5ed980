//! Memory that is read before it has a value.

use crate::judge::fault::Raise;
use crate::meaning::shape::Shape;
use crate::meaning::state::Value;
use hydrogen_evidence::Class;
use hydrogen_ir::{InstructionId, Op, Operand};

/// Addresses are followed so far to what they are made from.
const DEEPEST: usize = 16;

impl Raise<'_> {
    /// What is read through a pointer, or of an array or a structure. Mostly somebody else made it, and gave it values; who asks by name
    /// is told of every read.
    pub(super) fn contents(&mut self, pointer: &Operand, bytes: u64) {
        if is_variable(self.shape, pointer) || !self.asked_for_contents && !is_made_here(self.shape, pointer)
        {
            return;
        }
        let Value::Pointer(object, offset) = self.eval.operand(pointer) else { return };
        let terms = &mut *self.eval.terms;
        let writes = &self.eval.effect.writes;
        let more = terms.word(bytes.saturating_sub(1));
        let end = terms.pool.add(offset, more);
        let (first, last) = (terms.unset_now(writes, object, offset), terms.unset_now(writes, object, end));
        let unset = terms.pool.or(first, last);
        // Outside of an object it is another fault.
        let size = terms.size_now(writes, object);
        let (begins, ends) = (terms.pool.ult(offset, size), terms.pool.ult(end, size));
        let unset = terms.pool.and_all([begins, ends, unset]);
        self.of_contents = true;
        self.raise(Class::Uninitialised, unset, "memory is read before it has a value");
        self.of_contents = false;
    }
}

/// Whether it is a variable that is followed by itself.
fn is_variable(shape: &Shape, pointer: &Operand) -> bool {
    matches!(pointer, Operand::Instruction(slot) if shape.plain.contains_key(slot))
}

/// Whether a pointer leads into an object of the function's own: a local one, or what a call gave it.
fn is_made_here(shape: &Shape, pointer: &Operand) -> bool {
    let Some(id) = base(shape, pointer) else { return false };
    match shape.op(id) {
        Op::Alloca { .. } => shape.objects.contains_key(&id),
        Op::Call { .. } => true,
        Op::Load { pointer: Operand::Instruction(slot), .. } if shape.plain.contains_key(slot) => {
            let slot = Operand::Instruction(*slot);
            let stored = shape.body().instructions.iter().filter_map(|instruction| match &instruction.op {
                Op::Store { value, pointer, .. } if *pointer == slot => Some(value),
                _ => None,
            });
            let is_own = |id: InstructionId| matches!(shape.op(id), Op::Call { .. } | Op::Alloca { .. });
            stored.filter_map(|value| base(shape, value)).any(is_own)
        }
        _ => false,
    }
}

/// What an address is made from.
fn base(shape: &Shape, address: &Operand) -> Option<InstructionId> {
    let mut current = address;
    for _ in 0..DEEPEST {
        let Operand::Instruction(id) = current else { return None };
        current = match shape.op(*id) {
            Op::ElementAddress { base, .. } => base,
            Op::Cast { value, .. } => value,
            _ => return Some(*id),
        };
    }
    None
}
