//! The statements that differ between two versions.

use hydrogen_graph::{EdgeId, Graph, NodeId, VersionId};
use hydrogen_machine::{Program, Site};
use hydrogen_pair::{Node, Nodes};
use std::collections::BTreeSet;

/// The old and the new version in a graph of both.
const OLD: VersionId = VersionId(0);
const NEW: VersionId = VersionId(1);

/// What differs between two versions, as places that a run can come to. The first instance in which two runs of one input part is one
/// of these, in one version or the other.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// Statements of one version alone, statements that compile to something else, and statements behind which control goes elsewhere.
    nodes: BTreeSet<Node>,
    /// By program, their instructions.
    sites: [Vec<Site>; 2],
}

impl Changes {
    /// What differs between the first two programs of these nodes.
    pub fn of(nodes: &mut Nodes<'_>, programs: [&Program; 2]) -> Self {
        let graph = nodes.graph();
        let diff = graph.diff(OLD, NEW);
        let mut changed: BTreeSet<NodeId> = diff.removed.nodes.iter().chain(&diff.added.nodes).copied().collect();
        changed.extend(diff.changed.iter().map(|(node, _)| *node));
        for (edges, others) in [(&diff.added.edges, &diff.removed.edges), (&diff.removed.edges, &diff.added.edges)] {
            changed.extend(edges.iter().filter_map(|edge| uncovered(graph, *edge, others)));
        }
        let mut found = Self::default();
        for (at, program) in programs.into_iter().enumerate() {
            for function in program.ids().filter(|id| program.is_users(*id)) {
                let count = program.code(function).map_or(0, |code| code.instrs.len() as u32);
                for site in (0..count).map(|pc| Site { function, pc }) {
                    let Some(node) = nodes.at(at, site) else { continue };
                    let hydrogen_pair::Statement::Graph(id) = nodes.statement(node) else { continue };
                    if changed.contains(id) {
                        found.nodes.insert(node);
                        found.sites[at].push(site);
                    }
                }
            }
        }
        found
    }

    /// Whether nothing that can be executed differs.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Whether a statement is one of them.
    pub fn contains(&self, node: Node) -> bool {
        self.nodes.contains(&node)
    }

    /// The statements.
    pub fn nodes(&self) -> impl Iterator<Item = Node> + '_ {
        self.nodes.iter().copied()
    }

    /// The instructions in a program.
    pub fn sites(&self, program: usize) -> &[Site] {
        &self.sites[program]
    }
}

/// Where an edge between statements that both versions have is in one version alone, control goes elsewhere behind its source. Where it goes instead to
/// a statement of the other version alone, that statement says it better.
fn uncovered(graph: &Graph, edge: EdgeId, others: &[EdgeId]) -> Option<NodeId> {
    let shared = |node: NodeId| graph.node_in(node, OLD) && graph.node_in(node, NEW);
    let (from, to) = graph.ends(edge);
    if !shared(from) || !shared(to) {
        return None;
    }
    let kind = graph.edge_kind(edge);
    let instead = |other: &&EdgeId| {
        let (source, target) = graph.ends(**other);
        source == from && graph.edge_kind(**other) == kind && !shared(target)
    };
    others.iter().find(instead).is_none().then_some(from)
}
