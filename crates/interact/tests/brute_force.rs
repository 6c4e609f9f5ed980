//! The change sequence graph against brute force: all runs of random small programs.
#![allow(clippy::unwrap_used)]

use hydrogen_interact::program::{Call, ENTRY, EXIT, Node, Program, Routine};
use hydrogen_interact::{END, Reading, START, change_sequences, independent};
use proptest::prelude::*;
use std::collections::BTreeSet;

type Place = (usize, Node);

/// What is seen of a run: pairs of changes that follow each other.
type Pairs = BTreeSet<(Option<Place>, Option<Place>)>;

/// A state of a run: the last change, the calls that wait to go on (node, next call), and where control is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    last: Option<Place>,
    stack: Vec<(usize, Node, usize)>,
    at: (usize, Node, usize),
}

/// Calls nested deeper than this are not followed; the programs are too small to need it.
const DEPTH: usize = 6;

/// Executes every run from the entries with a real call stack; gives also the functions that are entered.
fn runs(program: &Program) -> (Pairs, BTreeSet<usize>) {
    let mut pairs = Pairs::new();
    let mut entered = BTreeSet::new();
    let mut seen: BTreeSet<State> = BTreeSet::new();
    let mut waiting: Vec<State> = Vec::new();
    for &entry in &program.entries {
        waiting.push(State { last: None, stack: Vec::new(), at: (entry as usize, ENTRY, 0) });
    }
    while let Some(mut state) = waiting.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        let (function, node, done) = state.at;
        entered.insert(function);
        let routine = &program.functions[function];
        if done == 0 && routine.changed[node as usize] {
            pairs.insert((state.last, Some((function, node))));
            state.last = Some((function, node));
        }
        let calls: Vec<&Call> = routine.calls.iter().filter(|call| call.node == node).collect();
        if let Some(call) = calls.get(done) {
            if call.elsewhere {
                waiting.push(State { at: (function, node, done + 1), ..state.clone() });
            }
            for &target in call.targets.iter() {
                let mut stack = state.stack.clone();
                stack.push((function, node, done + 1));
                if stack.len() <= DEPTH {
                    waiting.push(State { last: state.last, stack, at: (target as usize, ENTRY, 0) });
                }
            }
        } else if node == EXIT {
            match state.stack.pop() {
                Some(back) => waiting.push(State { at: back, ..state }),
                None => drop(pairs.insert((state.last, None))),
            }
        } else {
            if routine.successors.of(node).is_empty() {
                pairs.insert((state.last, None));
            }
            for &next in routine.successors.of(node) {
                waiting.push(State { at: (function, next, 0), ..state.clone() });
            }
        }
    }
    pairs.remove(&(None, None));
    (pairs, entered)
}

/// The thesis's reading: one graph with an edge into every called function and none back.
fn without_returns(program: &Program) -> Pairs {
    let mut origins: Vec<(Option<Place>, Place)> =
        program.entries.iter().map(|&entry| (None, (entry as usize, ENTRY))).collect();
    for (function, routine) in program.functions.iter().enumerate() {
        origins.extend(routine.changes().map(|node| (Some((function, node)), (function, node))));
    }
    let mut pairs = Pairs::new();
    for (origin, start) in origins {
        let mut seen = BTreeSet::new();
        // Whether the walk is still in the function of the origin, where leaving it counts as the end.
        let mut waiting = vec![(start, origin.is_some())];
        let mut first = true;
        while let Some(((function, node), own)) = waiting.pop() {
            if !std::mem::take(&mut first) {
                if !seen.insert((function, node, own)) {
                    continue;
                }
                if program.functions[function].changed[node as usize] {
                    pairs.insert((origin, Some((function, node))));
                    continue;
                }
            }
            let routine = &program.functions[function];
            if own && (node == EXIT || routine.successors.of(node).is_empty()) {
                pairs.insert((origin, None));
            }
            for call in routine.calls.iter().filter(|call| call.node == node) {
                waiting.extend(call.targets.iter().map(|&target| ((target as usize, ENTRY), false)));
            }
            waiting.extend(routine.successors.of(node).iter().map(|&next| ((function, next), own)));
        }
    }
    pairs
}

fn pairs_of(program: &Program, reading: Reading) -> Pairs {
    let graph = change_sequences(program, reading).unwrap();
    let place = |vertex: u32| match vertex {
        START | END => None,
        _ => {
            let vertex = graph.vertices[vertex as usize];
            Some((vertex.function as usize, vertex.node))
        }
    };
    graph.edges().map(|(from, to)| (place(from), place(to))).collect()
}

fn routine(functions: u32) -> impl Strategy<Value = Routine> {
    let inner = 1..5usize;
    inner.prop_flat_map(move |inner| {
        let count = inner + 2;
        // Most nodes go on; some end the program.
        let edges = prop::collection::vec(prop::collection::vec(1..count as Node, 0..3), count - 1);
        let calls = prop::collection::vec((2..count as Node, 0..functions, any::<bool>()), 0..4);
        let changed = prop::collection::vec(prop::bool::weighted(0.35), inner);
        (edges, calls, changed).prop_map(move |(edges, mut calls, changed)| {
            let mut successors: Vec<Vec<Node>> = vec![Vec::new(); count];
            for (node, mut targets) in edges.into_iter().enumerate() {
                targets.sort_unstable();
                targets.dedup();
                successors[if node == 0 { 0 } else { node + 1 }] = targets;
            }
            if successors[0].is_empty() {
                successors[0].push(2);
            }
            calls.sort_by_key(|call| call.0);
            let calls = calls
                .into_iter()
                .map(|(node, target, elsewhere)| Call { node, targets: [target].into(), elsewhere })
                .collect();
            let changed = [false, false].into_iter().chain(changed).collect();
            Routine { successors: successors.into(), calls, changed }
        })
    })
}

fn program() -> impl Strategy<Value = Program> {
    (1..4u32).prop_flat_map(|functions| {
        prop::collection::vec(routine(functions), functions as usize)
            .prop_map(|functions| Program { functions, entries: vec![0] })
    })
}

/// The changes that can be met; what cannot is connected so that no change is lost, which is not the definition's.
fn met(pairs: &Pairs) -> BTreeSet<Place> {
    let mut met = BTreeSet::new();
    let mut waiting: Vec<Option<Place>> = vec![None];
    while let Some(from) = waiting.pop() {
        for (_, to) in pairs.iter().filter(|(it, _)| *it == from) {
            if let Some(to) = to.filter(|to| met.insert(*to)) {
                waiting.push(Some(to));
            }
        }
    }
    met
}

/// Leaves out the edges that only connect: from the start to what is never met, to the end from what never ends.
fn of_definition(found: Pairs, expect: &Pairs) -> Pairs {
    let met = met(expect);
    let kept = |pair: &(Option<Place>, Option<Place>)| match pair {
        _ if expect.contains(pair) => true,
        (None, Some(to)) => met.contains(to),
        (Some(from), None) => reaches_end(expect, *from),
        _ => true,
    };
    found.into_iter().filter(kept).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_full_reading_is_what_runs_do(mut program in program()) {
        // Every function is entered by some run.
        let (mut expect, mut entered) = runs(&program);
        while let Some(lost) = (0..program.functions.len()).find(|it| !entered.contains(it)) {
            program.entries.push(lost as u32);
            (expect, entered) = runs(&program);
        }
        let met = met(&expect);
        let found = pairs_of(&program, Reading::Full).into_iter();
        let found = found.filter(|(from, _)| from.is_none_or(|from| met.contains(&from))).collect();
        prop_assert_eq!(of_definition(found, &expect), expect);
    }

    #[test]
    fn the_thesis_reading_never_returns(mut program in program()) {
        program.entries = (0..program.functions.len() as u32).collect();
        let expect = without_returns(&program);
        prop_assert_eq!(of_definition(pairs_of(&program, Reading::Thesis), &expect), expect);
    }

    /// As many sequences as the complexity, all of them ways through the graph, and linearly independent.
    #[test]
    fn sequences_are_a_basis(program in program(), full in any::<bool>()) {
        let reading = if full { Reading::Full } else { Reading::Thesis };
        let graph = change_sequences(&program, reading).unwrap();
        prop_assume!(!graph.is_empty());
        let edges: Vec<(u32, u32)> = graph.edges().collect();
        let sequences: Vec<Vec<u32>> = independent(&graph).collect();
        prop_assert_eq!(sequences.len(), graph.measure().complexity());
        let mut rows: Vec<Vec<i64>> = Vec::new();
        for sequence in &sequences {
            let way: Vec<u32> = [START].into_iter().chain(sequence.iter().copied()).chain([END]).collect();
            let mut row = vec![0; edges.len()];
            for step in way.windows(2) {
                row[edges.iter().position(|edge| *edge == (step[0], step[1])).unwrap()] += 1;
            }
            rows.push(row);
        }
        prop_assert_eq!(rank(rows), sequences.len());
    }

    /// Joining what is passed only together changes nothing but the size.
    #[test]
    fn joining_keeps_the_complexity(program in program()) {
        let graph = change_sequences(&program, Reading::Full).unwrap();
        let (joined, members) = graph.joined(|_, _| true);
        prop_assert_eq!(joined.measure().complexity(), graph.measure().complexity());
        prop_assert_eq!(members.iter().map(Vec::len).sum::<usize>(), graph.vertices.len());
    }
}

fn reaches_end(pairs: &Pairs, from: Place) -> bool {
    let mut seen = BTreeSet::new();
    let mut waiting = vec![from];
    while let Some(place) = waiting.pop() {
        if seen.insert(place) {
            for (_, to) in pairs.iter().filter(|(it, _)| *it == Some(place)) {
                match to {
                    None => return true,
                    Some(to) => waiting.push(*to),
                }
            }
        }
    }
    false
}

/// Modulo a prime, which is enough to show independence.
fn rank(mut rows: Vec<Vec<i64>>) -> usize {
    const P: i64 = 1_000_003;
    let inverse = |value: i64| {
        let (mut result, mut base, mut power) = (1, value.rem_euclid(P), P - 2);
        while power > 0 {
            if power & 1 == 1 {
                result = result * base % P;
            }
            base = base * base % P;
            power >>= 1;
        }
        result
    };
    let mut rank = 0;
    for column in 0..rows.first().map_or(0, Vec::len) {
        let Some(pivot) = (rank..rows.len()).find(|&row| rows[row][column] % P != 0) else { continue };
        rows.swap(rank, pivot);
        let factor = inverse(rows[rank][column]);
        for row in rank + 1..rows.len() {
            let times = rows[row][column] * factor % P;
            for at in column..rows[row].len() {
                rows[row][at] = (rows[row][at] - times * rows[rank][at]).rem_euclid(P);
            }
        }
        rank += 1;
    }
    rank
}
