//! What lies where in an object of a C type, by the debug information.

use crate::stream::is_stream;
use crate::{CType, CTypeId, Encoding, Function, Member, Module, RecordKind};

/// A scalar inside an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot {
    /// Bytes from the beginning.
    pub at: u64,
    /// How many it takes.
    pub bytes: u64,
    /// The expression for it.
    pub path: String,
    /// What it is.
    pub kind: SlotKind,
    /// Its type, without names and qualifiers.
    pub ctype: CTypeId,
}

/// What a scalar is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotKind {
    /// A whole number, with a sign or not.
    Number {
        /// Whether its highest bit is a sign.
        signed: bool,
    },
    /// `_Bool`: zero or one.
    Truth,
    /// A floating-point number.
    Float,
    /// A pointer.
    Pointer,
}

/// A type without typedefs and qualifiers.
pub fn plain(module: &Module, mut ctype: CTypeId) -> CTypeId {
    while let CType::Typedef { target, .. } | CType::Qualified { target, .. } = module.ctype(ctype) {
        ctype = *target;
    }
    ctype
}

/// What a pointer type points to.
pub fn pointee(module: &Module, ctype: CTypeId) -> Option<CTypeId> {
    match module.ctype(plain(module, ctype)) {
        CType::Pointer(target) => Some(*target),
        _ => None,
    }
}

/// The C type of a parameter.
pub fn parameter_type(module: &Module, function: &Function, at: usize) -> Option<CTypeId> {
    match module.ctype(function.ctype?) {
        CType::Function { parameters, .. } => parameters.get(at).copied(),
        _ => None,
    }
}

/// The size of a type in bytes; none for incomplete types and functions.
pub fn size_of(module: &Module, ctype: CTypeId) -> Option<u64> {
    match module.ctype(plain(module, ctype)) {
        CType::Basic { size_bits, .. } | CType::Enum { size_bits, .. } => Some(size_bits / 8),
        CType::Record { size_bits, .. } if *size_bits > 0 => Some(size_bits / 8),
        CType::Pointer(_) => Some(8),
        CType::Array { element, lengths } => {
            lengths.iter().try_fold(size_of(module, *element)?, |size, length| size.checked_mul((*length)?))
        }
        _ => None,
    }
    .filter(|size| *size > 0)
}

/// The scalars of an object of this type, at most so many. A union's first member stands for all, and what it does not cover are bytes;
/// bit-fields are the bytes that they lie in.
pub fn slots(module: &Module, ctype: CTypeId, name: &str, most: usize) -> Vec<Slot> {
    let mut found = Vec::new();
    walk(module, ctype, 0, name, most, &mut found);
    found
}

/// The scalars of a pointer's target, `n` elements of it: `p->m`, `p[1].m`, `*p`. What is in a stream is the library's alone.
pub fn target_slots(
    module: &Module,
    target: CTypeId,
    pointer: &str,
    elements: u64,
    most: usize,
) -> Vec<Slot> {
    let mut found = Vec::new();
    let Some(size) = size_of(module, target).filter(|_| !is_stream(module, target)) else { return found };
    for element in 0..elements {
        if found.len() >= most {
            break;
        }
        let record = matches!(module.ctype(plain(module, target)), CType::Record { .. });
        let name = match (element, record) {
            (0, true) => format!("{pointer}->"),
            (0, false) => format!("*{pointer}"),
            (_, true) => format!("{pointer}[{element}]."),
            (_, false) => format!("{pointer}[{element}]"),
        };
        walk(module, target, element * size, &name, most, &mut found);
    }
    found
}

fn walk(module: &Module, ctype: CTypeId, at: u64, name: &str, most: usize, found: &mut Vec<Slot>) {
    if found.len() >= most {
        return;
    }
    let ctype = plain(module, ctype);
    let mut slot = |bytes: u64, kind: SlotKind| {
        if bytes > 0 && bytes <= 16 {
            found.push(Slot { at, bytes, path: name.to_owned(), kind, ctype });
        }
    };
    match module.ctype(ctype) {
        CType::Basic { size_bits, encoding, .. } => {
            let kind = match encoding {
                Encoding::Signed => SlotKind::Number { signed: true },
                Encoding::Boolean => SlotKind::Truth,
                Encoding::Float | Encoding::Complex => SlotKind::Float,
                Encoding::Unsigned | Encoding::Other => SlotKind::Number { signed: false },
            };
            slot(size_bits / 8, kind);
        }
        CType::Enum { size_bits, .. } => slot(size_bits / 8, SlotKind::Number { signed: false }),
        CType::Pointer(_) => slot(8, SlotKind::Pointer),
        CType::Record { kind, members, size_bits, .. } => {
            if *kind == RecordKind::Union {
                let first = members.iter().take(1);
                let covered = first.clone().map(|member| member.size_bits.div_ceil(8)).max().unwrap_or(0);
                walk_members(module, first, at, name, most, found);
                for byte in covered..size_bits / 8 {
                    let path = format!("{name}:{byte}");
                    found.extend(members.first().map(|member| byte_slot(at + byte, path, member.ty)));
                }
                found.truncate(most);
            } else {
                walk_members(module, members.iter(), at, name, most, found);
            }
        }
        CType::Array { element, lengths } => {
            let Some(size) = size_of(module, *element) else { return };
            let count = lengths.iter().try_fold(1u64, |all, one| all.checked_mul((*one)?)).unwrap_or(0);
            for index in 0..count {
                if found.len() >= most {
                    return;
                }
                // The indices of all dimensions, the last one fastest.
                let mut rest = index;
                let mut indices = Vec::new();
                for length in lengths.iter().rev() {
                    let length = length.unwrap_or(1).max(1);
                    indices.push(rest % length);
                    rest /= length;
                }
                let indices: String = indices.iter().rev().map(|one| format!("[{one}]")).collect();
                walk(module, *element, at + index * size, &format!("{name}{indices}"), most, found);
            }
        }
        _ => {}
    }
}

fn walk_members<'m>(
    module: &Module,
    members: impl Iterator<Item = &'m Member>,
    at: u64,
    name: &str,
    most: usize,
    found: &mut Vec<Slot>,
) {
    let dot = if name.ends_with("->") || name.ends_with('.') { "" } else { "." };
    // The first byte that no bit-field before lies in.
    let mut free = 0;
    for member in members {
        let inner = match member.name.as_str() {
            // The members of an anonymous member are the record's own.
            "" => name.to_owned(),
            own => format!("{name}{dot}{own}"),
        };
        if !member.bit_field {
            walk(module, member.ty, at + member.offset_bits / 8, &inner, most, found);
            continue;
        }
        let end = (member.offset_bits + member.size_bits).div_ceil(8);
        for byte in free.max(member.offset_bits / 8)..end {
            if found.len() < most {
                found.push(byte_slot(at + byte, format!("{inner}:{byte}"), member.ty));
            }
        }
        free = free.max(end);
    }
}

/// A byte that has no name of its own: that of what lies there, and its place in the record.
fn byte_slot(at: u64, path: String, ctype: CTypeId) -> Slot {
    Slot { at, bytes: 1, path, kind: SlotKind::Number { signed: false }, ctype }
}
