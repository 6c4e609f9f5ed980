//! What is noted of a run that is not watched closely: the branches that it takes.

use hydrogen_machine::{FuncId, Monitor, Program, Site, Step};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};

/// So many calls of functions that changed tell ways apart.
const MOST_CALLS: usize = 64;

/// The branches of a run of the user's code, with how often each went which way, and which way the functions that changed went.
pub(crate) struct Edges<'t> {
    /// By function, whether it is the user's, and whether it changed.
    kinds: &'t [Kind],
    last: Site,
    counts: FxHashMap<(Site, u32), u32>,
    /// By call of a function that changed: its branches, each once, as one number.
    calls: Vec<u64>,
    seen: FxHashSet<(usize, Site, u32)>,
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

    fn enter(&mut self, function: FuncId, _depth: usize) {
        if self.kinds.get(function.0 as usize) == Some(&Kind::Changed) && self.calls.len() < MOST_CALLS {
            self.calls.push(u64::from(function.0));
        }
    }

    fn branch(&mut self, target: u32) {
        let kind = self.kinds.get(self.last.function.0 as usize).copied().unwrap_or(Kind::Library);
        if kind == Kind::Library {
            return;
        }
        *self.counts.entry((self.last, target)).or_insert(0) += 1;
        let call = self.calls.len();
        if let (Kind::Changed, Some(own)) = (kind, self.calls.last_mut())
            && self.seen.insert((call, self.last, target))
        {
            // The order in which a call takes its branches does not count, so that a loop counts once.
            let mut hasher = FxHasher::default();
            (self.last, target).hash(&mut hasher);
            *own = own.wrapping_add(hasher.finish() | 1);
        }
    }
}

impl<'t> Edges<'t> {
    pub(crate) fn new(kinds: &'t [Kind]) -> Self {
        let last = Site { function: FuncId(0), pc: 0 };
        Self { kinds, last, counts: FxHashMap::default(), calls: Vec::new(), seen: FxHashSet::default() }
    }

    /// The branches, each with how often it was taken.
    pub(crate) fn counts(&self) -> &FxHashMap<(Site, u32), u32> {
        &self.counts
    }

    /// What stands for the ways of the functions that changed, call by call; the same way again and again counts once.
    pub(crate) fn way(&self) -> u64 {
        let mut calls = self.calls.clone();
        calls.dedup();
        let mut hasher = FxHasher::default();
        calls.hash(&mut hasher);
        hasher.finish()
    }
}
