//! From where a statement is looked at.

use hydrogen_flow::{Digraph, Dominators, Graph};
use hydrogen_sym::code::Code;
use std::collections::BTreeSet;

/// A node from which no way to the statement leads through a loop, and all nodes on these ways.
pub(crate) struct Place {
    pub node: usize,
    pub between: BTreeSet<usize>,
    /// Where control goes that passes by the statement, but for the next round of a loop that begins at the place and ends before the statement.
    pub bypass: BTreeSet<usize>,
}

impl Place {
    /// The farthest one that dominates all of these nodes.
    pub fn of(code: &Code, targets: &BTreeSet<usize>) -> Option<Self> {
        let count = code.nodes.len();
        let edges = (0..count).flat_map(|from| code.successors(from).into_iter().map(move |to| (from, to)));
        let graph = Digraph::unlabelled(count, edges.collect::<Vec<_>>());
        let dominators = Dominators::new(&graph, 0);
        let &first = targets.first()?;
        if !targets.iter().all(|&target| dominators.contains(target)) {
            return None;
        }
        let all =
            std::iter::successors(Some(first), |&node| dominators.immediate(node).filter(|up| *up != node));
        let mut found = None;
        for node in all.filter(|&node| targets.iter().all(|&target| dominators.dominates(node, target))) {
            let between = between(&graph, &dominators, node, targets);
            if between.iter().any(|&one| one != node && code.heads.contains(&one)) {
                break;
            }
            found = Some((node, between));
        }
        let (node, between) = found?;
        let again = before(&graph, &dominators, node);
        let is_around = targets.iter().any(|target| again.contains(target));
        let sides = between.difference(targets).flat_map(|&from| code.successors(from));
        let passes = |to: &usize| match between.contains(to) {
            true => *to == node && is_around,
            false => is_around || !again.contains(to),
        };
        let bypass = sides.filter(passes).collect();
        Some(Place { node, between, bypass })
    }
}

/// All nodes from which control may come to one.
fn before(graph: &Digraph, dominators: &Dominators, to: usize) -> BTreeSet<usize> {
    let (mut found, mut open) = (BTreeSet::new(), vec![to]);
    while let Some(node) = open.pop() {
        for before in graph.predecessors(node).filter(|&before| dominators.contains(before)) {
            if found.insert(before) {
                open.push(before);
            }
        }
    }
    found
}

/// The nodes on ways from a node to others that do not come by the node again. Blocks that nothing leads to are on no way.
fn between(
    graph: &Digraph,
    dominators: &Dominators,
    from: usize,
    targets: &BTreeSet<usize>,
) -> BTreeSet<usize> {
    let mut found = BTreeSet::from([from]);
    let mut open: Vec<usize> = targets.iter().copied().collect();
    while let Some(node) = open.pop() {
        if found.insert(node) {
            open.extend(graph.predecessors(node).filter(|&before| dominators.contains(before)));
        }
    }
    found
}
