//! What shows a witness: its path and its condition, in every version that has it.

use crate::judge::Shown;
use crate::judge::resolve::{Beginning, Outcome, Told, Witness};
use crate::walk::{Analyst, Frame};
use hydrogen_evidence::Evidence;
use hydrogen_graph::{NodeId, VersionId};
use std::collections::BTreeMap;

/// The versions in which the same condition came up to the same entry from the same site, the first of them being this one: their ways may
/// be the same, and are asked for together.
pub(super) fn alike(
    outcomes: &BTreeMap<VersionId, (Outcome, usize)>,
    version: VersionId,
) -> Vec<(VersionId, &Witness)> {
    let Some((Outcome::Witness(first), site)) = outcomes.get(&version) else { return Vec::new() };
    let same = |other: &Witness| {
        let (a, b) = (&other.arrival, &first.arrival);
        let mut frames = a.frames.iter().zip(&b.frames);
        (other.mode, other.rounds, a.term, a.frames.len())
            == (first.mode, first.rounds, b.term, b.frames.len())
            && frames.all(|(x, y)| x.0.chain == y.0.chain && x.1 == y.1)
    };
    let later = outcomes.range(version..).filter_map(|(version, (outcome, from))| match outcome {
        Outcome::Witness(other) if from == site && same(other) => Some((*version, other)),
        _ => None,
    });
    later.collect()
}

impl Analyst<'_> {
    /// What shows a condition that holds in several versions, in each of them: a way of its own, whoever else has the same.
    pub(super) fn evidence(
        &mut self,
        frame: &Frame,
        beginnings: &[Beginning],
        witnesses: &[(VersionId, &Witness)],
    ) -> BTreeMap<VersionId, Shown> {
        let mut found = self.paths_of(frame, beginnings, witnesses);
        let shown = witnesses.iter().map(|(version, witness)| {
            let told = found.remove(version);
            let told = told.unwrap_or_else(|| (witness.arrival.clone(), witness.model.clone(), Vec::new()));
            (*version, self.shown(frame, *version, told))
        });
        shown.collect()
    }

    fn shown(&mut self, frame: &Frame, version: VersionId, (arrival, model, frames): Told) -> Shown {
        let mut nodes: Vec<NodeId> = Vec::new();
        for (_, spots) in frames {
            let mut last = None;
            for spot in spots {
                if last != Some(spot.node) {
                    last = Some(spot.node);
                    nodes.push(spot.node);
                }
            }
        }
        let outermost = arrival.frames.first().map(|(frame, _)| frame.clone());
        let outermost = outermost.unwrap_or_else(|| frame.clone());
        let told = self.as_chosen(arrival.term, &model);
        let (constraint, values) = self.in_words(&outermost, version, told, &model);
        let path = nodes.iter().map(|&node| self.spot(node, version)).collect();
        let evidence = Evidence { path, constraint, model: values, ..Evidence::default() };
        Shown { evidence, nodes, arrival, model }
    }
}
