//! Constants: addresses as operands, and initial values of globals.

use super::{Generator, Value};
use crate::points_to::address::Move;
use crate::points_to::shape::Offset;
use crate::points_to::solver::{FOREIGN, Obj};
use hydrogen_ir::{CastOp, Const, ConstExpr, ConstId, Type};

impl Generator<'_> {
    /// What a constant can point to.
    pub fn constant(&mut self, id: ConstId) -> Value {
        if let Some(&value) = self.constants.get(&id) {
            return value;
        }
        // A constant that contains itself is malformed; it is then a number.
        self.constants.insert(id, Value::Nothing);
        let module = self.module;
        let value = match module.constant(id) {
            Const::Global(global) => match module.global(*global).alias_of {
                Some(target) => self.constant(target),
                None => Value::Loc(self.solver.locate(self.globals[global.index()], Offset::At(0))),
            },
            Const::Function(function) => {
                Value::Loc(self.solver.locate(self.functions[function.index()], Offset::Anywhere))
            }
            Const::Aggregate { elements, .. } => {
                let values: Vec<_> = elements.iter().map(|&element| self.constant(element)).collect();
                self.any_of(&values)
            }
            Const::Expr { expr, .. } => self.expression(expr),
            _ => Value::Nothing,
        };
        self.constants.insert(id, value);
        value
    }

    fn expression(&mut self, expr: &ConstExpr) -> Value {
        match expr {
            ConstExpr::ElementAddress { source, base, indices, inbounds } => {
                let indices: Vec<_> = indices.iter().map(|&index| self.integer(index)).collect();
                let by = Move::element(&self.module.types, *source, &indices, *inbounds);
                let base = self.constant(*base);
                self.displaced(base, by)
            }
            ConstExpr::Cast(CastOp::IntToPtr, value) => match self.constant(*value) {
                // A number as an address, such as `(void *)-1`, marks something and is never followed.
                Value::Nothing => Value::Nothing,
                value => self.any_of(&[value, Value::Var(FOREIGN)]),
            },
            ConstExpr::Cast(_, value) => self.constant(*value),
            ConstExpr::Binary(_, left, right) => {
                let (left, right) = (self.constant(*left), self.constant(*right));
                let both = self.any_of(&[left, right]);
                self.displaced(both, Move::Smear)
            }
            ConstExpr::Other(_, values) => {
                let values: Vec<_> = values.iter().map(|&value| self.constant(value)).collect();
                let all = self.any_of(&values);
                self.displaced(all, Move::Smear)
            }
        }
    }

    /// The value of an integer constant, signed.
    pub(super) fn integer(&self, id: ConstId) -> Option<i128> {
        match self.module.constant(id) {
            Const::Int { ty, bits } => {
                let Type::Int(width) = *self.module.types.get(*ty) else { return None };
                let unused = 128 - width.clamp(1, 128);
                Some((*bits << unused) as i128 >> unused)
            }
            Const::Zero(_) => Some(0),
            _ => None,
        }
    }

    /// A value after address arithmetic.
    pub(super) fn displaced(&mut self, base: Value, by: Move) -> Value {
        match base {
            _ if by == Move::STAY => base,
            Value::Nothing => Value::Nothing,
            Value::Loc(loc) => {
                let mut places = Vec::new();
                self.solver.moved(loc, &by, &mut places);
                let places: Vec<_> = places.into_iter().map(Value::Loc).collect();
                self.any_of(&places)
            }
            Value::Var(var) => {
                let to = self.solver.fresh();
                self.solver.displace(var, to, by);
                Value::Var(to)
            }
        }
    }

    /// Stores the initial value of a global.
    pub(super) fn initialize(&mut self, object: Obj, initializer: ConstId) {
        let module = self.module;
        let mut pending = vec![(initializer, 0u64)];
        while let Some((id, at)) = pending.pop() {
            let Const::Aggregate { ty, elements } = module.constant(id) else {
                let value = self.constant(id);
                if value != Value::Nothing {
                    let cell = self.solver.locate(object, Offset::At(at));
                    let content = self.solver.locations[cell as usize].into;
                    self.flow(value, content);
                }
                continue;
            };
            let offsets = module.types.layout(*ty).map_or(&[][..], |layout| &layout.field_offsets);
            let stride = match module.types.get(*ty) {
                Type::Array { element, .. } | Type::Vector { element, .. } => {
                    module.types.layout(*element).map_or(0, |layout| layout.alloc_bytes)
                }
                _ => 0,
            };
            for (index, &element) in elements.iter().enumerate().rev() {
                let offset = offsets.get(index).copied().unwrap_or(index as u64 * stride);
                pending.push((element, at + offset));
            }
        }
    }
}
