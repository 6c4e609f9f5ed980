//! Structures that lie in memory in another way than before.
//!
//! A call that is tried is bytes at addresses. Where a structure has its members elsewhere in the other version, the same bytes are another call: what
//! differs then shows nothing.

use hydrogen_ir::layout::{parameter_type, plain, pointee, slots};
use hydrogen_ir::{CType, CTypeId, FunctionId, Module};
use std::collections::{BTreeMap, BTreeSet};

/// Members that are compared of one structure, and types that are looked at.
const MOST_MEMBERS: usize = 256;
const MOST_TYPES: usize = 400;

/// A type that the parameters of a function lead to and that lies in memory in another way in the other version. A member that has another name in
/// the same place is no such thing, unless the name is that of another member.
pub fn laid_out_otherwise(old: (&Module, FunctionId), new: (&Module, FunctionId)) -> Option<String> {
    let mut open: Vec<(CTypeId, CTypeId)> = Vec::new();
    let (one, other) = (old.0.function(old.1), new.0.function(new.1));
    for at in 0..one.parameters.len().min(other.parameters.len()) {
        open.extend(parameter_type(old.0, one, at).zip(parameter_type(new.0, other, at)));
    }
    let mut seen = BTreeSet::new();
    while let Some((a, b)) = open.pop() {
        if seen.len() >= MOST_TYPES || !seen.insert((a, b)) {
            continue;
        }
        let is_record =
            |module: &Module, ctype| matches!(module.ctype(plain(module, ctype)), CType::Record { .. });
        let (of_old, of_new) = (slots(old.0, a, "", MOST_MEMBERS), slots(new.0, b, "", MOST_MEMBERS));
        let places: BTreeMap<&str, u64> = of_new.iter().map(|slot| (slot.path.as_str(), slot.at)).collect();
        let is_moved = |(path, at): (&str, u64)| places.get(path).is_some_and(|&other| other != at);
        let are_same = of_old.len() == of_new.len()
            && of_old.iter().zip(&of_new).all(|(one, other)| (one.at, one.bytes) == (other.at, other.bytes))
            && !of_old.iter().any(|slot| is_moved((slot.path.as_str(), slot.at)));
        // Of one that is only declared nothing is known.
        let are_known = !of_old.is_empty() && !of_new.is_empty();
        if !are_same && are_known && is_record(old.0, a) && is_record(new.0, b) {
            return Some(name_of(old.0, a));
        }
        for (one, other) in of_old.iter().zip(&of_new) {
            open.extend(pointee(old.0, one.ctype).zip(pointee(new.0, other.ctype)));
        }
    }
    None
}

/// What a type is called.
fn name_of(module: &Module, ctype: CTypeId) -> String {
    match module.ctype(ctype) {
        CType::Typedef { name, .. } => name.clone(),
        CType::Record { name: Some(name), .. } => format!("struct {name}"),
        CType::Qualified { target, .. } => name_of(module, *target),
        _ => "a structure".to_owned(),
    }
}
