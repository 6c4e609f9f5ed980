//! Where states of versions are compared: a run that all ways to the statement pass, or the entry of its function.

use crate::fix::measure::Points;
use crate::meaning::shape::{ENTRY, Shape, Spot, StepId};
use crate::walk::Analyst;
use hydrogen_graph::{ChainId, Fix, Graph, NodeId, VersionId};

/// How many cuts above the statement are tried.
const MOST_CUTS: usize = 24;

/// A place where states are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Before the first run of a statement that the versions share.
    Before(Spot),
    /// Before a later run, behind a call that the statement makes: for versions in which the statement does the same as in this one.
    Within(Spot, VersionId),
    /// Where this function begins, whatever its first statement is.
    Entry(ChainId),
}

impl Cut {
    /// The function that the place is in.
    pub fn owner(self, graph: &Graph) -> ChainId {
        match self {
            Cut::Before(spot) | Cut::Within(spot, _) => graph.chain(spot.node),
            Cut::Entry(chain) => chain,
        }
    }
}

impl Analyst<'_> {
    /// The run of a version that a cut is before.
    pub(crate) fn cut_in(&mut self, cut: Cut, chain: ChainId, version: VersionId) -> Option<Spot> {
        let shape = self.shape(chain, version)?;
        match cut {
            Cut::Before(spot) => shape.by_spot.contains_key(&spot).then_some(spot),
            Cut::Within(spot, like) => {
                let graph = self.subject.program.graph;
                let same = graph.node_in(spot.node, version)
                    && graph.payload(spot.node, version) == graph.payload(spot.node, like);
                (same && shape.by_spot.contains_key(&spot)).then_some(spot)
            }
            Cut::Entry(_) => shape.steps.get(ENTRY).map(|step| step.spot),
        }
    }

    /// Runs that every way to the statement passes, before and after the fix, the nearest first, and the entry of the function.
    pub(crate) fn cuts(&mut self, node: NodeId, fix: Fix, new: &Points) -> Vec<Cut> {
        let chain = self.subject.program.graph.chain(node);
        let (Some(old), Some(after)) = (self.shape(chain, fix.before), self.shape(chain, fix.after)) else {
            return Vec::new();
        };
        let Some(first) = old.steps.iter().position(|step| step.spot.node == node) else { return Vec::new() };
        let targets = new.values().flatten().filter_map(|(_, point)| after.by_spot.get(&point.spot).copied());
        let targets: Vec<usize> = targets.collect();
        let dominating: Vec<usize> = old.dominators.dominators_of(first).collect();
        let graph = self.subject.program.graph;
        let cut = |step: usize| {
            let run = old.steps[step].spot;
            let there = *after.by_spot.get(&run)?;
            if !targets.iter().all(|&target| after.dominators.dominates(there, target))
                || !come_round_alike((&old, step, &[first]), (&after, there, &targets))
            {
                return None;
            }
            let same = graph.payload(run.node, fix.before) == graph.payload(run.node, fix.after);
            match run.ordinal {
                0 => Some(Cut::Before(run)),
                _ if same && old.steps[step].works && is_behind_call(&old, step) => {
                    Some(Cut::Within(run, fix.before))
                }
                _ => None,
            }
        };
        let mut cuts: Vec<Cut> = dominating.into_iter().filter_map(cut).take(MOST_CUTS).collect();
        let entry = Cut::Before(old.steps[ENTRY].spot);
        // A first statement that both have is the entry.
        if !cuts.contains(&entry) || old.steps[ENTRY].spot != after.steps[ENTRY].spot {
            cuts.push(Cut::Entry(chain));
        }
        cuts
    }
}

/// Whether the statement of a run made a call before it: what the runs before that left in it is what variables hold, and a place above the
/// statement says the same.
fn is_behind_call(shape: &Shape, step: StepId) -> bool {
    let spot = shape.steps[step].spot;
    let before = |other: &StepId| {
        let one = shape.steps[*other].spot;
        one.node == spot.node && one.ordinal < spot.ordinal && shape.dominators.dominates(*other, step)
    };
    (0..shape.steps.len()).filter(before).any(|other| shape.call(other).is_some())
}

/// Whether ways come back to a place in the same manner in two versions. A place in a loop is passed once in every round, and states there
/// are those of one round; a place before the loop is passed once for all of them.
pub(crate) fn come_round_alike(
    (one, here, targets): (&Shape, StepId, &[StepId]),
    (other, there, others): (&Shape, StepId, &[StepId]),
) -> bool {
    if others.is_empty() {
        return true;
    }
    let passed_again = comes_back(one, targets, here, None);
    passed_again == comes_back(other, others, there, None)
        && (!passed_again
            || targets.iter().any(|&target| comes_back(one, targets, target, Some(here)))
                == others.iter().any(|&target| comes_back(other, others, target, Some(there))))
}

/// Whether a run can come after one of some others, on a way that does not pass another one.
fn comes_back(shape: &Shape, from: &[StepId], to: StepId, but: Option<StepId>) -> bool {
    let mut seen = vec![false; shape.steps.len()];
    let mut open = vec![to];
    while let Some(step) = open.pop() {
        for entering in &shape.steps[step].entering {
            if from.contains(&entering.from) {
                return true;
            }
            if but != Some(entering.from) && !std::mem::replace(&mut seen[entering.from], true) {
                open.push(entering.from);
            }
        }
    }
    false
}
