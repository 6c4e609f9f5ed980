//! How likely each statement is to be affected (B3), in a simple form.
//!
//! An effect passes along a dependence with the likelihood [`PASSED`]; through a place that several statements set (a global, all
//! memory, calls through pointers), each of them has its share only. The likelihood of a statement is that of the best way from a
//! change to it. It is a rank, made to look at the nearest first: nothing about it was measured in runs.

use crate::depend::{Dependence, StatementId};
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// How likely a dependence passes an effect on.
pub const PASSED: f64 = 0.9;

/// A node with a likelihood, the likeliest first.
struct Reached(f64, usize);

impl Ord for Reached {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then(other.1.cmp(&self.1))
    }
}

impl PartialOrd for Reached {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Reached {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Reached {}

/// Per statement, how likely it is affected by a change whose effect starts at these statements, each with its own likelihood; 0
/// where no way leads.
pub fn likelihood(dependence: &Dependence, starts: impl IntoIterator<Item = (StatementId, f64)>) -> Vec<f64> {
    let graph = dependence.graph();
    let count = dependence.len();
    let nodes = graph.edges().iter().map(|edge| edge.from.max(edge.to) + 1).max().unwrap_or(0).max(count);
    let mut best = vec![0.0; nodes];
    let mut waiting = BinaryHeap::new();
    for (start, likely) in starts {
        waiting.push(Reached(likely, start.0 as usize));
    }
    while let Some(Reached(now, node)) = waiting.pop() {
        if now <= best[node] {
            continue;
        }
        best[node] = now;
        for edge in graph.leaving(node) {
            let passed = if edge.to < count { PASSED } else { 1.0 / graph.entering(edge.to).count() as f64 };
            if now * passed > best[edge.to] {
                waiting.push(Reached(now * passed, edge.to));
            }
        }
    }
    best.truncate(count);
    best
}
