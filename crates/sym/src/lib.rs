//! What code does to a state, as terms.
//!
//! One evaluator of `ir`: forwards over a region with joins, all paths at once. Values of local variables without an address are terms by name,
//! everything else is bytes of memory; calls are read by the table of the C library, opened, or one unknown function of their arguments and of the
//! memory that they see, the same for all code that is evaluated in one [`context::Context`]. The crate knows nothing of questions, versions or git:
//! two pieces of code that share a context share their unknowns, and that is all there is to comparing them.
//!
//! The way of a function: `code` (blocks, opened callees), `homes` (which variables are values), `prepare` (two functions in one context),
//! `entry` (the state at the beginning), `segment` with `instruction`, `memory` and `call` (from one place to the next places).

pub mod call;
pub mod calls;
pub mod check;
pub mod closed;
pub mod code;
pub mod context;
pub mod effects;
pub mod entry;
pub mod float;
pub mod fold;
pub mod homes;
mod instruction;
pub mod known;
mod live;
pub mod meaning;
pub mod memory;
pub mod obstacle;
pub mod prepare;
pub mod segment;
pub mod slices;
pub mod state;
pub mod subject;
pub mod tables;
pub mod variables;

pub use context::Side;
pub use effects::Reaches;
pub use obstacle::Obstacle;
pub use subject::Subject;
