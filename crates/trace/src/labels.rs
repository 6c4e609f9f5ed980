//! Sets of criteria, each kept once.

use rustc_hash::FxHashMap;

/// A set, by number; 0 is the empty one.
pub(crate) type Label = u32;

/// All sets that came up.
#[derive(Debug)]
pub(crate) struct Labels {
    sets: Vec<Box<[u64]>>,
    known: FxHashMap<Box<[u64]>, Label>,
    unions: FxHashMap<(Label, Label), Label>,
    words: usize,
}

impl Labels {
    /// Sets of criteria below `count`.
    pub(crate) fn new(count: usize) -> Self {
        let words = count.div_ceil(64).max(1);
        let empty: Box<[u64]> = vec![0; words].into();
        let known = FxHashMap::from_iter([(empty.clone(), 0)]);
        Self { sets: vec![empty], known, unions: FxHashMap::default(), words }
    }

    fn intern(&mut self, set: Box<[u64]>) -> Label {
        if let Some(known) = self.known.get(&set) {
            return *known;
        }
        let label = self.sets.len() as Label;
        self.sets.push(set.clone());
        self.known.insert(set, label);
        label
    }

    /// The set of one criterion.
    pub(crate) fn one(&mut self, criterion: usize) -> Label {
        let mut set: Box<[u64]> = vec![0; self.words].into();
        set[criterion / 64] |= 1 << (criterion % 64);
        self.intern(set)
    }

    pub(crate) fn union(&mut self, a: Label, b: Label) -> Label {
        if a == b || b == 0 {
            return a;
        }
        if a == 0 {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(known) = self.unions.get(&key) {
            return *known;
        }
        let (left, right) = (&self.sets[a as usize], &self.sets[b as usize]);
        let set: Box<[u64]> = left.iter().zip(right.iter()).map(|(a, b)| a | b).collect();
        let label = self.intern(set);
        self.unions.insert(key, label);
        label
    }

    pub(crate) fn contains(&self, label: Label, criterion: usize) -> bool {
        self.sets[label as usize][criterion / 64] >> (criterion % 64) & 1 != 0
    }
}
