//! Members of unions: what is read from one may be what another one was given.

use crate::meaning::shape::Shape;
use hydrogen_ir::{Const, Op, Operand, Type, TypeId};

/// Whether the pointer that an address is made from was read from a member of a union inside of a structure.
pub(crate) fn is_of_union(shape: &Shape, pointer: &Operand) -> bool {
    let mut current = pointer;
    while let Operand::Instruction(id) = current {
        match shape.op(*id) {
            Op::ElementAddress { base, .. } => current = base,
            Op::Load { pointer, .. } => return is_union_member(shape, pointer),
            _ => return false,
        }
    }
    false
}

/// Whether an address is that of a union inside of a structure.
pub(crate) fn is_union_member(shape: &Shape, address: &Operand) -> bool {
    let Operand::Instruction(id) = address else { return false };
    let Op::ElementAddress { source, indices, .. } = shape.op(*id) else { return false };
    member(shape, *source, indices).is_some_and(|ty| is_union(shape, ty))
}

/// The type that indices lead to.
pub(super) fn member(shape: &Shape, source: TypeId, indices: &[Operand]) -> Option<TypeId> {
    let mut ty = source;
    for index in indices.iter().skip(1) {
        ty = match shape.module.types.get(ty) {
            Type::Array { element, .. } => *element,
            Type::Struct(body) => {
                let Operand::Const(id) = index else { return None };
                let Const::Int { bits, .. } = shape.module.constant(*id) else { return None };
                *body.fields.as_ref()?.get(usize::try_from(*bits).ok()?)?
            }
            _ => return None,
        };
    }
    Some(ty)
}

fn is_union(shape: &Shape, ty: TypeId) -> bool {
    let Type::Struct(body) = shape.module.types.get(ty) else { return false };
    body.name.as_deref().is_some_and(|name| name.starts_with("union."))
}
