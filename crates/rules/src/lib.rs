//! Ordering rules (F46): after a call of A, B must follow on every path; or must not follow on any.
//!
//! Decided on the graph for all versions at once. A call of A raises an obligation that moves forward along edges, with the
//! versions that the edges have (F49). A call of B ends it; where it is still open at the end of a function it goes on
//! after that function's calls in its callers, and where there is no caller the rule is broken. Calls are stepped over by
//! summaries, which are least fixpoints, so recursion needs no bound.
//!
//! Two sets of versions travel together ([`open::Open`]): those in which a path surely leads here, and those in which one
//! may. The difference are calls whose target is not known and code that could not be read; it ends as `unknown`.
//!
//! - `rule`: how a rule is written. `program`: what the nodes mean to the rule. `effect`: what a call does to an
//!   obligation. `flow`: how it moves.
//! - `summary`: what functions do to an obligation. `walk`: from a call of A to where the rule is broken.
//! - `witness`, `conditions`, `story`: the path that shows it. `judge`: verdicts.

mod conditions;
mod effect;
mod flow;
mod judge;
mod open;
mod program;
mod rule;
mod story;
mod summary;
mod walk;
mod witness;

pub use judge::{Ruled, judge};
pub use rule::{Order, Rule, RuleError};
