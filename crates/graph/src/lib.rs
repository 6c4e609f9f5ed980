//! The MVICFG: many versions of a program in one exact graph.
mod add;
mod apply;
mod branch;
mod calls;
mod check;
mod diff;
mod dump;
mod events;
mod from_ir;
mod functions;
mod ids;
mod impact;
mod input;
mod lcs;
mod model;
mod paths;
mod project;
mod read;
mod rename;
mod shape;
mod stats;
mod store;
mod tables;
mod version_set;
mod weave;

pub use calls::{CallLink, IndirectTargets, Target};
pub use check::Violation;
pub use diff::{Diff, Part, Reason};
pub use dump::{DotOptions, JsonOptions};
pub use events::{Event, NodeHistory};
pub use from_ir::functions_of;
pub use ids::{ChainId, EdgeId, NodeId, VersionId};
pub(crate) use ids::{NameId, SetId, TextId};
pub use impact::ItemImpact;
pub use input::{
    AddError, BodyInput, BodySource, Digest, Fingerprint, FunctionInput, FunctionKey, FunctionRef, Item,
    ItemKind, LoadError, VersionInfo, VersionInput,
};
pub use model::{Graph, ItemKey};
pub use paths::Paths;
pub use stats::{Sizes, StepStats};
pub use store::LoadGraphError;
pub use version_set::{Interval, VersionSet};
