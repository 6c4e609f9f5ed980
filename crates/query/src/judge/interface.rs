//! Where changed functions meet code that did not change: the statements behind their calls (§3.7 b, E15), and the functions that they call.

use crate::judge::away::distances;
use crate::walk::{Analyst, Frame};
use hydrogen_evidence::Class;
use hydrogen_graph::{ChainId, NodeId, VersionId};
use hydrogen_ir::Role;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// How many statements behind the calls of one changed function, or in one unchanged callee, are looked at.
const MOST_BEHIND: usize = 16;

impl Analyst<'_> {
    /// The statements that can fail behind calls of changed functions, the nearest first, and how many more there are.
    pub(crate) fn behind_calls(
        &mut self,
        changed: &[ChainId],
        new: VersionId,
        kinds: &[Class],
        known: &BTreeSet<(NodeId, VersionId)>,
    ) -> (Vec<(NodeId, VersionId)>, usize) {
        let graph = self.subject.program.graph;
        let (mut found, mut left) = (Vec::new(), 0);
        let mut seen_at_all: BTreeSet<NodeId> = known.iter().map(|(node, _)| *node).collect();
        for &chain in changed {
            let calls = self.callers_of(chain);
            let calls = calls.iter().filter(|(_, versions)| versions.contains(new)).map(|(node, _)| *node);
            let mut open: VecDeque<NodeId> = calls.filter(|&node| graph.chain(node) != chain).collect();
            let mut seen: BTreeSet<NodeId> = open.iter().copied().collect();
            let mut taken = 0;
            while let Some(node) = open.pop_front().filter(|_| !self.spent()) {
                if self.can_fail(node, new, kinds) && seen_at_all.insert(node) {
                    match taken < MOST_BEHIND {
                        true => found.push((node, new)),
                        false => left += 1,
                    }
                    taken += 1;
                }
                for edge in graph.outgoing(node).filter(|&edge| graph.edge_in(edge, new)) {
                    let (_, to) = graph.ends(edge);
                    if seen.insert(to) {
                        open.push_back(to);
                    }
                }
            }
        }
        (found, left)
    }

    /// The statements that can fail in unchanged functions that are called behind a change, and how many more there are.
    pub(crate) fn within_callees(
        &mut self,
        called: &[ChainId],
        new: VersionId,
        kinds: &[Class],
        known: &BTreeSet<(NodeId, VersionId)>,
    ) -> (Vec<(NodeId, VersionId)>, usize) {
        let (mut found, mut left) = (Vec::new(), 0);
        for &chain in called {
            if self.spent() {
                break;
            }
            let mut taken = 0;
            for node in self.subject.program.graph.pieces(chain, new) {
                if known.contains(&(node, new)) || !self.can_fail(node, new, kinds) {
                    continue;
                }
                match taken < MOST_BEHIND {
                    true => found.push((node, new)),
                    false => left += 1,
                }
                taken += 1;
            }
        }
        (found, left)
    }

    /// The statements of changed functions that make memory before the change: whether it is lost may be the change's doing.
    pub(crate) fn made_before(
        &mut self,
        changed: &[ChainId],
        new: VersionId,
        away: &BTreeMap<NodeId, usize>,
        known: &BTreeSet<(NodeId, VersionId)>,
    ) -> Vec<(NodeId, VersionId)> {
        let graph = self.subject.program.graph;
        let mut found = Vec::new();
        for node in changed.iter().flat_map(|&chain| graph.pieces(chain, new)) {
            if known.contains(&(node, new)) || !self.can_fail(node, new, &[Class::Leak]) {
                continue;
            }
            let behind = distances(graph, [node], new);
            if behind.keys().any(|one| away.get(one) == Some(&0)) {
                found.push((node, new));
            }
        }
        found
    }

    fn can_fail(&mut self, node: NodeId, version: VersionId, kinds: &[Class]) -> bool {
        let graph = self.subject.program.graph;
        let frame = Frame::of(graph.chain(node));
        !matches!(graph.role(node), Role::Entry | Role::Exit)
            && self
                .sites(&frame, node, version)
                .iter()
                .any(|site| site.unsure.is_none() && kinds.contains(&site.kind))
    }
}
