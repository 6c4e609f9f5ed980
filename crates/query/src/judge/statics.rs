//! What variables may hold that only their own file can name: what they begin with, and the constants that it stores there. Whether the rest
//! that it stores ever is what a witness needs, nobody knows: it is stored behind tests, in an order that callers choose.

use crate::judge::resolve::Arrival;
use crate::meaning::operand::{global_name, plain_name};
use crate::meaning::state::{Object, Role};
use crate::meaning::statics::{Statics, Stores};
use crate::walk::Analyst;
use hydrogen_evidence::{Input, Value};
use hydrogen_graph::VersionId;
use hydrogen_ir::{GlobalId, Module};
use hydrogen_term::{Op, Term};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

impl Analyst<'_> {
    /// The variables of a unit whose stores are all seen.
    pub(crate) fn statics_of(&mut self, module: &Arc<Module>) -> Arc<Statics> {
        let make = || Arc::new(Statics::of(module));
        Arc::clone(self.store.statics.entry(Arc::as_ptr(module) as usize).or_insert_with(make))
    }

    /// The same for all units of a version, by name.
    fn all_statics(&mut self, version: VersionId) -> Arc<BTreeMap<String, Stores>> {
        if let Some(known) = self.store.all_statics.get(&version) {
            return Arc::clone(known);
        }
        let mut all = BTreeMap::new();
        for module in self.modules(version) {
            let statics = self.statics_of(&module);
            for (at, global) in module.globals.iter().enumerate() {
                if let Some(stores) = statics.get(GlobalId::at(at)) {
                    all.insert(global_name(&module, global), stores.clone());
                }
            }
        }
        let all = Arc::new(all);
        self.store.all_statics.insert(version, Arc::clone(&all));
        all
    }

    /// The variables that must hold for a condition what they neither begin with nor are set to by a constant; none if none must.
    pub(crate) fn needs_variable(
        &mut self,
        constraints: &[Term],
        arrival: &Arrival,
        version: VersionId,
    ) -> Option<String> {
        let statics = self.all_statics(version);
        let mut bound: BTreeMap<String, Vec<(Term, Term)>> = BTreeMap::new();
        for cell in self.terms.pool.postorder(&[arrival.term]) {
            let Op::Apply(function) = self.terms.pool.op(cell) else { continue };
            if !matches!(self.terms.role(function), Role::Memory(..) | Role::Length) {
                continue;
            }
            let object = self.terms.pool.args(cell)[0];
            let Some(Object::Global { name, .. }) = self.terms.known(object) else { continue };
            let name = name.clone();
            let Some(stores) = statics.get(&name) else { continue };
            if self.subject.comes_in.any.iter().any(|any| *any == plain_name(&name)) {
                continue;
            }
            let Some(first) = self.first_of(cell, version) else { continue };
            let holds = self.holds_one_of(cell, first, stores);
            bound.entry(name).or_default().push((cell, holds));
        }
        if bound.is_empty() {
            return None;
        }
        let mut all = constraints.to_vec();
        all.extend(bound.values().flatten().map(|(_, holds)| *holds));
        let possible = self.engine.check(&mut self.terms.pool, &all).is_sat();
        (!possible).then(|| bound.keys().map(|name| plain_name(name)).collect::<Vec<_>>().join(", "))
    }

    /// That a cell holds what it begins with, or one of the constants.
    fn holds_one_of(&mut self, cell: Term, first: Term, stores: &Stores) -> Term {
        let mut any = vec![self.terms.pool.eq(cell, first)];
        for &constant in &stores.constants {
            let width = self.terms.pool.width(cell);
            let constant = self.terms.pool.bits(width, constant);
            any.push(self.terms.pool.eq(cell, constant));
        }
        self.terms.pool.or_all(any)
    }

    /// A variable that an input leads to, though nobody outside of its file can know where it is.
    pub(crate) fn leads_to_static(&mut self, input: &Input, version: VersionId) -> Option<String> {
        let call = input.call.as_ref()?;
        let statics = self.all_statics(version);
        let names: BTreeSet<String> = statics.keys().map(|name| plain_name(name)).collect();
        let cells = call.objects.iter().flat_map(|object| &object.cells);
        let cells = cells.chain(call.globals.iter().flat_map(|global| &global.cells)).map(|cell| &cell.value);
        let mut values = call.arguments.iter().map(|argument| &argument.value).chain(cells);
        values.find_map(|value| match value {
            Value::Global(name, _) if names.contains(name) => Some(name.clone()),
            _ => None,
        })
    }
}
