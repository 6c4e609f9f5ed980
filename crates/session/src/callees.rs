//! Who is called, across the units of a version: what changed functions can come to, and whether all of that does the same.

use crate::{Error, Session};
use hydrogen_evidence::delta::{Function, Says};
use hydrogen_ir::{Callee, Module};
use hydrogen_model::{Modeller, UnitModel, VersionModel};
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

/// So many units are read for what changed functions call; what lies behind them is not known then.
const MOST_UNITS: usize = 200;

/// The units that some functions can come to, as far as they were read.
pub(crate) struct Callees {
    modules: Vec<Arc<Module>>,
    /// Whether all of them were read.
    is_whole: bool,
}

impl Callees {
    /// The units that define what others call, beginning with some.
    pub fn of(modeller: &Modeller, version: &VersionModel, first: Vec<Arc<Module>>) -> Result<Self, Error> {
        let mut defining: BTreeMap<&str, &UnitModel> = BTreeMap::new();
        for unit in &version.units {
            for function in &unit.summary.functions {
                if function.linkage != hydrogen_ir::Linkage::Internal {
                    defining.entry(&function.name).or_insert(unit);
                }
            }
        }
        let address = |unit: &UnitModel| Arc::as_ptr(&unit.summary).addr();
        let mut read: BTreeSet<usize> = BTreeSet::new();
        let (mut modules, mut open, mut is_whole) = (Vec::new(), first, true);
        while let Some(module) = open.pop() {
            let mut wanted: BTreeSet<&str> = BTreeSet::new();
            let here: BTreeSet<&str> = module
                .definitions()
                .filter(|(_, one)| one.body.is_some())
                .map(|(_, one)| one.name.as_str())
                .collect();
            for function in &module.functions {
                wanted.extend(direct(function).filter(|name| !here.contains(name)));
            }
            for unit in wanted.into_iter().filter_map(|name| defining.get(name)) {
                if read.contains(&address(unit)) {
                    continue;
                }
                if read.len() >= MOST_UNITS {
                    is_whole = false;
                    break;
                }
                read.insert(address(unit));
                open.push(modeller.module(unit)?);
            }
            modules.push(module);
        }
        Ok(Self { modules, is_whole })
    }

    /// The units.
    pub fn modules(&self) -> Vec<&Module> {
        self.modules.iter().map(AsRef::as_ref).collect()
    }
}

/// Whom a function calls by name.
fn direct(function: &hydrogen_ir::Function) -> impl Iterator<Item = &str> {
    function.calls.iter().filter_map(|call| match &call.callee {
        Callee::Direct(name) => Some(name.as_str()),
        Callee::Indirect(_) => None,
    })
}

/// Says of the functions without a delta whether all that they can come to does the same, and else what does not.
pub(crate) fn settle(
    functions: &mut [Function],
    variables: &BTreeSet<String>,
    callees: &Callees,
    is_read: bool,
) {
    // By name: a static function of another file counts as well, so that more may be named than need be.
    let differing: BTreeSet<String> =
        functions.iter().filter(|one| one.says != Says::Same).map(|one| one.name.clone()).collect();
    let mut calls: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut through_pointers: BTreeSet<&str> = BTreeSet::new();
    let mut users: BTreeSet<&str> = BTreeSet::new();
    for module in &callees.modules {
        let changed: BTreeSet<usize> =
            (0..module.globals.len()).filter(|&at| variables.contains(&module.globals[at].name)).collect();
        for function in &module.functions {
            calls.entry(&function.name).or_default().extend(direct(function));
            if function.calls.iter().any(|call| matches!(call.callee, Callee::Indirect(_))) {
                through_pointers.insert(&function.name);
            }
            if !changed.is_empty() && uses(module, function, &changed) {
                users.insert(&function.name);
            }
        }
    }
    for function in functions.iter_mut().filter(|one| one.says == Says::Same) {
        let mut reached: BTreeSet<&str> = BTreeSet::from([function.name.as_str()]);
        let mut open: Vec<&str> = reached.iter().copied().collect();
        while let Some(name) = open.pop() {
            for callee in calls.get(name).into_iter().flatten() {
                if reached.insert(callee) {
                    open.push(callee);
                }
            }
        }
        let mut other: BTreeSet<String> = reached
            .iter()
            .filter(|&&name| differing.contains(name))
            .map(|name| format!("{name}()"))
            .collect();
        if !differing.is_empty() && reached.iter().any(|name| through_pointers.contains(name)) {
            other.insert("what pointers to functions lead to".to_owned());
        }
        if reached.iter().any(|name| users.contains(name)) {
            other.extend(variables.iter().cloned());
        }
        if !callees.is_whole || !is_read {
            other.insert("what was not read".to_owned());
        }
        function.rests_on = other.into_iter().collect();
    }
}

/// Whether a function mentions one of these variables.
fn uses(module: &Module, function: &hydrogen_ir::Function, changed: &BTreeSet<usize>) -> bool {
    let Some(body) = &function.body else { return false };
    body.instructions.iter().any(|instruction| {
        let mut found = false;
        instruction.op.references(|reference| {
            if let hydrogen_ir::Reference::Operand(hydrogen_ir::Operand::Const(id)) = reference {
                found |= leads(module, *id, changed, 8);
            }
        });
        found
    })
}

/// Whether a constant leads to one of these variables.
fn leads(module: &Module, id: hydrogen_ir::ConstId, changed: &BTreeSet<usize>, deep: u32) -> bool {
    if deep == 0 {
        return true;
    }
    match module.constant(id) {
        hydrogen_ir::Const::Global(global) => changed.contains(&global.index()),
        one => {
            let mut found = false;
            one.references(|reference| match reference {
                hydrogen_ir::Reference::Const(inner)
                | hydrogen_ir::Reference::Operand(hydrogen_ir::Operand::Const(inner)) => {
                    found |= leads(module, *inner, changed, deep - 1);
                }
                _ => {}
            });
            found
        }
    }
}

impl Session<'_> {
    /// What the changed functions of both versions call, in units that go together with theirs.
    pub(crate) fn callees(
        &self,
        old: Vec<Arc<Module>>,
        new: Vec<Arc<Module>>,
    ) -> Result<(Callees, Callees), Error> {
        Ok((Callees::of(self.modeller, &self.old, old)?, Callees::of(self.modeller, &self.new, new)?))
    }
}
