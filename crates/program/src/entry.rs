//! Which of several programs of a repository is meant, and which units it is linked of.

use crate::error::Error;
use crate::loaded::{Unit, Units};
use hydrogen_ir::{Linkage, Module};
use hydrogen_model::LinkedProgram;
use std::collections::BTreeSet;
use std::path::Path;

/// Whether a unit defines the entry point.
fn defines(module: &Module, entry: &str) -> bool {
    let is_it = |one: &hydrogen_ir::Function| {
        one.name == entry && one.body.is_some() && one.linkage == Linkage::External
    };
    module.functions.iter().any(is_it)
}

/// The files that define the entry point: one for each program of a repository, or for several that are compiled of it.
pub fn defining<'m>(modules: &'m [Module], entry: &str) -> Vec<&'m str> {
    let mut seen = BTreeSet::new();
    let names = modules.iter().filter(|one| defines(one, entry)).map(|one| one.name.as_str());
    names.filter(|name| seen.insert(*name)).collect()
}

/// The units of a program, as positions.
type Chosen = Vec<usize>;

impl Units {
    /// The units of one program: those that its link names where that is known, else one of every file. `unit` says which program, by the
    /// file of its entry point or by its name.
    pub fn of_program(self, entry: &str, unit: Option<&str>) -> Result<Vec<Unit>, Error> {
        let named = |program: &&LinkedProgram| Some(program.name.as_str()) == unit;
        let starts: Chosen =
            (0..self.modules.len()).filter(|at| defines(&self.modules[*at], entry)).collect();
        let meant = |at: &usize| {
            let file = &self.modules[*at].name;
            let of_program = || self.programs.iter().filter(named).any(|one| one.units.contains(at));
            unit.is_none_or(|unit| file.ends_with(unit) || of_program())
        };
        let starts_meant: Chosen = starts.iter().copied().filter(meant).collect();
        let files: BTreeSet<&str> = starts_meant.iter().map(|at| self.modules[*at].name.as_str()).collect();
        let entry_of = || entry.to_owned();
        let names = || defining(&self.modules, entry).join(", ");
        match (files.len(), unit) {
            (0, None) | (1, _) => {}
            (_, None) => return Err(Error::SeveralEntries { entry: entry_of(), units: names() }),
            (found, Some(unit)) => {
                let unit = unit.to_owned();
                return Err(Error::WrongUnit { unit, found, entry: entry_of(), units: names() });
            }
        }
        let program = self.program(&starts_meant, unit);
        let mut chosen: Chosen = program.map(|one| one.units.clone()).unwrap_or_default();
        if program.is_none_or(|one| !one.whole) {
            let start = chosen.iter().chain(&starts_meant).find(|at| starts.contains(at)).copied();
            let rest = |at: &usize| Some(*at) == start || !starts.contains(at);
            self.complete(&mut chosen, (0..self.modules.len()).filter(rest));
        }
        Ok(self.take(&chosen))
    }

    /// Whether the build was seen to link a program of this name.
    pub fn has_program(&self, name: &str) -> bool {
        self.programs.iter().any(|program| program.name == name)
    }

    /// One unit of every file, for calling any function.
    pub fn of_all(self) -> Vec<Unit> {
        let mut chosen = Chosen::new();
        self.complete(&mut chosen, 0..self.modules.len());
        self.take(&chosen)
    }

    /// The program that is linked of a unit with the entry point. Where several have the same files compiled in different ways, the one that is
    /// called like the file counts, or the first by name, and that is said.
    fn program(&self, starts: &[usize], unit: Option<&str>) -> Option<&LinkedProgram> {
        let of_start = |one: &&LinkedProgram| one.units.iter().any(|at| starts.contains(at));
        let all: Vec<&LinkedProgram> = self.programs.iter().filter(of_start).collect();
        let named: Vec<&LinkedProgram> =
            all.iter().copied().filter(|one| Some(one.name.as_str()) == unit).collect();
        let all = if named.is_empty() { all } else { named };
        if !all.iter().enumerate().any(|(at, one)| all[at + 1..].iter().any(|other| self.differ(one, other)))
        {
            return all.into_iter().rev().max_by_key(|one| one.units.len());
        }
        let like = |one: &&LinkedProgram| {
            let stem = |at: &usize| Path::new(&self.modules[*at].name).file_stem();
            starts.iter().filter_map(stem).any(|stem| stem == one.name.as_str())
        };
        let chosen =
            all.iter().copied().find(like).or_else(|| all.iter().copied().min_by_key(|one| &one.name))?;
        let others: BTreeSet<&str> =
            all.iter().map(|one| one.name.as_str()).filter(|name| *name != chosen.name).collect();
        tracing::warn!(
            "the program `{}` is taken; others are compiled in different ways of the same files (--unit chooses): {}",
            chosen.name,
            others.into_iter().collect::<Vec<_>>().join(", ")
        );
        Some(chosen)
    }

    /// Whether two programs have the same file compiled in different ways.
    fn differ(&self, one: &LinkedProgram, other: &LinkedProgram) -> bool {
        let of = |program: &LinkedProgram, file: &str| {
            let is_it = |at: &&usize| self.modules[**at].name == file;
            program.units.iter().filter(is_it).copied().collect::<BTreeSet<usize>>()
        };
        one.units.iter().any(|at| {
            let file = &self.modules[*at].name;
            let there = of(other, file);
            !there.is_empty() && there != of(one, file)
        })
    }

    /// Adds units of files that are not there yet.
    fn complete(&self, chosen: &mut Chosen, others: impl Iterator<Item = usize>) {
        let mut files: BTreeSet<&str> = chosen.iter().map(|at| self.modules[*at].name.as_str()).collect();
        chosen.extend(others.filter(|at| files.insert(&self.modules[*at].name)));
    }

    fn take(self, chosen: &[usize]) -> Vec<Unit> {
        let mut all: Vec<Option<Module>> = self.modules.into_iter().map(Some).collect();
        let unit = |at: &usize| {
            let object = self.objects[*at].clone();
            all.get_mut(*at).and_then(Option::take).map(|module| Unit { module, object })
        };
        chosen.iter().filter_map(unit).collect()
    }
}
