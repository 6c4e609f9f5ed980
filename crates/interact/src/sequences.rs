//! Linearly independent change sequences: as many as the complexity, and every other is a combination of them.

use crate::csg::{Csg, END, START};
use std::collections::VecDeque;

/// The sequences of a graph, short ones first where there is a choice; each is a list of vertices without start and end.
///
/// Every vertex has one chosen edge, the first of a shortest way to the end. One sequence follows chosen edges alone; every
/// other edge gives one: a shortest way to it, the edge, and chosen edges. Ordered by how far their edge is from the start,
/// each sequence has an edge that no earlier one has, so they are independent; and there are E − N + 2 of them.
pub fn independent(graph: &Csg) -> impl Iterator<Item = Vec<u32>> {
    let count = graph.vertices.len();
    let mut predecessors: Vec<Vec<u32>> = vec![Vec::new(); count];
    graph.edges().for_each(|(from, to)| predecessors[to as usize].push(from));
    let (_, before) = nearest(START, |vertex| &graph.successors[vertex as usize], count);
    let (to_end, _) = nearest(END, |vertex| &predecessors[vertex as usize], count);
    let chosen: Vec<Option<u32>> = (0..count)
        .map(|vertex| {
            let next = graph.successors[vertex].iter().copied();
            next.filter(|&next| to_end[next as usize].is_some())
                .min_by_key(|&next| (to_end[next as usize], next))
        })
        .collect();
    // Breadth first: the ways to later vertices use earlier edges.
    let mut order: Vec<u32> = Vec::with_capacity(count);
    let mut seen = vec![false; count];
    let mut waiting = VecDeque::from([START]);
    while let Some(vertex) = waiting.pop_front() {
        if !std::mem::replace(&mut seen[vertex as usize], true) {
            order.push(vertex);
            waiting.extend(&graph.successors[vertex as usize]);
        }
    }
    let mut edges: Vec<(u32, u32)> = Vec::new();
    if let Some(first) = chosen[START as usize] {
        edges.push((START, first));
    }
    for vertex in order {
        let others =
            graph.successors[vertex as usize].iter().filter(|&&to| chosen[vertex as usize] != Some(to));
        edges.extend(others.map(|&to| (vertex, to)));
    }
    edges.into_iter().map(move |(from, to)| {
        let mut sequence = Vec::new();
        let mut at = from;
        while at != START {
            sequence.push(at);
            at = before[at as usize].expect("every vertex is reached from the start");
        }
        sequence.reverse();
        let mut at = to;
        while at != END {
            sequence.push(at);
            at = chosen[at as usize].expect("every vertex reaches the end");
        }
        sequence
    })
}

/// How far each vertex is from `root`, and the vertex before it on a shortest way.
fn nearest<'a>(
    root: u32,
    next: impl Fn(u32) -> &'a Vec<u32>,
    count: usize,
) -> (Vec<Option<u32>>, Vec<Option<u32>>) {
    let mut distance = vec![None; count];
    let mut before = vec![None; count];
    distance[root as usize] = Some(0);
    let mut waiting = VecDeque::from([root]);
    while let Some(vertex) = waiting.pop_front() {
        let far = distance[vertex as usize].map(|far: u32| far + 1);
        for &other in next(vertex) {
            if distance[other as usize].is_none() {
                distance[other as usize] = far;
                before[other as usize] = Some(vertex);
                waiting.push_back(other);
            }
        }
    }
    (distance, before)
}
