//! A program that was made, and the units of a version.

use crate::error::Error;
use hydrogen_ir::Module;
use hydrogen_machine::Program;
use hydrogen_model::{LinkedProgram, Modeller, UnitCommand, VersionModel};
use std::sync::Arc;

/// A program, and what names it among all programs: a hash of its own units and of the library.
#[derive(Debug)]
pub struct Loaded {
    /// What runs.
    pub program: Program,
    /// Its name among all programs.
    pub key: [u8; 32],
    /// Its units.
    pub units: Vec<UnitName>,
}

/// What tells a unit from all others of a version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnitName {
    /// Its file.
    pub file: String,
    /// The object that the build made of it: a file may be compiled in several ways. Empty where there is only one.
    pub object: String,
}

impl UnitName {
    /// The command that compiles the unit.
    pub fn command<'c>(&self, commands: &'c [UnitCommand]) -> Option<&'c UnitCommand> {
        let is_it = |one: &&UnitCommand| {
            one.name == self.file && (self.object.is_empty() || one.objects.contains(&self.object))
        };
        commands.iter().find(is_it)
    }
}

/// A unit, compiled.
#[derive(Debug)]
pub struct Unit {
    /// Its model.
    pub module: Module,
    /// The object that the build made of it, or nothing.
    pub object: String,
}

/// The units of which programs are linked.
#[derive(Debug, Default)]
pub struct Units {
    /// All of them: a file that is compiled in several ways is here several times.
    pub modules: Vec<Module>,
    /// What the build made of each.
    pub(crate) objects: Vec<String>,
    /// The programs that the build linked.
    pub(crate) programs: Vec<LinkedProgram>,
}

impl Units {
    /// Units of which nothing else is known.
    pub fn alone(modules: Vec<Module>) -> Self {
        let objects = vec![String::new(); modules.len()];
        Self { modules, objects, programs: Vec::new() }
    }

    /// The units of a version.
    pub fn of_version(modeller: &Modeller, version: &str, model: &VersionModel) -> Result<Self, Error> {
        let mut units = Self { programs: model.programs.clone(), ..Self::default() };
        for unit in &model.units {
            units.modules.push(Arc::unwrap_or_clone(modeller.module(unit)?));
            units.objects.push(unit.object.clone());
        }
        if units.modules.is_empty() {
            let first = model.failures.first();
            let why = first.map_or(String::new(), |failure| format!(": {}", failure.message));
            return Err(Error::Empty { version: version.to_owned(), why });
        }
        Ok(units)
    }
}
