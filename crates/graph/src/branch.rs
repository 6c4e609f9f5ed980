//! Where versions part and come together (spec 2.7, F29, INV-11).

use crate::model::Graph;
use crate::{EdgeId, NodeId};

impl Graph {
    /// Whether some version leaves the node otherwise than one of its parents does.
    pub fn is_v_branch(&self, node: NodeId) -> bool {
        self.varies(node, self.outgoing(node))
    }

    /// Whether some version reaches the node otherwise than one of its parents does.
    pub fn is_v_merge(&self, node: NodeId) -> bool {
        self.varies(node, self.incoming(node))
    }

    /// Whether a version and a parent that both have the node differ in an edge.
    fn varies(&self, node: NodeId, edges: impl Iterator<Item = EdgeId>) -> bool {
        let own = self.node_versions(node);
        edges.map(|edge| self.edge_versions(edge)).any(|versions| {
            versions != own
                && own.iter().any(|version| {
                    let has = versions.contains(version);
                    let parents = &self.versions[version.index()].parents;
                    parents.iter().any(|&parent| own.contains(parent) && versions.contains(parent) != has)
                })
        })
    }
}
