//! A program that was made, and the modules of a version.

use crate::error::Error;
use hydrogen_ir::Module;
use hydrogen_machine::Program;
use hydrogen_model::{Modeller, VersionModel};
use std::collections::BTreeSet;
use std::sync::Arc;

/// A program, and what names it among all programs: a hash of its own units and of the library.
#[derive(Debug)]
pub struct Loaded {
    /// What runs.
    pub program: Program,
    /// Its name among all programs.
    pub key: [u8; 32],
    /// The files of its units.
    pub units: Vec<String>,
}

/// The units of a version. A library built both static and shared has each unit twice; a program is linked of one of them.
pub fn modules_of(modeller: &Modeller, version: &str, model: &VersionModel) -> Result<Vec<Module>, Error> {
    let mut seen = BTreeSet::new();
    let mut modules = Vec::new();
    for unit in &model.units {
        if seen.insert(&unit.file) {
            modules.push(Arc::unwrap_or_clone(modeller.module(unit)?));
        }
    }
    if modules.is_empty() {
        let first = model.failures.first();
        let why = first.map_or(String::new(), |failure| format!(": {}", failure.message));
        return Err(Error::Empty { version: version.to_owned(), why });
    }
    Ok(modules)
}
