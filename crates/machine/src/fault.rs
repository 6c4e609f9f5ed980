//! What a program can do wrong, and what a run can end with.

pub use hydrogen_evidence::{End, Fault, FaultKind, FrameInfo, Leak, Limit, ObjectInfo, Statistics};

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
