//! Types by layout.

use super::{ContentHash, sink::Sink};
use crate::{StructType, Type, TypeId, TypeTable};

/// Real types are a few levels deep; a forged table must not exhaust the stack.
const DEEPEST: u32 = 200;

/// The structural hash of every type. Names of structures do not count, offsets and sizes do.
pub(super) fn type_hashes(types: &TypeTable) -> Vec<ContentHash> {
    let mut known = vec![None; types.len()];
    (0..types.len()).map(|index| type_hash(types, &mut known, TypeId::at(index), 0)).collect()
}

fn type_hash(types: &TypeTable, known: &mut [Option<ContentHash>], id: TypeId, depth: u32) -> ContentHash {
    let unknown = ContentHash([0; 16]);
    match known.get(id.index()) {
        Some(Some(hash)) => return *hash,
        Some(None) if depth <= DEEPEST => {}
        _ => return unknown,
    }
    let mut sink = Sink::default();
    let mut child = |sink: &mut Sink, id: &TypeId| sink.hash(type_hash(types, known, *id, depth + 1));
    match types.get(id) {
        Type::Void => sink.tag(0),
        Type::Int(width) => {
            sink.tag(1);
            sink.number(*width);
        }
        Type::Float(kind) => {
            sink.tag(2);
            sink.plain(kind);
        }
        Type::Pointer(space) => {
            sink.tag(3);
            sink.number(*space);
        }
        Type::Array { element, len } => {
            sink.tag(4);
            sink.wide(*len);
            child(&mut sink, element);
        }
        Type::Vector { element, len, scalable } => {
            sink.tag(if *scalable { 6 } else { 5 });
            sink.number(*len);
            child(&mut sink, element);
        }
        Type::Struct(StructType { fields: None, .. }) => sink.tag(7),
        Type::Struct(StructType { fields: Some(fields), packed, .. }) => {
            sink.tag(if *packed { 9 } else { 8 });
            sink.wide(fields.len() as u64);
            fields.iter().for_each(|field| child(&mut sink, field));
        }
        Type::Function { result, parameters, varargs } => {
            sink.tag(if *varargs { 11 } else { 10 });
            sink.wide(parameters.len() as u64);
            child(&mut sink, result);
            parameters.iter().for_each(|parameter| child(&mut sink, parameter));
        }
        Type::Other(name) => {
            sink.tag(12);
            sink.text(name);
        }
    }
    sink.plain(&types.layout(id));
    let hash = sink.finish();
    known[id.index()] = Some(hash);
    hash
}
