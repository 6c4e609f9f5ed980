//! What a run of a program gave.

use crate::FaultKind;
use std::fmt;

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
    /// Whether it is on the heap.
    pub heap: bool,
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

impl fmt::Display for Limit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Limit::Steps => "the limit on steps",
            Limit::Time => "the limit on time",
            Limit::Output => "the limit on output",
            Limit::Interrupted => "interrupted",
        })
    }
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// With this status.
    Exit(i32),
    /// By this signal.
    Signal(i32),
    /// With undefined behaviour.
    Fault(Box<Fault>),
    /// Before its end: a limit was reached.
    Limit(Limit, Vec<FrameInfo>),
    /// Before its end: a symbol that no unit defines was called or used.
    Unresolved(String, Vec<FrameInfo>),
    /// Before its end: what the program assumes (`hydrogen_assume`) is not so.
    Assumption(Vec<FrameInfo>),
    /// Before its end: something that the machine cannot do.
    Unsupported(String, Vec<FrameInfo>),
}

/// A heap object that nothing pointed to at the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leak {
    /// Its size in bytes.
    pub size: u64,
    /// How many such objects were allocated at the same place.
    pub count: u64,
    /// Where, innermost first.
    pub allocated: Vec<FrameInfo>,
}

/// How much a run did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Decoded instructions.
    pub steps: u64,
    /// Conditional branches and switches.
    pub branches: u64,
    /// Calls of functions with a body.
    pub calls: u64,
    /// Functions that were called at least once.
    pub functions: u64,
    /// Heap objects that were allocated.
    pub objects: u64,
    /// System calls.
    pub system_calls: u64,
    /// The deepest stack of calls.
    pub depth: u64,
    /// Left shifts of signed numbers that C leaves undefined and that compilers define: they are faults where a run is strict.
    pub tolerated: u64,
}

/// How the same run went natively.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Natively {
    /// The same output and the same end.
    Same,
    /// Something else, and what.
    Differs(String),
    /// Undefined behaviour, or a run that was cut short: nothing to compare.
    NotCompared,
    /// It was not run: there was no time left.
    NoTime,
}

/// Something that is told once, and how often it was so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// What.
    pub text: String,
    /// How often.
    pub count: u64,
}

impl fmt::Display for Note {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            1 => out.write_str(&self.text),
            count => write!(out, "{} ({count} times)", self.text),
        }
    }
}

/// Everything that is told of one run.
#[derive(Debug, Clone)]
pub struct Ran<'r> {
    /// How it ended.
    pub end: &'r End,
    /// Faults that the run went on behind.
    pub behind: &'r [Fault],
    /// What it wrote.
    pub stdout: &'r [u8],
    /// What it wrote there.
    pub stderr: &'r [u8],
    /// Files that it changed, and how large they are.
    pub files: Vec<(String, usize)>,
    /// What is lost.
    pub leaks: &'r [Leak],
    /// Heap objects that something still pointed to at the end.
    pub reachable: u64,
    /// What was assumed about the world.
    pub ledger: Vec<Note>,
    /// How much it did.
    pub statistics: Statistics,
    /// How outputs depend on the input, where that was followed.
    pub symbolic: Option<Symbolic>,
    /// How it went natively, where that was tried.
    pub native: Option<Natively>,
}

/// How outputs depend on the input.
#[derive(Debug, Clone)]
pub struct Symbolic {
    /// What must hold for the run to go this way.
    pub conditions: Vec<Condition>,
    /// What comes out then.
    pub outputs: Vec<Output>,
    /// Values that were made concrete: why, where, how often.
    pub concretised: Vec<(String, FrameInfo, u64)>,
    /// How many executed instructions had operands that depend on the input.
    pub dependent: u64,
    /// The run line by line, where that was asked for.
    pub table: Option<Table>,
}

/// A run, line by line.
#[derive(Debug, Clone)]
pub struct Table {
    /// In the order of execution.
    pub rows: Vec<TableRow>,
    /// Whether there were too many.
    pub cut: bool,
}

/// One line of the source, executed once.
#[derive(Debug, Clone)]
pub struct TableRow {
    /// Where.
    pub place: FrameInfo,
    /// Variables that were set, and to what.
    pub values: Vec<(String, String)>,
    /// What was asked of the input besides all that was asked before.
    pub condition: Vec<String>,
}

/// One condition on the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    /// In the words of the source.
    pub text: String,
    /// Why it is there.
    pub kind: ConditionKind,
    /// Where it was asked.
    pub place: FrameInfo,
    /// Which execution of that place it was.
    pub instance: u64,
}

/// Why a condition is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConditionKind {
    /// A branch went this way.
    Branch,
    /// The program assumes it.
    Assumed,
    /// An operation did not fault.
    NoFault,
    /// A value was made concrete.
    Concrete,
    /// An operation faulted.
    Fault,
}

impl ConditionKind {
    /// As JSON has it.
    pub fn word(self) -> &'static str {
        match self {
            ConditionKind::Branch => "branch",
            ConditionKind::Assumed => "assumed",
            ConditionKind::NoFault => "no-fault",
            ConditionKind::Concrete => "concrete",
            ConditionKind::Fault => "fault",
        }
    }
}

/// What came out, as an expression over the input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// The stream, file, or name that the program gave it.
    pub name: String,
    /// The expression.
    pub text: String,
    /// Whether it depends on the input, on the same path.
    pub symbolic: bool,
}
