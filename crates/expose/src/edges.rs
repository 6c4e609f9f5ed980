//! What is noted of a run that is not watched closely: the branches that it takes.

use hydrogen_machine::{FuncId, Monitor, Program, Site, Step};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

/// The branches of a run of the user's code, with how often each went which way, and which way the functions that changed went.
pub(crate) struct Edges<'t> {
    /// By function, whether it is the user's, and whether it changed.
    kinds: &'t [Kind],
    last: Site,
    counts: FxHashMap<(Site, u32), u32>,
    /// The branches of the functions that changed, each once,
    seen: FxHashSet<(Site, u32)>,
    /// and as one number. Neither their order nor how often a function is called counts: inputs that are longer say nothing new of a change.
    way: u64,
}

/// What a function is to the search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Library,
    Users,
    Changed,
}

impl Kind {
    /// Of every function of a program, of which some changed.
    pub(crate) fn of_all(program: &Program, changed: &BTreeSet<FuncId>) -> Vec<Self> {
        let kind = |id: FuncId| match program.is_users(id) {
            true if changed.contains(&id) => Self::Changed,
            true => Self::Users,
            false => Self::Library,
        };
        program.ids().map(kind).collect()
    }
}

impl Monitor for Edges<'_> {
    // The other version's run, which nobody watches, may start threads.
    const THREADS: bool = true;

    fn step(&mut self, step: Step<'_>) {
        self.last = step.site;
    }

    fn branch(&mut self, target: u32) {
        let kind = self.kinds.get(self.last.function.0 as usize).copied().unwrap_or(Kind::Library);
        if kind == Kind::Library {
            return;
        }
        *self.counts.entry((self.last, target)).or_insert(0) += 1;
        if kind == Kind::Changed && self.seen.insert((self.last, target)) {
            let mut hasher = FxHasher::default();
            (self.last, target).hash(&mut hasher);
            self.way = self.way.wrapping_add(hasher.finish() | 1);
        }
    }
}

impl<'t> Edges<'t> {
    pub(crate) fn new(kinds: &'t [Kind]) -> Self {
        let last = Site { function: FuncId(0), pc: 0 };
        Self { kinds, last, counts: FxHashMap::default(), seen: FxHashSet::default(), way: 0 }
    }

    /// The branches, each with how often it was taken.
    pub(crate) fn counts(&self) -> &FxHashMap<(Site, u32), u32> {
        &self.counts
    }

    /// What stands for the way of the functions that changed.
    pub(crate) fn way(&self) -> u64 {
        self.way
    }
}
