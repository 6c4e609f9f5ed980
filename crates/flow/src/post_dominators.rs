//! Post-dominators for functions with several exits, and with loops that never end.

use crate::{Components, Digraph, Dominators, Graph, Reversed, reverse_post_order};

/// The post-dominator tree of a flow graph, rooted in a *virtual exit*.
///
/// The virtual exit is one more node (its number is the graph's node count). It follows
///
/// - every exit, that is every node without successors and every node the caller names as an exit;
/// - for a region that control cannot leave (`for (;;);`), the region's *head*: the node that a walk from the
///   entry meets first. An endless loop is thus read as if its head could end it, which is how a reader sees
///   `while (1)`, and gives every node a post-dominator.
///
/// Nodes that the entry does not reach have post-dominators too; they never change those of others.
#[derive(Debug, Clone)]
pub struct PostDominators {
    tree: Dominators,
    endless: Vec<usize>,
    augmented: Digraph,
}

impl PostDominators {
    /// Computes the tree. `exits` are nodes at which control may leave the function beside those without
    /// successors.
    pub fn new<G: Graph>(graph: &G, entry: usize, exits: impl IntoIterator<Item = usize>) -> Self {
        let count = graph.node_count();
        let mut leaves: Vec<bool> = (0..count).map(|node| graph.successors(node).next().is_none()).collect();
        for exit in exits {
            leaves[exit] = true;
        }
        let endless = endless_heads(graph, entry, &leaves);
        let edges = (0..count)
            .flat_map(|node| graph.successors(node).map(move |next| (node, next)))
            .chain((0..count).filter(|&node| leaves[node]).map(|node| (node, count)))
            .chain(endless.iter().map(|&head| (head, count)));
        let augmented = Digraph::unlabelled(count + 1, edges);
        let tree = Dominators::new(&Reversed(&augmented), count);
        Self { tree, endless, augmented }
    }

    /// The virtual exit.
    pub fn exit(&self) -> usize {
        self.tree.root()
    }

    /// The heads of regions that control cannot leave, ascending: each has an edge to the virtual exit that no
    /// run takes.
    pub fn endless(&self) -> &[usize] {
        &self.endless
    }

    /// The graph with the virtual exit and its edges: what the definitions hold on.
    pub fn augmented(&self) -> &Digraph {
        &self.augmented
    }

    /// The closest other node on every path from `node` to the exit; the virtual exit has none.
    pub fn immediate(&self, node: usize) -> Option<usize> {
        self.tree.immediate(node)
    }

    /// Whether every path from `b` to the virtual exit goes through `a`.
    pub fn post_dominates(&self, a: usize, b: usize) -> bool {
        self.tree.dominates(a, b)
    }

    /// The tree itself: dominators of the reversed, augmented graph.
    pub fn tree(&self) -> &Dominators {
        &self.tree
    }
}

/// The first node, in the order of a walk from the entry, of every region that cannot be left.
fn endless_heads<G: Graph>(graph: &G, entry: usize, leaves: &[bool]) -> Vec<usize> {
    let components = Components::of(graph);
    let terminal: Vec<bool> = (0..components.count())
        .map(|component| {
            components.members(component).iter().all(|&node| {
                !leaves[node] && graph.successors(node).all(|next| components.component_of(next) == component)
            })
        })
        .collect();
    let mut head = vec![None; components.count()];
    // Nodes that the entry does not reach come last, in the order of their numbers.
    for node in reverse_post_order(graph, std::iter::once(entry).chain(0..graph.node_count())) {
        head[components.component_of(node)].get_or_insert(node);
    }
    let mut heads: Vec<_> =
        terminal.iter().zip(head).filter(|(terminal, _)| **terminal).filter_map(|(_, head)| head).collect();
    heads.sort_unstable();
    heads
}
