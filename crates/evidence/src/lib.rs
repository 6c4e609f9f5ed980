//! What is claimed about a program, and what shows it.
//!
//! Every engine speaks of faults, inputs, runs and differences in these words, and every report is made from them alone. The crate
//! holds data and its names; it knows no engine, no terms and no git.

mod call;
mod fault;
mod input;

pub use call::{Argument, Call, Cell, Global, Number, Object, Reply, Value};
pub use fault::{Class, FaultKind};
pub use input::{Input, escape};
