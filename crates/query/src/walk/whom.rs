//! Whom a call reaches: by its name, by a contract that names the pointer, or because the program stores only one function there.

use crate::meaning::program::Callee;
use crate::meaning::shape::Shape;
use crate::walk::Analyst;
use crate::walk::slots::{Slots, Stands, loaded_from};
use hydrogen_evidence::Entry;
use hydrogen_graph::{VersionId, VersionSet};
use hydrogen_ir::Operand;
use std::sync::Arc;

/// A function that a call reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Whom {
    /// Its name, or what a contract calls the pointer.
    pub name: String,
    pub callee: Callee,
    /// Whether it is called through a pointer that is taken to lead to nothing else.
    pub stored: bool,
}

impl Analyst<'_> {
    /// Whom a call reaches; none if that is not known.
    pub(crate) fn whom(&mut self, shape: &Shape, callee: &Operand) -> Option<Whom> {
        if let Some(function) = shape.named(callee) {
            let name = function.name.clone();
            let callee = self.subject.program.callee(shape.chain, shape.version, &name);
            return Some(Whom { name, callee, stored: false });
        }
        let slot = loaded_from(&shape.module, shape.body(), callee)?;
        // What the user says of a pointer holds whatever is stored there.
        if let Some(name) = slot.called(&shape.module)
            && self.subject.library.contract(&name).is_some()
        {
            return Some(Whom { name, callee: Callee::External, stored: false });
        }
        let one = self.slots(shape.version).only(&slot)?.clone();
        Some(Whom { callee: self.standing_for(&one, shape.version)?, name: one.name, stored: true })
    }

    /// Whom a call reaches, with a line in the ledger where that rests on what the program stores.
    pub(crate) fn whom_trusted(&mut self, shape: &Shape, callee: &Operand) -> Option<Whom> {
        let whom = self.whom(shape, callee)?;
        if whom.stored {
            let function = whom.name.clone();
            self.assume(&VersionSet::one(shape.version), Entry::OnlyStored { function });
        }
        Some(whom)
    }

    fn standing_for(&self, one: &Stands, version: VersionId) -> Option<Callee> {
        if let Some(file) = &one.defined_in {
            return self.chain_at(file, &one.name, version).map(Callee::Chain);
        }
        let graph = self.subject.program.graph;
        let seen = |&chain: &hydrogen_graph::ChainId| {
            graph.chain_in(chain, version) && !graph.is_internal(chain, version)
        };
        let found: Vec<_> = graph.chains_named(&one.name).into_iter().filter(seen).collect();
        match found[..] {
            [chain] => Some(Callee::Chain(chain)),
            [] => Some(Callee::External),
            _ => None,
        }
    }

    /// What a version stores in its pointers to functions.
    fn slots(&mut self, version: VersionId) -> Arc<Slots> {
        if let Some(known) = self.store.slots.get(&version) {
            return Arc::clone(known);
        }
        let graph = self.subject.program.graph;
        let mains = graph.chains_named("main").into_iter().filter(|&main| graph.chain_in(main, version));
        let whole = mains.count() == 1 && graph.versions()[version.index()].missing.is_empty();
        let mut slots = Slots::default();
        for module in self.modules(version) {
            slots.collect(&module, whole);
        }
        let slots = Arc::new(slots);
        self.store.slots.insert(version, Arc::clone(&slots));
        slots
    }
}
