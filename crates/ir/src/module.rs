//! A translation unit, or a whole program after linking.

use crate::{
    CType, CTypeId, Const, ConstId, FileId, Function, FunctionId, GlobalId, Linkage, TypeId, TypeTable,
};
use serde::{Deserialize, Serialize};

/// One translation unit, or several linked into a program.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Module {
    /// The unit's main source file, or the program's name.
    pub name: String,
    /// The target triple; empty in build-free mode.
    pub target: String,
    /// Source files by [`FileId`], relative to the version's root where inside it.
    pub files: Vec<String>,
    /// Machine types.
    pub types: TypeTable,
    /// C types by [`CTypeId`].
    pub ctypes: Vec<CType>,
    /// Constants by [`ConstId`].
    pub constants: Vec<Const>,
    /// Global variables by [`GlobalId`].
    pub globals: Vec<Global>,
    /// Functions by [`FunctionId`], declarations included.
    pub functions: Vec<Function>,
    /// Assembly outside functions.
    pub assembly: String,
}

impl Module {
    /// The constant with this id.
    pub fn constant(&self, id: ConstId) -> &Const {
        &self.constants[id.index()]
    }

    /// The global with this id.
    pub fn global(&self, id: GlobalId) -> &Global {
        &self.globals[id.index()]
    }

    /// The function with this id.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    /// The C type with this id.
    pub fn ctype(&self, id: CTypeId) -> &CType {
        &self.ctypes[id.index()]
    }

    /// The name of a file.
    pub fn file(&self, id: FileId) -> &str {
        &self.files[id.index()]
    }

    /// The functions that have a definition, in order.
    pub fn definitions(&self) -> impl Iterator<Item = (FunctionId, &Function)> {
        self.functions
            .iter()
            .enumerate()
            .filter(|(_, function)| function.is_defined())
            .map(|(index, function)| (FunctionId::at(index), function))
    }
}

/// A global variable, an alias or a string literal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Global {
    /// The linker's name.
    pub name: String,
    /// Who can see it.
    pub linkage: Linkage,
    /// The type of the object (not of its address).
    pub ty: TypeId,
    /// The C type, where debug information has it.
    pub ctype: Option<CTypeId>,
    /// The initial value; `None` when it is defined elsewhere.
    pub initializer: Option<ConstId>,
    /// Whether the program may not write it.
    pub constant: bool,
    /// Whether the name was made up by the compiler (string literals and the like): the content is what counts.
    pub private: bool,
    /// Whether each thread has its own.
    pub thread_local: bool,
    /// Alignment in bytes; 0 where unspecified.
    pub align: u32,
    /// For an alias: the symbol it stands for.
    pub alias_of: Option<ConstId>,
    /// The file and line of the definition, where known.
    pub location: Option<crate::Location>,
}
