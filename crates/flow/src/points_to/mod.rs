//! Points-to analysis: inclusion-based (Andersen), field-sensitive, for programs with unknown parts.
//!
//! Flow- and context-insensitive: an answer holds at every moment of every run. Unknown code is modelled as in
//! "PIP: making Andersen's points-to analysis sound and practical for incomplete C programs": an object
//! that unknown code can get at *escapes*, and a pointer that comes from unknown code points to
//! [`ObjectKind::Unknown`], which stands for all escaped objects without listing them.

mod address;
mod calls;
mod copies;
mod generate;
mod memory;
mod object;
mod options;
mod query;
mod set;
mod shape;
mod solver;
#[cfg(test)]
mod tests;

pub use hydrogen_library::{Effect, Library, LibraryError};
pub use object::{ObjectId, ObjectKind, Place};
pub use options::Options;
pub use query::{Callees, PointsTo, Statistics};
pub(crate) use set::Set;
pub use shape::Offset;
pub(crate) use solver::UNKNOWN;
