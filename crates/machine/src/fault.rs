//! What a program can do wrong, and what a run can end with.

use crate::memory::ObjectKind;

/// Undefined behaviour, found at the instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaultKind {
    /// A read outside of every object, or past the end of one.
    OutOfBoundsRead,
    /// A write outside of every object, or past the end of one.
    OutOfBoundsWrite,
    /// An access through the null pointer, or near it.
    NullDereference,
    /// An access to a heap object after its end.
    UseAfterFree,
    /// An access to a local variable of a function that has returned.
    UseAfterReturn,
    /// A heap object freed again.
    DoubleFree,
    /// `free` of something that is no heap object, or of its middle.
    InvalidFree,
    /// A value that was never written decides a branch, an address or a system call.
    UninitialisedRead,
    /// Division or remainder by zero, or a quotient that does not fit.
    DivisionByZero,
    /// A shift by the width or more.
    BadShift,
    /// A signed result that does not fit.
    SignedOverflow,
    /// Code that cannot be reached was reached.
    Unreachable,
    /// Too many calls deep.
    StackExhausted,
    /// A call of something that is no function, or of another type.
    BadCall,
    /// A write to a constant.
    ReadOnlyWrite,
    /// `longjmp` to a function that has returned.
    BadLongJump,
    /// Memory that overlaps in `memcpy`.
    OverlappingCopy,
}

impl FaultKind {
    /// A name for programs.
    pub fn name(self) -> &'static str {
        use FaultKind::*;
        match self {
            OutOfBoundsRead => "out-of-bounds-read",
            OutOfBoundsWrite => "out-of-bounds-write",
            NullDereference => "null-dereference",
            UseAfterFree => "use-after-free",
            UseAfterReturn => "use-after-return",
            DoubleFree => "double-free",
            InvalidFree => "invalid-free",
            UninitialisedRead => "uninitialised-read",
            DivisionByZero => "division-by-zero",
            BadShift => "bad-shift",
            SignedOverflow => "signed-overflow",
            Unreachable => "unreachable",
            StackExhausted => "stack-exhausted",
            BadCall => "bad-call",
            ReadOnlyWrite => "read-only-write",
            BadLongJump => "bad-longjmp",
            OverlappingCopy => "overlapping-copy",
        }
    }
}

impl std::fmt::Display for FaultKind {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(&self.name().replace('-', " "))
    }
}

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
    /// The object it is about.
    pub object: Option<ObjectInfo>,
}

/// What the machine found, before anyone asks for names and lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// An access that is not allowed.
    Access { address: u64, bytes: u64, write: bool },
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
