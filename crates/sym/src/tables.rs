//! Constant globals as bytes.

use hydrogen_ir::{Const, ConstId, Module, Type};
use hydrogen_term::Term;

/// Constants of more bytes are not looked into.
const MOST_BYTES: u64 = 2048;

/// A constant global whose bytes are known.
pub struct Table {
    /// Where it begins.
    pub address: u64,
    /// How many bytes it has.
    pub bytes: u64,
    /// Memory with the bytes at the address.
    pub array: Term,
}

/// A constant as it lies in memory (the machine is little-endian); none if there are addresses in it.
pub fn bytes_of(module: &Module, id: ConstId) -> Option<Vec<u8>> {
    let constant = module.constant(id);
    let ty = constant.ty()?;
    let layout = module.types.layout(ty).filter(|layout| layout.alloc_bytes <= MOST_BYTES)?;
    let size = usize::try_from(layout.alloc_bytes).ok()?;
    let mut out = vec![0; size];
    match constant {
        Const::Int { bits, .. } | Const::Float { bits, .. } if size <= 16 => {
            out.copy_from_slice(&bits.to_le_bytes()[..size]);
        }
        // A null pointer among the members is as good as any other zero.
        Const::Zero(_) => {}
        Const::Bytes { data, .. } => out.get_mut(..data.len())?.copy_from_slice(data),
        Const::Aggregate { elements, .. } => {
            for (at, &element) in elements.iter().enumerate() {
                let inner = bytes_of(module, element)?;
                let begin = match module.types.get(ty) {
                    Type::Array { .. } => at * inner.len(),
                    Type::Struct(_) => usize::try_from(*layout.field_offsets.get(at)?).ok()?,
                    _ => return None,
                };
                out.get_mut(begin..begin + inner.len())?.copy_from_slice(&inner);
            }
        }
        _ => return None,
    }
    Some(out)
}
