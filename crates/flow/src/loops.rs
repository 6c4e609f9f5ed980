//! Natural loops, their nesting, and cycles that are no natural loops.

use crate::{Components, Digraph, Dominators, Graph};

/// A natural loop: the nodes that reach a back edge to the header without passing the header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loop {
    /// The only node through which the loop is entered.
    pub header: usize,
    /// The sources of the edges back to the header, ascending.
    pub latches: Vec<usize>,
    /// All nodes of the loop, header included, ascending.
    pub body: Vec<usize>,
    /// The smallest loop with another header around this one, as an index into [`Loops::all`].
    pub parent: Option<usize>,
    /// How many loops are around it, itself included.
    pub depth: usize,
}

/// A cycle with several entries, as `goto` into a loop makes them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Irreducible {
    /// Its nodes, ascending.
    pub nodes: Vec<usize>,
    /// The nodes with an edge from outside the region, ascending.
    pub entries: Vec<usize>,
}

/// The loops of the part of a graph that its root reaches.
#[derive(Debug, Clone)]
pub struct Loops {
    loops: Vec<Loop>,
    innermost: Vec<Option<usize>>,
    irreducible: Vec<Irreducible>,
}

impl Loops {
    /// Finds all loops. Back edges to one header make one loop.
    pub fn new<G: Graph>(graph: &G, dominators: &Dominators) -> Self {
        let count = graph.node_count();
        let mut loops: Vec<_> = (0..count).filter_map(|node| natural_loop(graph, dominators, node)).collect();
        // Larger bodies first: a loop inside another has fewer nodes, so parents come before children.
        loops.sort_by_key(|l| (std::cmp::Reverse(l.body.len()), l.header));
        let mut innermost: Vec<Option<usize>> = vec![None; count];
        for index in 0..loops.len() {
            loops[index].parent = innermost[loops[index].header];
            loops[index].depth = loops[index].parent.map_or(1, |parent| loops[parent].depth + 1);
            for &node in &loops[index].body {
                innermost[node] = Some(index);
            }
        }
        Self { loops, innermost, irreducible: irreducible(graph, dominators) }
    }

    /// All natural loops, outer ones before those inside them.
    pub fn all(&self) -> &[Loop] {
        &self.loops
    }

    /// The smallest natural loop around a node.
    pub fn innermost(&self, node: usize) -> Option<usize> {
        self.innermost[node]
    }

    /// The cycles that remain when the back edges of natural loops are taken away; empty iff the graph is
    /// reducible.
    pub fn irreducible(&self) -> &[Irreducible] {
        &self.irreducible
    }
}

fn natural_loop<G: Graph>(graph: &G, dominators: &Dominators, header: usize) -> Option<Loop> {
    let mut latches: Vec<_> =
        graph.predecessors(header).filter(|&n| dominators.dominates(header, n)).collect();
    latches.sort_unstable();
    latches.dedup();
    if latches.is_empty() {
        return None;
    }
    let mut body = vec![header];
    let mut inside = rustc_hash::FxHashSet::from_iter([header]);
    let mut pending = latches.clone();
    while let Some(node) = pending.pop() {
        if dominators.contains(node) && inside.insert(node) {
            body.push(node);
            pending.extend(graph.predecessors(node));
        }
    }
    body.sort_unstable();
    Some(Loop { header, latches, body, parent: None, depth: 1 })
}

fn irreducible<G: Graph>(graph: &G, dominators: &Dominators) -> Vec<Irreducible> {
    let forward = (0..graph.node_count()).filter(|&node| dominators.contains(node)).flat_map(|node| {
        graph
            .successors(node)
            .map(move |next| (node, next))
            .filter(|&(node, next)| !dominators.dominates(next, node))
    });
    let components = Components::of(&Digraph::unlabelled(graph.node_count(), forward));
    let mut regions: Vec<_> = (0..components.count())
        .filter(|&component| components.is_cyclic(component))
        .map(|component| {
            let nodes = components.members(component).to_vec();
            let outside = |n: usize| dominators.contains(n) && components.component_of(n) != component;
            let entries =
                nodes.iter().copied().filter(|&node| graph.predecessors(node).any(outside)).collect();
            Irreducible { nodes, entries }
        })
        .collect();
    regions.sort_by(|a, b| a.nodes.cmp(&b.nodes));
    regions
}
