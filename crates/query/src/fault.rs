//! Where buffer overflows can happen, and when they do.

use crate::state::{Condition, Value, length, size};
use crate::transfer::Transfer;
use hydrogen_ir::{InstructionId, Op, Operand};
use hydrogen_term::Term;

/// What a piece's instruction can do wrong.
pub(crate) enum Site {
    /// The condition just before the instruction.
    Checked(InstructionId, Condition),
    /// The instruction may access memory in a way that is not understood.
    Unseen(String),
}

impl Transfer<'_, '_> {
    /// The accesses of a piece that could leave their object.
    pub(crate) fn overflows(&mut self, instructions: &[InstructionId]) -> Vec<Site> {
        instructions.iter().filter_map(|&id| self.overflow(id)).collect()
    }

    fn overflow(&mut self, id: InstructionId) -> Option<Site> {
        let place = self.place;
        let instruction = place.body.instruction(id);
        let (pointer, bytes) = match &instruction.op {
            Op::Load { pointer, .. } | Op::Store { pointer, .. } if place.scalar_slot(pointer).is_some() => {
                return None;
            }
            Op::Load { pointer, .. } => (pointer, place.module.types.layout(instruction.ty)),
            Op::Store { pointer, value, .. } => {
                (pointer, place.operand_type(value).and_then(|ty| place.module.types.layout(ty)))
            }
            Op::Call { callee, arguments, .. } => {
                let callee = place.callee(callee).filter(|callee| !callee.is_defined());
                return match (callee.map_or("", |callee| &callee.name), &arguments[..]) {
                    ("strcpy", [to, from]) => Some(self.copied_string(id, to, from)),
                    ("malloc" | "strlen", _) => None,
                    (name, _) if name.starts_with("llvm.dbg.") => None,
                    (name, arguments) if !name.is_empty() && arguments.is_empty() => None,
                    ("", _) => Some(Site::Unseen("a call is not looked into".into())),
                    (name, _) => Some(Site::Unseen(format!("the call of {name}() is not looked into"))),
                };
            }
            Op::Asm { .. }
            | Op::AtomicRmw { .. }
            | Op::CompareExchange { .. }
            | Op::VaArg { .. }
            | Op::Opaque { .. } => {
                return Some(Site::Unseen("an instruction is not understood".into()));
            }
            _ => return None,
        };
        let Some((bytes, Some(Value::Pointer { object, offset }))) =
            bytes.map(|bytes| (bytes, self.operand(pointer)))
        else {
            return Some(Site::Unseen("an access is not understood".into()));
        };
        let bytes = self.pool.bits(64, bytes.size_bits.div_ceil(8).into());
        Some(self.leaves(id, object, offset, bytes))
    }

    fn copied_string(&mut self, id: InstructionId, to: &Operand, from: &Operand) -> Site {
        match (self.operand(to), self.operand(from)) {
            (
                Some(Value::Pointer { object, offset }),
                Some(Value::Pointer { object: source, offset: at }),
            ) => {
                let (length, one) = (length(self.pool, source, at), self.pool.bits(64, 1));
                let bytes = self.pool.add(length, one);
                self.leaves(id, object, offset, bytes)
            }
            _ => Site::Unseen("an argument of strcpy() is not understood".into()),
        }
    }

    /// Not `0 ≤ offset ≤ size` with `bytes ≤ size − offset`; a null pointer is a fault of another kind.
    fn leaves(&mut self, id: InstructionId, object: Term, offset: Term, bytes: Term) -> Site {
        let size = size(self.pool, object);
        let pool = &mut self.pool;
        let within = pool.ule(offset, size);
        let rest = pool.sub(size, offset);
        let fits = pool.ule(bytes, rest);
        let good = pool.and(within, fits);
        let (bad, zero) = (pool.not(good), pool.bits(64, 0));
        let real = pool.ne(object, zero);
        let mut fault = pool.and(real, bad);
        for fact in std::mem::take(&mut self.facts) {
            fault = self.pool.and(fault, fact);
        }
        Site::Checked(id, Condition { wide: fault, narrow: fault, heap: 0 })
    }
}
