//! Pointers as numbers: how far indices lead, and how addresses compare.

use crate::{Domain, compare};
use hydrogen_ir::IntPredicate;

/// Bits of a pointer, and of the distance that it is moved by.
const POINTER: u32 = 64;

/// A part of the way from a pointer to an element.
#[derive(Debug, Clone, Copy)]
pub enum Step<V> {
    /// A member: bytes from the beginning of its structure.
    Field(u64),
    /// An element: its index, signed and of any width, and the bytes from one to the next.
    Index(V, u64),
}

/// A pointer, or its offset in an object, moved along a way. It wraps; whether it stays inside of its object is for those to say who
/// know the object.
pub fn moved<D: Domain>(
    domain: &mut D,
    base: D::Value,
    way: impl IntoIterator<Item = Step<D::Value>>,
) -> D::Value {
    way.into_iter().fold(base, |at, step| {
        let by = match step {
            Step::Field(bytes) => domain.number(POINTER, u128::from(bytes)),
            Step::Index(index, bytes) => {
                let (index, bytes) =
                    (domain.resize_signed(index, POINTER), domain.number(POINTER, u128::from(bytes)));
                domain.mul(index, bytes)
            }
        };
        domain.add(at, by)
    })
}

/// The comparison of two addresses. Inside of one object, offsets may be given instead: an object does not wrap around the end of memory.
pub fn address_compare<D: Domain>(
    domain: &mut D,
    predicate: IntPredicate,
    a: D::Value,
    b: D::Value,
) -> D::Truth {
    compare(domain, predicate, a, b)
}
