//! Parameters that a function never sets, in none of its versions.

use crate::walk::{Analyst, Frame};
use hydrogen_graph::ChainId;
use std::collections::BTreeSet;
use std::sync::Arc;

impl Analyst<'_> {
    /// Makes known what came in with an activation.
    pub(crate) fn activate(&mut self, frame: &Frame) {
        if self.terms.is_activation(&frame.prefix, frame.chain) {
            return;
        }
        let names = self.never_set(frame.chain);
        self.terms.activate(&frame.prefix, frame.chain, names.iter().cloned());
    }

    /// Versions share conditions, so a variable counts only if no version sets it.
    fn never_set(&mut self, chain: ChainId) -> Arc<BTreeSet<String>> {
        if let Some(known) = self.store.never_set.get(&chain) {
            return Arc::clone(known);
        }
        let (mut parameters, mut others) = (BTreeSet::new(), BTreeSet::new());
        for version in self.subject.program.graph.chain_versions(chain).iter() {
            let Some(shape) = self.shape(chain, version) else { continue };
            let (unset, set) = shape.parameters_and_others();
            parameters.extend(unset.into_iter().map(str::to_owned));
            others.extend(set.into_iter().map(str::to_owned));
        }
        let names = Arc::new(&parameters - &others);
        self.store.never_set.insert(chain, Arc::clone(&names));
        names
    }
}
