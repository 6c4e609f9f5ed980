//! The hunks of a patch: connected parts of the edges that it removes and adds.

use hydrogen_evidence::Applies;
use hydrogen_graph::{ChainId, EdgeId, Fix, Graph, NodeId, VersionId};
use hydrogen_ir::Role;
use std::collections::{BTreeMap, BTreeSet};

/// How much of its function a hunk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Statements of a function that both versions have.
    Part,
    /// A function that only the patched version has.
    New,
    /// A function that only the version before the patch has.
    Gone,
}

/// A part of a patch that applies as a whole or not at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The function.
    pub chain: ChainId,
    /// How much of it.
    pub extent: Extent,
    /// E⁻: edges that the patch removes.
    pub removed: Vec<EdgeId>,
    /// E⁺: edges that it adds.
    pub added: Vec<EdgeId>,
    /// N⁻: statements that it removes.
    pub old: Vec<NodeId>,
    /// N⁺: statements that it adds.
    pub new: Vec<NodeId>,
    /// The statements outside N⁺ that its new edges begin or end at.
    pub anchors: Vec<NodeId>,
}

/// The hunks between the two versions of a fix, in the order of functions and statements.
pub fn hunks(graph: &Graph, fix: Fix) -> Vec<Hunk> {
    let mut all = Vec::new();
    for chain in graph.chains() {
        match (graph.chain_in(chain, fix.before), graph.chain_in(chain, fix.after)) {
            (true, true) => all.extend(parts(graph, chain, fix)),
            (false, true) if !graph.is_unread(chain, fix.before) => {
                all.push(whole(graph, chain, Extent::New, fix.after));
            }
            (true, false) if !graph.is_unread(chain, fix.after) => {
                all.push(whole(graph, chain, Extent::Gone, fix.before));
            }
            _ => {}
        }
    }
    all
}

fn whole(graph: &Graph, chain: ChainId, extent: Extent, version: VersionId) -> Hunk {
    let edges: Vec<EdgeId> = graph.chain_edges(chain).filter(|&edge| graph.edge_in(edge, version)).collect();
    let nodes = graph.pieces(chain, version);
    let none = (Vec::new(), Vec::new());
    let ((removed, old), (added, new)) =
        if extent == Extent::New { (none, (edges, nodes)) } else { ((edges, nodes), none) };
    Hunk { chain, extent, removed, added, old, new, anchors: Vec::new() }
}

/// The connected components of E⁺ ∪ E⁻ of one function. The function's exit connects nothing: two early returns have no more to do with
/// each other than two other statements.
fn parts(graph: &Graph, chain: ChainId, fix: Fix) -> Vec<Hunk> {
    let turned = |edge: &EdgeId| graph.edge_in(*edge, fix.before) != graph.edge_in(*edge, fix.after);
    let edges: Vec<EdgeId> = graph.chain_edges(chain).filter(turned).collect();
    let exit = graph.exit(chain);
    let mut group: Vec<usize> = (0..edges.len()).collect();
    let mut first_at: BTreeMap<NodeId, usize> = BTreeMap::new();
    for (at, &edge) in edges.iter().enumerate() {
        let (from, to) = graph.ends(edge);
        for node in [from, to] {
            if Some(node) == exit {
                continue;
            }
            let other = *first_at.entry(node).or_insert(at);
            let (one, two) = (root(&group, at), root(&group, other));
            group[one.max(two)] = one.min(two);
        }
    }
    let mut components: BTreeMap<usize, Vec<EdgeId>> = BTreeMap::new();
    for (at, &edge) in edges.iter().enumerate() {
        components.entry(root(&group, at)).or_default().push(edge);
    }
    let order: BTreeMap<NodeId, usize> =
        graph.chain_nodes(chain).iter().enumerate().map(|(at, &node)| (node, at)).collect();
    let mut hunks: Vec<Hunk> =
        components.into_values().map(|edges| part(graph, chain, fix, &edges)).collect();
    let begins = |hunk: &Hunk| -> Option<usize> {
        let edges = hunk.removed.iter().chain(&hunk.added);
        edges.map(|&edge| order.get(&graph.ends(edge).0).copied().unwrap_or(usize::MAX)).min()
    };
    hunks.sort_by_key(begins);
    hunks
}

fn root(group: &[usize], mut at: usize) -> usize {
    while group[at] != at {
        at = group[at];
    }
    at
}

fn part(graph: &Graph, chain: ChainId, fix: Fix, edges: &[EdgeId]) -> Hunk {
    let (removed, added): (Vec<EdgeId>, Vec<EdgeId>) =
        edges.iter().partition(|&&edge| graph.edge_in(edge, fix.before));
    let ends = |edges: &[EdgeId]| -> BTreeSet<NodeId> {
        edges.iter().map(|&edge| graph.ends(edge)).flat_map(|(from, to)| [from, to]).collect()
    };
    let (of_old, of_new) = (ends(&removed), ends(&added));
    let old = of_old.into_iter().filter(|&node| !graph.node_in(node, fix.after)).collect();
    let (anchors, new) = of_new.into_iter().partition(|&node| graph.node_in(node, fix.before));
    Hunk { chain, extent: Extent::Part, removed, added, old, new, anchors }
}

impl Hunk {
    /// Whether the hunk applies to a release: E⁻ ⊆ E_r and its anchors ⊆ N_r; a new function, if its name is free.
    pub fn applies(&self, graph: &Graph, fix: Fix, release: VersionId) -> Applies {
        let yes = match self.extent {
            Extent::New => {
                let name = graph.name(self.chain, fix.after);
                // Static functions of other files may have the name.
                let clashes = |chain: ChainId| {
                    graph.chain_in(chain, release)
                        && graph.name(chain, release) == name
                        && (graph.location(chain, release).0 == graph.location(self.chain, fix.after).0
                            || !graph.is_internal(chain, release)
                                && !graph.is_internal(self.chain, fix.after))
                };
                !graph.chains_named(name).into_iter().any(clashes)
            }
            Extent::Part | Extent::Gone => {
                graph.chain_in(self.chain, release)
                    && self.removed.iter().all(|&edge| graph.edge_in(edge, release))
                    && self.anchors.iter().all(|&node| graph.node_in(node, release))
            }
        };
        match yes {
            true => Applies::Yes,
            false if graph.is_unread(self.chain, release) => Applies::Unread,
            false => Applies::No,
        }
    }

    /// Whether a way from the hunk's code leads to a statement of the same function, before or after the patch. Of another function
    /// this is taken as given: it may be called, and what it writes may be read.
    pub fn leads_to(&self, graph: &Graph, fix: Fix, node: NodeId) -> bool {
        if graph.chain(node) != self.chain {
            return true;
        }
        let mut open: Vec<NodeId> = Vec::new();
        for &edge in self.removed.iter().chain(&self.added) {
            open.push(graph.ends(edge).1);
        }
        let mut seen: BTreeSet<NodeId> = open.iter().copied().collect();
        while let Some(one) = open.pop() {
            if one == node {
                return true;
            }
            for edge in graph.outgoing(one) {
                let (_, to) = graph.ends(edge);
                let known = graph.edge_in(edge, fix.before) || graph.edge_in(edge, fix.after);
                if known && seen.insert(to) {
                    open.push(to);
                }
            }
        }
        // The statement itself may be what is changed.
        self.old.contains(&node)
    }

    /// The first line of the hunk: in the version before the patch, or of a new function in the version after it.
    pub fn line(&self, graph: &Graph, fix: Fix) -> u32 {
        let synthetic = |node: &NodeId| matches!(graph.role(*node), Role::Entry | Role::Exit);
        let line = |node: NodeId, version: VersionId| graph.line(node, version);
        let old = self.old.iter().filter(|node| !synthetic(node)).filter_map(|&node| line(node, fix.before));
        let new = self.new.iter().filter(|node| !synthetic(node)).filter_map(|&node| line(node, fix.after));
        let tied =
            self.anchors.iter().filter(|node| !synthetic(node)).filter_map(|&node| line(node, fix.before));
        match self.extent {
            Extent::New => graph.location(self.chain, fix.after).1,
            Extent::Gone => graph.location(self.chain, fix.before).1,
            Extent::Part => old.min().or_else(|| new.min()).or_else(|| tied.min()).unwrap_or(0),
        }
    }
}
