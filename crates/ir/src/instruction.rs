//! Instructions, one for one with LLVM's at -O0.

use crate::{
    AtomicOrdering, BinaryOp, BlockId, CastOp, ConstId, FastMath, FloatPredicate, InstructionId,
    IntPredicate, MemoryAccess, ParameterAttributes, RmwOp, TypeId, UnaryOp, WrapFlags,
};
use serde::{Deserialize, Serialize};

/// What an instruction works on.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Operand {
    /// The result of an instruction of the same function.
    Instruction(InstructionId),
    /// A parameter of the function, from 0.
    Parameter(u32),
    /// A constant, the address of a global or function included.
    Const(ConstId),
    /// Metadata given to an intrinsic, as text.
    Metadata(String),
}

/// One arm of a `switch`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Case {
    /// The value, an integer constant.
    pub value: ConstId,
    /// Where it leads.
    pub target: BlockId,
}

/// Inline assembly: opaque to every analysis.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct InlineAsm {
    /// The template.
    pub template: String,
    /// Operand and clobber constraints.
    pub constraints: String,
    /// Whether it has effects beyond its outputs.
    pub side_effects: bool,
}

/// What an instruction does. The last of a block is a terminator, and only the last.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)] // Fields carry the names of LLVM's language reference.
pub enum Op {
    Unary {
        op: UnaryOp,
        value: Operand,
        fast: FastMath,
    },
    Binary {
        op: BinaryOp,
        left: Operand,
        right: Operand,
        flags: WrapFlags,
        fast: FastMath,
    },
    IntCompare {
        predicate: IntPredicate,
        left: Operand,
        right: Operand,
    },
    FloatCompare {
        predicate: FloatPredicate,
        left: Operand,
        right: Operand,
        fast: FastMath,
    },
    Cast {
        op: CastOp,
        value: Operand,
        flags: WrapFlags,
    },
    Alloca {
        ty: TypeId,
        count: Operand,
        align: u32,
    },
    Load {
        pointer: Operand,
        access: MemoryAccess,
    },
    Store {
        value: Operand,
        pointer: Operand,
        access: MemoryAccess,
    },
    ElementAddress {
        source: TypeId,
        base: Operand,
        indices: Vec<Operand>,
        inbounds: bool,
    },
    Phi {
        incoming: Vec<(BlockId, Operand)>,
    },
    Select {
        condition: Operand,
        then: Operand,
        otherwise: Operand,
        fast: FastMath,
    },
    ExtractValue {
        aggregate: Operand,
        indices: Vec<u32>,
    },
    InsertValue {
        aggregate: Operand,
        value: Operand,
        indices: Vec<u32>,
    },
    ExtractElement {
        vector: Operand,
        index: Operand,
    },
    InsertElement {
        vector: Operand,
        value: Operand,
        index: Operand,
    },
    /// `mask` uses -1 for an undefined lane.
    ShuffleVector {
        left: Operand,
        right: Operand,
        mask: Vec<i32>,
    },
    /// A direct, indirect or intrinsic call. `ty` is the called function's type.
    Call {
        callee: Operand,
        ty: TypeId,
        arguments: Vec<Operand>,
        attributes: Vec<ParameterAttributes>,
    },
    Asm {
        asm: InlineAsm,
        ty: TypeId,
        arguments: Vec<Operand>,
    },
    VaArg {
        list: Operand,
    },
    Fence {
        ordering: AtomicOrdering,
    },
    CompareExchange {
        pointer: Operand,
        expected: Operand,
        new: Operand,
        access: MemoryAccess,
        failure: AtomicOrdering,
        weak: bool,
    },
    AtomicRmw {
        op: RmwOp,
        pointer: Operand,
        value: Operand,
        access: MemoryAccess,
    },
    Freeze {
        value: Operand,
    },
    /// An instruction that clang does not emit for C (exception handling and the like).
    Opaque {
        name: String,
        operands: Vec<Operand>,
    },

    Return {
        value: Option<Operand>,
    },
    Jump {
        target: BlockId,
    },
    Branch {
        condition: Operand,
        then: BlockId,
        otherwise: BlockId,
    },
    Switch {
        value: Operand,
        default: BlockId,
        cases: Vec<Case>,
    },
    IndirectJump {
        address: Operand,
        targets: Vec<BlockId>,
    },
    /// `asm goto`.
    AsmBranch {
        asm: InlineAsm,
        ty: TypeId,
        arguments: Vec<Operand>,
        next: BlockId,
        targets: Vec<BlockId>,
    },
    Unreachable,
    /// A terminator that clang does not emit for C (`invoke`, `resume`, …).
    OpaqueTerminator {
        name: String,
        operands: Vec<Operand>,
        targets: Vec<BlockId>,
    },
}

impl Op {
    /// Whether this ends a block.
    pub fn is_terminator(&self) -> bool {
        use Op::*;
        matches!(
            self,
            Return { .. }
                | Jump { .. }
                | Branch { .. }
                | Switch { .. }
                | IndirectJump { .. }
                | AsmBranch { .. }
                | Unreachable
                | OpaqueTerminator { .. }
        )
    }

    /// The blocks that may come next, in LLVM's order of successors (a target may appear more than once).
    pub fn successors(&self) -> Vec<BlockId> {
        match self {
            Op::Jump { target } => vec![*target],
            Op::Branch { then, otherwise, .. } => vec![*then, *otherwise],
            Op::Switch { default, cases, .. } => {
                std::iter::once(*default).chain(cases.iter().map(|case| case.target)).collect()
            }
            Op::IndirectJump { targets, .. } | Op::OpaqueTerminator { targets, .. } => targets.clone(),
            Op::AsmBranch { next, targets, .. } => {
                std::iter::once(*next).chain(targets.iter().copied()).collect()
            }
            _ => Vec::new(),
        }
    }
}
