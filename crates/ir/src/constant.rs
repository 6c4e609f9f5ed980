//! Constants: what initialisers and operands are made of.

use crate::{BinaryOp, BlockId, ConstId, FunctionId, GlobalId, TypeId};
use serde::{Deserialize, Serialize};

/// A constant; interned per module, so equal constants have equal ids.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Const {
    /// An integer of at most 128 bits, zero-extended.
    Int {
        /// Its type.
        ty: TypeId,
        /// Its bits.
        bits: u128,
    },
    /// An integer of more than 128 bits (`_BitInt`), least significant word first.
    WideInt {
        /// Its type.
        ty: TypeId,
        /// Its bits.
        words: Vec<u64>,
    },
    /// A floating-point number by its bit pattern.
    Float {
        /// Its type.
        ty: TypeId,
        /// Its bits.
        bits: u128,
    },
    /// The null pointer, or zero of an aggregate type.
    Zero(TypeId),
    /// Any value, possibly another at each use.
    Undef(TypeId),
    /// The value of an erroneous computation.
    Poison(TypeId),
    /// Structures, arrays and vectors element by element.
    Aggregate {
        /// Its type.
        ty: TypeId,
        /// Its elements.
        elements: Vec<ConstId>,
    },
    /// An array of bytes, such as a string literal.
    Bytes {
        /// Its type.
        ty: TypeId,
        /// The bytes, the terminating zero included where there is one.
        data: Vec<u8>,
    },
    /// The address of a global variable: a relocation.
    Global(GlobalId),
    /// The address of a function: a relocation.
    Function(FunctionId),
    /// The address of a label (`&&label`).
    BlockAddress {
        /// The function.
        function: FunctionId,
        /// The block.
        block: BlockId,
    },
    /// A computation on constants.
    Expr {
        /// The type of the result.
        ty: TypeId,
        /// The computation.
        expr: ConstExpr,
    },
}

/// A computation that the linker or loader finishes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ConstExpr {
    /// An address inside an object.
    ElementAddress {
        /// The type that the indices walk through.
        source: TypeId,
        /// The base address.
        base: ConstId,
        /// The indices.
        indices: Vec<ConstId>,
        /// Whether leaving the object is an error.
        inbounds: bool,
    },
    /// A conversion.
    Cast(CastOp, ConstId),
    /// Arithmetic.
    Binary(BinaryOp, ConstId, ConstId),
    /// Anything else, by name.
    Other(String, Vec<ConstId>),
}

/// Conversions between types.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[allow(missing_docs)] // The names are LLVM's and say it all.
pub enum CastOp {
    Trunc,
    ZExt,
    SExt,
    FpToUi,
    FpToSi,
    UiToFp,
    SiToFp,
    FpTrunc,
    FpExt,
    PtrToInt,
    IntToPtr,
    BitCast,
    AddrSpaceCast,
}

impl Const {
    /// Its type; `None` for addresses, which all are pointers.
    pub fn ty(&self) -> Option<TypeId> {
        match self {
            Const::Int { ty, .. }
            | Const::WideInt { ty, .. }
            | Const::Float { ty, .. }
            | Const::Zero(ty)
            | Const::Undef(ty)
            | Const::Poison(ty)
            | Const::Aggregate { ty, .. }
            | Const::Bytes { ty, .. }
            | Const::Expr { ty, .. } => Some(*ty),
            Const::Global(_) | Const::Function(_) | Const::BlockAddress { .. } => None,
        }
    }
}
