//! Which functions and statements differ between two versions.

use serde::Serialize;
use std::fmt;

/// What became of a function between two versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    /// Only the new version has it.
    Added,
    /// Only the old version has it.
    Deleted,
    /// It changed, or something it is made of did.
    Updated,
    /// It has another name, and its statements are the same.
    Renamed,
    /// It is the same, wherever it stands and however it is laid out.
    Unchanged,
}

impl fmt::Display for Status {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(match self {
            Status::Added => "added",
            Status::Deleted => "deleted",
            Status::Updated => "updated",
            Status::Renamed => "renamed",
            Status::Unchanged => "unchanged",
        })
    }
}

/// A function in two versions.
#[derive(Debug, Clone)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Its file, in the new version where it has one.
    pub file: String,
    /// Its line there.
    pub line: u32,
    /// What became of it.
    pub status: Status,
    /// Why it counts as updated.
    pub reason: Option<String>,
}

/// What happened to a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum StatementChange {
    /// Only the old version has it.
    Removed,
    /// Only the new version has it.
    Added,
    /// Both have it, and it means something else.
    Meaning,
}

/// A statement that differs.
#[derive(Debug, Clone)]
pub struct Statement {
    /// What happened to it.
    pub change: StatementChange,
    /// Its line, in the version that has it.
    pub line: u32,
    /// Its text.
    pub text: String,
    /// Why it means something else, or an empty text.
    pub because: String,
}

/// Paths through a function that only one version has, by their lines.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Paths {
    /// The lines of each, of the version that has it.
    pub lines: Vec<Vec<u32>>,
    /// Whether there are more.
    pub more: bool,
}

/// The paths that only one of two versions has.
#[derive(Debug, Clone, Serialize)]
pub struct BothPaths {
    /// Those of the new version.
    pub only_new: Paths,
    /// Those of the old version.
    pub only_old: Paths,
}

/// A function, by its name and place.
#[derive(Debug, Clone, Serialize)]
pub struct Place {
    /// Its name.
    pub name: String,
    /// Its file.
    pub file: String,
    /// Its line.
    pub line: u32,
}

/// A function whose statements, name, file or head differ.
#[derive(Debug, Clone)]
pub struct Differing {
    /// The function, in the new version where it has one.
    pub place: Place,
    /// Whether both have it, or only the old one, or only the new one.
    pub status: Status,
    /// What became of its name, file and head.
    pub became: Option<String>,
    /// The statements that differ, in the order of the source.
    pub statements: Vec<Statement>,
    /// The paths that differ, where they are asked for.
    pub paths: Option<BothPaths>,
}

/// All that differs between two versions.
#[derive(Debug, Clone)]
pub struct Diff {
    /// The functions.
    pub functions: Vec<Differing>,
    /// Functions that are in one version only because their file could not be read in the other.
    pub unread: Vec<Place>,
}
