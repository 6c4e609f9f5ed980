//! Proofs that two versions of a function behave alike, and their certificates.
//!
//! [`compare`] takes two functions, each in its module, and says *equal* with a [`Proof`], or *open* with what stands in the way. Equal means: for every
//! common state before the call, if both versions come back, then the result, the memory that the caller sees, the calls of closed functions
//! in their order with their arguments and the memory they see, and the faults are equal. It knows nothing of git, graphs or exploration.
//!
//! The way of a question: `code` (blocks, opened callees), `homes` (which variables are values), `segment` with `instruction`, `memory` and `call` (all
//! paths from one cut to the next as terms over one pool for both versions), `data` and `align` (runs propose what goes with what), `candidates`
//! and `relation` (what might hold at a pair of cuts), `prove` with `start` (weaken until inductive), `required` (do equal outcomes follow?).

mod again;
mod algebra;
mod align;
mod alone;
mod blur;
mod candidates;
mod certificate;
#[cfg(test)]
#[path = "../tests/common/mod.rs"]
mod compiled;
mod data;
mod defined;
mod deltas;
mod lockstep;
mod matched;
mod nulls;
mod outcome;
mod pair;
mod program;
mod prove;
mod recursion;
mod relation;
mod required;
mod signature;
mod start;
mod summary;
mod sums;
mod unfold;
mod verdict;
mod ways;
mod witness;
mod written;

use hydrogen_sym::{
    Obstacle, call, calls, closed, code, context, effects, entry, fold, homes, known, meaning, memory,
    obstacle, prepare, segment, slices, state, subject, variables,
};

pub use again::Inputs;
pub use alone::depends_on_numbers_alone;
pub use certificate::{Certificate, Lemma, Rejected, Relations, check};

pub use deltas::{FunctionDeltas, program_deltas};
pub use hydrogen_sym::{Reaches, Side, Subject};
pub use nulls::never_null;
pub use outcome::call_of;
pub use pair::{Options, Refuter, compare, compare_or_refute};
pub use program::{Comparison, Judged, compare_programs};
pub use signature::different_signatures;
pub use summary::{Case, Delta, Deltas, cases, deltas, differences};
pub use verdict::{Argument, Candidate, Method, Proof, Verdict};
