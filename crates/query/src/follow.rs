//! What became of a statement in a version that does not have it.

use crate::walk::Analyst;
use hydrogen_graph::{ChainId, NodeId, Target, VersionId};
use hydrogen_ir::Role;

impl Analyst<'_> {
    /// The statements of a version that stand for a node of version `at`: itself; else those that took its place (new ones between the
    /// same neighbours, and the same statement elsewhere if it was moved); and the statements of functions that these call and that are new as well.
    pub(crate) fn follow(&self, node: NodeId, at: VersionId, version: VersionId) -> Vec<NodeId> {
        let graph = self.program.graph;
        if graph.node_in(node, version) {
            return vec![node];
        }
        let chain = graph.chain(node);
        if !graph.chain_in(chain, version) || !graph.node_in(node, at) {
            return Vec::new();
        }
        let old = graph.pieces(chain, at);
        let new = graph.pieces(chain, version);
        let synthetic = |node: NodeId| matches!(graph.role(node), Role::Entry | Role::Exit);
        let Some(place) = old.iter().position(|&one| one == node) else { return Vec::new() };
        let kept = |one: &&NodeId| graph.node_in(**one, version) && !synthetic(**one);
        let before = old[..place].iter().rev().find(kept);
        let behind = old[place + 1..].iter().find(kept);
        let from = before.and_then(|one| new.iter().position(|other| other == one)).map_or(0, |at| at + 1);
        let to = behind.and_then(|one| new.iter().position(|other| other == one)).unwrap_or(new.len());
        let inserted = |one: &&NodeId| !graph.node_in(**one, at) && !synthetic(**one);
        let mut found: Vec<NodeId> =
            new.get(from..to.max(from)).unwrap_or_default().iter().filter(inserted).copied().collect();
        // The same statement may have been moved; it comes first then, and what took its place counts all the same.
        let same = |one: &&NodeId| {
            inserted(one) && graph.text(**one) == graph.text(node) && graph.role(**one) == graph.role(node)
        };
        if let [&moved] = new.iter().filter(same).collect::<Vec<_>>()[..] {
            found.retain(|&one| one != moved);
            found.insert(0, moved);
        }
        let mut seen: Vec<ChainId> = vec![chain];
        let mut open = found.clone();
        while let Some(one) = open.pop() {
            for target in graph.targets(one, version) {
                let Target::Chain(callee) = target else { continue };
                if seen.contains(&callee) || graph.chain_in(callee, at) {
                    continue;
                }
                seen.push(callee);
                let inner = graph.pieces(callee, version).into_iter().filter(|&one| !synthetic(one));
                for one in inner {
                    found.push(one);
                    open.push(one);
                }
            }
        }
        found
    }
}
