//! Which steps of one version go with which of the other, found on runs.
//!
//! One version leads: for each of its steps, by where it starts and arrives, the other takes a fixed number of steps. So a loop goes with itself (one
//! each), with its unrolled form (two for one, and none where the unrolled loop hands over to the rest), with its peeled form (two where the first
//! iteration is left), and a formula with a loop (none until the end).

use crate::{context::Side, data::Trace, relation::Places, segment::Target};
use std::collections::BTreeMap;

/// Numbers of steps that are tried, the usual ones first.
const STEPS: [usize; 9] = [1, 2, 3, 4, 0, 5, 6, 7, 8];
/// Different alignments that are tried.
const MOST: usize = 16;
/// Simulations that a search may cost.
const MOST_WORK: usize = 20_000;

/// Who leads, and how many steps the other takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Alignment {
    pub lead: Side,
    pub steps: BTreeMap<(Places, Target), usize>,
    /// Steps of the leader at a time, and of the follower where `steps` says nothing.
    pub stride: usize,
}

impl Alignment {
    /// The steps of the follower for a step of the leader.
    pub fn steps(&self, places: Places, target: Target) -> usize {
        self.steps.get(&(places, target)).copied().unwrap_or(self.stride)
    }
}

/// Alignments that all runs agree with, the simplest first.
pub(crate) fn alignments(old: &[Trace], new: &[Trace]) -> Vec<Alignment> {
    let mut found = Vec::new();
    for lead in [Side::New, Side::Old] {
        let (leader, follower) = match lead {
            Side::New => (new, old),
            Side::Old => (old, new),
        };
        let mut search = Search { lead, leader, follower, waits: false, found: Vec::new(), work: 0 };
        search.go(BTreeMap::new());
        if search.found.is_empty() {
            // The follower may have returned early.
            search = Search { waits: true, work: 0, ..search };
            search.go(BTreeMap::new());
        }
        for steps in search.found {
            let one = Alignment { lead, steps, stride: 1 };
            if !found.contains(&one) {
                found.push(one);
            }
        }
    }
    // One for one with the other version leading is the same again.
    let is_plain = |one: &Alignment| one.steps.values().all(|&steps| steps == 1);
    let first_plain = found.iter().position(is_plain);
    let mut at = 0;
    found.retain(|one| {
        at += 1;
        !is_plain(one) || first_plain == Some(at - 1)
    });
    found.sort_by_key(|one| one.steps.values().filter(|&&steps| steps != 1).count());
    found
}

struct Search<'t> {
    lead: Side,
    leader: &'t [Trace],
    follower: &'t [Trace],
    /// Whether a follower that has returned waits for the leader. Then much fits: only the usual numbers of steps are tried.
    waits: bool,
    found: Vec<BTreeMap<(Places, Target), usize>>,
    work: usize,
}

/// What a simulation met.
enum Met {
    Fine,
    Wrong,
    Choice((Places, Target)),
}

impl Search<'_> {
    fn go(&mut self, steps: BTreeMap<(Places, Target), usize>) {
        self.work += 1;
        if self.found.len() >= MOST || self.work > MOST_WORK {
            return;
        }
        for at in 0..self.leader.len() {
            match self.simulate(&steps, at) {
                Met::Fine => {}
                Met::Wrong => return,
                Met::Choice(key) => {
                    let numbers = if self.waits { &STEPS[..2] } else { &STEPS[..] };
                    for &number in numbers {
                        let mut more = steps.clone();
                        more.insert(key, number);
                        self.go(more);
                    }
                    return;
                }
            }
        }
        self.found.push(steps);
    }

    fn simulate(&self, steps: &BTreeMap<(Places, Target), usize>, input: usize) -> Met {
        let (leader, follower) = (&self.leader[input], &self.follower[input]);
        let (mut i, mut j) = (0, 0);
        while i + 1 < leader.len() {
            let places = match self.lead {
                Side::New => (follower[j].0, leader[i].0),
                Side::Old => (leader[i].0, follower[j].0),
            };
            let target = leader[i + 1].0;
            let is_end = |target: Target| matches!(target, Target::Return | Target::Stop);
            if follower[j].0 == Target::Return {
                i += 1;
                if is_end(target) {
                    return self.ends(target, Target::Return);
                }
                continue;
            }
            let Some(&number) = steps.get(&(places, target)) else { return Met::Choice((places, target)) };
            i += 1;
            let last = follower.len() - 1;
            if j + number > last {
                // The follower's run is over: it has ended, or was not followed further.
                if !is_end(follower[last].0) {
                    return Met::Fine;
                }
                if is_end(target) || !self.waits {
                    return if is_end(target) { self.ends(target, follower[last].0) } else { Met::Wrong };
                }
            }
            j = (j + number).min(last);
            if is_end(target) || follower[j].0 == Target::Stop || (!self.waits && is_end(follower[j].0)) {
                return self.ends(target, follower[j].0);
            }
        }
        Met::Fine
    }

    fn ends(&self, one: Target, other: Target) -> Met {
        if one == other { Met::Fine } else { Met::Wrong }
    }
}
