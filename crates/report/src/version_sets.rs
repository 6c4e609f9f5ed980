//! Version sets as the page stores them: interned lists of intervals over the order of the versions.

use std::collections::HashMap;

use serde_json::Value;

/// Names of versions, and every distinct set of them seen so far.
///
/// Graphs of a thousand versions have a few hundred distinct sets on a hundred thousand elements, so the page stores
/// each set once and an index per element.
pub(crate) struct VersionSets {
    order: HashMap<String, u32>,
    index: HashMap<Vec<u32>, u32>,
    sets: Vec<Vec<u32>>,
}

impl VersionSets {
    pub(crate) fn new(names: &[String]) -> Self {
        let order = names.iter().cloned().zip(0..).collect();
        VersionSets { order, index: HashMap::new(), sets: Vec::new() }
    }

    /// The place of a version that is given by name or by place.
    pub(crate) fn place(&self, version: &Value) -> Option<u32> {
        match version {
            Value::String(name) => self.order.get(name).copied(),
            _ => {
                version.as_u64().and_then(|place| u32::try_from(place).ok()).filter(|&place| self.has(place))
            }
        }
    }

    fn has(&self, place: u32) -> bool {
        (place as usize) < self.order.len()
    }

    /// The places of a JSON list of versions, ascending; unknown versions are left out.
    pub(crate) fn places(&self, versions: &Value) -> Vec<u32> {
        let list = versions.as_array().map(Vec::as_slice).unwrap_or_default();
        let mut places: Vec<u32> = list.iter().filter_map(|version| self.place(version)).collect();
        places.sort_unstable();
        places.dedup();
        places
    }

    /// The places of an element: its `versions` by name, or its `ranges` of places.
    pub(crate) fn places_of(&self, element: &Value) -> Vec<u32> {
        let Some(ranges) = element["ranges"].as_array().filter(|_| element["versions"].is_null()) else {
            return self.places(&element["versions"]);
        };
        let mut places: Vec<u32> = Vec::new();
        for range in ranges {
            if let (Some(first), Some(last)) = (self.place(&range[0]), self.place(&range[1])) {
                places.extend(first..=last);
            }
        }
        places.sort_unstable();
        places.dedup();
        places
    }

    /// The index of a set of ascending places, stored as `first, last, first, last, …`.
    pub(crate) fn intern(&mut self, places: &[u32]) -> u32 {
        let mut intervals: Vec<u32> = Vec::new();
        for &place in places {
            match intervals.last_mut() {
                Some(last) if *last + 1 == place => *last = place,
                _ => intervals.extend([place, place]),
            }
        }
        if let Some(&index) = self.index.get(&intervals) {
            return index;
        }
        let index =
            u32::try_from(self.sets.len()).expect("there are fewer sets than elements of a JSON text");
        self.sets.push(intervals.clone());
        self.index.insert(intervals, index);
        index
    }

    pub(crate) fn into_sets(self) -> Vec<Vec<u32>> {
        self.sets
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn sets_become_intervals_once() {
        let names: Vec<String> = ["a", "b", "c", "d"].map(String::from).to_vec();
        let mut sets = VersionSets::new(&names);
        let places = sets.places(&json!(["d", "a", "b", "nowhere", "a"]));
        assert_eq!(places, [0, 1, 3]);
        assert_eq!(sets.intern(&places), 0);
        assert_eq!(sets.intern(&[2]), 1);
        assert_eq!(sets.intern(&[0, 1, 3]), 0);
        assert_eq!(sets.into_sets(), [vec![0, 1, 3, 3], vec![2, 2]]);
    }

    #[test]
    fn versions_may_be_given_by_place() {
        let sets = VersionSets::new(&["a".to_owned(), "b".to_owned()]);
        assert_eq!(sets.places(&json!([1, 7, -1, null])), [1]);
    }
}
