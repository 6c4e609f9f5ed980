//! Objects: where a pointer may point.

use crate::program::FuncId;

/// The part of an object that every access looks at.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Object {
    /// Its first address.
    pub(crate) base: u64,
    /// Bytes that may be read; 0 once it is gone.
    pub(crate) size: u64,
    /// Bytes that may be written.
    pub(crate) writable: u64,
    /// Where its bytes are in the arena.
    pub(crate) start: u64,
}

/// Where something happened: an instruction of a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Site {
    /// The function.
    pub function: FuncId,
    /// The instruction.
    pub pc: u32,
}

/// What an object is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectKind {
    /// The null pointer points here.
    Null,
    /// A function.
    Function(FuncId),
    /// A global variable: its unit and its number there.
    Global(u32, hydrogen_ir::GlobalId),
    /// Arguments, environment and what else the system hands to a program.
    Start,
    /// From `malloc` and its kin.
    Heap,
    /// From `mmap` or `brk`.
    Mapped,
}

/// What is known about an object besides its place.
#[derive(Debug, Clone)]
pub(crate) struct Info {
    pub(crate) kind: ObjectKind,
    /// Its size, also after its end.
    pub(crate) size: u64,
    pub(crate) freed: bool,
    /// Innermost first.
    pub(crate) allocated: Option<Box<[Site]>>,
    pub(crate) released: Option<Box<[Site]>>,
}

impl Info {
    pub(crate) fn new(kind: ObjectKind, size: u64) -> Self {
        Self { kind, size, freed: false, allocated: None, released: None }
    }
}
