//! How the changes of a commit follow each other, and how complex that makes it.
//!
//! - `program`, `walk`, `reach`: from functions with changed nodes to the change sequence graph, between functions too.
//! - `csg`, `sequences`: the graph, its cyclomatic complexity, linearly independent change sequences.

mod csg;
pub mod program;
mod reach;
mod sequences;
mod walk;

pub use csg::{Csg, END, Measure, START, TooLarge, Vertex};
pub use reach::change_sequences;
pub use sequences::independent;

/// How the definition of a change sequence graph is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reading {
    /// As the published tool works: control enters called functions and never returns to callers; what is deleted, declared
    /// or defined by macros is not seen. For comparison with published numbers.
    Thesis,
    /// As the definition says: control returns to callers; deletions, declarations, types and macros count.
    #[default]
    Full,
}
