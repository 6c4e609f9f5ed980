//! What operators, conversions, comparisons and indices compute.

use crate::eval::{Eval, cell_of};
use crate::state::{Cell, Value};
use hydrogen_ir::{BinaryOp, CastOp, IntPredicate, Type, TypeId};
use hydrogen_term::{Sort, Term};

impl Eval<'_> {
    pub(crate) fn binary(&mut self, op: BinaryOp, left: Term, right: Term) -> Value {
        let pool = &mut self.terms.pool;
        if pool.sort(left) != pool.sort(right) {
            return Value::Opaque;
        }
        Value::Int(match op {
            BinaryOp::Add => pool.add(left, right),
            BinaryOp::Sub => pool.sub(left, right),
            BinaryOp::Mul => pool.mul(left, right),
            BinaryOp::UDiv => pool.udiv(left, right),
            BinaryOp::SDiv => pool.sdiv(left, right),
            BinaryOp::URem => pool.urem(left, right),
            BinaryOp::SRem => pool.srem(left, right),
            BinaryOp::Shl => pool.shl(left, right),
            BinaryOp::LShr => pool.lshr(left, right),
            BinaryOp::AShr => pool.ashr(left, right),
            BinaryOp::And => pool.bitand(left, right),
            BinaryOp::Or => pool.bitor(left, right),
            BinaryOp::Xor => pool.bitxor(left, right),
            BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem => {
                let sort = pool.sort(left);
                self.terms.opaque(&format!("{op:?}"), &[left, right], sort)
            }
        })
    }

    pub(crate) fn cast(&mut self, op: CastOp, value: Value, ty: TypeId) -> Value {
        let to = cell_of(self.shape, ty);
        match (op, value, to) {
            (CastOp::Trunc, Value::Int(value), Some(Cell::Int(width))) => {
                Value::Int(self.terms.pool.truncate(value, width))
            }
            (CastOp::ZExt, Value::Int(value), Some(Cell::Int(width))) => {
                Value::Int(self.terms.pool.zext(value, width))
            }
            (CastOp::SExt, Value::Int(value), Some(Cell::Int(width))) => {
                Value::Int(self.terms.pool.sext(value, width))
            }
            (CastOp::PtrToInt, Value::Pointer(object, offset), Some(Cell::Int(width))) => {
                let address = self.terms.address(object, offset);
                Value::Int(self.terms.pool.resize_unsigned(address, width))
            }
            (CastOp::IntToPtr, Value::Int(number), Some(Cell::Pointer)) => {
                let number = self.terms.pool.resize_unsigned(number, 64);
                if self.terms.pool.as_bits(number) == Some(0) {
                    return self.terms.null();
                }
                let object = self.terms.opaque("object of a number", &[number], Sort::Bits(64));
                let offset = self.terms.opaque("offset of a number", &[number], Sort::Bits(64));
                Value::Pointer(object, offset)
            }
            (CastOp::BitCast, Value::Int(value), Some(Cell::Int(width)))
                if self.terms.pool.width(value) == width =>
            {
                Value::Int(value)
            }
            (CastOp::BitCast | CastOp::AddrSpaceCast, Value::Pointer(..), Some(Cell::Pointer)) => value,
            (
                CastOp::FpToUi
                | CastOp::FpToSi
                | CastOp::UiToFp
                | CastOp::SiToFp
                | CastOp::FpTrunc
                | CastOp::FpExt,
                Value::Int(value),
                Some(Cell::Int(width)),
            ) => Value::Int(self.terms.opaque(&format!("{op:?}{width}"), &[value], Sort::Bits(width))),
            _ => Value::Opaque,
        }
    }

    pub fn compare(&mut self, predicate: IntPredicate, left: Value, right: Value) -> Option<Term> {
        let (left, right) = match (left, right) {
            (Value::Int(left), Value::Int(right)) => (left, right),
            (Value::Pointer(object, offset), Value::Pointer(other, at)) => match predicate {
                IntPredicate::Eq => return self.terms.same(left, right),
                IntPredicate::Ne => {
                    let same = self.terms.same(left, right)?;
                    return Some(self.terms.pool.not(same));
                }
                _ if object == other => (offset, at),
                _ => (self.terms.address(object, offset), self.terms.address(other, at)),
            },
            _ => return None,
        };
        let pool = &mut self.terms.pool;
        if pool.sort(left) != pool.sort(right) {
            return None;
        }
        Some(match predicate {
            IntPredicate::Eq => pool.eq(left, right),
            IntPredicate::Ne => pool.ne(left, right),
            IntPredicate::Ugt => pool.ugt(left, right),
            IntPredicate::Uge => pool.uge(left, right),
            IntPredicate::Ult => pool.ult(left, right),
            IntPredicate::Ule => pool.ule(left, right),
            IntPredicate::Sgt => pool.sgt(left, right),
            IntPredicate::Sge => pool.sge(left, right),
            IntPredicate::Slt => pool.slt(left, right),
            IntPredicate::Sle => pool.sle(left, right),
        })
    }

    /// The distance that indices walk through a type.
    pub(crate) fn walk(&mut self, source: TypeId, indices: &[Value]) -> Option<Term> {
        let (mut ty, mut sum) = (source, self.terms.word(0));
        for (at, index) in indices.iter().enumerate() {
            let Value::Int(index) = *index else { return None };
            let types = &self.shape.module.types;
            let step = if at == 0 {
                types.layout(ty)?.alloc_bytes
            } else {
                match types.get(ty) {
                    Type::Array { element, .. } => {
                        ty = *element;
                        types.layout(ty)?.alloc_bytes
                    }
                    Type::Struct(body) => {
                        let field = usize::try_from(self.terms.pool.as_bits(index)?).ok()?;
                        let mut offset = *types.layout(ty)?.field_offsets.get(field)?;
                        if let Some(layouts) = &mut self.terms.layouts {
                            offset = layouts.common(&self.shape.module, ty, offset);
                        }
                        ty = *body.fields.as_ref()?.get(field)?;
                        let offset = self.terms.word(offset);
                        sum = self.terms.pool.add(sum, offset);
                        continue;
                    }
                    _ => return None,
                }
            };
            let pool = &mut self.terms.pool;
            let (index, step) = (pool.resize_signed(index, 64), pool.bits(64, step.into()));
            let moved = pool.mul(index, step);
            sum = pool.add(sum, moved);
        }
        Some(sum)
    }
}
