//! Finding symbols by name.

use crate::{Function, FunctionId, GlobalId, Module};

impl Module {
    /// All functions of this name, declarations included, in order. A linked program can have several: statics of
    /// different files.
    pub fn functions_named(&self, name: &str) -> impl Iterator<Item = FunctionId> {
        let named = move |(_, function): &(usize, &Function)| function.name == name;
        self.functions.iter().enumerate().filter(named).map(|(index, _)| FunctionId::at(index))
    }

    /// The definition of `name` in `file`.
    pub fn find_function(&self, file: &str, name: &str) -> Option<FunctionId> {
        self.functions_named(name).find(|&id| {
            let defined_in = self.function(id).file().and_then(|file| self.files.get(file.index()));
            defined_in.is_some_and(|found| found == file)
        })
    }

    /// The global `name` that is defined in `file`.
    pub fn find_global(&self, file: &str, name: &str) -> Option<GlobalId> {
        let found = self.globals.iter().position(|global| {
            let defined_in = global.location.and_then(|location| self.files.get(location.file.index()));
            global.name == name && defined_in.is_some_and(|found| found == file)
        });
        found.map(GlobalId::at)
    }
}
