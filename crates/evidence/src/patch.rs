//! A patch beside the releases it was tried on.

use serde::{Deserialize, Serialize};

/// The hunks of a patch and the releases with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchTable {
    /// The hunks, in the order of functions and statements.
    pub hunks: Vec<HunkRow>,
    /// Every release and the name that it has with the patch in it.
    pub releases: Vec<PatchedName>,
}

/// A release with the patch in it, written {p→r} in the spec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchedName {
    /// The release.
    pub release: String,
    /// The release with the patch.
    pub patched: String,
}

/// A hunk and the releases that it applies to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HunkRow {
    /// The function; empty for what is outside functions.
    pub function: String,
    /// The file.
    pub file: String,
    /// Its first line before the patch; of a new function, after it.
    pub line: u32,
    /// The statements that it removes.
    pub removes: Vec<String>,
    /// The statements that it adds.
    pub adds: Vec<String>,
    /// One per release.
    pub applies: Vec<Applies>,
    /// One per release.
    pub alone: Vec<Alone>,
}

/// Whether a hunk applies to a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Applies {
    /// All that it removes and all that it is tied to is there.
    Yes,
    /// Something of that is not there.
    No,
    /// The file that may have it could not be read in the release.
    Unread,
}

/// What a hunk alone, without the others, does to the fault in a release.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Alone {
    /// The release has the fault, and with this hunk every path is refuted.
    Fixed,
    /// A path remains.
    NotFixed,
    /// Neither the release nor the release with the hunk has the fault.
    NoFault,
    /// That could not be decided; it may not compile alone.
    Unknown,
    /// The hunk does not apply, is not on a way to the statement, or is in another function.
    NotJudged,
}
