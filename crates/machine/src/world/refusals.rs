//! Memory that is not given although there is some: what a program does then is part of its behaviour.

use std::collections::BTreeSet;

/// Which requests for memory are refused.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Refusals {
    /// By number; the first request of the run is 0.
    pub numbers: BTreeSet<u64>,
    /// By function and line of the user's program that asks.
    pub places: BTreeSet<(String, u32)>,
    /// The numbers of the requests that were refused.
    pub refused: BTreeSet<u64>,
    /// How many requests were not fulfilled because the machine has no room for them, where a host may have.
    pub lacking: u64,
    /// How many requests there were.
    pub(crate) requests: u64,
}

/// No host gives so much: its addresses have 47 bits.
const MOST_OF_ALL: u64 = 1 << 47;

impl Refusals {
    /// There is no room for a request of this size.
    pub(crate) fn lack(&mut self, size: u64) {
        self.lacking += u64::from(size < MOST_OF_ALL);
    }

    /// Counts a request; whether it is refused. `asks` finds out where it comes from.
    pub(crate) fn next(&mut self, asks: impl FnOnce() -> Option<(String, u32)>) -> bool {
        let number = self.requests;
        self.requests += 1;
        let refused = self.numbers.contains(&number)
            || !self.places.is_empty() && asks().is_some_and(|place| self.places.contains(&place));
        if refused {
            self.refused.insert(number);
        }
        refused
    }
}
