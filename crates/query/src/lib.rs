//! Backward, path-sensitive symbolic analysis of all versions at once, and its verdicts.
//!
//! [`Analyst`] answers. What it is asked about is a [`subject::Subject`], which does not change; what it computed for earlier questions is in the
//! [`store::Store`], the terms and the solver; each question has a [`run::Run`]: what was visited, assumed and lost. How code is taken (for a refutation, for a witness, for a path) is an [`run::Asking`], which is set for a piece of
//! work as a whole and cannot leak out of it.
//!
//! - `meaning`: what code does to a condition. `walk`: how conditions go backwards through functions, calls and loops.
//! - `judge`: where faults can be, and what is said of them; `claim` is the one place where `present` is said.
//! - `local`: what a statement's own function says of it, where no way from a beginning decides.
//! - `fix`: a fix as specification. `tell`: a witness for the reader. `kept`: rulings between runs. `replay`: a witness as an input that somebody else runs.

mod budget;
mod clock;
mod fix;
mod judge;
mod kept;
mod local;
mod meaning;
mod replay;
mod run;
mod store;
mod subject;
mod tell;
mod walk;

pub use budget::Budget;
pub use fix::candidates::Candidates;
pub use judge::Question;
pub use judge::check::{Check, Strategy};
pub use judge::checked::{Checked, Joined, Part};
pub use judge::members::ComesIn;
pub use judge::rooms::{Room, room};
pub use kept::{REVISION, Shelf};
pub use meaning::program::{Code, Program};
pub use replay::{Again, Attempt, Confirm, Entrance, Ran, Shared, Tried};
pub use walk::Analyst;
