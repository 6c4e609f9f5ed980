//! The MVICFG.
mod ids;
mod lcs;
mod tables;
mod version_set;
pub use ids::{ChainId, EdgeId, NodeId, VersionId};
pub(crate) use ids::{NameId, SetId, TextId};
pub use version_set::{Interval, VersionSet};
