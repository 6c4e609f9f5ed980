//! Where an obligation is open: surely, or perhaps.

use hydrogen_evidence::Entry;
use hydrogen_graph::VersionSet;
use std::collections::BTreeMap;

/// The versions in which something surely happens on some path, and those in which it may. The first are among the second.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Open {
    pub sure: VersionSet,
    pub may: VersionSet,
}

impl Open {
    pub fn sure(versions: VersionSet) -> Self {
        Self { may: versions.clone(), sure: versions }
    }

    pub fn perhaps(versions: VersionSet) -> Self {
        Self { sure: VersionSet::empty(), may: versions }
    }

    pub fn is_empty(&self) -> bool {
        self.may.is_empty()
    }

    /// Only in these versions.
    pub fn within(&self, versions: &VersionSet) -> Self {
        Self { sure: self.sure.intersection(versions), may: self.may.intersection(versions) }
    }

    /// Where both happen.
    pub fn and(&self, other: &Self) -> Self {
        Self { sure: self.sure.intersection(&other.sure), may: self.may.intersection(&other.may) }
    }

    /// Adds what another path brings; tells whether that was new.
    pub fn add(&mut self, other: &Self) -> bool {
        let grows = !other.may.is_subset(&self.may) || !other.sure.is_subset(&self.sure);
        if grows {
            *self = Self { sure: self.sure.union(&other.sure), may: self.may.union(&other.may) };
        }
        grows
    }

    /// The same, but nothing of it sure.
    pub fn weakened(&self) -> Self {
        Self::perhaps(self.may.clone())
    }
}

/// Why something is not sure, and in which versions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Reasons(BTreeMap<Entry, VersionSet>);

impl Reasons {
    /// Adds a reason; tells whether that was new.
    pub fn add(&mut self, reason: Entry, versions: &VersionSet) -> bool {
        if versions.is_empty() {
            return false;
        }
        let known = self.0.entry(reason).or_default();
        let grows = !versions.is_subset(known);
        if grows {
            *known = known.union(versions);
        }
        grows
    }

    /// Adds those of another list, as far as they concern these versions.
    pub fn add_all(&mut self, other: &Self, versions: &VersionSet) -> bool {
        let mut grows = false;
        for (reason, known) in &other.0 {
            grows |= self.add(reason.clone(), &known.intersection(versions));
        }
        grows
    }

    /// The reasons in one version, sorted.
    pub fn of(&self, version: hydrogen_graph::VersionId) -> impl Iterator<Item = Entry> + '_ {
        self.0
            .iter()
            .filter(move |(_, versions)| versions.contains(version))
            .map(|(reason, _)| reason.clone())
    }
}
