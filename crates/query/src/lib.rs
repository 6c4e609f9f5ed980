//! Backward, path-sensitive symbolic analysis of all versions at once, and its verdicts.

pub mod rules;
mod standing;
mod verdict;

pub use standing::{Standing, standing};
pub use verdict::{Answer, Basis, Counters, Evidence, Finding, Kind, Ruling, Spot, Status, Verdict};
