//! Fixes that do not touch the statement: which functions they concern, which states they turn away there, and which releases have the
//! same code.

use crate::fix::measure::Measure;
use crate::judge::Question;
use crate::walk::Analyst;
use hydrogen_evidence::{Entry, Finding, Verdict};
use hydrogen_graph::{ChainId, Fix, Graph, NodeId, Target, VersionId, VersionSet};
use hydrogen_ir::Role;
use std::collections::BTreeSet;

/// How many places are tried.
const MOST_PLACES: usize = 8;
/// How many calls away a fix may be.
const CALLS_AWAY: usize = 2;

impl Analyst<'_> {
    /// The functions that the fix changed or made, and the statement's own.
    pub(crate) fn concerned(&self, node: NodeId, fix: Fix) -> BTreeSet<ChainId> {
        let mut found = self.changed(fix);
        found.insert(self.subject.program.graph.chain(node));
        found
    }

    /// The functions that the fix changed or made.
    pub(crate) fn changed(&self, fix: Fix) -> BTreeSet<ChainId> {
        let graph = self.subject.program.graph;
        let changed = graph.chains().filter(|&chain| graph.chain_in(chain, fix.after));
        changed.filter(|&chain| !same_code(graph, chain, fix.before, fix.after)).collect()
    }

    /// Whether some functions have the same code in two versions, with as much room for what they use.
    pub(crate) fn is_same(&mut self, chains: &BTreeSet<ChainId>, one: VersionId, other: VersionId) -> bool {
        let graph = self.subject.program.graph;
        chains.iter().all(|&chain| match (graph.chain_in(chain, one), graph.chain_in(chain, other)) {
            (true, true) => same_code(graph, chain, one, other) && self.has_same_room(chain, one, other),
            (false, false) => true,
            _ => false,
        })
    }

    /// The verdicts by what the fix turns away at its own tests, where the statement itself shows nothing of it: the test may stand
    /// behind the statement in a loop, or in a function that sets what the statement uses.
    pub(crate) fn judge_elsewhere(&mut self, question: &Question<'_>, fix: Fix) -> Option<Finding> {
        let concerned = self.concerned(question.node, fix);
        let versions = question.versions.union(&VersionSet::one(fix.before));
        for node in self.behind_tests(question.node, &concerned, fix).into_iter().take(MOST_PLACES) {
            if self.spent() {
                return None;
            }
            let there = Question { node, at: fix.before, kind: None, versions: &versions, inside: false };
            let Some(mut found) = self.compare_with_fix(&there, fix, Measure::Reached) else { continue };
            let has = |ruling: &&hydrogen_evidence::Ruling| ruling.id == fix.before.0;
            if found.verdicts.iter().find(has).is_none_or(|ruling| ruling.verdict != Verdict::Present) {
                continue;
            }
            let line = self.subject.program.graph.line(node, fix.before).unwrap_or(0);
            let file = self.spot(node, fix.before).file;
            for ruling in &mut found.verdicts {
                let version = VersionId(ruling.id);
                // Another test may do what the fix does, at another place.
                if ruling.verdict == Verdict::Present && self.tests_more(&concerned, version, fix.before) {
                    ruling.verdict = Verdict::Unknown;
                    let version = self.subject.program.graph.versions()[fix.before.index()].name.clone();
                    ruling.ledger.push(Entry::OtherConditions { line, version });
                }
                ruling.ledger.push(Entry::MeasuredAt { file: file.clone(), line });
            }
            found.kind = question.kind.unwrap_or(found.kind);
            found.location = self.spot(question.node, question.at);
            found.node = question.node.0;
            return Some(found);
        }
        None
    }

    /// The statements that go on behind tests which only the version after the fix has, those of the statement's function first.
    fn behind_tests(&mut self, node: NodeId, concerned: &BTreeSet<ChainId>, fix: Fix) -> Vec<NodeId> {
        let graph = self.subject.program.graph;
        let own = graph.chain(node);
        let near = self.near(own, fix.before);
        let mut found = Vec::new();
        for &chain in concerned {
            // A fix of the statement's own function speaks for itself, if it comes before the statement or in its loop.
            let other = chain != own;
            if other && (!near.contains(&chain) || !same_code(graph, own, fix.before, fix.after)) {
                continue;
            }
            for &test in graph.chain_nodes(chain) {
                if !graph.node_in(test, fix.after) || graph.node_in(test, fix.before) {
                    continue;
                }
                let edges: Vec<_> =
                    graph.outgoing(test).filter(|&edge| graph.edge_in(edge, fix.after)).collect();
                if edges.len() < 2 {
                    continue;
                }
                for edge in edges {
                    let (_, to) = graph.ends(edge);
                    let is_end = matches!(graph.role(to), Role::Entry | Role::Exit);
                    let leads = other || reaches(graph, to, node, fix.before);
                    if graph.node_in(to, fix.before) && !is_end && leads && !found.contains(&to) {
                        found.push(to);
                    }
                }
            }
        }
        found
    }

    /// The functions that share a caller with a function, call it or are called by it, a few calls away.
    pub(crate) fn near(&mut self, own: ChainId, version: VersionId) -> BTreeSet<ChainId> {
        let graph = self.subject.program.graph;
        let mut above = BTreeSet::from([own]);
        for _ in 0..CALLS_AWAY {
            for chain in above.clone() {
                let calls = self.callers_of(chain).into_iter();
                above.extend(
                    calls.filter(|(_, in_)| in_.contains(version)).map(|(node, _)| graph.chain(node)),
                );
            }
        }
        let mut near = above;
        for _ in 0..CALLS_AWAY {
            for chain in near.clone() {
                for node in graph.pieces(chain, version) {
                    near.extend(graph.targets(node, version).into_iter().filter_map(|target| match target {
                        Target::Chain(callee) => Some(callee),
                        _ => None,
                    }));
                }
            }
        }
        near
    }

    /// Whether functions of a version test something that another version does not.
    pub(crate) fn tests_more(
        &self,
        chains: &BTreeSet<ChainId>,
        version: VersionId,
        other: VersionId,
    ) -> bool {
        let graph = self.subject.program.graph;
        let tests = |node: NodeId| matches!(graph.role(node), Role::If | Role::Switch | Role::Condition);
        chains.iter().any(|&chain| {
            let nodes = graph.chain_nodes(chain).iter();
            nodes
                .copied()
                .any(|node| graph.node_in(node, version) && !graph.node_in(node, other) && tests(node))
        })
    }
}

/// Whether a function has the same statements, ways between them and instructions in two versions.
fn same_code(graph: &Graph, chain: ChainId, one: VersionId, other: VersionId) -> bool {
    let both = graph.chain_in(chain, one) && graph.chain_in(chain, other);
    let nodes = graph.chain_nodes(chain).iter();
    both && nodes.copied().all(|node| match (graph.node_in(node, one), graph.node_in(node, other)) {
        (true, true) => graph.payload(node, one) == graph.payload(node, other),
        (false, false) => true,
        _ => false,
    }) && graph.chain_edges(chain).all(|edge| graph.edge_in(edge, one) == graph.edge_in(edge, other))
}

/// Whether a statement can come after another in a version.
fn reaches(graph: &Graph, from: NodeId, to: NodeId, version: VersionId) -> bool {
    let mut seen = BTreeSet::from([from]);
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        if node == to {
            return true;
        }
        for edge in graph.outgoing(node).filter(|&edge| graph.edge_in(edge, version)) {
            let (_, next) = graph.ends(edge);
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    false
}
