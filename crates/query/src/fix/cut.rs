//! Where states of versions are compared: a run that all ways to the statement pass, or the entry of its function.

use crate::fix::measure::Points;
use crate::meaning::shape::{ENTRY, Spot};
use crate::walk::Analyst;
use hydrogen_graph::{ChainId, Fix, NodeId, VersionId};

/// How many cuts above the statement are tried.
const MOST_CUTS: usize = 24;

/// A place where states are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    /// Before the first run of a statement that the versions share.
    Before(Spot),
    /// Before a later run, behind a call that the statement makes: for versions in which the statement does the same as in this one.
    Within(Spot, VersionId),
    /// Where the function begins, whatever its first statement is.
    Entry,
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
            Cut::Entry => shape.steps.get(ENTRY).map(|step| step.spot),
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
            if !targets.iter().all(|&target| after.dominators.dominates(there, target)) {
                return None;
            }
            let same = graph.payload(run.node, fix.before) == graph.payload(run.node, fix.after);
            match run.ordinal {
                0 => Some(Cut::Before(run)),
                _ if same && old.steps[step].works => Some(Cut::Within(run, fix.before)),
                _ => None,
            }
        };
        let mut cuts: Vec<Cut> = dominating.into_iter().filter_map(cut).take(MOST_CUTS).collect();
        let entry = Cut::Before(old.steps[ENTRY].spot);
        // A first statement that both have is the entry.
        if !cuts.contains(&entry) || old.steps[ENTRY].spot != after.steps[ENTRY].spot {
            cuts.push(Cut::Entry);
        }
        cuts
    }
}
