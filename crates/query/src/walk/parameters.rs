//! Parameters that a function never sets.

use crate::meaning::conditions::{Conditions, group};
use crate::walk::{Analyst, Frame, Start, Stop};
use hydrogen_graph::{ChainId, VersionId, VersionSet};
use std::collections::BTreeSet;
use std::sync::Arc;

impl Analyst<'_> {
    /// Takes conditions backwards through an activation. Versions whose functions set other parameters go apart: what came in unchanged is
    /// known beside a condition, for all versions that have it.
    pub(crate) fn walk(&mut self, frame: &Frame, starts: Vec<Start>, stop: Stop) -> Conditions {
        let all = starts.iter().fold(VersionSet::empty(), |all, start| all.union(start.versions()));
        let mut reached = Conditions::default();
        for (unset, versions) in group(&all, |version| self.never_set(frame.chain, version)) {
            let starts = starts.iter().filter_map(|start| start.within(&versions)).collect();
            let before = self.terms.activate(&frame.prefix, unset);
            for (term, versions) in self.walk_alike(frame, starts, stop).0 {
                reached.add(&mut self.terms.pool, term, &versions);
            }
            if let Some(before) = before {
                self.terms.activate(&frame.prefix, before);
            }
        }
        reached
    }

    fn never_set(&mut self, chain: ChainId, version: VersionId) -> Arc<BTreeSet<String>> {
        if let Some(known) = self.store.never_set.get(&(chain, version)) {
            return Arc::clone(known);
        }
        let shape = self.shape(chain, version);
        let names: BTreeSet<String> = shape.map(|shape| shape.never_set()).unwrap_or_default();
        let names = Arc::new(names);
        self.store.never_set.insert((chain, version), Arc::clone(&names));
        names
    }
}

impl Start {
    fn versions(&self) -> &VersionSet {
        let (Start::Before(_, _, versions)
        | Start::After(_, _, versions)
        | Start::Around(_, _, versions)
        | Start::Outside(_, _, versions)) = self;
        versions
    }

    /// The same start for some versions alone; none if it is not for any of them.
    fn within(&self, some: &VersionSet) -> Option<Start> {
        let versions = self.versions().intersection(some);
        (!versions.is_empty()).then(|| match *self {
            Start::Before(spot, term, _) => Start::Before(spot, term, versions),
            Start::After(spot, term, _) => Start::After(spot, term, versions),
            Start::Around(spot, term, _) => Start::Around(spot, term, versions),
            Start::Outside(spot, term, _) => Start::Outside(spot, term, versions),
        })
    }
}
