//! Arrays inside of structures that functions are given to write to: how much room there is before the next member.

use hydrogen_ir::{Body, Const, ConstExpr, Module, Op, Operand, Type, TypeId};

/// What lies behind a pointer into an array that is a member of a structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// Bytes to the end of the array.
    pub bytes: u64,
    /// Bytes from there to the end of the structure.
    pub behind: u64,
}

/// The room of an address that is spelled as a member that is an array (`p->name`, `&v.name[2]`). An array at the end of a structure stands
/// for as much as there is room, and of a union the larger member is an array by chance.
pub fn room(module: &Module, body: &Body, address: &Operand) -> Option<Room> {
    if let Operand::Const(id) = address {
        let Const::Expr { expr: ConstExpr::ElementAddress { source, indices, .. }, .. } =
            module.constant(*id)
        else {
            return None;
        };
        let path: Vec<Operand> = indices.iter().map(|index| Operand::Const(*index)).collect();
        let [first, field] = constants(module, &path)?;
        return (first == 0).then(|| inside(module, *source, field, 0, None)).flatten();
    }
    let (array, base, indices) = element(body, address)?;
    let (outer, _, path) = element(body, base)?;
    let ([0, field], [0, at]) = (constants(module, path)?, constants(module, indices)?) else { return None };
    inside(module, outer, field, at, Some(array))
}

/// The room behind an element of a member, if the member is an array (of this type).
fn inside(module: &Module, outer: TypeId, field: u64, at: u64, array: Option<TypeId>) -> Option<Room> {
    let Type::Struct(record) = module.types.get(outer) else { return None };
    let (fields, field) = (record.fields.as_ref()?, usize::try_from(field).ok()?);
    let member = fields.get(field)?;
    let Type::Array { element: one, len } = module.types.get(*member) else { return None };
    let is_open = field + 1 == fields.len() || *len <= 1;
    if is_open || array.is_some_and(|array| array != *member) || at > *len {
        return None;
    }
    let size = module.types.layout(*one)?.alloc_bytes;
    let layout = module.types.layout(outer)?;
    let end = layout.field_offsets.get(field)? + len * size;
    Some(Room { bytes: (len - at) * size, behind: layout.alloc_bytes.checked_sub(end)? })
}

/// Whether an address is spelled as a member of a structure, or as something in it.
pub(crate) fn is_member(module: &Module, body: &Body, address: &Operand) -> bool {
    let mut current = address;
    while let Some((source, base, _)) = element(body, current) {
        if matches!(module.types.get(source), Type::Struct(_)) {
            return true;
        }
        current = base;
    }
    false
}

/// The type, the base and the indices of an address.
fn element<'b>(body: &'b Body, address: &Operand) -> Option<(TypeId, &'b Operand, &'b [Operand])> {
    let Operand::Instruction(id) = address else { return None };
    match &body.instruction(*id).op {
        Op::ElementAddress { source, base, indices, .. } => Some((*source, base, indices)),
        _ => None,
    }
}

/// Two indices that are constants.
fn constants(module: &Module, indices: &[Operand]) -> Option<[u64; 2]> {
    let number = |index: &Operand| match index {
        Operand::Const(id) => match module.constant(*id) {
            Const::Int { bits, .. } => u64::try_from(*bits).ok(),
            _ => None,
        },
        _ => None,
    };
    match indices {
        [one, two] => Some([number(one)?, number(two)?]),
        _ => None,
    }
}
