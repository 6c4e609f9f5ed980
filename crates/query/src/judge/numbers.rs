//! What becomes of the numbers of a function, in the functions that it calls as well.

use crate::meaning::program::Callee;
use crate::meaning::shape::Shape;
use crate::meaning::sizes::{Becomes, Sizes, by_contract};
use crate::walk::Analyst;
use hydrogen_graph::{ChainId, VersionId};
use hydrogen_ir::Operand;
use std::sync::Arc;

impl Analyst<'_> {
    /// Which numbers of a function become sizes.
    pub(crate) fn sizes_of(&mut self, chain: ChainId, version: VersionId) -> Arc<Sizes> {
        // It rests on all that the function calls, as what it changes does.
        self.kept.mods(chain, version);
        if let Some(known) = self.store.sizes.get(&(chain, version)) {
            return Arc::clone(known);
        }
        // A function that calls itself may do anything with a number until it is known better.
        self.store.sizes.insert((chain, version), Arc::new(Sizes::unknown()));
        if let Some(shape) = self.shape(chain, version) {
            let sizes = Sizes::of(&shape, &mut |callee, at| self.becomes(&shape, callee, at));
            self.store.sizes.insert((chain, version), Arc::new(sizes));
        }
        Arc::clone(&self.store.sizes[&(chain, version)])
    }

    /// What a call makes of one of its arguments.
    fn becomes(&mut self, shape: &Shape, callee: &Operand, at: usize) -> Becomes {
        let Some(whom) = self.whom(shape, callee) else { return Becomes::Unsure };
        let name = whom.name;
        match whom.callee {
            Callee::Chain(chain) => self.sizes_of(chain, shape.version).parameter(at),
            Callee::External => match self.subject.library.contract(&name) {
                Some(contract) => by_contract(contract, at),
                // The compiler's own functions take no sizes but by contract.
                None if name.starts_with("llvm.") => Becomes::Nothing,
                None => Becomes::Unsure,
            },
            Callee::Unclear => Becomes::Unsure,
        }
    }
}
