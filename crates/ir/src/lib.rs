//! The program model of one version of a program.
//!
//! A [`Module`] holds one translation unit or a linked program: types, constants, globals, functions,
//! instructions, and the *statement pieces* that instructions belong to. Everything is stored in arenas and
//! named by typed indices ([`TypeId`], [`ConstId`], [`FunctionId`], …), so a model is plain data: it can be
//! compared, hashed, printed and stored. The model knows nothing of LLVM, git or other versions.
//!
//! The same shape serves build-free mode: there a function has pieces, flow and calls, and no [`Body`].

mod constant;
mod ctype;
mod function;
mod ids;
mod instruction;
mod module;
mod operator;
mod piece;
mod source;
mod types;

pub use constant::{CastOp, Const, ConstExpr};
pub use ctype::{CType, Encoding, Enumerator, Member, RecordKind};
pub use function::{
    Block, Body, Call, Callee, Function, Instruction, Linkage, Parameter, ParameterAttributes, Variable,
    VariableKind,
};
pub use ids::{BlockId, CTypeId, ConstId, FileId, FunctionId, GlobalId, InstructionId, PieceId, TypeId};
pub use instruction::{Case, InlineAsm, Op, Operand};
pub use module::{Global, Module};
pub use operator::{
    AtomicOrdering, BinaryOp, FastMath, FloatPredicate, IntPredicate, MemoryAccess, RmwOp, UnaryOp, WrapFlags,
};
pub use piece::{EdgeKind, FlowEdge, Piece, Role};
pub use source::{Location, Position, Span};
pub use types::{FloatKind, Layout, StructType, Type, TypeTable};
