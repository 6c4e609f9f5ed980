//! Backward, path-sensitive symbolic analysis on the MVICFG, for all versions at once.
//!
//! A query is a fault condition raised at a node for a set of versions. It walks backward along edges that share a version with it
//! (F49); instructions rewrite it, branches add to it, versions whose rewritten queries differ part, and equal queries at one node
//! are walked once (F66). The transfer is computed per version and compared as terms, so that a changed type behind an unchanged
//! text cannot be missed, and the answers equal those of single-version runs (AINV-1).
//!
//! Every query is kept twice. In the *wide* reading whatever is not understood may have any value; a path is refuted only if this reading
//! is unsatisfiable. In the *narrow* reading calls without a body leave strings as they are, and everything else that is not
//! understood is a marked unknown; a fault is present only if this reading has a model that touches no mark. What lies between
//! is [`Verdict::Unknown`], with its reason.
//!
//! Understood now: one function with scalars in stack slots whose address is not taken, pointers as object and offset, stack
//! arrays, `malloc`, `strlen`, `strcpy`. Loops are followed a few times and then cut; callers and bodies of callees are not entered.
//! All of this shows in the verdicts' reasons.

mod explore;
mod fault;
mod program;
mod state;
mod transfer;
mod verdict;

pub use explore::{Analysis, Counters, analyse};
pub use program::{Place, Program};
pub use verdict::{Evidence, Verdict};
