//! Functions whose file could not be read in a version are drawn there as in the version before, and the page says so.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::version_sets::VersionSets;

/// Where each version takes what it could not read from.
pub(crate) struct Gaps {
    /// Per version, its first parent.
    parents: Vec<Option<u32>>,
}

impl Gaps {
    pub(crate) fn new(graph: &Value, sets: &VersionSets, count: usize) -> Self {
        let commits = graph["commits"].as_array().map(Vec::as_slice).unwrap_or_default();
        let parent = |place: usize| match commits.get(place).and_then(|commit| commit["parents"].as_array()) {
            Some(parents) => parents.first().and_then(|parent| sets.place(parent)),
            None => u32::try_from(place).ok().and_then(|place| place.checked_sub(1)),
        };
        Gaps { parents: (0..count).map(parent).collect() }
    }

    /// The places of an element of a function that could not be read in some versions, with these filled: as in the
    /// parent, or as in the first version that could be read.
    pub(crate) fn fill(&self, places: Vec<u32>, unread: &BTreeSet<u32>) -> Vec<u32> {
        if unread.is_empty() {
            return places;
        }
        let mut filled: BTreeSet<u32> = places.into_iter().collect();
        let count = u32::try_from(self.parents.len()).unwrap_or(u32::MAX);
        for &version in unread {
            let like = self
                .known_before(version, unread)
                .or_else(|| (version..count).find(|at| !unread.contains(at)));
            if like.is_some_and(|like| filled.contains(&like)) {
                filled.insert(version);
            }
        }
        filled.into_iter().collect()
    }

    fn known_before(&self, version: u32, unread: &BTreeSet<u32>) -> Option<u32> {
        let mut at = version;
        loop {
            let parent = (*self.parents.get(at as usize)?)?;
            if parent >= at {
                return None;
            }
            if !unread.contains(&parent) {
                return Some(parent);
            }
            at = parent;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn gaps_are_filled_from_the_version_before() {
        let names: Vec<String> = ["a", "b", "c", "d"].map(String::from).to_vec();
        let gaps = Gaps::new(&json!({}), &VersionSets::new(&names), 4);
        let unread = BTreeSet::from([1, 2]);
        assert_eq!(gaps.fill(vec![0], &unread), [0, 1, 2]);
        assert_eq!(gaps.fill(vec![3], &unread), [3]);
        assert_eq!(gaps.fill(vec![3], &BTreeSet::from([0, 1, 2])), [0, 1, 2, 3]);
        assert_eq!(gaps.fill(vec![0, 3], &BTreeSet::new()), [0, 3]);
    }
}
