//! How the changes of a commit follow each other, and how complex that makes it.
//!
//! The way, without building anything: `facts` is what is kept of a file; `index` knows the functions of one tree and moves
//! along a history; `pairs`, `change`, `items` and `changes` find what a step changed; `assemble` puts together the changed
//! functions and their callers; `program`, `walk` and `reach` follow control from change to change, between functions too;
//! `csg`, `sequences` and `complexity` measure the result.

mod assemble;
mod bisect;
mod change;
mod changes;
mod complexity;
mod csg;
mod depend;
mod edits;
mod exchange;
mod facts;
mod files;
mod history;
mod impact;
mod index;
mod interaction;
mod items;
pub mod mine;
mod pairs;
pub mod program;
mod reach;
mod sequences;
pub mod statistics;
mod walk;

pub use bisect::{Asked, Introduced, Said, bisect};
pub use change::{Deletion, FunctionChange, Hunk, Why};
pub use changes::{Changes, Gone};
pub use complexity::{ChangeGraph, ChangedFunction, ChangedPlace, Complexity, Happened};
pub use csg::{Csg, END, Measure, START, TooLarge, Vertex};
pub use depend::{Dependence, StatementId};
pub use edits::{Edit, EditKind, consistent, edits};
pub use exchange::{ExchangeError, export, import};
pub use facts::{BodyFacts, FileFacts, FunctionFacts, Functions, ItemFacts, PieceFacts, PieceKind};
pub use files::{advance_to, index_of};
pub use history::{Measured, Walk, measure_history};
pub use impact::{HunkImpact, Impact, functions_of, outputs_of};
pub use index::{FunctionKey, Index};
pub use interaction::{
    FlowStep, InteractionGraph, InteractionNode, Method, NodeKind, Verdict, depended_changes, interactions,
    thinned,
};
pub use pairs::Touched;
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
