//! The MVICFG: many versions of a program in one exact graph.
//!
//! A [`Graph`] takes versions one after the other ([`Graph::add`]) and keeps what they share once. Its nodes are
//! statement pieces, its edges control flow between them; every function, node and edge knows the exact set of
//! versions that have it ([`VersionSet`]), so that each version can be taken out again as it was put in
//! ([`Graph::project`], [`Graph::check`]).
//!
//! The parts, from below:
//!
//! - `version_set`, `tables`: version sets, interned values, values that change over versions.
//! - `input`, `from_ir`: what a version consists of. Bodies of unchanged functions are never asked for.
//! - `functions`: which functions continue which; by the rules of the crate `align`, as for statements.
//! - `add`, `apply`: construction. Exact by construction: each version's own edges are entered, and whatever it has not
//!   is closed (spec 3.5; the published labelling algorithms lose edges).
//! - `unread`: what a version may have and could not be read.
//! - `read`, `calls`, `pointers`, `branch`, `diff`, `meaning`, `paths`, `events`, `fix`, `impact`, `stats`, `project`: questions.
//! - `store`, `dump`: files and pictures. `check`: is it all true?
//!
//! The graph knows nothing of LLVM, git or symbolic terms.

mod add;
mod apply;
mod branch;
mod calls;
mod check;
mod diff;
mod dump;
mod events;
mod fix;
mod from_ir;
mod functions;
mod ids;
mod impact;
mod input;
mod meaning;
mod model;
mod own;
mod paths;
mod pointers;
mod project;
mod read;
mod shape;
mod stats;
mod step;
mod store;
mod tables;
mod unread;
mod version_set;

pub use calls::{Call, CallLink, Target};
pub use check::Violation;
pub use diff::{Diff, Part, Reason};
pub use dump::{DotOptions, JsonOptions};
pub use events::{Event, NodeHistory};
pub use fix::Fix;
pub use from_ir::{Definition, functions_of};
pub use ids::{ChainId, EdgeId, NodeId, VersionId};
pub(crate) use ids::{NameId, SetId, TextId};
pub use impact::ItemImpact;
pub use input::{
    AddError, BodyInput, BodySource, Digest, FunctionInput, FunctionKey, FunctionRef, Gap, Item, ItemKind,
    LoadError, VersionInfo, VersionInput,
};
pub use model::{Graph, ItemKey};
pub use paths::Paths;
pub use pointers::PointerCall;
pub use stats::{Sizes, StepStats};
pub use step::VersionStep;
pub use store::LoadGraphError;
pub use version_set::{Interval, VersionSet};
