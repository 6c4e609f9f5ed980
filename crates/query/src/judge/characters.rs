//! Arrays of characters: how much of one lies behind an address, and whether it ends with a zero.

use hydrogen_ir::{Const, ConstId, Module, Operand, Type, TypeId};

/// Bytes from an address to the end of the array of characters it lies in; none if that is not known.
pub(super) type Left = Option<u64>;

/// How much of an array of characters lies behind an element of a type; of what is no such array, behind the one that it begins with.
pub(super) fn left_behind(module: &Module, ty: TypeId, indices: &[Left]) -> Left {
    match (module.types.get(ty), indices.split_first()) {
        (Type::Array { element, len }, first) => match module.types.get(*element) {
            Type::Int(8) => len.checked_sub(first.map_or(Some(0), |(index, _)| *index)?),
            _ => left_behind(module, *element, first.map_or(&[][..], |(_, rest)| rest)),
        },
        (Type::Struct(record), first) => {
            let field = usize::try_from(first.map_or(Some(0), |(index, _)| *index)?).ok()?;
            let field = record.fields.as_ref()?.get(field)?;
            left_behind(module, *field, first.map_or(&[][..], |(_, rest)| rest))
        }
        _ => None,
    }
}

/// The same at so many bytes behind the beginning of a type.
pub(super) fn left_at(module: &Module, ty: TypeId, offset: u64) -> Left {
    match module.types.get(ty) {
        Type::Array { element, len } => match module.types.get(*element) {
            Type::Int(8) => len.checked_sub(offset),
            _ => {
                let size = module.types.layout(*element)?.alloc_bytes;
                left_at(module, *element, offset.checked_rem(size)?)
            }
        },
        Type::Struct(record) => {
            let begins = &module.types.layout(ty)?.field_offsets;
            let field = begins.iter().rposition(|begin| *begin <= offset)?;
            left_at(module, *record.fields.as_ref()?.get(field)?, offset - begins[field])
        }
        _ => None,
    }
}

/// Whether the arrays of characters in a constant have a zero at their end.
pub(super) fn is_closed(module: &Module, id: ConstId) -> bool {
    let is_characters = |ty: TypeId| {
        matches!(module.types.get(ty), Type::Array { element, .. }
            if matches!(module.types.get(*element), Type::Int(8)))
    };
    match module.constant(id) {
        Const::Bytes { data, .. } => data.last().is_none_or(|last| *last == 0),
        Const::Aggregate { ty, elements } if is_characters(*ty) => {
            elements.last().is_none_or(|last| number(module, &Operand::Const(*last)) == Some(0))
        }
        Const::Aggregate { elements, .. } => elements.iter().all(|&element| is_closed(module, element)),
        _ => true,
    }
}

/// Whether an address is that of a constant in which all texts end.
pub(crate) fn is_closed_constant(module: &Module, address: Option<&Operand>) -> bool {
    let Some(Operand::Const(id)) = address else { return false };
    let Const::Global(global) = module.constant(*id) else { return false };
    let global = module.global(*global);
    global.constant && global.initializer.is_some_and(|initializer| is_closed(module, initializer))
}

/// The number that a constant is.
pub(super) fn number(module: &Module, operand: &Operand) -> Option<u64> {
    let Operand::Const(id) = operand else { return None };
    match module.constant(*id) {
        Const::Int { bits, .. } => u64::try_from(*bits).ok(),
        Const::Zero(_) => Some(0),
        _ => None,
    }
}
