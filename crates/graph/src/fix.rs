//! A fix, named by the versions around it.

use crate::VersionId;

/// A fix: the versions before and after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fix {
    /// With the bug.
    pub before: VersionId,
    /// Without.
    pub after: VersionId,
}
