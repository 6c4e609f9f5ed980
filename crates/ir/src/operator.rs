//! Operators and their modifiers. The names are LLVM's, so that its language reference applies.
#![allow(missing_docs)] // Each variant is the LLVM keyword of the same name.

use serde::{Deserialize, Serialize};

/// Operators with one operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum UnaryOp {
    FNeg,
}

/// Operators with two operands of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BinaryOp {
    Add,
    FAdd,
    Sub,
    FSub,
    Mul,
    FMul,
    UDiv,
    SDiv,
    FDiv,
    URem,
    SRem,
    FRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
}

/// Promises of the compiler on integer arithmetic: breaking one gives poison.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct WrapFlags {
    /// No unsigned wrap.
    pub nuw: bool,
    /// No signed wrap: in C, signed overflow is undefined.
    pub nsw: bool,
    /// Division or shift without remainder.
    pub exact: bool,
    /// `or disjoint`, `zext nneg` and the like. On `shl` it is no promise but a fact about the source, which LLVM does
    /// not tell: C shifts a signed number, and shifting a negative one is undefined. It changes no result.
    pub other: bool,
}

/// Fast-math flags as LLVM's bit set (0 in ordinary C).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FastMath(pub u32);

/// Integer comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum IntPredicate {
    Eq,
    Ne,
    Ugt,
    Uge,
    Ult,
    Ule,
    Sgt,
    Sge,
    Slt,
    Sle,
}

/// Floating-point comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum FloatPredicate {
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    Ord,
    Uno,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    True,
}

/// Orderings of atomic accesses.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum AtomicOrdering {
    #[default]
    NotAtomic,
    Unordered,
    Monotonic,
    Acquire,
    Release,
    AcquireRelease,
    SequentiallyConsistent,
}

/// Read-modify-write operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum RmwOp {
    Xchg,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
    FAdd,
    FSub,
    FMax,
    FMin,
    UIncWrap,
    UDecWrap,
    Other,
}

/// How memory is accessed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct MemoryAccess {
    /// Alignment in bytes.
    pub align: u32,
    /// Whether the access itself is observable.
    pub volatile: bool,
    /// Ordering, for atomic accesses.
    pub ordering: AtomicOrdering,
}
