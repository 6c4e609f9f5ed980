//! A map that is cheap to change while others hold it as it was: a few changes on top of a shared base. Macros of a large program are tens of
//! thousands, and a commit changes few of them while readers still work with what was known before.

use crate::NameHash;
use crate::names::Identity;
use std::collections::HashMap;
use std::hash::BuildHasherDefault;
use std::sync::Arc;

type Map<V> = HashMap<NameHash, V, BuildHasherDefault<Identity>>;

/// With so many changes, and an eighth of the base, they become part of it.
const FEW: usize = 64;

/// A map from names.
#[derive(Debug, Clone)]
pub(crate) struct Layered<V> {
    base: Arc<Map<V>>,
    /// What differs from the base; nothing stands for a name that is gone.
    changes: Map<Option<V>>,
}

impl<V> Default for Layered<V> {
    fn default() -> Self {
        Self { base: Arc::default(), changes: Map::default() }
    }
}

impl<V> FromIterator<(NameHash, V)> for Layered<V> {
    fn from_iter<I: IntoIterator<Item = (NameHash, V)>>(all: I) -> Self {
        Self { base: Arc::new(all.into_iter().collect()), changes: Map::default() }
    }
}

impl<V: Clone> Layered<V> {
    pub fn get(&self, name: &NameHash) -> Option<&V> {
        match self.changes.get(name) {
            Some(changed) => changed.as_ref(),
            None => self.base.get(name),
        }
    }

    pub fn contains_key(&self, name: &NameHash) -> bool {
        self.get(name).is_some()
    }

    pub fn insert(&mut self, name: NameHash, value: V) {
        self.changes.insert(name, Some(value));
        self.settle();
    }

    pub fn remove(&mut self, name: &NameHash) {
        if self.base.contains_key(name) {
            self.changes.insert(*name, None);
            self.settle();
        } else {
            self.changes.remove(name);
        }
    }

    /// All names and their values, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (&NameHash, &V)> {
        let kept = self.base.iter().filter(|(name, _)| !self.changes.contains_key(*name));
        kept.chain(self.changes.iter().filter_map(|(name, value)| Some((name, value.as_ref()?))))
    }

    /// Makes many changes part of the base: seldom enough that each costs the same on average.
    fn settle(&mut self) {
        if self.changes.len() < FEW || self.changes.len() * 8 < self.base.len() {
            return;
        }
        let base = Arc::make_mut(&mut self.base);
        for (name, value) in self.changes.drain() {
            match value {
                Some(value) => drop(base.insert(name, value)),
                None => drop(base.remove(&name)),
            }
        }
    }
}

impl<V: Clone + PartialEq> PartialEq for Layered<V> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().count() == other.iter().count()
            && self.iter().all(|(name, value)| other.get(name) == Some(value))
    }
}

impl<V: Clone + Eq> Eq for Layered<V> {}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// It is a map, and one that was cloned before stays as it was.
        #[test]
        fn it_is_a_map(steps in prop::collection::vec((0..200u64, prop::option::of(0..9u8)), 0..400)) {
            let mut layered: Layered<u8> = Layered::default();
            let mut plain: Map<u8> = Map::default();
            let mut before: Option<(Layered<u8>, Map<u8>)> = None;
            for (at, (name, value)) in steps.into_iter().enumerate() {
                let name = NameHash(name);
                match value {
                    Some(value) => {
                        layered.insert(name, value);
                        plain.insert(name, value);
                    }
                    None => {
                        layered.remove(&name);
                        plain.remove(&name);
                    }
                }
                if at % 50 == 0 {
                    before = Some((layered.clone(), plain.clone()));
                }
            }
            let same = |layered: &Layered<u8>, plain: &Map<u8>| {
                let all: Map<u8> = layered.iter().map(|(name, value)| (*name, *value)).collect();
                all == *plain && *layered == plain.iter().map(|(name, value)| (*name, *value)).collect()
            };
            prop_assert!(same(&layered, &plain));
            prop_assert!(before.is_none_or(|(layered, plain)| same(&layered, &plain)));
        }
    }
}
