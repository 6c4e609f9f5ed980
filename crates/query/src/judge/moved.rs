//! Pointers that are moved outside of their object, and not to its end (C11 6.5.6p8).

use crate::judge::fault::Raise;
use crate::meaning::state::Value;
use hydrogen_evidence::Class;
use hydrogen_ir::{InstructionId, Op, Operand, Type};

/// How many instructions behind the one that makes an address are looked at for what becomes of it.
const NEAR: usize = 24;

impl Raise<'_> {
    /// An address that is kept, compared or handed on. What is accessed at once is a fault of the access.
    pub(super) fn moved(&mut self, id: InstructionId) {
        let Op::ElementAddress { source, base, indices, .. } = self.shape.op(id) else { return };
        // A member of a structure is no movement.
        let types = &self.shape.module.types;
        let inside = matches!(types.get(*source), Type::Struct(_)) && indices.len() > 1;
        if inside || indices.iter().all(|index| self.is_zero(index)) || !self.is_kept(id) {
            return;
        }
        let (base, indices) = (base.clone(), indices.clone());
        let Value::Pointer(object, _) = self.eval.operand(&base) else { return };
        let Value::Pointer(_, offset) = self.eval.element(id, *source, &base, &indices) else { return };
        let terms = &mut *self.eval.terms;
        let (zero, size) = (terms.word(0), terms.size_now(&self.eval.effect.writes, object));
        let (there, outside) = (terms.pool.ne(object, zero), terms.pool.ult(size, offset));
        let wrong = terms.pool.and(there, outside);
        self.raise(Class::Pointer, wrong, "the pointer can be moved outside of its object");
    }

    /// Whether an address is more than the place of an access.
    fn is_kept(&self, id: InstructionId) -> bool {
        let own = Operand::Instruction(id);
        let behind = self.shape.body().instructions.iter().skip(id.index() + 1).take(NEAR);
        behind.into_iter().any(|one| match &one.op {
            Op::Store { value, .. } => *value == own,
            Op::Call { arguments, .. } => arguments.contains(&own),
            Op::IntCompare { left, right, .. } => *left == own || *right == own,
            Op::Return { value } => value.as_ref() == Some(&own),
            Op::Cast { value, .. } => *value == own,
            Op::Phi { incoming } => incoming.iter().any(|(_, value)| *value == own),
            Op::Select { then, otherwise, .. } => *then == own || *otherwise == own,
            _ => false,
        })
    }
}
