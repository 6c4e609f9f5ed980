//! What each changed function does differently.

use crate::{
    Error, Session,
    callees::settle,
    causes::{by_macros, structures},
    pairs::Pair,
};
use hydrogen_align::lines_as_before;
use hydrogen_delta::{Contents, Known, contents, deltas};
use hydrogen_evidence::{
    changed::Status,
    delta::{Function, Named, Says, Told},
};
use hydrogen_ir::{FunctionId, Module};
use hydrogen_model::Change;
use hydrogen_stop::Stop;
use hydrogen_sym::{Reaches, Subject};
use rayon::prelude::*;
use std::{
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
    sync::Arc,
};

/// Two units that go together, with what is known of them.
struct Units {
    old: Arc<Module>,
    new: Arc<Module>,
    known: Known,
}

impl Session<'_> {
    /// What the change does differently, function by function. `tell` hears of each as soon as it is known, in any order.
    pub fn deltas(
        &self,
        wanted: &dyn Fn(&str, &str) -> bool,
        tell: &(dyn Fn(&Function) + Sync),
    ) -> Result<Told, Error> {
        let pairs: Vec<Pair> =
            self.pairs().into_iter().filter(|pair| wanted(&pair.change.name, &pair.change.file)).collect();
        let mut read: BTreeMap<(usize, usize), (Arc<Module>, Arc<Module>)> = BTreeMap::new();
        for pair in &pairs {
            if let Entry::Vacant(free) = read.entry(key(pair)) {
                let (old, new) = (self.modeller.module(pair.old)?, self.modeller.module(pair.new)?);
                let mut new = Arc::unwrap_or_clone(new);
                lines_as_before(std::slice::from_ref(&*old), std::slice::from_mut(&mut new));
                free.insert((old, Arc::new(new)));
            }
        }
        let (olds, news) = read.values().cloned().unzip();
        let callees = self.callees(olds, news)?;
        let reaches = Reaches::among(&callees.0.modules(), &callees.1.modules());
        let units: BTreeMap<(usize, usize), Units> = read
            .into_iter()
            .map(|(key, (old, new))| {
                let known = Known::with(&old, &new, reaches.clone());
                (key, Units { old, new, known })
            })
            .collect();
        let one = |pair: &Pair| -> Option<Function> {
            if self.is_cancelled() {
                return None;
            }
            let units = &units[&key(pair)];
            let (old, new) = (
                defined(&units.old, &pair.was, &pair.change.file)?,
                defined(&units.new, &pair.change.name, &pair.change.file)?,
            );
            let subject = |module, function| Subject { module, function };
            let work = || deltas(subject(&units.old, old), subject(&units.new, new), &units.known);
            let mut told = hydrogen_stop::within(&Stop::on(&self.cancel), work).ok()?;
            told.file.clone_from(&pair.change.file);
            tell(&told);
            // Code that is the same and uses a variable that begins otherwise is told with the variable.
            let is_as_before = matches!(pair.change.change, Some(Change::Globals(_)));
            (told.says != Says::Same || !is_as_before).then_some(told)
        };
        let threads = rayon::ThreadPoolBuilder::new().num_threads(self.jobs).build()?;
        let mut functions: Vec<Function> = threads.install(|| pairs.par_iter().filter_map(one).collect());
        functions.sort_by_key(|one| one.says == Says::Same);
        let named = |status: Status| -> Vec<Named> {
            let all = self.changed().functions.iter().filter(|one| one.status == status);
            let named = |one: &hydrogen_model::FunctionChange| Named {
                name: one.name.clone(),
                file: one.file.clone(),
                line: one.line,
            };
            all.filter(|one| wanted(&one.name, &one.file)).map(named).collect()
        };
        let changed: BTreeSet<Contents> =
            units.values().flat_map(|units| contents(&units.old, &units.new)).collect();
        let types: BTreeSet<String> =
            units.values().flat_map(|units| structures(&units.old, &units.new)).collect();
        let has_unchanged = functions.iter().flat_map(|one| &one.regions).any(|one| one.unchanged.is_some());
        let macros = if has_unchanged { self.macros() } else { BTreeMap::new() };
        let causes = by_macros(&mut functions, &macros);
        let unread = self.unread();
        let names = changed.iter().flat_map(|one| one.variables.iter().cloned()).collect();
        settle(&mut functions, &names, &callees.1, unread.broken.is_empty());
        let mut missing = unread.broken;
        if self.is_cancelled() {
            missing.push("stopped before all functions were looked at".to_owned());
        }
        Ok(Told {
            old: self.old.version.name.clone(),
            new: self.new.version.name.clone(),
            functions,
            added: named(Status::Added),
            removed: named(Status::Deleted),
            variables: changed.into_iter().map(|one| one.words).collect(),
            types: types.into_iter().collect(),
            causes,
            missing,
            outside: unread.outside,
        })
    }
}

/// What tells a pair of units from others.
fn key(pair: &Pair) -> (usize, usize) {
    let place = |unit: &hydrogen_model::UnitModel| Arc::as_ptr(&unit.summary).addr();
    (place(pair.old), place(pair.new))
}

/// The function of a name that has instructions, in this file where several have the name.
fn defined(module: &Module, name: &str, file: &str) -> Option<FunctionId> {
    let all = || module.definitions().filter(|(_, one)| one.body.is_some() && one.name == name);
    let here = all().find(|(_, one)| one.file().is_some_and(|id| module.file(id) == file));
    here.or_else(|| all().next()).map(|(id, _)| id)
}
