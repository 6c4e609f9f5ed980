//! Interned values: each stored once and named by a small index, in the order of their first use.

use crate::{NameId, SetId, TextId, VersionSet};
use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use serde::{Deserialize, Serialize};
use std::borrow::Borrow;
use std::hash::{BuildHasher, Hash};

/// A table of values without repetitions. Only the values are stored on disk; the index is derived.
#[derive(Debug, Clone)]
pub(crate) struct Table<T> {
    values: Vec<T>,
    /// Positions of values by their hash; the values themselves are stored once.
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { values: Vec::new(), index: HashTable::new(), hasher: DefaultHashBuilder::default() }
    }
}

impl<T: Eq + Hash> Table<T> {
    pub(crate) fn insert<Q>(&mut self, value: &Q) -> u32
    where
        T: Borrow<Q>,
        Q: ToOwned<Owned = T> + Eq + Hash + ?Sized,
    {
        if let Some(known) = self.find(value) {
            return known;
        }
        self.push(value.to_owned())
    }

    pub(crate) fn find<Q>(&self, value: &Q) -> Option<u32>
    where
        T: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        let same = |id: &u32| self.values[*id as usize].borrow() == value;
        self.index.find(self.hasher.hash_one(value), same).copied()
    }

    fn push(&mut self, value: T) -> u32 {
        let id = u32::try_from(self.values.len()).expect("a table holds fewer than 2^32 values");
        let hash = self.hasher.hash_one(&value);
        self.values.push(value);
        let (values, hasher) = (&self.values, &self.hasher);
        self.index.insert_unique(hash, id, |id| hasher.hash_one(&values[*id as usize]));
        id
    }

    pub(crate) fn get(&self, id: u32) -> &T {
        &self.values[id as usize]
    }

    pub(crate) fn values(&self) -> &[T] {
        &self.values
    }

    pub(crate) fn from_values(values: Vec<T>) -> Self {
        let mut table = Self::default();
        for value in values {
            table.push(value);
        }
        table
    }
}

impl Table<String> {
    pub(crate) fn name(&mut self, name: &str) -> NameId {
        NameId(self.insert(name))
    }
}

impl Table<VersionSet> {
    pub(crate) fn set(&mut self, set: &VersionSet) -> SetId {
        SetId(self.insert(set))
    }
}

/// Statement texts. Two texts that differ in layout alone are one entry, shown as it was first met.
#[derive(Debug, Clone, Default)]
pub(crate) struct Texts {
    shown: Vec<String>,
    index: HashMap<String, TextId>,
}

impl Texts {
    /// Interns a text by its canonical form.
    pub(crate) fn insert(&mut self, canonical: &str, shown: &str) -> TextId {
        if let Some(&known) = self.index.get(canonical) {
            return known;
        }
        let id = TextId(u32::try_from(self.shown.len()).expect("fewer than 2^32 texts"));
        self.shown.push(shown.to_owned());
        self.index.insert(canonical.to_owned(), id);
        id
    }

    pub(crate) fn get(&self, id: TextId) -> &str {
        &self.shown[id.0 as usize]
    }

    pub(crate) fn values(&self) -> &[String] {
        &self.shown
    }

    pub(crate) fn from_values(shown: Vec<String>) -> Self {
        let index =
            shown.iter().zip(0..).map(|(text, at)| (hydrogen_ir::canonical(text), TextId(at))).collect();
        Self { shown, index }
    }
}

/// A value that changes from version to version: stored where it changes alone.
///
/// Values at versions that the owner is not part of are meaningless.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Runs<T> {
    first: T,
    /// Later values with the version that each begins with. Boxed because nearly every list is empty.
    #[allow(clippy::box_collection)]
    rest: Option<Box<Vec<(u32, T)>>>,
}

impl<T: Clone + PartialEq> Runs<T> {
    pub(crate) fn new(value: T) -> Self {
        Self { first: value, rest: None }
    }

    /// The value in a version.
    pub(crate) fn at(&self, version: u32) -> &T {
        let Some(rest) = &self.rest else { return &self.first };
        match rest.partition_point(|(from, _)| *from <= version) {
            0 => &self.first,
            behind => &rest[behind - 1].1,
        }
    }

    /// The newest value.
    pub(crate) fn last(&self) -> &T {
        self.rest.as_ref().and_then(|rest| rest.last()).map_or(&self.first, |(_, value)| value)
    }

    /// Sets the value from a version on, which must be newer than all set before.
    pub(crate) fn set(&mut self, version: u32, value: T) {
        if *self.last() != value {
            self.rest.get_or_insert_default().push((version, value));
        }
    }

    pub(crate) fn values(&self) -> impl Iterator<Item = &T> {
        std::iter::once(&self.first)
            .chain(self.rest.iter().flat_map(|rest| rest.iter().map(|(_, value)| value)))
    }

    /// The versions with which a new value begins.
    pub(crate) fn starts(&self) -> impl Iterator<Item = u32> + '_ {
        self.rest.iter().flat_map(|rest| rest.iter().map(|(from, _)| *from))
    }

    /// Whether the values begin one after the other, in versions that exist, as decoded ones must.
    pub(crate) fn is_normal(&self, versions: usize) -> bool {
        self.rest.as_ref().is_none_or(|rest| {
            rest.windows(2).all(|pair| pair[0].0 < pair[1].0)
                && rest.last().is_none_or(|(from, _)| (*from as usize) < versions)
        })
    }
}
