//! Numbers: how much changed per version (F13), and what the graph costs (F36).

use crate::events::Event;
use crate::meaning::Seen;
use crate::model::Graph;
use crate::own::Before;
use crate::{ChainId, NodeId, Target, VersionId, VersionInfo};
pub use hydrogen_evidence::steps::{Sizes, StepStats};
use std::collections::BTreeSet;

impl Graph {
    /// What each version did, compared with all its parents; nothing for those of which nobody knows what was before them.
    pub fn steps(&self) -> Vec<Option<StepStats>> {
        let seen = Seen::of(self, self.nodes());
        let step = |(at, info): (usize, &VersionInfo)| {
            let known = !info.unrelated && !info.parents.is_empty();
            known.then(|| self.step(&info.parents, VersionId::at(at), &seen))
        };
        self.versions.iter().enumerate().map(step).collect()
    }

    /// What changed from one version to another.
    pub fn step_stats(&self, old: VersionId, new: VersionId) -> StepStats {
        self.step(&[old], new, &Seen::of(self, self.nodes()))
    }

    fn step(&self, parents: &[VersionId], new: VersionId, seen: &Seen<'_>) -> StepStats {
        let mut stats = StepStats::default();
        let mut unread = vec![false; self.chains.len()];
        for &parent in parents {
            let one = self.unread_in_one(parent, new);
            unread.iter_mut().zip(one).for_each(|(all, one)| *all |= one);
        }
        let before = Before::of(self, parents);
        let meant: BTreeSet<NodeId> = seen.changed(parents, new).into_keys().collect();
        for chain in self.chains() {
            let having = before.having(|parent| self.chain_in(chain, parent));
            match (!having.is_empty(), self.chain_in(chain, new)) {
                (true, false) | (false, true) if unread[chain.index()] => stats.unread += 1,
                (true, false) => {
                    stats.deleted += usize::from(before.is_lost_after(&self.chain_versions(chain)));
                }
                (false, true) if self.calls_program(chain, new) => stats.added_calling += 1,
                (false, true) => stats.added_leaf += 1,
                (true, true) => {
                    let events = self.events(chain, &before, new, &meant);
                    let is = |test: fn(&Event) -> bool| usize::from(events.iter().any(test));
                    stats.modified += is(|event| matches!(event, Event::Changed { .. }));
                    stats.renamed += is(|event| matches!(event, Event::Renamed { .. } | Event::Moved { .. }));
                    stats.statements_meaning += events.iter().map(Event::meaning).sum::<usize>();
                }
                (false, false) => {}
            }
        }
        let Some(&first) = parents.first() else { return stats };
        let compared =
            |node: &NodeId| self.nodes[node.index()].symbol.is_real() && !unread[self.chain(*node).index()];
        for node in self.nodes().filter(compared) {
            stats.statements += usize::from(self.node_in(node, first));
            let (was, is) =
                (parents.iter().any(|&parent| self.node_in(node, parent)), self.node_in(node, new));
            let lost = was && !is && before.is_lost_after(&self.node_versions(node));
            stats.statements_removed += usize::from(lost);
            stats.statements_added += usize::from(is && !was);
        }
        let kept = stats.statements.saturating_sub(stats.statements_removed) as f64;
        stats.reused = if stats.statements == 0 { 1.0 } else { kept / stats.statements as f64 };
        stats
    }

    fn calls_program(&self, chain: ChainId, version: VersionId) -> bool {
        let calls =
            |node| self.targets(node, version).iter().any(|target| matches!(target, Target::Chain(_)));
        self.pieces(chain, version).into_iter().any(calls)
    }

    /// The graph's size by several measures.
    pub fn sizes(&self) -> Sizes {
        let count = self.versions.len();
        let (mut nodes_at, mut edges_at) = (vec![0usize; count + 1], vec![0usize; count + 1]);
        // Intervals are counted by their ends, so that many versions cost nothing.
        let add = |sums: &mut Vec<usize>, set: &crate::VersionSet| {
            for run in set.intervals() {
                sums[run.first.index()] = sums[run.first.index()].wrapping_add(1);
                sums[run.last.index() + 1] = sums[run.last.index() + 1].wrapping_sub(1);
            }
        };
        let mut explicit = 0;
        for node in self.nodes() {
            add(&mut nodes_at, &self.node_versions(node));
        }
        let mut explicit_intervals = 0;
        for edge in self.edges() {
            let versions = self.edge_versions(edge);
            if self.is_explicit(edge) {
                explicit += 1;
                explicit_intervals += versions.intervals().len();
            }
            add(&mut edges_at, &versions);
        }
        let total = |sums: &[usize]| {
            let (mut now, mut sum, mut most) = (0usize, 0, 0);
            for change in &sums[..count] {
                now = now.wrapping_add(*change);
                sum += now;
                most = most.max(now);
            }
            (sum, most)
        };
        let ((sum_nodes, largest_nodes), (sum_edges, largest_edges)) = (total(&nodes_at), total(&edges_at));
        let (nodes, edges) = (self.nodes.len(), self.edges.len());
        Sizes {
            versions: count,
            functions: self.chains.len(),
            nodes,
            edges,
            sum_nodes,
            sum_edges,
            largest_nodes,
            largest_edges,
            explicit_edges: explicit,
            stored_intervals: self.sets.values().iter().map(|set| set.intervals().len()).sum(),
            thesis_size: nodes + sum_edges + 2 * edges,
            sequence_size: sum_nodes + sum_edges,
            size: 2 * nodes + edges + 2 * explicit_intervals,
            reduced_by_rule: sum_nodes > nodes + 2 * edges,
        }
    }
}
