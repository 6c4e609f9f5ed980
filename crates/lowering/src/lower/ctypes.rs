//! C types from debug information.

use crate::llvm::{Debug, Node};
use hydrogen_ir::{CType, CTypeId, Encoding, Enumerator, Member, RecordKind};
use rustc_hash::FxHashMap;

/// DWARF's numbers, as far as clang writes them for C.
mod dwarf {
    pub const ARRAY: u32 = 0x01;
    pub const CLASS: u32 = 0x02;
    pub const ENUMERATION: u32 = 0x04;
    pub const MEMBER: u32 = 0x0d;
    pub const POINTER: u32 = 0x0f;
    pub const REFERENCE: u32 = 0x10;
    pub const STRUCTURE: u32 = 0x13;
    pub const SUBROUTINE: u32 = 0x15;
    pub const TYPEDEF: u32 = 0x16;
    pub const UNION: u32 = 0x17;
    pub const BASE: u32 = 0x24;
    pub const CONST: u32 = 0x26;
    pub const VOLATILE: u32 = 0x35;
    pub const RESTRICT: u32 = 0x37;
    pub const RVALUE_REFERENCE: u32 = 0x42;
    pub const ATOMIC: u32 = 0x47;

    pub const BOOLEAN: u32 = 0x02;
    pub const COMPLEX: u32 = 0x03;
    pub const FLOAT: u32 = 0x04;
    pub const SIGNED: u32 = 0x05;
    pub const SIGNED_CHAR: u32 = 0x06;
    pub const UNSIGNED: u32 = 0x07;
    pub const UNSIGNED_CHAR: u32 = 0x08;
    pub const UTF: u32 = 0x10;
}

/// The C types found so far.
#[derive(Default)]
pub(super) struct CTypes<'m> {
    known: FxHashMap<Option<Node<'m>>, CTypeId>,
    pub(super) list: Vec<CType>,
}

impl<'m> CTypes<'m> {
    /// The C type of a node; none is `void`.
    pub(super) fn lower(&mut self, node: Option<Node<'m>>) -> CTypeId {
        if let Some(&id) = self.known.get(&node) {
            return id;
        }
        // C types are cyclic: the id is known before the content is.
        let id = CTypeId::at(self.list.len());
        self.list.push(CType::Void);
        self.known.insert(node, id);
        if let Some(node) = node {
            self.list[id.index()] = self.convert(node.read());
        }
        id
    }

    fn convert(&mut self, node: Debug<'m>) -> CType {
        let size_bits = node.size_bits;
        match node.tag {
            dwarf::BASE => CType::Basic { encoding: encoding(node.encoding), name: node.name, size_bits },
            dwarf::POINTER | dwarf::REFERENCE | dwarf::RVALUE_REFERENCE => {
                CType::Pointer(self.lower(node.base))
            }
            dwarf::TYPEDEF => CType::Typedef { target: self.lower(node.base), name: node.name },
            dwarf::CONST => self.qualified("const", node.base),
            dwarf::VOLATILE => self.qualified("volatile", node.base),
            dwarf::RESTRICT => self.qualified("restrict", node.base),
            dwarf::ATOMIC => self.qualified("_Atomic", node.base),
            dwarf::ARRAY => CType::Array {
                element: self.lower(node.base),
                lengths: node.elements.iter().flatten().map(|range| length(&range.read())).collect(),
            },
            dwarf::STRUCTURE => self.record(RecordKind::Struct, node),
            dwarf::UNION => self.record(RecordKind::Union, node),
            dwarf::CLASS => self.record(RecordKind::Class, node),
            dwarf::ENUMERATION => CType::Enum {
                values: node.elements.iter().flatten().map(|value| enumerator(value.read())).collect(),
                name: named(node.name),
                size_bits,
            },
            dwarf::SUBROUTINE => self.function(&node.elements),
            _ => CType::Void,
        }
    }

    fn qualified(&mut self, qualifier: &str, target: Option<Node<'m>>) -> CType {
        CType::Qualified { qualifier: qualifier.to_owned(), target: self.lower(target) }
    }

    fn record(&mut self, kind: RecordKind, node: Debug<'m>) -> CType {
        let members = node.elements.iter().flatten().map(|member| member.read());
        let members = members
            .filter(|member| member.tag == dwarf::MEMBER && !member.is_static)
            .map(|member| Member {
                ty: self.lower(member.base),
                name: member.name,
                offset_bits: member.offset_bits,
                size_bits: member.size_bits,
                bit_field: member.bit_field,
            })
            .collect();
        CType::Record { kind, name: named(node.name), size_bits: node.size_bits, members }
    }

    fn function(&mut self, parts: &[Option<Node<'m>>]) -> CType {
        // The first part is the result; `...` is a missing type at the end.
        let (result, rest) = parts.split_first().map_or((None, parts), |(first, rest)| (*first, rest));
        let (varargs, rest) = match rest.split_last() {
            Some((None, rest)) => (true, rest),
            _ => (false, rest),
        };
        CType::Function {
            result: self.lower(result),
            parameters: rest.iter().map(|part| self.lower(*part)).collect(),
            varargs,
        }
    }
}

fn named(name: String) -> Option<String> {
    (!name.is_empty()).then_some(name)
}

fn length(range: &Debug<'_>) -> Option<u64> {
    range.known.then(|| u64::try_from(range.value).ok()).flatten()
}

fn enumerator(node: Debug<'_>) -> Enumerator {
    Enumerator { name: node.name, value: node.value }
}

fn encoding(encoding: u32) -> Encoding {
    match encoding {
        dwarf::BOOLEAN => Encoding::Boolean,
        dwarf::COMPLEX => Encoding::Complex,
        dwarf::FLOAT => Encoding::Float,
        dwarf::SIGNED | dwarf::SIGNED_CHAR => Encoding::Signed,
        dwarf::UNSIGNED | dwarf::UNSIGNED_CHAR | dwarf::UTF => Encoding::Unsigned,
        _ => Encoding::Other,
    }
}
