//! Aggregates, vectors and choices: mostly moves between registers.

use super::decode::Decoder;
use super::instr::Complex;
use super::scalar;
use hydrogen_ir::{Op, Operand, Type, TypeId};

impl Decoder<'_> {
    pub(super) fn parts_operation(&mut self, op: &Op) -> Option<()> {
        match op {
            Op::Select { condition, then, otherwise, .. } => self.select(condition, then, otherwise),
            Op::ExtractValue { aggregate, indices } => {
                let ty = self.type_of(aggregate)?;
                let (first, count) = self.member(ty, indices)?;
                let (value, result) = (self.operand(aggregate)?, self.result()?);
                self.copy(result.first, value.first + first, count);
                Some(())
            }
            Op::InsertValue { aggregate, value, indices } => {
                let ty = self.type_of(aggregate)?;
                let (first, count) = self.member(ty, indices)?;
                let (all, value) = (self.operand(aggregate)?, self.operand(value)?);
                let result = self.result()?;
                self.copy(result.first, all.first, result.registers());
                self.copy(result.first + first, value.first, count);
                Some(())
            }
            Op::ExtractElement { vector, index } => {
                let (vector, index, result) = (self.operand(vector)?, self.operand(index)?, self.result()?);
                let stride = result.registers();
                let lanes = vector.parts.len() as u32;
                let (dst, vector, index) = (result.first, vector.first, index.first);
                self.complex(Complex::ExtractElement { dst, vector, index, lanes, stride });
                Some(())
            }
            Op::InsertElement { vector, value, index } => {
                let (vector, value) = (self.operand(vector)?, self.operand(value)?);
                let (index, dst) = (self.operand(index)?.first, self.result()?.first);
                let (lanes, stride) = (vector.parts.len() as u32, value.registers());
                let (vector, value) = (vector.first, value.first);
                self.complex(Complex::InsertElement { dst, vector, value, index, lanes, stride });
                Some(())
            }
            Op::ShuffleVector { left, right, mask } => {
                let (left, right, result) = (self.operand(left)?, self.operand(right)?, self.result()?);
                let lanes = left.parts.len();
                for (part, lane) in result.parts.iter().zip(mask) {
                    let dst = result.first + part.register;
                    let count = part.scalar.registers();
                    // An undefined lane is zero: any value is right.
                    let src = match usize::try_from(*lane) {
                        Err(_) => self.constant(0),
                        Ok(lane) if lane < lanes => left.first + left.parts[lane].register,
                        Ok(lane) => right.first + right.parts.get(lane - lanes)?.register,
                    };
                    self.copy(dst, src, if *lane < 0 { 1 } else { count });
                }
                Some(())
            }
            _ => None,
        }
    }

    fn select(&mut self, condition: &Operand, then: &Operand, otherwise: &Operand) -> Option<()> {
        let (condition, then) = (self.operand(condition)?, self.operand(then)?);
        let (otherwise, result) = (self.operand(otherwise)?, self.result()?);
        if condition.parts.len() == 1 {
            let count = result.registers();
            let (dst, cond, then) = (result.first, condition.first, then.first);
            self.complex(Complex::Select { dst, cond, then, otherwise: otherwise.first, count });
            return Some(());
        }
        for (index, part) in result.parts.iter().enumerate() {
            let count = part.scalar.registers();
            let dst = result.first + part.register;
            let cond = condition.first + condition.parts.get(index)?.register;
            let (then, otherwise) = (then.first + part.register, otherwise.first + part.register);
            self.complex(Complex::Select { dst, cond, then, otherwise, count });
        }
        Some(())
    }

    pub(super) fn type_of(&self, operand: &Operand) -> Option<TypeId> {
        match operand {
            Operand::Instruction(id) => Some(self.body.instruction(*id).ty),
            Operand::Parameter(index) => self.function.parameters.get(*index as usize)?.ty,
            Operand::Const(id) => crate::program::constant_type(self.module, *id),
            Operand::Metadata(_) => None,
        }
    }

    /// The registers of a member, counted from the aggregate's first.
    fn member(&self, ty: TypeId, indices: &[u32]) -> Option<(u32, u32)> {
        let types = &self.module.types;
        let (mut ty, mut first) = (ty, 0);
        for index in indices {
            let before: Vec<TypeId>;
            (before, ty) = match types.get(ty) {
                Type::Struct(body) => {
                    let fields = body.fields.as_ref()?;
                    (fields[..*index as usize].to_vec(), *fields.get(*index as usize)?)
                }
                Type::Array { element, .. } => (vec![*element; *index as usize], *element),
                _ => return None,
            };
            for ty in before {
                first += scalar::registers(&scalar::parts(types, ty)?);
            }
        }
        Some((first, scalar::registers(&scalar::parts(types, ty)?)))
    }
}
