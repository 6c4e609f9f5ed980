//! The lists of conditions that inputs were run with or asked for, as a tree: none is asked for twice (F-B7).

use hydrogen_term::Term;
use rustc_hash::FxHashMap;

/// A list of conditions, by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Place(u32);

/// All lists that are known.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    children: FxHashMap<(Place, Option<Term>), Place>,
}

impl Tree {
    /// The empty list of a shape of input: as many levels below the root as shapes come before.
    pub(crate) fn root(&mut self, shape: usize) -> Place {
        (0..shape).fold(Place(0), |place, _| self.enter(place, None).0)
    }

    /// A list with one condition more, and whether it is new.
    pub(crate) fn with(&mut self, place: Place, term: Term) -> (Place, bool) {
        self.enter(place, Some(term))
    }

    fn enter(&mut self, place: Place, term: Option<Term>) -> (Place, bool) {
        let next = Place(u32::try_from(self.children.len() + 1).expect("memory ends before 2^32 conditions"));
        match self.children.entry((place, term)) {
            std::collections::hash_map::Entry::Occupied(known) => (*known.get(), false),
            std::collections::hash_map::Entry::Vacant(free) => (*free.insert(next), true),
        }
    }
}
