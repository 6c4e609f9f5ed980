//! Which condition is turned around next.

use super::Test;
use crate::coverage::Coverage;
use crate::goal::Distances;
use crate::path::{Conjunct, Kind};
use hydrogen_machine::Site;
use rustc_hash::FxHashSet;
use std::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Which condition is turned around next.
#[derive(Debug, Clone, Default)]
pub enum Search {
    /// The last condition of the newest run.
    #[default]
    Depth,
    /// Conditions whose other side nobody executed yet, then all conditions of the run that executed most that was new.
    Generational,
    /// The one that leads nearest to a place; ends when a run gets there.
    Directed(Arc<Distances>),
}

impl Search {
    pub(super) fn is_reached(&self, coverage: &Coverage) -> bool {
        match self {
            Search::Directed(distances) => distances.targets().any(|site| coverage.has(site)),
            _ => false,
        }
    }
}

/// A condition of a test that may be turned around.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Question {
    pub(super) test: usize,
    /// The number of the condition.
    pub(super) at: usize,
    /// Whether a fault is looked for.
    pub(super) fault: bool,
}

/// A side that cannot be reached from so many runs is no longer preferred.
const MOST_TRIES: u32 = 24;
/// How many questions are asked at a time. Depth first means one after the other.
const ROUND: usize = 32;

/// What is to be asked.
pub(super) struct Queue {
    search: Search,
    /// By rank, the best first.
    open: BTreeMap<(Reverse<u64>, u64, usize), VecDeque<Question>>,
    stack: Vec<Question>,
    /// Other values for those that were made concrete: asked when nothing else is left.
    values: VecDeque<Question>,
    /// How often a side that nobody executed was preferred.
    tries: BTreeMap<Site, u32>,
    len: usize,
    elsewhere: u64,
}

impl Queue {
    pub(super) fn new(search: &Search) -> Self {
        Self {
            search: search.clone(),
            open: BTreeMap::new(),
            stack: Vec::new(),
            values: VecDeque::new(),
            tries: BTreeMap::new(),
            len: 0,
            elsewhere: 0,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Questions that were left out because they do not lead to the goal.
    pub(super) fn elsewhere(&self) -> u64 {
        self.elsewhere
    }

    /// The questions of a test, from a condition on: also for `faults`, and for other `values` than those that were made concrete. `fresh` gives the other side of a branch if nobody executed it yet.
    pub(super) fn add(
        &mut self,
        number: usize,
        test: &Test,
        known: usize,
        (faults, values): (bool, bool),
        fresh: impl Fn(&Conjunct) -> Option<Site>,
    ) {
        // What holds already cannot be turned around.
        let mut before = FxHashSet::default();
        for (at, conjunct) in test.condition().iter().enumerate() {
            let first = before.insert(conjunct.term);
            let fault = conjunct.kind == Kind::NoFault;
            // A run that ends with a fault says nothing about what comes after: the other side always matters.
            let value = conjunct.kind == Kind::Concrete && values && test.condition.is_none();
            let asked = matches!(conjunct.kind, Kind::Branch | Kind::Fault) || fault && faults || value;
            if at < known || !first || !asked {
                continue;
            }
            let question = Question { test: number, at, fault };
            if value {
                self.values.push_back(question);
                self.len += 1;
                continue;
            }
            match &self.search {
                Search::Depth => self.stack.push(question),
                Search::Generational => {
                    let tries = fresh(conjunct).map(|side| self.tries.entry(side).or_insert(0));
                    let preferred = tries.is_some_and(|tries| {
                        *tries += 1;
                        *tries <= MOST_TRIES
                    });
                    let rank = if preferred { Reverse(u64::MAX) } else { Reverse(test.new) };
                    self.open.entry((rank, 0, number)).or_default().push_back(question);
                }
                Search::Directed(distances) => match distances.other_side(conjunct) {
                    Some(distance) => {
                        let rank = (Reverse(0), distance, number);
                        self.open.entry(rank).or_default().push_back(question);
                    }
                    None => {
                        self.elsewhere += 1;
                        continue;
                    }
                },
            }
            self.len += 1;
        }
    }

    /// The next questions, at most as many as a round has.
    pub(super) fn take(&mut self) -> Vec<Question> {
        let mut taken = Vec::new();
        if let Some(question) = self.stack.pop() {
            taken.push(question);
        }
        while taken.len() < ROUND
            && let Some(mut best) = self.open.first_entry()
        {
            match best.get_mut().pop_front() {
                Some(question) => taken.push(question),
                None => drop(best.remove()),
            }
        }
        if taken.is_empty() {
            taken.extend(self.values.pop_front());
        }
        self.len -= taken.len();
        taken
    }
}
