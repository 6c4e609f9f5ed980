//! From LLVM's module to the program model: one function per function, one instruction per instruction.

mod attributes;
mod body;
mod constants;
mod ctypes;
mod files;
mod functions;
mod globals;
mod instructions;
mod operators;
mod terminators;
mod types;
mod variables;

pub(crate) use files::lexical;

use crate::llvm::{LlvmModule, Value};
use attributes::AttributeKinds;
use constants::Constants;
use ctypes::CTypes;
use files::Files;
use hydrogen_ir::{ConstId, FunctionId, GlobalId, Module};
use rustc_hash::FxHashMap;
use std::path::{Path, PathBuf};
use types::Types;

/// Why a module cannot be lowered. LLVM's verifier has accepted it, so each of these is a gap of ours.
#[derive(Debug, thiserror::Error)]
pub enum LowerError {
    /// A reference to something that the module does not list.
    #[error("the module refers to {0}, which it does not contain")]
    Unknown(String),
}

/// Where a unit comes from: how its files are named in the model.
#[derive(Debug, Clone, Default)]
pub struct Origin {
    directory: PathBuf,
    root: PathBuf,
    real_root: Option<PathBuf>,
}

impl Origin {
    /// A unit compiled in `directory`, of a version whose files lie under `root`.
    pub fn new(directory: &Path, root: &Path) -> Self {
        // Build systems may have resolved symbolic links; both spellings of the root count.
        let real_root = std::fs::canonicalize(root).ok().filter(|real| real != root);
        Self { directory: directory.to_owned(), root: lexical(root), real_root }
    }
}

/// Lowers a module. Pieces are the synthetic entry and exit only; attribution to statements comes later.
pub fn lower(module: &LlvmModule, origin: &Origin) -> Result<Module, LowerError> {
    let mut lowering = Lowering {
        symbols: Symbols::collect(module),
        types: Types::new(module),
        constants: Constants::default(),
        ctypes: CTypes::default(),
        files: Files::new(origin),
        attributes: AttributeKinds::new(),
    };
    let globals = lowering.globals(module)?;
    let functions =
        module.functions().map(|function| lowering.function(function)).collect::<Result<_, _>>()?;
    Ok(Module {
        name: origin.name("", &module.source_name()),
        target: module.target(),
        files: lowering.files.list,
        types: lowering.types.table,
        ctypes: lowering.ctypes.list,
        constants: lowering.constants.list,
        globals,
        functions,
        assembly: module.assembly(),
    })
}

/// The state of lowering one module.
struct Lowering<'m, 'o> {
    symbols: Symbols<'m>,
    types: Types<'m>,
    constants: Constants<'m>,
    ctypes: CTypes<'m>,
    files: Files<'m, 'o>,
    attributes: AttributeKinds,
}

impl<'m> Lowering<'m, '_> {
    fn constant(&mut self, value: Value<'m>) -> Result<ConstId, LowerError> {
        self.constants.lower(value, &mut self.types, &self.symbols)
    }
}

/// The ids of functions and globals, fixed before anything refers to them.
struct Symbols<'m> {
    functions: FxHashMap<Value<'m>, FunctionId>,
    globals: FxHashMap<Value<'m>, GlobalId>,
}

impl<'m> Symbols<'m> {
    fn collect(module: &'m LlvmModule) -> Self {
        let functions = module.functions().enumerate();
        let globals = module.globals().chain(module.aliases()).chain(module.ifuncs()).enumerate();
        Self {
            functions: functions.map(|(index, value)| (value, FunctionId::at(index))).collect(),
            globals: globals.map(|(index, value)| (value, GlobalId::at(index))).collect(),
        }
    }

    fn function(&self, value: Value<'m>) -> Result<FunctionId, LowerError> {
        self.functions.get(&value).copied().ok_or_else(|| LowerError::Unknown(value.name()))
    }

    fn global(&self, value: Value<'m>) -> Result<GlobalId, LowerError> {
        self.globals.get(&value).copied().ok_or_else(|| LowerError::Unknown(value.name()))
    }
}
