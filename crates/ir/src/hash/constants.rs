//! Constants by value, and private globals by content.

use super::{ContentHash, names::canonical_names, sink::Sink, types::type_hashes};
use crate::{Const, ConstExpr, ConstId, GlobalId, Module, Reference, ReferenceMut, TypeId};
use std::collections::HashMap;

/// Constants inside constants and private globals inside private globals; beyond, a type says enough. A forged
/// module must exhaust neither the stack …
const DEEPEST: u32 = 200;
/// … nor our patience, when private globals refer to each other in many rings.
const MOST_UNSHARED: u32 = 10_000;

/// Everything that hashes of one module share.
pub(super) struct Hashes<'m> {
    pub(super) module: &'m Module,
    pub(super) types: Vec<ContentHash>,
    pub(super) names: Vec<String>,
    constants: Vec<Option<ContentHash>>,
    globals: Vec<Option<ContentHash>>,
    /// Constants that lead into a ring, hashed from the outside.
    roots: HashMap<ConstId, ContentHash>,
    /// The private globals we are inside of.
    open: Vec<GlobalId>,
    /// Hashes that could not be shared because they lead into a ring.
    unshared: u32,
    /// Whether types count as a whole, not by what is seen of them.
    pub(super) exact: bool,
}

/// A hash, and whether it leads into a ring of private globals. Inside a ring the hash depends on where the ring was
/// entered, so it must not be reused elsewhere: the result would depend on the order of questions.
type Found = (ContentHash, bool);

impl<'m> Hashes<'m> {
    pub(super) fn new(module: &'m Module) -> Self {
        Hashes {
            module,
            types: type_hashes(&module.types),
            names: canonical_names(&module.globals),
            constants: vec![None; module.constants.len()],
            globals: vec![None; module.globals.len()],
            roots: HashMap::new(),
            open: Vec::new(),
            unshared: 0,
            exact: false,
        }
    }

    /// As [`Hashes::new`], with types as a whole.
    pub(super) fn exact(module: &'m Module) -> Self {
        Hashes { exact: true, ..Self::new(module) }
    }

    pub(super) fn ty(&self, id: TypeId) -> ContentHash {
        self.types.get(id.index()).copied().unwrap_or(ContentHash([0; 16]))
    }

    pub(super) fn constant(&mut self, id: ConstId) -> ContentHash {
        // Small ones are asked for again and again; this test keeps the common case short.
        if let Some(Some(hash)) = self.constants.get(id.index()) {
            return *hash;
        }
        if let Some(hash) = self.roots.get(&id) {
            return *hash;
        }
        self.unshared = 0;
        let (hash, ring) = self.constant_at(id, 0);
        if ring {
            self.roots.insert(id, hash);
        }
        hash
    }

    fn constant_at(&mut self, id: ConstId, depth: u32) -> Found {
        let module = self.module;
        let Some(constant) = module.constants.get(id.index()).filter(|_| depth < DEEPEST) else {
            return (ContentHash([1; 16]), false);
        };
        if let Some(hash) = self.constants[id.index()] {
            return (hash, false);
        }
        let mut sink = Sink::default();
        let mut ring = false;
        // First the value without its ids, then what the ids stand for: no field can be forgotten.
        let mut skeleton = constant.clone();
        skeleton.references_mut(|reference| match reference {
            ReferenceMut::Type(id) => *id = TypeId(0),
            ReferenceMut::Const(id) => *id = ConstId(0),
            ReferenceMut::Global(id) => *id = GlobalId(0),
            ReferenceMut::Function(id) => *id = crate::FunctionId(0),
            _ => {}
        });
        sink.plain(&skeleton);
        let members = match constant {
            Const::Expr { expr: ConstExpr::ElementAddress { source, indices, .. }, .. } if !self.exact => {
                let numbers: Vec<Option<u128>> = indices.iter().map(|id| self.number(*id)).collect();
                Some(self.path(&mut sink, *source, &numbers, true))
            }
            _ => None,
        };
        let mut operands = 0;
        constant.references(|reference| match reference {
            Reference::Type(_) if members.is_some() => {}
            Reference::Type(id) => sink.hash(self.ty(*id)),
            Reference::Const(id) => {
                operands += 1;
                // The base comes first; the place of a member stands for its number.
                if members.as_ref().is_some_and(|members| operands > 1 && members[operands - 2]) {
                    return;
                }
                let (hash, inner) = self.constant_at(*id, depth + 1);
                ring |= inner;
                sink.hash(hash);
            }
            Reference::Global(id) => {
                let (hash, inner) = self.global_at(*id, depth + 1);
                ring |= inner;
                sink.hash(hash);
            }
            Reference::Function(id) => {
                sink.text(module.functions.get(id.index()).map_or("", |function| &function.name));
            }
            _ => {}
        });
        let hash = sink.finish();
        if !ring {
            self.constants[id.index()] = Some(hash);
        }
        (hash, ring)
    }

    /// A global as an operand: private ones by content, others by name and what is seen of their type.
    fn global_at(&mut self, id: GlobalId, depth: u32) -> Found {
        let Some(global) = self.module.globals.get(id.index()) else {
            return (ContentHash([2; 16]), false);
        };
        if let Some(hash) = self.globals[id.index()] {
            return (hash, false);
        }
        let mut sink = Sink::default();
        let mut ring = false;
        if !global.private {
            sink.tag(0);
            sink.text(&self.names[id.index()]);
            self.start(&mut sink, global.ty);
        } else if let Some(position) = self.open.iter().position(|&open| open == id) {
            // A ring: how many steps back it goes is the same from wherever the ring is entered.
            sink.tag(1);
            sink.wide((self.open.len() - position) as u64);
            return (sink.finish(), true);
        } else {
            sink.tag(2);
            ring = self.content(&mut sink, id, depth);
        }
        let hash = sink.finish();
        match ring {
            true => self.unshared += 1,
            false => self.globals[id.index()] = Some(hash),
        }
        (hash, ring)
    }

    /// Type, value and properties of a global.
    fn content(&mut self, sink: &mut Sink, id: GlobalId, depth: u32) -> bool {
        let global = self.module.global(id);
        sink.hash(self.ty(global.ty));
        sink.tag(u8::from(global.constant) | u8::from(global.thread_local) << 1);
        sink.number(global.align);
        if self.unshared > MOST_UNSHARED || depth >= DEEPEST {
            sink.tag(9);
            return false;
        }
        let mut ring = false;
        self.open.push(id);
        for value in [global.initializer, global.alias_of] {
            sink.tag(u8::from(value.is_some()));
            if let Some(value) = value {
                let (hash, inner) = self.constant_at(value, depth + 1);
                ring |= inner;
                sink.hash(hash);
            }
        }
        self.open.pop();
        ring
    }

    /// What users of a named global see of what it holds: nothing of its type where it begins with zeroes, since they say which parts
    /// they use.
    pub(super) fn seen(&mut self, id: GlobalId) -> ContentHash {
        let global = self.module.global(id);
        let is_zero = |id: ConstId| matches!(self.module.constants.get(id.index()), Some(Const::Zero(_)));
        if global.initializer.is_some_and(is_zero) && global.alias_of.is_none() {
            let mut sink = Sink::default();
            sink.tag(u8::from(global.constant) | u8::from(global.thread_local) << 1);
            return sink.finish();
        }
        self.definition(id)
    }

    /// What a named global holds.
    pub(super) fn definition(&mut self, id: GlobalId) -> ContentHash {
        let mut sink = Sink::default();
        self.unshared = 0;
        self.content(&mut sink, id, 0);
        sink.finish()
    }
}
