//! Both ways to find interaction locations give the same (E9), and slices are each other's inverse.
#![allow(clippy::unwrap_used)]

use hydrogen_flow::Successors;
use hydrogen_interact::{Dependence, Effect, Method, Start, StatementId, depended_changes, thinned};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Random functions over few names: locals, globals, memory, calls.
fn source() -> impl Strategy<Value = String> {
    let statement = prop_oneof![
        Just("x = y + 1;"),
        Just("y = g;"),
        Just("g = x;"),
        Just("*p = x;"),
        Just("x = *p;"),
        Just("if (x) y = 2; else g++;"),
        Just("while (y) { y--; x += y; }"),
        Just("x = helper(y);"),
        Just("other(x, &y);"),
        Just("x = y ? g : 1;"),
        Just("return x;"),
    ];
    let body = prop::collection::vec(statement, 1..8).prop_map(|all| all.join("\n  "));
    prop::collection::vec(body, 1..4).prop_map(|bodies| {
        let names = ["main", "helper", "other"];
        let functions = bodies
            .iter()
            .zip(names)
            .map(|(body, name)| format!("int {name}(int x, int *p) {{\n  int y = 0;\n  {body}\n}}\n"));
        format!("int g;\n{}", functions.collect::<String>())
    })
}

fn dependence(source: &str) -> Dependence {
    let unit = hydrogen_syntax::read("a.c", source.as_bytes(), &hydrogen_syntax::Options::default());
    Dependence::of(vec![Arc::new(unit)])
}

/// Per node, whether dependences lead from it to a statement, whoever calls whom.
fn step_by_step(dependence: &Dependence, to: u32) -> Vec<bool> {
    let graph = dependence.graph();
    let mut seen = vec![false; graph.node_count()];
    let mut waiting = vec![to as usize];
    while let Some(node) = waiting.pop() {
        if !std::mem::replace(&mut seen[node], true) {
            waiting.extend(graph.entering(node).map(|edge| edge.from));
        }
    }
    seen
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_methods_find_the_same(source in source(), picks in prop::collection::vec(any::<prop::sample::Index>(), 1..4)) {
        let graph = dependence(&source);
        let start = |pick: &prop::sample::Index| {
            let at = pick.index(graph.len() * 2);
            let effect = if at.is_multiple_of(2) { Effect::Value } else { Effect::Run };
            Start { at: StatementId((at / 2) as u32), effect }
        };
        let changes: BTreeSet<Start> = picks.iter().map(start).collect();
        let changes: Vec<Vec<Start>> = changes.into_iter().map(|it| vec![it]).collect();
        let forward = depended_changes(&graph, &changes, Method::Forward);
        prop_assert_eq!(&forward, &depended_changes(&graph, &changes, Method::Backward));
        // What is left of the locations after thinning leads to all of them with the same changes, step by step.
        let locations: BTreeSet<u32> =
            (0..graph.len() as u32).filter(|&at| forward[at as usize].len() > 1).collect();
        let kept = thinned(&graph, &locations, &forward);
        prop_assert!(kept.is_subset(&locations));
        prop_assert_eq!(kept.is_empty(), locations.is_empty());
        for &location in &locations {
            let back = step_by_step(&graph, location);
            let explained = kept.iter().any(|&it| back[it as usize] && forward[it as usize] == forward[location as usize]);
            prop_assert!(explained, "{} in\n{}", location, source);
        }
    }
}
