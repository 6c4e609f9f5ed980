//! What the user means by a version, and what it resolves to.

mod ancestors;
mod error;
mod near;
mod nearest;
mod range;
mod resolve;
mod spec;
mod tags;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use ancestors::{ancestors, outside};
pub use error::Error;
pub use near::near_order;
pub use nearest::nearest;
pub(crate) use resolve::{commit_info, find_small_commit};
pub use resolve::{resolve, resolve_with};
pub use tags::{is_pre_release, natural_order};

/// One version of the program: a name that is unique in its list, and where its files come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// How the user calls it, or the abbreviated hash of a commit of a range.
    pub name: String,
    /// Where the files are.
    pub source: Source,
}

/// Where the files of a version come from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Source {
    /// A commit of a git repository.
    Commit(CommitInfo),
    /// A directory, taken as it is now.
    Directory(PathBuf),
    /// A single LLVM bitcode (`.bc`) or assembly (`.ll`) file.
    Bitcode(PathBuf),
}

/// A commit and what is worth saying about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitInfo {
    /// The git directory of the repository.
    pub repository: PathBuf,
    /// The commit's full hash.
    pub commit: String,
    /// The full hash of its tree.
    pub tree: String,
    /// The full hashes of its parents, first parent first.
    pub parents: Vec<String>,
    /// The author's name and mail address.
    pub author: String,
    /// When it was authored, in seconds since 1970.
    pub time: i64,
    /// The first line of its message.
    pub summary: String,
}

impl CommitInfo {
    /// The day it was authored, as `2024-02-29`.
    pub fn date(&self) -> String {
        let day = gix::date::Time::new(self.time, 0).format(gix::date::time::format::SHORT);
        day.unwrap_or_else(|_| self.time.to_string())
    }
}
