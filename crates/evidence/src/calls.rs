//! Who calls whom over versions, and which calls lead to a function.

use serde::Serialize;

/// A function with whom it calls.
#[derive(Debug, Clone, Serialize)]
pub struct Caller {
    /// Its file.
    pub file: String,
    /// Its line in the newest version that has it.
    pub line: u32,
    /// Its name there.
    pub name: String,
    /// The versions that have it.
    pub versions: String,
    /// Whom it calls.
    pub calls: Vec<Callee>,
}

/// Whom a function calls.
#[derive(Debug, Clone, Serialize)]
pub struct Callee {
    /// In words: a name, or what a call through a pointer says.
    pub callee: String,
    /// The versions, where they are not all that have the caller.
    pub versions: Option<String>,
}

/// The calls through which a function can be reached in a version.
#[derive(Debug, Clone, Serialize)]
pub struct Reaching {
    /// The version.
    pub version: String,
    /// Each function of that name.
    pub functions: Vec<Reached>,
}

/// A function that calls lead to.
#[derive(Debug, Clone, Serialize)]
pub struct Reached {
    /// Its file.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// The calls.
    pub calls: Vec<LeadingCall>,
}

/// A call that leads to a function.
#[derive(Debug, Clone, Serialize)]
pub struct LeadingCall {
    /// Its file.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// The function that it is in.
    pub caller: String,
    /// Its statement.
    pub text: String,
}
