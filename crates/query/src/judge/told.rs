//! What shows a witness: its path and its condition, or those of another version that are the same.

use crate::judge::Shown;
use crate::judge::resolve::{Beginning, Witness};
use crate::walk::{Analyst, Frame};
use hydrogen_evidence::Evidence;
use hydrogen_graph::{NodeId, VersionId};

impl Analyst<'_> {
    /// The evidence of another version, where the same condition came up to the same entry, and all of the path is in this version too.
    pub(super) fn told_before(
        &self,
        told: &[(&Witness, Shown)],
        witness: &Witness,
        version: VersionId,
    ) -> Option<Shown> {
        let (_, shown) = told.iter().find(|(other, Shown { nodes, .. })| {
            let (a, b) = (&other.arrival, &witness.arrival);
            let frames = a.frames.iter().zip(&b.frames);
            other.mode == witness.mode
                && a.term == b.term
                && a.frames.len() == b.frames.len()
                && frames.into_iter().all(|(x, y)| x.0.chain == y.0.chain && x.1 == y.1)
                && !nodes.is_empty()
                && nodes.iter().all(|&node| self.subject.program.graph.node_in(node, version))
        })?;
        let path = shown.nodes.iter().map(|&node| self.spot(node, version)).collect();
        let evidence = Evidence { path, ..shown.evidence.clone() };
        Some(Shown { evidence, ..shown.clone() })
    }

    pub(super) fn evidence(
        &mut self,
        frame: &Frame,
        beginnings: &[Beginning],
        version: VersionId,
        witness: &Witness,
    ) -> Shown {
        let found = self.path_of(frame, beginnings, version, witness);
        let (arrival, model, frames) = match found {
            Some((arrival, model, frames)) => (arrival, model, frames),
            None => (witness.arrival.clone(), witness.model.clone(), Vec::new()),
        };
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
