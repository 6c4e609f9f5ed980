//! The regions that branches and loops of a function open, over all versions in question (P-2).
//!
//! They are those of one graph with the control flow of every version. A statement that only one version has can make what
//! follows depend on a branch, as a new `return` does; with one graph for all it does so in every version, and what is
//! executed alike has the same index.

use hydrogen_flow::{Digraph, Dominators, Loops, PostDominators};

/// The regions of a function. Nodes are numbered from 0.
#[derive(Debug, Clone)]
pub struct Regions {
    /// Where the region of a branch ends; none at the end of the function.
    until: Vec<Option<usize>>,
    branches: Vec<bool>,
    heads: Vec<bool>,
    /// By node, the heads of the loops around it.
    around: Vec<Vec<usize>>,
}

impl Regions {
    /// `edges` are those of all versions; `entries` is where control may come in, `exits` where it may leave the function.
    pub fn new(count: usize, entries: &[usize], edges: &[(usize, usize)], exits: &[usize]) -> Self {
        // The versions may begin with different nodes, so that they get one before all.
        let root = count;
        let from_root = entries.iter().map(|&entry| (root, entry));
        let mut all: Vec<(usize, usize)> = edges.iter().copied().chain(from_root).collect();
        all.sort_unstable();
        all.dedup();
        let mut branches = vec![false; count];
        let several = all.windows(2).filter(|pair| pair[0].0 == pair[1].0 && pair[0].0 != root);
        several.for_each(|pair| branches[pair[0].0] = true);
        let graph = Digraph::unlabelled(count + 1, all);
        let post = PostDominators::new(&graph, root, exits.iter().copied());
        let until = (0..count).map(|node| post.immediate(node).filter(|&end| end < count)).collect();
        let mut regions =
            Self { until, branches, heads: vec![false; count], around: vec![Vec::new(); count] };
        let loops = Loops::new(&graph, &Dominators::new(&graph, root));
        for natural in loops.all() {
            regions.heads[natural.header] = true;
            natural.body.iter().for_each(|&node| regions.around[node].push(natural.header));
        }
        for tangle in loops.irreducible() {
            // No node is passed in every round, so that each counts its own.
            for &head in &tangle.nodes {
                regions.heads[head] = true;
                tangle.nodes.iter().for_each(|&node| regions.around[node].push(head));
            }
        }
        regions
    }

    pub(crate) fn until(&self, node: usize) -> Option<usize> {
        self.until[node]
    }

    pub(crate) fn branches(&self, node: usize) -> bool {
        self.branches[node]
    }

    pub(crate) fn is_head(&self, node: usize) -> bool {
        self.heads[node]
    }

    /// Whether a node is in the loop with this head.
    pub(crate) fn is_inside(&self, node: usize, head: usize) -> bool {
        self.around[node].contains(&head)
    }
}
