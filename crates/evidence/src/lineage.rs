//! What became of a statement or a function over versions.

use serde::Serialize;

/// Something that a version did to it.
#[derive(Debug, Clone, Serialize)]
pub struct Entry {
    /// The version.
    pub version: Option<String>,
    /// What it did.
    pub event: String,
    /// The statement, or the function's name.
    pub text: String,
    /// Where another commit has it: the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its line, where it is there.
    pub line: Option<u32>,
    /// Who did it, where that was asked.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub by: Option<By>,
}

/// Who did something; nothing is said where what differs is not the version's own doing.
#[derive(Debug, Clone, Serialize)]
pub struct By {
    /// The commit.
    pub commit: Option<String>,
    /// Its author.
    pub author: Option<String>,
    /// Its day.
    pub date: Option<String>,
    /// The first line of its message.
    pub summary: Option<String>,
}
