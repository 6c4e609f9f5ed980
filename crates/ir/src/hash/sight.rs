//! What code sees of the types that it works on: the room of what it makes, copies or steps over, and the places of the members that it
//! uses. A structure that grows behind a member says nothing to code that uses that member only.

use super::{constants::Hashes, sink::Sink};
use crate::{Const, ConstId, Op, Operand, StructType, Type, TypeId};

/// Real types are a few levels deep; a forged table must not exhaust the stack.
const DEEPEST: u32 = 200;

/// How much of a structure is looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sight {
    /// Its size and alignment.
    Room,
    /// What stands at its beginning: constant addresses of first members are those of the structure.
    Start,
    /// Nothing: whoever uses a member says so.
    Address,
}

impl Hashes<'_> {
    /// What is seen of a type by code that has, copies or steps over something of it.
    pub(super) fn room(&self, sink: &mut Sink, id: TypeId) {
        self.sight(sink, id, Sight::Room, 0);
    }

    /// What is seen of a type by code that has the constant address of something of it.
    pub(super) fn start(&self, sink: &mut Sink, id: TypeId) {
        self.sight(sink, id, Sight::Start, 0);
    }

    /// What is seen of a type by code that has the address of something of it: how many elements there are, if it is an array.
    pub(super) fn place(&self, sink: &mut Sink, id: TypeId) {
        self.sight(sink, id, Sight::Address, 0);
    }

    fn sight(&self, sink: &mut Sink, id: TypeId, how: Sight, depth: u32) {
        let types = &self.module.types;
        if self.exact || !types.contains(id) || depth > DEEPEST {
            return sink.hash(self.ty(id));
        }
        match types.get(id) {
            Type::Array { element, len } => {
                sink.tag(1);
                sink.wide(*len);
                self.sight(sink, *element, how, depth + 1);
            }
            Type::Struct(StructType { fields: Some(fields), .. }) => {
                sink.tag(2);
                match (how, types.layout(id), fields.first()) {
                    (Sight::Room, Some(layout), _) => {
                        sink.plain(&(layout.size_bits, layout.alloc_bytes, layout.align_bytes));
                    }
                    (Sight::Room, None, _) => sink.hash(self.ty(id)),
                    (Sight::Start, _, Some(first)) => self.sight(sink, *first, how, depth + 1),
                    (Sight::Start, _, None) | (Sight::Address, ..) => {}
                }
            }
            _ => {
                sink.tag(3);
                sink.hash(self.ty(id));
            }
        }
    }

    /// What an address computation sees, beyond the values of its indices: sizes of what it steps over, places of members, lengths of arrays.
    /// `start` says what of the type at its end. Gives for each index whether it is the number of a member, for which its
    /// place stands.
    pub(super) fn path(
        &self,
        sink: &mut Sink,
        source: TypeId,
        indices: &[Option<u128>],
        constant: bool,
    ) -> Vec<bool> {
        let mut members = vec![false; indices.len()];
        if self.exact {
            sink.hash(self.ty(source));
            return members;
        }
        let types = &self.module.types;
        let mut ty = source;
        for (at, index) in indices.iter().enumerate() {
            let steps = *index != Some(0);
            if at == 0 {
                if steps {
                    self.room(sink, ty);
                }
                continue;
            }
            let inner = match types.contains(ty).then(|| types.get(ty)) {
                Some(Type::Array { element, len }) => {
                    sink.tag(4);
                    sink.wide(*len);
                    if steps {
                        self.room(sink, *element);
                    }
                    Some(*element)
                }
                Some(Type::Struct(StructType { fields: Some(fields), .. })) => {
                    let number = index.and_then(|index| usize::try_from(index).ok());
                    let offset = number.and_then(|number| types.layout(ty)?.field_offsets.get(number));
                    number.and_then(|number| fields.get(number)).zip(offset).map(|(field, offset)| {
                        sink.tag(5);
                        sink.wide(*offset);
                        members[at] = true;
                        *field
                    })
                }
                _ => None,
            };
            let Some(inner) = inner else {
                // A vector, or something forged: then it is the type itself.
                sink.tag(6);
                sink.hash(self.ty(source));
                return vec![false; indices.len()];
            };
            ty = inner;
        }
        match constant {
            true => self.start(sink, ty),
            false => self.place(sink, ty),
        }
        members
    }

    /// The value of an integer constant.
    pub(super) fn number(&self, id: ConstId) -> Option<u128> {
        match self.module.constants.get(id.index()) {
            Some(Const::Int { bits, .. }) => Some(*bits),
            Some(Const::Zero(_)) => Some(0),
            _ => None,
        }
    }

    /// For an address computation, [`Hashes::path`]; nothing for other operations.
    pub(super) fn path_of(&self, sink: &mut Sink, op: &Op) -> Option<Vec<bool>> {
        let Op::ElementAddress { source, indices, .. } = op else { return None };
        let number = |operand: &Operand| match operand {
            Operand::Const(id) => self.number(*id),
            _ => None,
        };
        let numbers: Vec<Option<u128>> = indices.iter().map(number).collect();
        Some(self.path(sink, *source, &numbers, false))
    }
}
