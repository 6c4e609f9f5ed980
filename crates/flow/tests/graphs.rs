//! Every graph algorithm against its definition, on random graphs.
#![allow(clippy::needless_range_loop)] // Definitions quantify over pairs of nodes.

use hydrogen_flow::{
    Components, Control, ControlDependence, Digraph, Dominators, Edge, Graph, Loops, PostDominators,
    Reversed, Successors, reachable,
};
use proptest::prelude::*;

/// Nodes that `root` reaches without touching `banned`.
fn reach_without<G: Graph>(graph: &G, root: usize, banned: Option<usize>) -> Vec<bool> {
    let mut seen = vec![false; graph.node_count()];
    let mut pending = vec![root];
    while let Some(node) = pending.pop() {
        if Some(node) != banned && !std::mem::replace(&mut seen[node], true) {
            pending.extend(graph.successors(node));
        }
    }
    seen
}

/// `a` dominates `b` iff `b` is reachable, and not any more once `a` is removed.
fn dominates<G: Graph>(graph: &G, root: usize, a: usize, b: usize) -> bool {
    reach_without(graph, root, None)[b] && (a == b || !reach_without(graph, root, Some(a))[b])
}

fn digraph() -> impl Strategy<Value = Digraph<u8>> {
    (1usize..9).prop_flat_map(|nodes| {
        prop::collection::vec((0..nodes, 0..nodes, 0u8..3), 0..18).prop_map(move |edges| {
            Digraph::new(nodes, edges.into_iter().map(|(from, to, label)| Edge { from, to, label }))
        })
    })
}

fn check_dominators<G: Graph>(graph: &G, root: usize, tree: &Dominators) {
    let count = graph.node_count();
    let reached = reachable(graph, [root]);
    let expected: Vec<Vec<bool>> =
        (0..count).map(|a| (0..count).map(|b| dominates(graph, root, a, b)).collect()).collect();
    for a in 0..count {
        assert_eq!(tree.contains(a), reached[a]);
        for b in 0..count {
            assert_eq!(tree.dominates(a, b), expected[a][b], "{a} dominates {b}");
        }
        // The immediate dominator is the strict dominator that all others dominate.
        let strict: Vec<_> = (0..count).filter(|&d| d != a && expected[d][a]).collect();
        let closest = strict.iter().copied().find(|&d| strict.iter().all(|&other| expected[other][d]));
        assert_eq!(tree.immediate(a), closest);
        assert_eq!(tree.dominators_of(a).count(), strict.len() + usize::from(reached[a]));
    }
    let frontiers = tree.frontiers(graph);
    for (n, frontier) in frontiers.iter().enumerate() {
        let by_definition: Vec<_> = (0..count)
            .filter(|&f| {
                graph.predecessors(f).any(|p| expected[n][p]) && !(n != f && expected[n][f]) && reached[f]
            })
            .collect();
        assert_eq!(*frontier, by_definition, "frontier of {n}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn dominators_are_what_path_removal_says(graph in digraph()) {
        check_dominators(&graph, 0, &Dominators::new(&graph, 0));
    }

    #[test]
    fn post_dominators_are_dominators_of_the_reversed_graph(graph in digraph(), exit in 0usize..9) {
        let exits = (exit < graph.node_count()).then_some(exit);
        let post = PostDominators::new(&graph, 0, exits);
        let count = graph.node_count();
        prop_assert_eq!(post.exit(), count);
        check_dominators(&Reversed(post.augmented()), count, post.tree());
        // Every node has a way to the exit, and extra edges begin only where control cannot leave.
        prop_assert!(reachable(&Reversed(post.augmented()), [count]).iter().all(|&r| r));
        for &head in post.endless() {
            let region = reachable(&graph, [head]);
            for node in (0..count).filter(|&n| region[n]) {
                prop_assert!(Some(node) != exits && graph.successors(node).next().is_some());
                prop_assert!(reachable(&graph, [node])[head]);
            }
        }
    }

    #[test]
    fn control_dependence_is_its_definition(graph in digraph()) {
        let post = PostDominators::new(&graph, 0, []);
        let dependence = ControlDependence::new(&graph, &post);
        let reversed = Reversed(post.augmented());
        let root = post.exit();
        for node in 0..graph.node_count() {
            let mut expected: Vec<_> = graph
                .edges()
                .iter()
                .filter(|edge| {
                    dominates(&reversed, root, node, edge.to)
                        && !(node != edge.from && dominates(&reversed, root, node, edge.from))
                })
                .map(|edge| Control { branch: edge.from, outcome: edge.label })
                .collect();
            expected.sort();
            expected.dedup();
            prop_assert_eq!(dependence.controls(node), &expected[..]);
            for control in &expected {
                prop_assert!(dependence.dependents(control.branch).contains(&(control.outcome, node)));
            }
        }
    }

    #[test]
    fn components_are_mutual_reachability_in_order(graph in digraph()) {
        let components = Components::of(&graph);
        let reach: Vec<_> = (0..graph.node_count()).map(|n| reachable(&graph, [n])).collect();
        for a in 0..graph.node_count() {
            for b in 0..graph.node_count() {
                let together = reach[a][b] && reach[b][a];
                prop_assert_eq!(components.component_of(a) == components.component_of(b), together);
            }
            let cycle = graph.successors(a).any(|next| reach[next][a]);
            prop_assert_eq!(components.is_cyclic(components.component_of(a)), cycle);
        }
        for edge in graph.edges() {
            prop_assert!(components.component_of(edge.to) <= components.component_of(edge.from));
        }
        let listed: usize = components.bottom_up().map(<[_]>::len).sum();
        prop_assert_eq!(listed, graph.node_count());
    }

    #[test]
    fn loops_are_their_definition(graph in digraph()) {
        let loops = Loops::new(&graph, &Dominators::new(&graph, 0));
        let count = graph.node_count();
        let mut headers = Vec::new();
        for header in 0..count {
            let latches: Vec<_> = (0..count)
                .filter(|&n| graph.successors(n).any(|s| s == header) && dominates(&graph, 0, header, n))
                .collect();
            if latches.is_empty() {
                continue;
            }
            headers.push(header);
            let found = loops.all().iter().find(|l| l.header == header).expect("a loop for every header");
            prop_assert_eq!(&found.latches, &latches);
            let reached = reachable(&graph, [0]);
            let body: Vec<_> = (0..count)
                .filter(|&n| {
                    let inside = reach_without(&graph, n, Some(header));
                    n == header || (reached[n] && latches.iter().any(|&l| inside[l]))
                })
                .collect();
            prop_assert_eq!(&found.body, &body);
        }
        prop_assert_eq!(loops.all().len(), headers.len());
        for (index, inner) in loops.all().iter().enumerate() {
            let around: Vec<_> = loops
                .all()
                .iter()
                .enumerate()
                .filter(|&(other, l)| other != index && l.body.contains(&inner.header))
                .collect();
            let smallest = around.iter().min_by_key(|(_, l)| l.body.len()).map(|&(other, _)| other);
            prop_assert_eq!(inner.parent, smallest);
            prop_assert_eq!(inner.depth, around.len() + 1);
        }
        // Irreducible: a cycle of reachable nodes in which no node dominates all the others.
        let reached = reachable(&graph, [0]);
        let forward = Digraph::unlabelled(
            count,
            graph.edges().iter().map(|e| (e.from, e.to)).filter(|&(a, b)| reached[a] && !dominates(&graph, 0, b, a)),
        );
        for node in 0..count {
            let on_cycle = forward.successors(node).any(|next| reachable(&forward, [next])[node]);
            prop_assert_eq!(loops.irreducible().iter().any(|region| region.nodes.contains(&node)), on_cycle);
        }
        for region in loops.irreducible() {
            prop_assert!(region.entries.len() > 1);
        }
    }
}

#[test]
fn an_endless_loop_decides_over_its_body() {
    // 0 entry → 1 head → 2 if → (3 | 4) → 1; nothing leaves.
    let edges = [(0, 1, 'n'), (1, 2, 't'), (2, 3, 't'), (2, 4, 'f'), (3, 4, 'n'), (4, 1, 'n')];
    let graph = Digraph::new(5, edges.map(|(from, to, label)| Edge { from, to, label }));
    let post = PostDominators::new(&graph, 0, []);
    assert_eq!(post.endless(), [1]);
    let dependence = ControlDependence::new(&graph, &post);
    assert_eq!(dependence.controls(3), [Control { branch: 2, outcome: 't' }]);
    assert_eq!(dependence.controls(4), [Control { branch: 1, outcome: 't' }]);
    assert_eq!(dependence.controls(1), [Control { branch: 1, outcome: 't' }]);
    assert_eq!(dependence.controls(0), []);
}
