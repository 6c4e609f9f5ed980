//! Which question is asked next.

use crate::joint::Joint;
use crate::types::Strategy;
use crate::vary::Dice;
use hydrogen_evidence::exposed::Class;
use hydrogen_explore::Kind;
use hydrogen_machine::Site;
use std::collections::{BTreeMap, BTreeSet};

/// What is asked of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum About {
    /// Its outcome.
    Outcome,
    /// A pair of branches, by number.
    Pair(usize),
    /// One of its conditions, by number.
    Part(usize),
    /// The ends of its change-effect graph.
    Effects,
}

/// A question about a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Question {
    pub(crate) run: usize,
    pub(crate) about: About,
    pub(crate) class: Class,
}

/// The rank of a question among those of its class: how far it is, how often its branch was turned before, and its number.
type Rank = (u64, u32, u64);

/// Every so many questions the oldest one is asked, so that none waits for ever.
const FAIR: u64 = 8;
/// Where a change was reached, classes take turns: what may come out of it most often, other ways to it sometimes.
const TURNS: [Class; 8] = [
    Class::Disagree,
    Class::Propagate,
    Class::Disagree,
    Class::Propagate,
    Class::Again,
    Class::Disagree,
    Class::Infect,
    Class::Reach,
];

/// Whose turn it is. What a graph of effects asks for takes long: every other time.
fn turn(taken: u64) -> Class {
    let turns = TURNS.len() as u64;
    match TURNS[(taken % turns) as usize] {
        Class::Infect if !(taken / turns).is_multiple_of(2) => Class::Propagate,
        class => class,
    }
}

/// The questions that are open.
#[derive(Debug)]
pub(crate) struct Queue {
    best: BTreeMap<(Class, Rank), Question>,
    oldest: BTreeSet<(u64, (Class, Rank))>,
    /// How often each branch was turned, those of one version alone for themselves, and behind each sequence of changes where sequences are asked for.
    turned: BTreeMap<(bool, Site, u64), u32>,
    /// Whether a run has come to a change.
    reached: bool,
    strategy: Strategy,
    dice: Dice,
    added: u64,
    taken: u64,
}

impl Queue {
    pub(crate) fn new(strategy: Strategy) -> Self {
        Self {
            best: BTreeMap::new(),
            oldest: BTreeSet::new(),
            turned: BTreeMap::new(),
            reached: false,
            strategy,
            dice: Dice::new(),
            added: 0,
            taken: 0,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.best.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.best.len()
    }

    /// Adds the questions about a run's outcome and pairs.
    pub(crate) fn add_joint(&mut self, run: usize, joint: &Joint) {
        self.reached |= joint.reached;
        if joint.apart.is_some() {
            self.push(Question { run, about: About::Outcome, class: Class::Differ }, 0, 0);
        }
        if joint.reached {
            // Where the versions did something different already, less is missing.
            let near = u64::from(!joint.infected);
            self.push(Question { run, about: About::Effects, class: Class::Infect }, near, 0);
        }
        for pair in 0..joint.alike.len() {
            // The last ones are nearest to what comes out.
            let near = (joint.alike.len() - pair) as u64;
            self.push(Question { run, about: About::Pair(pair), class: Class::Disagree }, near, 0);
        }
    }

    /// Adds the question about one of the conditions.
    pub(crate) fn add_part(&mut self, run: usize, joint: &Joint, at: usize) {
        let part = &joint.parts[at];
        let class = match part.conjunct.kind {
            Kind::NoFault if part.single && part.behind => Class::Propagate,
            Kind::NoFault => Class::Fault,
            _ if part.behind => Class::Propagate,
            _ if joint.reached => Class::Again,
            _ => Class::Reach,
        };
        let turned = self.turned.entry((part.single, part.conjunct.site, part.walked)).or_insert(0);
        *turned += 1;
        let tries = *turned;
        let distance = match class {
            Class::Reach | Class::Again => part.distance.unwrap_or(u64::MAX),
            // What one version alone decides comes first, then the user's code; and where the versions did the same so far, only the former leads on.
            _ => {
                let same = !joint.infected && !part.single;
                u64::from(!part.single) + 2 * u64::from(!part.own) + 4 * u64::from(same)
            }
        };
        self.push(Question { run, about: About::Part(at), class }, distance, tries);
    }

    fn push(&mut self, question: Question, distance: u64, tries: u32) {
        let rank = (question.class, (distance, tries, self.added));
        self.best.insert(rank, question);
        self.oldest.insert((self.added, rank));
        self.added += 1;
    }

    pub(crate) fn take(&mut self) -> Option<Question> {
        self.taken += 1;
        let first = *self.best.first_key_value()?.0;
        let by_chance = match self.strategy {
            Strategy::Random => true,
            Strategy::Alternate => self.taken.is_multiple_of(2),
            Strategy::Turns | Strategy::Nearest => false,
        };
        let rank = if by_chance {
            let at = self.dice.below(self.oldest.len());
            self.oldest.iter().nth(at)?.1
        } else if self.taken.is_multiple_of(FAIR) {
            self.oldest.first()?.1
        } else if self.strategy != Strategy::Turns || first.0 == Class::Differ || !self.reached {
            first
        } else {
            self.first_of(turn(self.taken)).unwrap_or(first)
        };
        self.oldest.remove(&(rank.1.2, rank));
        self.best.remove(&rank)
    }

    fn first_of(&self, class: Class) -> Option<(Class, Rank)> {
        let least = (class, (0, 0, 0));
        let (rank, _) = self.best.range(least..).next()?;
        (rank.0 == class).then_some(*rank)
    }
}
