//! Dominators (Cooper, Harvey and Kennedy, "A simple, fast dominance algorithm") and dominance frontiers.

use crate::{Graph, reverse_post_order};

const NONE: usize = usize::MAX;

/// The dominator tree of a graph with one root.
///
/// Nodes that the root does not reach are outside the tree: they have no immediate dominator, and neither
/// dominate nor are dominated, not even by themselves.
#[derive(Debug, Clone)]
pub struct Dominators {
    root: usize,
    immediate: Vec<usize>,
    children: Vec<Vec<usize>>,
    /// Numbers of a walk through the tree: `a` dominates `b` iff the interval of `a` holds that of `b`.
    interval: Vec<(usize, usize)>,
}

impl Dominators {
    /// Computes the dominators of all nodes that `root` reaches.
    pub fn new<G: Graph>(graph: &G, root: usize) -> Self {
        let order = reverse_post_order(graph, [root]);
        let mut position = vec![NONE; graph.node_count()];
        for (index, &node) in order.iter().enumerate() {
            position[node] = index;
        }
        // Everything below is in positions, where a dominator is always smaller than what it dominates.
        let mut immediate = vec![NONE; order.len()];
        immediate[0] = 0;
        let mut changed = true;
        while changed {
            changed = false;
            for (index, &node) in order.iter().enumerate().skip(1) {
                let mut new = NONE;
                for before in graph.predecessors(node).map(|n| position[n]) {
                    if before == NONE || immediate[before] == NONE {
                        continue;
                    }
                    new = if new == NONE { before } else { intersect(&immediate, new, before) };
                }
                changed |= std::mem::replace(&mut immediate[index], new) != new;
            }
        }
        let mut tree = Self {
            root,
            immediate: vec![NONE; graph.node_count()],
            children: vec![Vec::new(); graph.node_count()],
            interval: vec![(NONE, 0); graph.node_count()],
        };
        for (index, &node) in order.iter().enumerate().skip(1) {
            let parent = order[immediate[index]];
            tree.immediate[node] = parent;
            tree.children[parent].push(node);
        }
        tree.number();
        tree
    }

    fn number(&mut self) {
        let mut clock = 0;
        let mut stack = vec![(self.root, 0)];
        self.interval[self.root].0 = 0;
        while let Some((node, child)) = stack.last_mut() {
            if let Some(&next) = self.children[*node].get(*child) {
                *child += 1;
                clock += 1;
                self.interval[next].0 = clock;
                stack.push((next, 0));
            } else {
                self.interval[*node].1 = clock;
                stack.pop();
            }
        }
    }

    /// The root.
    pub fn root(&self) -> usize {
        self.root
    }

    /// Whether the root reaches this node.
    pub fn contains(&self, node: usize) -> bool {
        self.interval[node].0 != NONE
    }

    /// The closest other node that dominates `node`; none for the root and outside the tree.
    pub fn immediate(&self, node: usize) -> Option<usize> {
        Some(self.immediate[node]).filter(|&parent| parent != NONE)
    }

    /// The nodes whose immediate dominator is `node`.
    pub fn children(&self, node: usize) -> &[usize] {
        &self.children[node]
    }

    /// Whether every path from the root to `b` goes through `a`.
    pub fn dominates(&self, a: usize, b: usize) -> bool {
        self.contains(a)
            && self.contains(b)
            && self.interval[a].0 <= self.interval[b].0
            && self.interval[b].1 <= self.interval[a].1
    }

    /// Whether `a` dominates `b` and is another node.
    pub fn strictly_dominates(&self, a: usize, b: usize) -> bool {
        a != b && self.dominates(a, b)
    }

    /// The dominators of a node, from itself up to the root; nothing outside the tree.
    pub fn dominators_of(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(node).filter(|&n| self.contains(n)), |&n| self.immediate(n))
    }

    /// The dominance frontier of every node: where its dominance ends. `f` is in the frontier of `n` when `n`
    /// dominates a predecessor of `f`, and not `f` strictly. Ascending.
    pub fn frontiers<G: Graph>(&self, graph: &G) -> Vec<Vec<usize>> {
        let mut frontiers = vec![Vec::new(); graph.node_count()];
        // Nodes are visited in ascending order, so each frontier grows sorted and repeats only at its end.
        for node in (0..graph.node_count()).filter(|&node| self.contains(node)) {
            for before in graph.predecessors(node).filter(|&n| self.contains(n)) {
                for runner in self.dominators_of(before) {
                    if self.strictly_dominates(runner, node) {
                        break;
                    }
                    if frontiers[runner].last() != Some(&node) {
                        frontiers[runner].push(node);
                    }
                }
            }
        }
        frontiers
    }
}

fn intersect(immediate: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        if a > b {
            a = immediate[a];
        } else {
            b = immediate[b];
        }
    }
    a
}
