//! Conditions of one run that those of the other do not imply (§2.3): `θ_i = F ∧ ψ1 ∧ … ∧ ψ_{i-1} ∧ ¬ψ_i`, one question each.

use crate::independent::Independent;
use crate::nearest::{Found, nearest};
use crate::size::size;
use hydrogen_evidence::Input;
use hydrogen_evidence::why::Side;
use hydrogen_explore::{Conjunct, Kind};
use hydrogen_machine::Site;
use hydrogen_term::{Engine, Pool, Solver};
use std::collections::{BTreeMap, BTreeSet};

/// An input on which one version goes the same way as with the failing input, and the other goes another way at one branch first.
#[derive(Debug, Clone)]
pub(crate) struct Deviation {
    /// The version that goes another way.
    pub(crate) side: Side,
    /// Where it does.
    pub(crate) conjunct: Conjunct,
    pub(crate) input: Input,
}

/// What became of the questions of one direction.
#[derive(Debug, Default)]
pub(crate) struct Decomposed {
    pub(crate) deviations: Vec<Deviation>,
    /// Branches all of whose instances are implied.
    pub(crate) implied: BTreeSet<Site>,
    /// Questions that were asked.
    pub(crate) asked: usize,
    /// Questions without an answer.
    pub(crate) unknown: usize,
    /// Of these, without any solution: what the question says cannot be.
    pub(crate) dropped: usize,
    /// Instances that were not asked about, because their branch has too many.
    pub(crate) skipped: usize,
    /// The size of the largest question.
    pub(crate) largest: usize,
    /// Of those that were asked again with the rest of the input kept: the largest size before and after, how many, and how many of them
    /// say that there is none this way.
    pub(crate) kept: [usize; 2],
    pub(crate) again: usize,
    pub(crate) lost: usize,
}

/// How the questions are put.
pub(crate) struct How<'a> {
    pub(crate) side: Side,
    /// Whether the conditions before belong to a question (F-C5); without, the first deviation may be an earlier one (F-C6).
    pub(crate) prefix: bool,
    /// Whether a condition is asked about.
    pub(crate) scope: &'a dyn Fn(&Conjunct) -> bool,
    /// Whether a condition that was passed belongs to the questions behind it.
    pub(crate) keeps: &'a dyn Fn(&Conjunct) -> bool,
    /// Whether to go on.
    pub(crate) go_on: &'a dyn Fn() -> bool,
}

/// A branch in a loop is asked about so often.
const MOST_INSTANCES: usize = 48;

pub(crate) fn decompose<S: Solver>(
    engine: &mut Engine<S>,
    pool: &mut Pool,
    kept: &[Conjunct],
    turned: &[Conjunct],
    near: &Input,
    how: &How<'_>,
) -> Decomposed {
    let mut found = Decomposed::default();
    let mut conditions = Independent::default();
    for one in kept {
        conditions.add(pool, one.term);
    }
    let mut times: BTreeMap<Site, usize> = BTreeMap::new();
    let mut open: BTreeSet<Site> = BTreeSet::new();
    for one in turned {
        if matches!(one.kind, Kind::Branch | Kind::Fault) && (how.scope)(one) {
            let times = times.entry(one.site).or_default();
            *times += usize::from(!conditions.has(one.term));
            if conditions.has(one.term) {
                found.implied.insert(one.site);
            } else if *times > MOST_INSTANCES || !(how.go_on)() {
                found.skipped += 1;
                open.insert(one.site);
            } else {
                found.asked += 1;
                let question = pool.not(one.term);
                let about = conditions.about(pool, question);
                found.largest = found.largest.max(size(pool, about.into_iter().chain([question])));
                let nearest = nearest(engine, pool, &mut conditions, question, near);
                if let Some(sizes) = nearest.kept {
                    found.again += 1;
                    found.kept = found.kept.max(sizes);
                }
                match nearest.found {
                    Found::Input(input) => {
                        found.deviations.push(Deviation { side: how.side, conjunct: *one, input: *input });
                        open.insert(one.site);
                    }
                    Found::None => {
                        found.dropped += 1;
                        found.implied.insert(one.site);
                    }
                    Found::Unknown { lost } => {
                        found.unknown += 1;
                        found.lost += usize::from(lost);
                        open.insert(one.site);
                    }
                }
            }
        }
        if how.prefix && (how.keeps)(one) {
            conditions.add(pool, one.term);
        }
    }
    found.implied.retain(|site| !open.contains(site));
    found
}
