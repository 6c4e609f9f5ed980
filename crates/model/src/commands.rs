//! The compile commands of a version, with its files on disk: for building the program natively.

use crate::modeller::{Error, Modeller};
use hydrogen_frontend::Command;
use hydrogen_history::version::{Source, Version};

/// How a unit of a version is compiled.
#[derive(Debug, Clone)]
pub struct UnitCommand {
    /// The file as people call it: relative to the version's root.
    pub name: String,
    /// The object files that the build made of it: a file may be compiled in several ways.
    pub objects: Vec<String>,
    /// The command, without what models are compiled with besides.
    pub command: Command,
}

impl Modeller {
    /// Does something with the compile commands of a version while it is checked out, and built where its units need what the build
    /// makes. `None` where there is no source to compile.
    pub fn with_commands<T>(
        &self,
        version: &Version,
        work: impl FnOnce(&[UnitCommand]) -> T,
    ) -> Result<Option<T>, Error> {
        if let Source::Bitcode(_) = &version.source {
            return Ok(None);
        }
        let config = self.config(version)?;
        let (_checkout, place, plan) = self.checked_out(version, &config)?;
        let unit = |unit: &crate::record::UnitPlan| UnitCommand {
            name: unit.name.clone(),
            objects: unit.objects.clone(),
            command: place.command(unit),
        };
        let commands: Vec<UnitCommand> = plan.units.iter().map(unit).collect();
        Ok(Some(work(&commands)))
    }
}
