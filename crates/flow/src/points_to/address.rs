//! Address arithmetic: what `getelementptr` adds to a pointer.

use hydrogen_ir::{Type, TypeId, TypeTable};

/// What is added to a pointer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Move {
    /// A number of bytes, then any multiples of the strides.
    By { distance: i64, strides: Vec<u64> },
    /// Anything: the pointer may be anywhere in its object.
    Smear,
}

impl Move {
    pub const STAY: Move = Move::By { distance: 0, strides: Vec::new() };

    /// Adds up the indices of an element address; an index is `None` where it is not constant.
    /// Unless the address is `inbounds`, which C's arithmetic is, a variable index may lead anywhere.
    pub fn element(types: &TypeTable, source: TypeId, indices: &[Option<i128>], inbounds: bool) -> Move {
        match Self::sum(types, source, indices) {
            Some(Move::By { strides, .. }) if !inbounds && !strides.is_empty() => Move::Smear,
            Some(by) => by,
            None => Move::Smear,
        }
    }

    fn sum(types: &TypeTable, source: TypeId, indices: &[Option<i128>]) -> Option<Move> {
        let (mut distance, mut strides) = (0i64, Vec::new());
        let mut inside: Option<TypeId> = None;
        for &index in indices {
            let element = match inside.map(|ty| (ty, types.get(ty))) {
                // The first index steps over whole objects of the source type.
                None => source,
                Some((_, Type::Array { element, .. } | Type::Vector { element, .. })) => *element,
                Some((ty, Type::Struct(body))) => {
                    let field = usize::try_from(index?).ok()?;
                    let offset = *types.layout(ty)?.field_offsets.get(field)?;
                    distance = distance.checked_add(i64::try_from(offset).ok()?)?;
                    inside = Some(*body.fields.as_ref()?.get(field)?);
                    continue;
                }
                Some(_) => return None,
            };
            let stride = types.layout(element)?.alloc_bytes;
            match index {
                Some(index) => {
                    let bytes = index.checked_mul(i128::from(stride))?;
                    distance = distance.checked_add(i64::try_from(bytes).ok()?)?;
                }
                None if stride > 0 => strides.push(stride),
                None => {}
            }
            inside = Some(element);
        }
        Some(Move::By { distance, strides })
    }

    /// The byte offset of a field path of a value, as `extractvalue` names it.
    #[cfg(test)]
    pub fn bytes(distance: i64) -> Move {
        Move::By { distance, strides: Vec::new() }
    }
}
