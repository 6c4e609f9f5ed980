//! Execution indices: which instance of a statement is the same in another run or another version (P-2).
//!
//! An index is the way to an instance: the calls, the branches with their outcomes and the rounds of loops around it. Indices
//! of all runs that are compared live in one table, so that two are equal when their numbers are.

use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};
use std::hash::{BuildHasher, Hash};

/// One level of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level<N> {
    /// A call that an instance of the node makes; its number among them.
    Call {
        /// The node.
        at: N,
        /// The number, from 0.
        nth: u32,
    },
    /// A branch that went this way.
    Branch {
        /// The node.
        at: N,
        /// The way: 1 and 0 for true and false, else the value of the label.
        outcome: u64,
    },
    /// A round of a loop.
    Round {
        /// The loop's head.
        head: N,
        /// The number, from 0.
        nth: u32,
    },
    /// What follows after a `longjmp` to the node.
    Landing {
        /// The node.
        at: N,
        /// Its number among those of the activation, from 0.
        nth: u32,
    },
}

/// An index, by its number in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IndexId(u32);

impl IndexId {
    /// That of the first function.
    pub const ROOT: IndexId = IndexId(0);
}

/// All indices that came up.
#[derive(Debug, Clone)]
pub struct Indices<N> {
    levels: Vec<(IndexId, Level<N>)>,
    /// The numbers alone: what they stand for is in the list, and long runs have millions.
    known: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl<N: Copy + Eq + Hash> Default for Indices<N> {
    fn default() -> Self {
        Self { levels: Vec::new(), known: HashTable::new(), hasher: DefaultHashBuilder::default() }
    }
}

impl<N: Copy + Eq + Hash> Indices<N> {
    /// The index one level below another.
    pub fn below(&mut self, above: IndexId, level: Level<N>) -> IndexId {
        let Self { levels, known, hasher } = self;
        let wanted = (above, level);
        let place = |number: &u32| *number as usize - 1;
        let found = known.entry(
            hasher.hash_one(wanted),
            |number| levels[place(number)] == wanted,
            |number| hasher.hash_one(levels[place(number)]),
        );
        match found {
            Entry::Occupied(known) => IndexId(*known.get()),
            Entry::Vacant(free) => {
                let number = u32::try_from(levels.len() + 1).expect("fewer than 2^32 regions are entered");
                free.insert(number);
                levels.push(wanted);
                IndexId(number)
            }
        }
    }

    /// What is above an index and its last level; nothing for the root.
    pub fn last(&self, index: IndexId) -> Option<(IndexId, Level<N>)> {
        self.levels.get((index.0 as usize).checked_sub(1)?).copied()
    }

    /// All levels of an index, the outermost first.
    pub fn levels(&self, mut index: IndexId) -> Vec<Level<N>> {
        let mut levels = Vec::new();
        while let Some((above, level)) = self.last(index) {
            levels.push(level);
            index = above;
        }
        levels.reverse();
        levels
    }
}
