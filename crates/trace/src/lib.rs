//! What a run depends on.
//!
//! [`Recorder`] watches a run and keeps a compact [`Trace`]: where branches went and which memory was touched, nothing
//! else; the rest follows from the code. [`Dependences`] plays the trace again and finds, for each executed
//! instruction, where the values it reads come from, which branch decided that it was executed, and what it read that
//! some branch might have changed had it gone the other way (*potential dependence*, prepared by [`Static`]). A
//! [`Slice`] is everything that a criterion depends on; [`Slices`] are those of many criteria in one pass.

mod builder;
mod control;
mod criterion;
mod deciders;
mod dependences;
mod edges;
mod effects;
mod encode;
mod events;
mod executions;
mod frames;
mod jumps;
mod labels;
mod log;
mod named;
mod node;
mod page;
mod places;
mod reach;
mod record;
mod records;
mod replay;
mod shadow;
mod shape;
mod single;
mod slice;
mod source;
mod statics;
mod syscalls;
mod tee;
mod touched;
mod wanted;
mod wants;

pub use criterion::{Criterion, CriterionError, OutputName, Seeds};
pub use dependences::{Dependences, Indices, Options};
pub use edges::Because;
pub use executions::Execution;
pub use named::NamedAt;
pub use node::Node;
pub use reach::{Edges, Instance, Reached};
pub use record::{Recorder, Trace, TraceError};
pub use slice::{Slice, Slices};
pub use source::{Line, lines};
pub use statics::Static;
pub use tee::Both;
