//! Which of several programs of a repository is meant.

use crate::error::Error;
use hydrogen_ir::{Linkage, Module};

/// Whether a unit defines the entry point.
fn defines(module: &Module, entry: &str) -> bool {
    let is_it = |one: &hydrogen_ir::Function| {
        one.name == entry && one.body.is_some() && one.linkage == Linkage::External
    };
    module.functions.iter().any(is_it)
}

/// The units that define the entry point: one for each program of a repository.
pub fn defining<'m>(modules: &'m [Module], entry: &str) -> Vec<&'m str> {
    modules.iter().filter(|one| defines(one, entry)).map(|one| one.name.as_str()).collect()
}

/// Leaves one unit with the entry point: a repository often holds several programs.
pub fn one_entry(modules: Vec<Module>, entry: &str, unit: Option<&str>) -> Result<Vec<Module>, Error> {
    let names = defining(&modules, entry);
    let chosen = match (unit, names.as_slice()) {
        (None, [] | [_]) => return Ok(modules),
        (Some(unit), _) => {
            let found: Vec<&&str> = names.iter().filter(|name| name.ends_with(unit)).collect();
            match found.as_slice() {
                [one] => (**one).to_owned(),
                _ => {
                    let (unit, entry) = (unit.to_owned(), entry.to_owned());
                    return Err(Error::WrongUnit {
                        unit,
                        found: found.len(),
                        entry,
                        units: names.join(", "),
                    });
                }
            }
        }
        (None, _) => {
            return Err(Error::SeveralEntries { entry: entry.to_owned(), units: names.join(", ") });
        }
    };
    Ok(modules.into_iter().filter(|one| !defines(one, entry) || one.name == chosen).collect())
}
