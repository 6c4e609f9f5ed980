//! What is a version's own doing among what differs from its parents.
//!
//! A merge has much that its first parent has not: what the other branch did. Nobody is to be told that whoever merged it
//! wrote it. A version's own is what differs from every parent.

use crate::model::Graph;
use crate::{VersionId, VersionSet};

/// The versions that one is compared with, each with all that is before it.
pub(crate) struct Before {
    pub parents: Vec<VersionId>,
    /// Beside each parent, where there are several.
    ancestry: Vec<VersionSet>,
}

impl Before {
    pub fn of(graph: &Graph, parents: &[VersionId]) -> Self {
        let ancestry = match parents {
            [] | [_] => Vec::new(),
            several => several.iter().map(|&parent| graph.up_to(parent)).collect(),
        };
        Self { parents: parents.to_vec(), ancestry }
    }

    /// The parents that have something.
    pub fn having(&self, has: impl Fn(VersionId) -> bool) -> Vec<VersionId> {
        self.parents.iter().copied().filter(|&parent| has(parent)).collect()
    }

    /// Whether a version that lacks something took it away itself: a parent has it, and no parent had it and lost it.
    pub fn is_lost_after(&self, versions: &VersionSet) -> bool {
        let has = |parent: &VersionId| versions.contains(*parent);
        let lost = |(parent, before): (&VersionId, &VersionSet)| {
            !has(parent) && !before.intersection(versions).is_empty()
        };
        self.parents.iter().any(has) && !self.parents.iter().zip(&self.ancestry).any(lost)
    }
}

impl Graph {
    /// A version and all that is before it in the list.
    fn up_to(&self, version: VersionId) -> VersionSet {
        let mut found = VersionSet::empty();
        let mut work = vec![version];
        while let Some(next) = work.pop() {
            if !found.contains(next) {
                found = found.union(&VersionSet::one(next));
                work.extend(&self.versions[next.index()].parents);
            }
        }
        found
    }
}
