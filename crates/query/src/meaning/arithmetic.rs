//! What operators, conversions, comparisons and indices compute: the table of meanings, where values are followed.

use crate::meaning::eval::{Eval, cell_of};
use crate::meaning::state::{Cell, Value};
use hydrogen_ir::{
    BinaryOp, CastOp, FloatPredicate, IntPredicate, Intrinsic, Operand, Type, TypeId, WrapFlags,
};
use hydrogen_semantics::{self as semantics, Kind, Step};
use hydrogen_term::{Format, Sort, Term};

impl Eval<'_> {
    /// The format of a floating-point type.
    fn format(&self, ty: TypeId) -> Option<Format> {
        match self.shape.module.types.get(ty) {
            Type::Float(kind) => semantics::format_of(*kind),
            _ => None,
        }
    }

    /// What a type of numbers is to the table.
    fn kind(&self, ty: TypeId) -> Option<Kind> {
        match cell_of(self.shape, ty)? {
            Cell::Int(width) => Some(self.format(ty).map_or(Kind::Int(width), Kind::Float)),
            Cell::Pointer => Some(Kind::Int(64)),
        }
    }

    pub(crate) fn binary(&mut self, op: BinaryOp, ty: TypeId, left: Term, right: Term) -> Value {
        let format = self.format(ty);
        let pool = &mut self.terms.pool;
        let sort = pool.sort(left);
        if sort != pool.sort(right) {
            return Value::Opaque;
        }
        // Where control gets behind a fault, the result wraps.
        let known = match format {
            Some(format) => semantics::float_binary(pool, op, format, left, right),
            None => semantics::binary(pool, op, WrapFlags::default(), left, right).map(|known| known.value),
        };
        Value::Int(match known {
            Some(known) => known,
            None => self.terms.opaque(&format!("{op:?}"), &[left, right], sort),
        })
    }

    /// What one of the compiler's own functions computes of numbers; none for those that do something else, or give two results.
    pub(crate) fn intrinsic(&mut self, which: Intrinsic, arguments: &[Operand]) -> Option<Value> {
        let kind = self.kind(self.shape.operand_type(arguments.first()?)?)?;
        let mut values = Vec::new();
        for argument in arguments {
            let Value::Int(value) = self.operand(argument) else { return None };
            values.push(value);
        }
        let computed = semantics::intrinsic(&mut self.terms.pool, which, kind, &values)?;
        computed.overflow.is_none().then_some(Value::Int(computed.value))
    }

    pub(crate) fn negated(&mut self, value: Term) -> Value {
        Value::Int(semantics::float_negated(&mut self.terms.pool, value))
    }

    pub(crate) fn float_compare(
        &mut self,
        predicate: FloatPredicate,
        ty: Option<TypeId>,
        left: Term,
        right: Term,
    ) -> Value {
        let format = ty.and_then(|ty| self.format(ty));
        let pool = &mut self.terms.pool;
        let holds = format.and_then(|format| semantics::float_compare(pool, predicate, format, left, right));
        Value::Int(match holds {
            Some(holds) => pool.bool_to_bits(holds, 1),
            None => self.terms.opaque(&format!("fcmp{predicate:?}"), &[left, right], Sort::Bits(1)),
        })
    }

    pub(crate) fn cast(&mut self, op: CastOp, value: Value, from: Option<TypeId>, ty: TypeId) -> Value {
        let to = cell_of(self.shape, ty);
        match (op, value, to) {
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
            (CastOp::BitCast | CastOp::AddrSpaceCast, Value::Pointer(..), Some(Cell::Pointer)) => value,
            (_, Value::Int(value), Some(Cell::Int(width))) => {
                let kinds = from.and_then(|from| self.kind(from)).zip(self.kind(ty));
                let pool = &mut self.terms.pool;
                let known = kinds.and_then(|(from, to)| semantics::cast(pool, op, from, to, value));
                let is_float = kinds.is_some_and(|(from, to)| [from, to].iter().any(is_number));
                match known {
                    Some(known) => Value::Int(known),
                    None if is_float => {
                        Value::Int(self.terms.opaque(&format!("{op:?}{width}"), &[value], Sort::Bits(width)))
                    }
                    None => Value::Opaque,
                }
            }
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
        Some(semantics::compare(pool, predicate, left, right))
    }

    /// Whether two pointers are equal or not, object and offset: that of a member of null is not null.
    pub fn same_places(&mut self, predicate: IntPredicate, left: Value, right: Value) -> Option<Term> {
        let (Value::Pointer(object, offset), Value::Pointer(other, at)) = (left, right) else { return None };
        let pool = &mut self.terms.pool;
        let (objects, offsets) = (pool.eq(object, other), pool.eq(offset, at));
        let same = pool.and(objects, offsets);
        match predicate {
            IntPredicate::Eq => Some(same),
            IntPredicate::Ne => Some(pool.not(same)),
            _ => None,
        }
    }

    /// The distance that indices walk through a type.
    pub(crate) fn walk(&mut self, source: TypeId, indices: &[Value]) -> Option<Term> {
        let (mut ty, mut way) = (source, Vec::new());
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
                        way.push(Step::Field(offset));
                        continue;
                    }
                    _ => return None,
                }
            };
            way.push(Step::Index(index, step));
        }
        let start = self.terms.word(0);
        Some(semantics::moved(&mut self.terms.pool, start, way))
    }
}

fn is_number(kind: &Kind) -> bool {
    matches!(kind, Kind::Float(_))
}
