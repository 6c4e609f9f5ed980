//! How likely each statement is to be affected (B3), in a simple form.
//!
//! An effect passes along a dependence with the likelihood [`PASSED`]; through a place that several statements set (a global, all
//! memory, calls through pointers), each of them has its share only; that a program ends where it did not end before is rare
//! ([`ENDED`]). The likelihood of a statement is that of the best way from a change to it, of those that a run can go. It is a
//! rank, made to look at the nearest first; how well it agrees with runs is in docs/performance.md.

use crate::depend::{Dependence, Start, Via};

/// How likely a dependence passes an effect on.
pub const PASSED: f64 = 0.9;
/// How likely a call that is made more or less often, or with something else, ends the program.
pub const ENDED: f64 = 0.2;

/// Per statement, how likely it is affected by a change whose effect starts so, each start with its own likelihood; 0
/// where no way leads.
pub fn likelihood(dependence: &Dependence, starts: impl IntoIterator<Item = (Start, f64)>) -> Vec<f64> {
    let graph = dependence.graph();
    let count = dependence.len();
    let nodes = graph.edges().iter().map(|edge| edge.from.max(edge.to) + 1).max().unwrap_or(0).max(count);
    let mut entering = vec![0u32; nodes];
    graph.edges().iter().for_each(|edge| entering[edge.to] += 1);
    let starts: Vec<(Start, f64)> = starts.into_iter().collect();
    dependence.best_ways(&starts, |edge| match edge.label {
        _ if edge.to >= count => 1.0 / f64::from(entering[edge.to].max(1)),
        Via::Ends => ENDED,
        _ => PASSED,
    })
}
