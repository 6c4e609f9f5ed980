//! Variables of the program that are something else in another version, or begin with something else.

use crate::words::{Records, constant};
use hydrogen_ir::{
    Const, ConstId, ContentHash, Global, GlobalId, GlobalSummary, Module, ModuleSummary, Op, Operand,
    Reference, summarize,
};
use std::collections::{BTreeMap, BTreeSet};

/// Variables that both programs define and whose type, value or kind differ, constants left out: those count where they are read.
pub fn changed_variables(old: &Module, new: &Module) -> Vec<String> {
    let constant =
        |module: &Module, name: &str| module.globals.iter().any(|one| one.name == name && one.constant);
    let (olds, news) = (hashes(&summarize(old)), hashes(&summarize(new)));
    let differs = |(name, hash): &(&String, &Vec<ContentHash>)| {
        news.get(*name).is_some_and(|other| other != *hash) && !(constant(old, name) && constant(new, name))
    };
    olds.iter().filter(differs).map(|(name, _)| name.clone()).collect()
}

/// Variables of one name that both programs have and that differ: as they were, and as they are.
pub fn redefined(old: &Module, new: &Module) -> Vec<(GlobalSummary, GlobalSummary)> {
    let named = |module: &Module| -> BTreeMap<String, GlobalSummary> {
        summarize(module).globals.into_iter().map(|one| (one.name.clone(), one)).collect()
    };
    let mut before = named(old);
    let both = named(new).into_iter().filter_map(|(name, now)| Some((before.remove(&name)?, now)));
    both.filter(|(was, is)| was.hash != is.hash).collect()
}

/// Which variables of each program differ from those of the other one, those of one alone and those that point to such a one included.
pub fn affected_variables(modules: [Option<&Module>; 2]) -> [Vec<bool>; 2] {
    let named = modules.map(|module| module.map(by_name).unwrap_or_default());
    let one = |at: usize| {
        let Some(module) = modules[at] else { return Vec::new() };
        let mut changed = vec![false; module.globals.len()];
        for (name, list) in &named[at] {
            let hashes = |list: &[(GlobalId, ContentHash)]| list.iter().map(|one| one.1).collect::<Vec<_>>();
            let other = named[1 - at].get(name).map(|list| hashes(list));
            if other.as_ref() != Some(&hashes(list)) {
                list.iter().for_each(|(id, _)| changed[id.index()] = true);
            }
        }
        // A table that points to a changed one leads to it without naming it.
        loop {
            let uses = Uses { module, changed: &changed };
            let leads = |global: &Global| global.initializer.is_some_and(|value| uses.leads(value));
            let more: Vec<usize> =
                (0..changed.len()).filter(|at| !changed[*at] && leads(&module.globals[*at])).collect();
            if more.is_empty() {
                return changed;
            }
            more.into_iter().for_each(|at| changed[at] = true);
        }
    };
    [one(0), one(1)]
}

/// How large the named variables of a unit are and what they begin with: equal for all units that have the same.
pub fn first_contents(module: &Module) -> Vec<(GlobalId, ContentHash)> {
    let records = Records::of(module);
    let own = module.globals.iter().enumerate().filter(|(_, global)| !global.private);
    let content = |(at, global): (usize, &Global)| {
        let size = module.types.layout(global.ty).map(|layout| layout.alloc_bytes);
        let mut content = format!("{size:?}");
        constant(module, &records, global.initializer?, 0, &mut content);
        Some((GlobalId::at(at), ContentHash::of(content.as_bytes())))
    };
    own.filter_map(content).collect()
}

/// What the globals of each name hold.
pub(crate) fn hashes(summary: &ModuleSummary) -> BTreeMap<String, Vec<ContentHash>> {
    let mut found: BTreeMap<String, Vec<ContentHash>> = BTreeMap::new();
    for global in &summary.globals {
        found.entry(global.name.clone()).or_default().push(global.hash);
    }
    found
}

/// The variables of a module that have a name of their own, with what they are.
fn by_name(module: &Module) -> BTreeMap<String, Vec<(GlobalId, ContentHash)>> {
    let is_definition =
        |global: &Global| !global.private && (global.initializer.is_some() || global.alias_of.is_some());
    let ids = (0..module.globals.len()).filter(|at| is_definition(&module.globals[*at])).map(GlobalId::at);
    let mut found: BTreeMap<String, Vec<(GlobalId, ContentHash)>> = BTreeMap::new();
    for (id, summary) in ids.zip(summarize(module).globals) {
        found.entry(summary.name).or_default().push((id, summary.hash));
    }
    found
}

/// Which constants lead to a changed variable.
#[derive(Debug)]
pub struct Uses<'m> {
    /// Whose constants these are.
    pub module: &'m Module,
    /// By variable, whether it changed.
    pub changed: &'m [bool],
}

impl Uses<'_> {
    /// Whether an instruction names a constant that leads to one.
    pub fn mentions(&self, op: &Op) -> bool {
        let mut found = false;
        op.references(|reference| {
            if let Reference::Operand(Operand::Const(id)) = reference {
                found |= self.leads(*id);
            }
        });
        found
    }

    fn leads(&self, from: ConstId) -> bool {
        let mut seen = BTreeSet::new();
        let mut open = vec![from];
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            match self.module.constant(id) {
                Const::Global(id) if self.changed.get(id.index()).copied().unwrap_or(false) => return true,
                Const::Global(id) => {
                    let global = self.module.global(*id);
                    if global.private {
                        open.extend(global.initializer.iter().chain(&global.alias_of));
                    }
                }
                constant => constant.references(|reference| {
                    if let Reference::Const(id) = reference {
                        open.push(*id);
                    }
                }),
            }
        }
        false
    }
}
