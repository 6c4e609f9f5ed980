//! What the call of a single function leaves behind, as terms.

use crate::concolic::{Concolic, Pending};
use hydrogen_machine::Leaving;
use hydrogen_term::Term;
use std::collections::BTreeMap;

/// Bytes that depend on the input, by their distance from the beginning of their object.
pub type ByteTerms = BTreeMap<u64, Term>;

/// What of a call's results depends on the input; by the numbers and names of [`hydrogen_machine::After`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftTerms {
    /// By word of the result, the lowest bits of it; `None` where it is concrete.
    pub result: Vec<Option<Term>>,
    /// By object.
    pub objects: Vec<ByteTerms>,
    /// By global variable.
    pub globals: BTreeMap<String, ByteTerms>,
}

impl Concolic<'_> {
    pub(crate) fn leave_call(&mut self, left: &Leaving<'_>) {
        let result = match &self.pending {
            Pending::Return(terms) => terms.clone(),
            _ => Vec::new(),
        };
        let objects = left.objects.iter().map(|extent| match extent {
            Some(extent) => self.bytes.within(extent.place, extent.size),
            None => ByteTerms::new(),
        });
        let globals = left
            .globals
            .iter()
            .map(|(name, extent)| (name.clone(), self.bytes.within(extent.place, extent.size)));
        self.left = Some(LeftTerms { result, objects: objects.collect(), globals: globals.collect() });
    }
}
