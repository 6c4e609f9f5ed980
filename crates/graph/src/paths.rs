//! Changed paths of a version, by reachability from its new edges (F23, spec 2.8).

use crate::model::Graph;
use crate::{ChainId, EdgeId, NodeId, VersionId};
use hashbrown::HashSet;
use std::collections::BTreeSet;

/// So many edges are tried for each path that is asked for.
const STEPS: usize = 10_000;

/// Paths through a function.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Paths {
    /// Each from the entry to the exit, both included, or to where control ends otherwise.
    pub paths: Vec<Vec<NodeId>>,
    /// Whether there may be more: as many as were asked for were found, or the search took too many steps.
    pub truncated: bool,
}

impl Graph {
    /// The edges of a function that are in `new` and not in `old`. A removed statement shows as a new edge between
    /// its neighbours.
    pub fn new_edges(&self, chain: ChainId, new: VersionId, old: VersionId) -> Vec<EdgeId> {
        self.chain_edges(chain).filter(|&edge| self.edge_in(edge, new) && !self.edge_in(edge, old)).collect()
    }

    /// The nodes that lie on a changed path of `new`: those that a new edge can be reached from, and those that can be
    /// reached from one.
    pub fn changed_region(&self, chain: ChainId, new: VersionId, old: VersionId) -> BTreeSet<NodeId> {
        let edges = self.new_edges(chain, new, old);
        let before = self.reach(edges.iter().map(|&edge| self.ends(edge).0), new, false);
        let after = self.reach(edges.iter().map(|&edge| self.ends(edge).1), new, true);
        let live = self.reach(self.entry(chain), new, true);
        before.union(&after).copied().filter(|node| live.contains(node)).collect()
    }

    /// What can be reached in a version from some nodes, themselves included, forward or backward (INV-14).
    pub fn reach(
        &self,
        from: impl IntoIterator<Item = NodeId>,
        version: VersionId,
        forward: bool,
    ) -> BTreeSet<NodeId> {
        let mut work: Vec<NodeId> = from.into_iter().filter(|&node| self.node_in(node, version)).collect();
        let mut found: BTreeSet<NodeId> = work.iter().copied().collect();
        while let Some(node) = work.pop() {
            let edges: Vec<EdgeId> =
                if forward { self.outgoing(node).collect() } else { self.incoming(node).collect() };
            for edge in edges.into_iter().filter(|&edge| self.edge_in(edge, version)) {
                let (source, target) = self.ends(edge);
                let next = if forward { target } else { source };
                if found.insert(next) {
                    work.push(next);
                }
            }
        }
        found
    }

    /// The paths of `new` through a function that contain an edge which `old` has not; no path takes an edge twice.
    /// At most `limit` of them, in the order of the edges. The number of paths can be exponential while few of them are
    /// changed, so the search gives up after [`STEPS`] steps for each path that is asked for.
    pub fn changed_paths(&self, chain: ChainId, new: VersionId, old: VersionId, limit: usize) -> Paths {
        let fresh: HashSet<EdgeId> = self.new_edges(chain, new, old).into_iter().collect();
        let sources = self.reach(fresh.iter().map(|&edge| self.ends(edge).0), new, false);
        let mut out = Paths::default();
        let Some(entry) = self.entry(chain).filter(|&entry| self.node_in(entry, new)) else { return out };
        let step = |node: NodeId| -> std::vec::IntoIter<EdgeId> {
            self.outgoing(node).filter(|&edge| self.edge_in(edge, new)).collect::<Vec<_>>().into_iter()
        };
        // The edges taken, and what is left to try at each node of the path.
        let mut taken: Vec<EdgeId> = Vec::new();
        let mut choices = vec![step(entry)];
        let mut changed = 0usize;
        let mut steps = STEPS.saturating_mul(limit.max(1));
        while let Some(last) = choices.last_mut() {
            if steps == 0 {
                out.truncated = true;
                return out;
            }
            steps -= 1;
            let Some(edge) = last.next() else {
                choices.pop();
                if let Some(edge) = taken.pop() {
                    changed -= usize::from(fresh.contains(&edge));
                }
                continue;
            };
            let (_, to) = self.ends(edge);
            let is_new = fresh.contains(&edge);
            // Without a new edge behind, one must still be ahead.
            if taken.contains(&edge) || (changed == 0 && !is_new && !sources.contains(&to)) {
                continue;
            }
            taken.push(edge);
            changed += usize::from(is_new);
            let onward = step(to);
            if onward.len() == 0 && changed > 0 {
                if out.paths.len() == limit {
                    out.truncated = true;
                    return out;
                }
                let targets = taken.iter().map(|&edge| self.ends(edge).1);
                out.paths.push(std::iter::once(entry).chain(targets).collect());
            }
            choices.push(onward);
        }
        out
    }
}
