//! What a program can do wrong, and what a run can end with.

use crate::memory::ObjectKind;
pub use hydrogen_evidence::FaultKind;

/// A function on the stack, and where it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrameInfo {
    /// The function.
    pub function: String,
    /// The file; empty where unknown.
    pub file: String,
    /// The line; 0 where unknown.
    pub line: u32,
    /// The column; 0 where unknown.
    pub column: u32,
    /// Whether it is of the user's program and not of the C library.
    pub users: bool,
}

/// The object that a fault is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectInfo {
    /// What it is; `None` for a local variable.
    pub kind: Option<ObjectKind>,
    /// In words: `heap object of 8 bytes`, `variable \`x\``.
    pub description: String,
    /// Its size in bytes.
    pub size: u64,
    /// How far from its start the access was.
    pub offset: i64,
    /// Where it was allocated, innermost first.
    pub allocated: Vec<FrameInfo>,
    /// Where it was freed.
    pub freed: Vec<FrameInfo>,
}

/// A fault with its evidence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// The details in words.
    pub message: String,
    /// Innermost first.
    pub stack: Vec<FrameInfo>,
    /// The object it is about: the one that the pointer belongs to.
    pub object: Option<ObjectInfo>,
    /// Where arithmetic took the pointer to another object: that one.
    pub instead: Option<ObjectInfo>,
}

/// What the machine found, before anyone asks for names and lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// An access that is not allowed.
    Access { address: u64, bytes: u64, write: bool },
    /// An access through a pointer that arithmetic took away from the object it belongs to.
    Elsewhere { from: u64, address: u64, bytes: u64, write: bool },
    /// Any other fault.
    Fault(FaultKind, String),
    /// The machine cannot do this.
    Unsupported(String),
    /// A call of a function that nobody defines.
    Undefined(String),
    /// The program ends.
    Exit(i32),
    /// The program is ended by a signal.
    Signal(i32),
    /// A limit is reached.
    Limit(Limit),
    /// The program assumes something that is not so.
    Assumption,
}

/// What a run may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limit {
    /// Instructions.
    Steps,
    /// Time.
    Time,
    /// Bytes written by the program.
    Output,
    /// The user stopped the run.
    Interrupted,
}

impl std::fmt::Display for Limit {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Limit::Steps => "the limit on steps",
            Limit::Time => "the limit on time",
            Limit::Output => "the limit on output",
            Limit::Interrupted => "interrupted",
        })
    }
}
