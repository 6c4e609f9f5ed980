//! Constants by value, and private globals by content.

use super::{ContentHash, names::canonical_names, sink::Sink, types::type_hashes};
use crate::{ConstId, GlobalId, Module, Reference, ReferenceMut, TypeId};

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
    /// The private globals we are inside of.
    open: Vec<GlobalId>,
    /// Hashes that could not be shared because they looked back into the ring they are part of.
    unshared: u32,
}

/// A hash, and how far out in [`Hashes::open`] it looked back: such a hash holds in this context alone.
type Found = (ContentHash, usize);
const CONTEXT_FREE: usize = usize::MAX;

impl<'m> Hashes<'m> {
    pub(super) fn new(module: &'m Module) -> Self {
        Hashes {
            module,
            types: type_hashes(&module.types),
            names: canonical_names(&module.globals),
            constants: vec![None; module.constants.len()],
            globals: vec![None; module.globals.len()],
            open: Vec::new(),
            unshared: 0,
        }
    }

    pub(super) fn ty(&self, id: TypeId) -> ContentHash {
        self.types.get(id.index()).copied().unwrap_or(ContentHash([0; 16]))
    }

    pub(super) fn constant(&mut self, id: ConstId) -> ContentHash {
        // Small ones are asked for again and again; this test keeps the common case short.
        if let Some(Some(hash)) = self.constants.get(id.index()) {
            return *hash;
        }
        self.unshared = 0;
        self.constant_at(id, 0).0
    }

    fn constant_at(&mut self, id: ConstId, depth: u32) -> Found {
        let module = self.module;
        let Some(constant) = module.constants.get(id.index()).filter(|_| depth < DEEPEST) else {
            return (ContentHash([1; 16]), CONTEXT_FREE);
        };
        if let Some(hash) = self.constants[id.index()] {
            return (hash, CONTEXT_FREE);
        }
        let mut sink = Sink::default();
        let mut outermost = CONTEXT_FREE;
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
        constant.references(|reference| match reference {
            Reference::Type(id) => sink.hash(self.ty(*id)),
            Reference::Const(id) => {
                let (hash, out) = self.constant_at(*id, depth + 1);
                outermost = outermost.min(out);
                sink.hash(hash);
            }
            Reference::Global(id) => {
                let (hash, out) = self.global_at(*id, depth + 1);
                outermost = outermost.min(out);
                sink.hash(hash);
            }
            Reference::Function(id) => {
                sink.text(module.functions.get(id.index()).map_or("", |function| &function.name));
            }
            _ => {}
        });
        let hash = sink.finish();
        if outermost == CONTEXT_FREE {
            self.constants[id.index()] = Some(hash);
        }
        (hash, outermost)
    }

    /// A global as an operand: private ones by content, others by name and type.
    fn global_at(&mut self, id: GlobalId, depth: u32) -> Found {
        let Some(global) = self.module.globals.get(id.index()) else {
            return (ContentHash([2; 16]), CONTEXT_FREE);
        };
        if let Some(hash) = self.globals[id.index()] {
            return (hash, CONTEXT_FREE);
        }
        let mut sink = Sink::default();
        let mut outermost = CONTEXT_FREE;
        if !global.private {
            sink.tag(0);
            sink.text(&self.names[id.index()]);
            sink.hash(self.ty(global.ty));
        } else if let Some(position) = self.open.iter().position(|&open| open == id) {
            // A ring: how many steps back it goes is the same from wherever the ring is entered.
            sink.tag(1);
            sink.wide((self.open.len() - position) as u64);
            return (sink.finish(), position);
        } else {
            sink.tag(2);
            outermost = self.content(&mut sink, id, depth);
        }
        let hash = sink.finish();
        // What looks back no further than to itself is whole.
        if outermost >= self.open.len() {
            self.globals[id.index()] = Some(hash);
            return (hash, CONTEXT_FREE);
        }
        self.unshared += 1;
        (hash, outermost)
    }

    /// Type, value and properties of a global.
    fn content(&mut self, sink: &mut Sink, id: GlobalId, depth: u32) -> usize {
        let global = self.module.global(id);
        sink.hash(self.ty(global.ty));
        sink.tag(u8::from(global.constant) | u8::from(global.thread_local) << 1);
        sink.number(global.align);
        if self.unshared > MOST_UNSHARED || depth >= DEEPEST {
            sink.tag(9);
            return CONTEXT_FREE;
        }
        let mut outermost = CONTEXT_FREE;
        self.open.push(id);
        for value in [global.initializer, global.alias_of] {
            sink.tag(u8::from(value.is_some()));
            if let Some(value) = value {
                let (hash, out) = self.constant_at(value, depth + 1);
                outermost = outermost.min(out);
                sink.hash(hash);
            }
        }
        self.open.pop();
        outermost
    }

    /// What a named global holds.
    pub(super) fn definition(&mut self, id: GlobalId) -> ContentHash {
        let mut sink = Sink::default();
        self.unshared = 0;
        self.content(&mut sink, id, 0);
        sink.finish()
    }
}
