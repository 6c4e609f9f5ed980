//! What is known about one version.

use crate::items::VersionItem;
use crate::programs::LinkedProgram;
use hydrogen_history::version::Version;
use hydrogen_ir::{Module, ModuleSummary};
use std::sync::Arc;

/// The units of a version, and what is missing.
#[derive(Debug, Clone)]
pub struct VersionModel {
    /// The version.
    pub version: Version,
    /// How it was built: `make`, `cmake`, `syntax`, …
    pub how: String,
    /// The units that could be modelled, sorted by file.
    pub units: Vec<UnitModel>,
    /// The programs that the build linked, where it was seen to link.
    pub programs: Vec<LinkedProgram>,
    /// The units that could not.
    pub failures: Vec<Failure>,
    /// What else the user should know: a build that failed half way, files that were left out.
    pub problems: Vec<String>,
    /// Macros, types and variables, in build-free mode.
    pub items: Arc<[VersionItem]>,
    /// How much was compiled for this answer, the rest being cached.
    pub compiled: usize,
}

/// One translation unit.
#[derive(Debug, Clone)]
pub struct UnitModel {
    /// The main file, relative to the version's root.
    pub file: String,
    /// The object file that the build made of it, which tells it from other units of the same file; empty where that is not known.
    pub object: String,
    /// Where the whole model is.
    pub origin: Origin,
    /// Functions and globals with their hashes.
    pub summary: Arc<ModuleSummary>,
}

/// Where the model of a unit is found.
#[derive(Debug, Clone)]
pub enum Origin {
    /// In the cache, under this key.
    Cached([u8; 32]),
    /// In memory, encoded: the cache could not take it.
    Memory(Arc<Vec<u8>>),
    /// In memory: build-free mode reads faster than a cache would.
    Parsed(Arc<Module>),
}

/// A unit without a model.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Failure {
    /// The main file.
    pub file: String,
    /// The compiler's own message.
    pub message: String,
}
