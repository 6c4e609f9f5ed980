//! What pointers point to.

use super::shape::Offset;
use hydrogen_ir::{FunctionId, GlobalId, InstructionId};

/// An object of the analysis: it stands for all objects that come into being in the same way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ObjectKind {
    /// Memory of which nothing is known, and *every escaped object*: whatever unknown code can see.
    Unknown,
    /// A global variable or string literal.
    Global(GlobalId),
    /// A function's code.
    Function(FunctionId),
    /// A stack slot.
    Stack {
        /// The function.
        function: FunctionId,
        /// The `alloca`.
        instruction: InstructionId,
    },
    /// What an allocator returned.
    Heap {
        /// The calling function.
        function: FunctionId,
        /// The call.
        instruction: InstructionId,
    },
    /// A parameter's private copy of a structure.
    Copy {
        /// The function.
        function: FunctionId,
        /// The parameter, from 0.
        parameter: u32,
    },
    /// The arguments behind `...`.
    Rest(FunctionId),
    /// Memory that belongs to a library function, such as `errno`.
    Library(FunctionId),
}

/// An object by number; [`ObjectId::UNKNOWN`] is the unknown memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectId(pub u32);

impl ObjectId {
    /// The unknown memory.
    pub const UNKNOWN: ObjectId = ObjectId(0);
}

/// A place that a pointer can point to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The object.
    pub object: ObjectId,
    /// Where in it.
    pub offset: Offset,
}
