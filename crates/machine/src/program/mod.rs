//! A program ready to run: the user's units and the members of the C library that they need, with every symbol at its
//! address. Functions are decoded when they are first called.

mod archive;
mod bind;
mod build;
mod builtin;
mod constant;
mod host;
mod image;
mod passing;
mod stream;

pub use archive::{Archive, ArchiveError, Member};
pub use build::{BuildError, COMPLEX, Library};
pub use builtin::Builtin;
pub(crate) use constant::{constant_int, constant_type};
pub use passing::{Convention, Passing, convention, convention_of, is_record, result_words};
pub use stream::{Standard, stream_for};

use crate::code::{self, Code};
use crate::memory::Memory;
use hydrogen_ir::{FunctionId, GlobalId, Linkage, Module};
use rustc_hash::FxHashMap;
use std::sync::{Arc, OnceLock};

/// A function of the program, the C library's and built-in ones included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FuncId(pub u32);

/// A function.
#[derive(Debug)]
pub struct Func {
    /// Its name.
    pub name: String,
    /// What is behind it.
    pub kind: FuncKind,
    pub(crate) address: u64,
    code: OnceLock<Box<Code>>,
}

/// What is behind a name that can be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FuncKind {
    /// A body: its unit and its number there.
    Defined(u32, FunctionId),
    /// Something that the machine does itself.
    Builtin(Builtin),
    /// Nothing: no unit defines it.
    Undefined,
}

/// A translation unit, or the linked units of the user's program.
#[derive(Debug)]
pub(crate) struct Unit {
    pub(crate) module: Arc<Module>,
    /// By [`FunctionId`].
    pub(crate) functions: Vec<u64>,
    /// By [`GlobalId`]; `None` for aliases, which stand for something else.
    pub(crate) globals: Vec<Option<u64>>,
}

/// A program that can be run any number of times, also by several threads at once.
#[derive(Debug)]
pub struct Program {
    units: Vec<Unit>,
    functions: Vec<Func>,
    /// What is called by name from outside: the entry points.
    names: FxHashMap<String, FuncId>,
    /// Memory as it is before the first instruction.
    pub(crate) image: Memory,
    /// Variables of which every thread has its own.
    pub(crate) thread_locals: Vec<u64>,
    /// Functions that run before `main`, in order.
    pub(crate) constructors: Vec<FuncId>,
    /// Functions that run when the program ends, in order.
    pub(crate) destructors: Vec<FuncId>,
    /// Names that are used and defined nowhere, sorted.
    pub undefined: Vec<String>,
    /// Definitions that clash, as text.
    pub conflicts: Vec<String>,
    /// Whether the C library is there.
    pub has_library: bool,
    /// The user's variables and constants whose name another one has that comes before, with a number.
    pub(crate) namesakes: FxHashMap<GlobalId, u32>,
}

impl Program {
    pub(crate) fn module(&self, unit: usize) -> &Module {
        &self.units[unit].module
    }

    /// The function with this id.
    pub fn function(&self, id: FuncId) -> &Func {
        &self.functions[id.0 as usize]
    }

    /// All functions.
    pub fn ids(&self) -> impl Iterator<Item = FuncId> + use<> {
        (0..self.functions.len() as u32).map(FuncId)
    }

    /// The function of this name that is visible to all units.
    pub fn find(&self, name: &str) -> Option<FuncId> {
        self.names.get(name).copied()
    }

    /// The model of a function, and the unit it is from.
    pub fn model(&self, id: FuncId) -> Option<(&Module, &hydrogen_ir::Function)> {
        let FuncKind::Defined(unit, function) = self.function(id).kind else { return None };
        let module = self.module(unit as usize);
        Some((module, module.function(function)))
    }

    /// Whether the function is of the user's program and not of the C library.
    pub fn is_users(&self, id: FuncId) -> bool {
        matches!(self.function(id).kind, FuncKind::Defined(0, _))
    }

    /// The decoded form of a function with a body.
    pub fn code(&self, id: FuncId) -> Option<&Code> {
        let function = self.function(id);
        let FuncKind::Defined(unit, number) = function.kind else { return None };
        let code = function.code.get_or_init(|| {
            let model = self.module(unit as usize).function(number);
            let body = model.body.as_ref().expect("only functions with a body are `Defined`");
            Box::new(code::decode(self, unit as usize, model, body))
        });
        Some(code)
    }

    /// The function at this address. Functions are the first objects after the null one.
    pub fn function_at(&self, address: u64) -> Option<FuncId> {
        let id = FuncId(u32::try_from(crate::memory::heap_place(address).checked_sub(1)?).ok()?);
        let function = self.functions.get(id.0 as usize)?;
        (function.address == address).then_some(id)
    }

    fn function_address(&self, unit: usize, function: FunctionId) -> u64 {
        self.units[unit].functions[function.index()]
    }

    fn global_address(&self, unit: usize, global: GlobalId, depth: u32) -> Option<u64> {
        let unit_of = &self.units[unit];
        match unit_of.globals[global.index()] {
            Some(address) => Some(address),
            None => {
                let alias = unit_of.module.global(global).alias_of?;
                Some(self.scalar(unit, alias, depth + 1)? as u64)
            }
        }
    }

    /// The address of a global variable of a unit; none for aliases, which stand for something else.
    pub fn address_of(&self, unit: u32, global: GlobalId) -> Option<u64> {
        *self.units.get(unit as usize)?.globals.get(global.index())?
    }

    /// The bytes that a global variable begins with; addresses of others are of no use outside.
    pub fn initial_bytes(&self, unit: u32, global: GlobalId) -> Option<&[u8]> {
        let address = self.address_of(unit, global)?;
        let size = self.image.object(address)?.size;
        let (region, at) = self.image.range(address, size, false)?;
        self.image.arenas[region].bytes.get(at..at + size as usize)
    }

    /// The name of a global variable.
    pub(crate) fn global_name(&self, unit: u32, global: GlobalId) -> &str {
        &self.module(unit as usize).global(global).name
    }

    /// What a pointer to a global variable calls it: its name where that is the first of its name in the program, and visible from
    /// everywhere in the library; else a name of its own, so that no two are taken for one.
    pub(crate) fn known_as(&self, unit: u32, global: GlobalId) -> String {
        let module = self.module(unit as usize);
        let own = module.global(global);
        match self.namesakes.get(&global).filter(|_| unit == 0) {
            Some(number) => format!("{}#{number}", own.name),
            None if unit > 0 && (own.private || own.linkage == Linkage::Internal) => {
                format!("{}:{}", module.name, own.name)
            }
            None => own.name.clone(),
        }
    }

    /// How many functions there are; their ids count from 0.
    pub fn function_count(&self) -> usize {
        self.functions.len()
    }

    /// The models of all units: the user's program first, then members of the library.
    pub fn units(&self) -> impl Iterator<Item = &Module> {
        self.units.iter().map(|unit| &*unit.module)
    }

    /// The places of global variables before the first instruction, with unit and number there.
    pub fn globals(&self) -> impl Iterator<Item = (u32, GlobalId, crate::Place, u64)> {
        self.image.each().filter_map(|(_, object, info)| {
            let crate::memory::ObjectKind::Global(unit, id) = info.kind else { return None };
            let place = crate::Place { region: crate::memory::HEAP, at: object.start as usize };
            (object.size > 0).then_some((unit, id, place, object.size))
        })
    }

    /// Functions that nobody calls and that run all the same: before `main`, and at the end.
    pub fn around(&self) -> impl Iterator<Item = FuncId> {
        self.constructors.iter().chain(&self.destructors).copied()
    }

    /// How many functions have been decoded so far.
    pub fn decoded(&self) -> usize {
        self.functions.iter().filter(|function| function.code.get().is_some()).count()
    }
}
