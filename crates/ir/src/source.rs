//! Places in source files.

use crate::FileId;
use serde::{Deserialize, Serialize};

/// A line and a column, both counted from 1; columns count bytes, as clang does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column in bytes, from 1; 0 when the column is unknown.
    pub column: u32,
}

/// A half-open range of source text: `end` is the position just behind the last byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Where the text begins.
    pub start: Position,
    /// Just behind its last byte.
    pub end: Position,
}

impl Span {
    /// Whether the place lies inside this span.
    pub fn contains(&self, place: Location) -> bool {
        self.file == place.file && self.start <= place.position && place.position < self.end
    }

    /// Whether `other` lies wholly inside this span (equal spans enclose each other).
    pub fn encloses(&self, other: &Span) -> bool {
        self.file == other.file && self.start <= other.start && other.end <= self.end
    }
}

/// The source place of an instruction, as the compiler's debug information gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Location {
    /// The file.
    pub file: FileId,
    /// The place in it.
    pub position: Position,
}
