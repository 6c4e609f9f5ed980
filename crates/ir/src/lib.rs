//! The program model of one version of a program.
//!
//! A [`Module`] holds one translation unit or a linked program: types, constants, globals, functions,
//! instructions, and the *statement pieces* that instructions belong to. Everything is stored in arenas and
//! named by typed indices ([`TypeId`], [`ConstId`], [`FunctionId`], …), so a model is plain data: it can be
//! compared, hashed, printed and stored. The model knows nothing of LLVM, git or other versions.
//!
//! The same shape serves build-free mode: there a function has pieces, flow and calls, and no [`Body`].

pub mod codec;
mod constant;
mod ctype;
mod declared;
pub mod export;
mod function;
pub mod hash;
mod ids;
mod instruction;
mod intrinsic;
pub mod layout;
pub mod link;
mod lookup;
mod mention;
mod module;
mod operator;
mod piece;
mod pointers;
mod source;
mod spelling;
mod stepped;
pub mod stranger;
mod stream;
pub mod text;
mod tokens;
mod types;
pub mod verify;
mod visit;

pub use codec::{DecodeError, decode, encode};
pub use constant::{CastOp, Const, ConstExpr};
pub use ctype::{CType, Encoding, Enumerator, Member, RecordKind};
pub use declared::{Declared, declared};
pub use export::{to_dot, to_json};
pub use function::{
    Block, Body, Call, Callee, Function, Instruction, Linkage, Parameter, ParameterAttributes, Run, Variable,
    VariableKind,
};
pub use hash::{
    ContentHash, Fingerprint, FunctionSummary, GlobalSummary, ModuleSummary, exact_hash, piece_hashes,
    relative_line, summarize,
};
pub use ids::{BlockId, CTypeId, ConstId, FileId, FunctionId, GlobalId, InstructionId, PieceId, TypeId};
pub use instruction::{Case, InlineAsm, Op, Operand};
pub use intrinsic::{Intrinsic, IntrinsicName, intrinsic_of};
pub use link::{Conflict, ConflictKind, Linked, LinkedUnit, link};
pub use mention::{Mention, is_before_dot, mentions_in, names_in};
pub use module::{Global, Module};
pub use operator::{
    AtomicOrdering, BinaryOp, FastMath, FloatPredicate, IntPredicate, MemoryAccess, RmwOp, UnaryOp, WrapFlags,
};
pub use piece::{EdgeKind, FlowEdge, Piece, Role};
pub use pointers::{Pointers, behind, sizes_in, stands_for};
pub use source::{Location, Position, Span};
pub use spelling::{canonical, canonical_of, fold};
pub use stream::{has_streams, is_stream, reads_streams};
pub use text::{ParseError, parse, print, print_function};
pub use types::{FloatKind, Layout, StructType, Type, TypeTable};
pub use verify::{Rule, Violation, verify};
pub use visit::{Reference, ReferenceMut};
