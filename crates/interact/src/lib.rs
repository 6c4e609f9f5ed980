//! How the changes of a commit follow each other, and how complex that makes it.
//!
//! The way, without building anything: `facts` is what is kept of a file; `index` knows the functions of one tree and moves
//! along a history; `pairs`, `change`, `items` and `changes` find what a step changed, `rewrite` and `mechanical` what was done
//! to many places by one rule; `assemble` puts together the changed
//! functions and their callers; `program`, `walk`, `reference` and `reach` follow control from change to change, between functions too;
//! `csg`, `sequences` and `complexity` measure the result. `depend` says which statements depend on which; `transition` holds the
//! dependence of both versions, `correspond` and `evolution` compare them, `origins` says where the effect of each change starts,
//! and `interaction` and `impact` follow it; `rank` says how likely, and `reduce` takes out of the program what is not affected.

mod assemble;
mod bisect;
mod change;
mod changes;
mod complexity;
mod conditions;
mod correspond;
mod csg;
mod depend;
mod evolution;
mod exchange;
mod facts;
mod files;
mod history;
mod impact;
mod index;
mod interaction;
mod items;
mod mechanical;
mod mentioned;
pub mod mine;
mod origins;
mod pairs;
pub mod program;
mod rank;
mod reach;
mod reduce;
mod reference;
mod rewrite;
mod sequences;
mod skeleton;
pub mod statistics;
mod transition;
mod walk;

pub use bisect::{Asked, Introduced, Said, bisect};
pub use change::{Deletion, FunctionChange, Hunk, Why};
pub use changes::{Changes, Gone};
pub use complexity::{ChangeGraph, ChangedPlace, Complexity, Happened};
pub use correspond::Correspondence;
pub use csg::{Csg, END, START, TooLarge, Vertex};
pub use depend::{Access, DefUse, Dependence, Effect, Location, Reached, Start, StatementId, Via, def_use};
pub use evolution::{Dependency, Evolution, MOST_DEPENDENCES, Sided};
pub use exchange::{ExchangeError, export, import};
pub use facts::{
    BodyFacts, FileFacts, FilePiece, FunctionFacts, Functions, ItemFacts, Keeping, PieceFacts, PieceItems,
    PieceKind,
};
pub use files::{advance_to, index_of};
pub use history::{Measured, Walk, measure_history};
pub use hydrogen_evidence::affected::HunkKind;
pub use hydrogen_evidence::complexity::{ChangedFunction, Measure, Mechanical, MechanicalKind};
pub use hydrogen_evidence::interaction::{FlowStep, InteractionGraph, InteractionNode, NodeKind, Verdict};
pub use impact::{Granularity, HunkImpact, Impact, functions_of, outputs_of};
pub use index::{FunctionKey, Index};
pub use interaction::{Method, depended_changes, interactions, thinned};
pub use origins::{Changed, Origin, Origins};
pub use pairs::Touched;
pub use rank::{PASSED, likelihood};
pub use reach::change_sequences;
pub use reduce::{Cut, Reduction, cut, reduce};
pub use sequences::independent;
pub use skeleton::Skeleton;
pub use transition::Transition;

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
