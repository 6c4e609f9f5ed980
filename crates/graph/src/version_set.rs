//! Sets of versions: sorted lists of intervals over the version order.
//!
//! A single interval is not enough: inserting a statement and taking it back leaves an edge that is in versions 1
//! and 3 (ERR-1), and the versions of a branch are scattered over the order.

use crate::VersionId;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// The upper end of an interval that reaches the newest version, whichever that is.
pub(crate) const OPEN: u32 = u32::MAX;

/// A run of versions, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Interval {
    /// The first version.
    pub first: VersionId,
    /// The last version.
    pub last: VersionId,
}

impl Interval {
    pub(crate) fn new(first: u32, last: u32) -> Self {
        Self { first: VersionId(first), last: VersionId(last) }
    }
}

/// A set of versions.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct VersionSet(SmallVec<[Interval; 1]>);

impl VersionSet {
    /// No version.
    pub fn empty() -> Self {
        Self::default()
    }

    /// One version.
    pub fn one(version: VersionId) -> Self {
        Self::span(version.0, version.0)
    }

    /// All of `count` versions.
    pub fn all(count: usize) -> Self {
        match u32::try_from(count).expect("fewer than 2^32 versions").checked_sub(1) {
            Some(last) => Self::span(0, last),
            None => Self::empty(),
        }
    }

    pub(crate) fn span(first: u32, last: u32) -> Self {
        Self(SmallVec::from_elem(Interval::new(first, last), 1))
    }

    /// The runs, in order; neighbouring runs are never adjacent.
    pub fn intervals(&self) -> &[Interval] {
        &self.0
    }

    /// Whether the version is in the set.
    pub fn contains(&self, version: VersionId) -> bool {
        let behind = self.0.partition_point(|run| run.first <= version);
        behind > 0 && version <= self.0[behind - 1].last
    }

    /// Whether there is no version.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many versions there are.
    pub fn len(&self) -> usize {
        self.0.iter().map(|run| (run.last.0 - run.first.0) as usize + 1).sum()
    }

    /// The versions in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = VersionId> + '_ {
        self.0.iter().flat_map(|run| (run.first.0..=run.last.0).map(VersionId))
    }

    /// The earliest version.
    pub fn first(&self) -> Option<VersionId> {
        self.0.first().map(|run| run.first)
    }

    /// The latest version.
    pub fn last(&self) -> Option<VersionId> {
        self.0.last().map(|run| run.last)
    }

    /// The versions of either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        let (mut left, mut right) = (self.0.iter().peekable(), other.0.iter().peekable());
        let mut out = Self::empty();
        loop {
            let run = match (left.peek(), right.peek()) {
                (Some(a), Some(b)) if a.first <= b.first => left.next(),
                (_, Some(_)) => right.next(),
                (_, None) => left.next(),
            };
            let Some(run) = run else { return out };
            out.append(*run);
        }
    }

    /// The versions of both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let (mut i, mut j) = (0, 0);
        let mut out = Self::empty();
        while let (Some(a), Some(b)) = (self.0.get(i), other.0.get(j)) {
            let (first, last) = (a.first.max(b.first), a.last.min(b.last));
            if first <= last {
                out.0.push(Interval { first, last });
            }
            if a.last < b.last {
                i += 1;
            } else {
                j += 1;
            }
        }
        out
    }

    /// The versions of this set that are not in the other.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Self {
        let mut out = Self::empty();
        for run in &self.0 {
            let mut first = u64::from(run.first.0);
            let from = other.0.partition_point(|hole| hole.last < run.first);
            for hole in other.0[from..].iter().take_while(|hole| hole.first <= run.last) {
                if first < u64::from(hole.first.0) {
                    out.0.push(Interval::new(first as u32, hole.first.0 - 1));
                }
                first = u64::from(hole.last.0) + 1;
            }
            if first <= u64::from(run.last.0) {
                out.0.push(Interval::new(first as u32, run.last.0));
            }
        }
        out
    }

    /// Whether every version of this set is in the other.
    pub fn is_subset(&self, other: &Self) -> bool {
        self.0.iter().all(|run| {
            let behind = other.0.partition_point(|around| around.first <= run.first);
            behind > 0 && run.last <= other.0[behind - 1].last
        })
    }

    /// Adds a run that does not begin before the set's last run does.
    fn append(&mut self, run: Interval) {
        match self.0.last_mut() {
            Some(last) if u64::from(run.first.0) <= u64::from(last.last.0) + 1 => {
                last.last = last.last.max(run.last);
            }
            _ => self.0.push(run),
        }
    }

    /// Whether the set reaches the newest version of the graph that stores it.
    pub(crate) fn is_open(&self) -> bool {
        self.last() == Some(VersionId(OPEN))
    }

    /// From `version` on, and what was before.
    pub(crate) fn opened(&self, version: u32) -> Self {
        let mut out = self.clone();
        out.append(Interval::new(version, OPEN));
        out
    }

    /// Ends an open set with the version `last`.
    pub(crate) fn closed(&self, last: u32) -> Self {
        let mut out = self.clone();
        if let Some(run) = out.0.last_mut().filter(|run| run.last.0 == OPEN) {
            run.last.0 = last;
        }
        out
    }

    /// The set as readers see it, in a graph of `count` versions.
    pub(crate) fn resolved(&self, count: usize) -> Self {
        if self.is_open() { self.closed(VersionId::at(count).0 - 1) } else { self.clone() }
    }

    /// The set as a graph of `count` versions stores it: whatever is in the newest version is open.
    pub(crate) fn stored(&self, count: usize) -> Self {
        let mut out = self.clone();
        if let Some(run) = out.0.last_mut().filter(|run| run.last.index() + 1 == count) {
            run.last.0 = OPEN;
        }
        out
    }

    /// Whether runs are sorted and never adjacent, as decoded sets must be.
    pub(crate) fn is_normal(&self) -> bool {
        self.0.iter().all(|run| run.first <= run.last)
            && self.0.windows(2).all(|pair| u64::from(pair[0].last.0) + 1 < u64::from(pair[1].first.0))
    }
}

impl FromIterator<VersionId> for VersionSet {
    fn from_iter<I: IntoIterator<Item = VersionId>>(versions: I) -> Self {
        let mut versions: Vec<VersionId> = versions.into_iter().collect();
        versions.sort_unstable();
        let mut out = Self::empty();
        for version in versions {
            out.append(Interval { first: version, last: version });
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn set(versions: &BTreeSet<u32>) -> VersionSet {
        versions.iter().map(|&version| VersionId(version)).collect()
    }

    fn plain(set: &VersionSet) -> BTreeSet<u32> {
        set.iter().map(|version| version.0).collect()
    }

    proptest! {
        /// The interval algebra agrees with plain sets.
        #[test]
        fn behaves_like_a_set(
            a in prop::collection::btree_set(0u32..24, 0..16),
            b in prop::collection::btree_set(0u32..24, 0..16),
        ) {
            let (x, y) = (set(&a), set(&b));
            prop_assert_eq!(plain(&x.union(&y)), &a | &b);
            prop_assert_eq!(plain(&x.intersection(&y)), &a & &b);
            prop_assert_eq!(plain(&x.difference(&y)), &a - &b);
            prop_assert_eq!(x.is_subset(&y), a.is_subset(&b));
            prop_assert_eq!(x.len(), a.len());
            for version in 0..24 {
                prop_assert_eq!(x.contains(VersionId(version)), a.contains(&version));
            }
            for result in [x.union(&y), x.intersection(&y), x.difference(&y), x.clone()] {
                prop_assert!(result.is_normal());
                prop_assert_eq!(result.stored(24).resolved(24), result);
            }
        }
    }

    #[test]
    fn open_sets_extend_themselves() {
        let open = VersionSet::one(VersionId(0)).opened(4);
        assert_eq!(open.resolved(5).iter().map(|v| v.0).collect::<Vec<_>>(), [0, 4]);
        assert_eq!(open.resolved(7).iter().map(|v| v.0).collect::<Vec<_>>(), [0, 4, 5, 6]);
        let other = VersionSet::span(5, OPEN);
        assert!(open.intersection(&other).is_open());
        assert_eq!(
            open.difference(&other),
            VersionSet::one(VersionId(0)).union(&VersionSet::one(VersionId(4)))
        );
    }
}
