//! What a user has: versions that can be asked about, a cache, and the parts of a machine that are needed.

use serde::Serialize;

/// A version that can be asked about.
#[derive(Debug, Clone)]
pub struct VersionState {
    /// Its name.
    pub name: String,
    /// What it is.
    pub is: VersionKind,
    /// How it is built.
    pub built_by: String,
    /// What the cache has of it.
    pub cached: Option<Cached>,
}

/// What a version is.
#[derive(Debug, Clone)]
pub enum VersionKind {
    /// A commit.
    Commit {
        /// Its hash.
        commit: String,
        /// The hash of its tree.
        tree: String,
        /// The hashes of its parents.
        parents: Vec<String>,
        /// Who wrote it.
        author: String,
        /// The day.
        date: String,
        /// The first line of its message.
        summary: String,
    },
    /// A folder, or a file of bitcode: which of them, and where it is.
    Path(&'static str, String),
}

/// What the cache has of a version.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct Cached {
    /// Its units.
    pub units: usize,
    /// Those that could not be read.
    pub failed: usize,
}

/// What is in the cache, by kind.
#[derive(Debug, Clone)]
pub struct CacheState {
    /// Where it is.
    pub directory: String,
    /// How large it may be.
    pub limit: u64,
    /// By kind: entries and bytes.
    pub kinds: Vec<(String, CacheSize)>,
    /// All together.
    pub total: CacheSize,
}

/// How much there is of something in the cache.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct CacheSize {
    /// Entries.
    pub entries: u64,
    /// Bytes.
    pub bytes: u64,
}

/// How much a missing part hurts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Need {
    /// Most commands do not work without it.
    Required,
    /// Some commands do not work, or work slower.
    Optional,
}

/// A part of the machine that something needs.
#[derive(Debug, Serialize)]
pub struct Part {
    /// Its name.
    pub name: &'static str,
    /// What needs it.
    pub what_for: &'static str,
    /// How much it hurts where it is missing.
    pub need: Need,
    /// Where it is, or what is wrong.
    pub found: Result<String, String>,
    /// The command that helps.
    pub help: &'static str,
}

/// The files of a version.
#[derive(Debug, Clone)]
pub struct Files {
    /// The version.
    pub version: String,
    /// All of them, whatever they are.
    pub all: usize,
    /// Those in C.
    pub c: Vec<CFile>,
}

/// A file in C.
#[derive(Debug, Clone, Serialize)]
pub struct CFile {
    /// Its path.
    pub path: String,
    /// Its lines.
    pub lines: usize,
    /// How many of them are not blank.
    pub filled: usize,
}

impl Files {
    /// All lines in C, and those that are not blank.
    pub fn lines(&self) -> [usize; 2] {
        self.c.iter().fold([0, 0], |[lines, filled], file| [lines + file.lines, filled + file.filled])
    }
}
