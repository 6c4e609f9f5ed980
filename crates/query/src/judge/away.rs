//! How far statements are from a change.

use hydrogen_graph::{Graph, NodeId, VersionId};
use std::collections::BTreeMap;

/// How many edges away from the nearest of some nodes each node is that can be reached from them in a version.
pub(super) fn distances(
    graph: &Graph,
    from: impl IntoIterator<Item = NodeId>,
    version: VersionId,
) -> BTreeMap<NodeId, usize> {
    let mut level: Vec<NodeId> = from.into_iter().filter(|&node| graph.node_in(node, version)).collect();
    let mut found: BTreeMap<NodeId, usize> = level.iter().map(|&node| (node, 0)).collect();
    for edges in 1.. {
        let mut next = Vec::new();
        for node in level {
            let targets = graph.outgoing(node).filter(|&edge| graph.edge_in(edge, version));
            for target in targets.map(|edge| graph.ends(edge).1) {
                found.entry(target).or_insert_with(|| {
                    next.push(target);
                    edges
                });
            }
        }
        if next.is_empty() {
            break;
        }
        level = next;
    }
    found
}
