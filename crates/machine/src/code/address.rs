//! Addresses inside objects, folded to scaled additions.

use super::decode::Decoder;
use super::instr::{Instr, Reg};
use super::locals;
use hydrogen_ir::{InstructionId, Operand, Type, TypeId};

impl Decoder<'_> {
    pub(super) fn element_address(
        &mut self,
        id: InstructionId,
        source: TypeId,
        base: &Operand,
        indices: &[Operand],
    ) -> Option<()> {
        let dst = self.result()?.first;
        if let Some((slot, offset)) = self.locals.places[id.index()] {
            // Direct loads and stores of it do not need the address itself.
            if self.locals.needed[id.index()] {
                let root = self.locals.slots[slot as usize].origin;
                let a = self.result_of(root)?.first;
                self.add(dst, a, i64::from(offset));
            }
            return Some(());
        }
        let mut from = self.operand(base)?.first;
        let mut ty = source;
        let mut constant = 0i64;
        let mut scaled: Vec<(Reg, i64)> = Vec::new();
        for (position, index) in indices.iter().enumerate() {
            let known = match index {
                Operand::Const(id) => crate::program::constant_int(self.module, *id),
                _ => None,
            };
            if let Some(known) = known {
                let step = locals::step(self.module, &mut ty, position == 0, known)?;
                constant = constant.wrapping_add(step);
                continue;
            }
            let stride = locals::stride(self.module, &mut ty, position == 0)?;
            scaled.push((self.index(index)?, stride));
        }
        for (index, stride) in scaled {
            match u16::try_from(stride) {
                Ok(scale) => self.emit(Instr::Scaled { dst, a: from, b: index, scale }),
                Err(_) => {
                    let (product, stride) = (self.temporary(1), self.constant(stride as u64));
                    self.emit(Instr::Mul64 { dst: product, a: index, b: stride });
                    self.emit(Instr::Scaled { dst, a: from, b: product, scale: 1 });
                }
            }
            from = dst;
        }
        if constant != 0 || from != dst {
            self.add(dst, from, constant);
        }
        Some(())
    }

    fn add(&mut self, dst: Reg, a: Reg, offset: i64) {
        match i32::try_from(offset) {
            Ok(0) => self.emit(Instr::Move { dst, src: a }),
            Ok(offset) => self.emit(Instr::Offset { dst, a, offset }),
            Err(_) => {
                // An address, not a sum: it is seen where it leaves its object.
                let b = self.constant(offset as u64);
                self.emit(Instr::Scaled { dst, a, b, scale: 1 });
            }
        }
    }

    /// An index as 64 bits; indices are signed.
    fn index(&mut self, index: &Operand) -> Option<Reg> {
        let ty = match index {
            Operand::Instruction(id) => Some(self.body.instruction(*id).ty),
            Operand::Parameter(index) => self.function.parameters.get(*index as usize)?.ty,
            _ => None,
        };
        let value = self.operand(index)?;
        let a = value.first;
        match ty.map(|ty| self.module.types.get(ty)) {
            Some(Type::Int(width)) if *width < 64 => {
                let dst = self.temporary(1);
                self.emit(Instr::SExt { dst, a, from: *width as u8, to: 64 });
                Some(dst)
            }
            Some(Type::Int(_)) | None => Some(a),
            _ => None,
        }
    }
}
