//! Compiled C for the tests of this crate.
#![allow(dead_code)] // Not every test uses all of it.

use hydrogen_frontend::protocol::Command;
use hydrogen_ir::{FunctionId, Module};
use hydrogen_lowering::{lower, unit};

/// A file as a module.
pub fn compile(code: &str) -> Module {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("main.c"), code).unwrap();
    let directory = folder.path().to_str().unwrap();
    let arguments = ["cc", "-c", "main.c"].into_iter().map(Into::into).collect();
    let command =
        Command { directory: directory.into(), root: directory.into(), file: "main.c".into(), arguments };
    let compiled = unit::compile(&command).unwrap_or_else(|error| panic!("{error}\n{code}"));
    lower(&compiled.module, &unit::origin(&command)).unwrap()
}

/// The definition of a name.
pub fn function(module: &Module, name: &str) -> FunctionId {
    let found = module.definitions().find(|(_, function)| function.name == name);
    found.unwrap_or_else(|| panic!("there is no `{name}`")).0
}
