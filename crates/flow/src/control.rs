//! Control dependence with outcomes (Ferrante, Ottenstein and Warren 1987).

use crate::{Digraph, PostDominators, Successors};

/// What decides whether a node is executed: a branching node and the outcome it must have.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Control<L> {
    /// The node that branches.
    pub branch: usize,
    /// The outcome under which the dependent node is sure to follow.
    pub outcome: L,
}

/// Control dependence of all nodes of a flow graph.
///
/// `n` depends on the edge `b → s` iff `n` post-dominates `s` and does not strictly post-dominate `b`, on the
/// graph that [`PostDominators::augmented`] describes. The head of an endless region therefore decides over
/// its body as if it could end the loop. A loop's condition depends on itself.
#[derive(Debug, Clone)]
pub struct ControlDependence<L> {
    controls: Vec<Vec<Control<L>>>,
    dependents: Vec<Vec<(L, usize)>>,
}

impl<L: Clone + Ord> ControlDependence<L> {
    /// Computes the dependence of every node. Edges with different outcomes and one target are kept apart.
    pub fn new(graph: &Digraph<L>, post: &PostDominators) -> Self {
        let mut controls = vec![Vec::new(); graph.node_count()];
        let mut dependents = vec![Vec::new(); graph.node_count()];
        for edge in graph.edges() {
            let end = post.immediate(edge.from);
            // Exactly the post-dominators of the target below the branch's own depend on this edge.
            for node in post.tree().dominators_of(edge.to).take_while(|&node| Some(node) != end) {
                controls[node].push(Control { branch: edge.from, outcome: edge.label.clone() });
                dependents[edge.from].push((edge.label.clone(), node));
            }
        }
        for list in &mut controls {
            list.sort();
            list.dedup();
        }
        for list in &mut dependents {
            list.sort();
            list.dedup();
        }
        Self { controls, dependents }
    }
}

impl<L> ControlDependence<L> {
    /// What decides over `node`, by branch and outcome; nothing when it always follows the entry.
    pub fn controls(&self, node: usize) -> &[Control<L>] {
        &self.controls[node]
    }

    /// The nodes that `branch` decides over, by outcome.
    pub fn dependents(&self, branch: usize) -> &[(L, usize)] {
        &self.dependents[branch]
    }
}
