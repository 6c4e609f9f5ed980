//! The small view of a graph that the algorithms need, and a compact graph that offers it.

/// A directed graph that can be followed forward; its nodes are the numbers below [`Successors::node_count`].
pub trait Successors {
    /// How many nodes there are.
    fn node_count(&self) -> usize;
    /// Where the edges of `node` lead.
    fn successors(&self, node: usize) -> impl Iterator<Item = usize> + '_;
}

/// A directed graph that can be followed both ways.
///
/// Blocks of a body, statement pieces, functions, nodes of the multi-version graph: the algorithms of this
/// crate see them all through this trait. Edges may repeat.
pub trait Graph: Successors {
    /// Where the edges to `node` come from.
    fn predecessors(&self, node: usize) -> impl Iterator<Item = usize> + '_;
}

impl<G: Successors> Successors for &G {
    fn node_count(&self) -> usize {
        (**self).node_count()
    }

    fn successors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        (**self).successors(node)
    }
}

impl<G: Graph> Graph for &G {
    fn predecessors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        (**self).predecessors(node)
    }
}

/// A graph with all edges turned around.
#[derive(Debug, Clone, Copy)]
pub struct Reversed<G>(pub G);

impl<G: Graph> Successors for Reversed<G> {
    fn node_count(&self) -> usize {
        self.0.node_count()
    }

    fn successors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.0.predecessors(node)
    }
}

impl<G: Graph> Graph for Reversed<G> {
    fn predecessors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.0.successors(node)
    }
}

/// An edge with the outcome under which it is taken.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge<L = ()> {
    /// From here …
    pub from: usize,
    /// … to here.
    pub to: usize,
    /// The outcome.
    pub label: L,
}

/// A fixed graph with labelled edges, stored by node.
#[derive(Debug, Clone)]
pub struct Digraph<L = ()> {
    edges: Vec<Edge<L>>,
    /// `edges[starts[n]..starts[n + 1]]` leave node `n`.
    starts: Vec<usize>,
    /// Positions in `edges` by target; `entering_starts` divides them like `starts` divides `edges`.
    entering: Vec<usize>,
    entering_starts: Vec<usize>,
}

impl<L> Digraph<L> {
    /// A graph of `nodes` nodes. The order of the edges of one node is kept.
    ///
    /// # Panics
    ///
    /// When an edge names a node that does not exist.
    pub fn new(nodes: usize, edges: impl IntoIterator<Item = Edge<L>>) -> Self {
        let mut edges: Vec<_> = edges.into_iter().collect();
        assert!(edges.iter().all(|e| e.from < nodes && e.to < nodes), "an edge leaves the graph");
        edges.sort_by_key(|edge| edge.from);
        let starts = starts(nodes, edges.iter().map(|edge| edge.from));
        let mut entering: Vec<_> = (0..edges.len()).collect();
        entering.sort_by_key(|&position| edges[position].to);
        let entering_starts = self::starts(nodes, entering.iter().map(|&position| edges[position].to));
        Self { edges, starts, entering, entering_starts }
    }

    /// All edges, by source.
    pub fn edges(&self) -> &[Edge<L>] {
        &self.edges
    }

    /// The edges that leave a node.
    pub fn leaving(&self, node: usize) -> &[Edge<L>] {
        &self.edges[self.starts[node]..self.starts[node + 1]]
    }

    /// The edges that enter a node.
    pub fn entering(&self, node: usize) -> impl Iterator<Item = &Edge<L>> {
        self.entering[self.entering_starts[node]..self.entering_starts[node + 1]]
            .iter()
            .map(|&position| &self.edges[position])
    }
}

impl Digraph<()> {
    /// A graph without labels.
    pub fn unlabelled(nodes: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Self {
        Self::new(nodes, edges.into_iter().map(|(from, to)| Edge { from, to, label: () }))
    }
}

/// For sorted keys below `count`: where the run of each key begins, and the end.
fn starts(count: usize, keys: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut starts = vec![0; count + 1];
    for key in keys {
        starts[key + 1] += 1;
    }
    for node in 0..count {
        starts[node + 1] += starts[node];
    }
    starts
}

impl<L> Successors for Digraph<L> {
    fn node_count(&self) -> usize {
        self.starts.len() - 1
    }

    fn successors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.leaving(node).iter().map(|edge| edge.to)
    }
}

impl<L> Graph for Digraph<L> {
    fn predecessors(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        self.entering(node).map(|edge| edge.from)
    }
}
