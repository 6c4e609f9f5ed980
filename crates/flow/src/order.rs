//! Depth-first orders and reachability, without recursion: graphs can be deeper than a stack.

use crate::Successors;

/// The nodes that `roots` reach, in reverse post-order: a node stands before its successors, except along edges
/// that close a cycle.
pub fn reverse_post_order<G: Successors>(graph: &G, roots: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let mut seen = vec![false; graph.node_count()];
    let mut order = Vec::new();
    let mut stack = Vec::new();
    for root in roots {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        stack.push((root, graph.successors(root)));
        while let Some((node, rest)) = stack.last_mut() {
            match rest.next() {
                Some(next) if seen[next] => {}
                Some(next) => {
                    seen[next] = true;
                    stack.push((next, graph.successors(next)));
                }
                None => {
                    order.push(*node);
                    stack.pop();
                }
            }
        }
    }
    order.reverse();
    order
}

/// Which nodes `roots` reach, the roots included.
pub fn reachable<G: Successors>(graph: &G, roots: impl IntoIterator<Item = usize>) -> Vec<bool> {
    let mut seen = vec![false; graph.node_count()];
    let mut pending: Vec<_> = roots.into_iter().collect();
    while let Some(node) = pending.pop() {
        if !std::mem::replace(&mut seen[node], true) {
            pending.extend(graph.successors(node).filter(|&next| !seen[next]));
        }
    }
    seen
}
