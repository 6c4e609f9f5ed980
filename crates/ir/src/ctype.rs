//! C types as the programmer wrote them, from debug information: names, signedness, members, bit-fields.

use crate::CTypeId;
use serde::{Deserialize, Serialize};

/// A type of the source language.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum CType {
    /// `void`, or a type the debug information leaves out.
    Void,
    /// An arithmetic type.
    Basic {
        /// Such as `unsigned int`.
        name: String,
        /// Its size.
        size_bits: u64,
        /// How its bits are read.
        encoding: Encoding,
    },
    /// A pointer to another type.
    Pointer(CTypeId),
    /// An array; one entry per dimension, `None` where the length is not constant.
    Array {
        /// The element type.
        element: CTypeId,
        /// The lengths, outermost first.
        lengths: Vec<Option<u64>>,
    },
    /// A structure, union or class.
    Record {
        /// Which of them.
        kind: RecordKind,
        /// The tag; anonymous records have none.
        name: Option<String>,
        /// Its size; 0 when only declared.
        size_bits: u64,
        /// Its members in order.
        members: Vec<Member>,
    },
    /// An enumeration.
    Enum {
        /// The tag.
        name: Option<String>,
        /// Its size.
        size_bits: u64,
        /// The named values; empty where the reader cannot see them.
        values: Vec<Enumerator>,
    },
    /// A `typedef`.
    Typedef {
        /// The new name.
        name: String,
        /// What it stands for.
        target: CTypeId,
    },
    /// A qualifier such as `const`, `volatile`, `restrict` or `_Atomic`.
    Qualified {
        /// The qualifier.
        qualifier: String,
        /// What it qualifies.
        target: CTypeId,
    },
    /// A function type: the result and the parameters.
    Function {
        /// The result.
        result: CTypeId,
        /// The parameters.
        parameters: Vec<CTypeId>,
        /// Whether it ends in `...`.
        varargs: bool,
    },
}

/// How the bits of an arithmetic type are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Encoding {
    /// Two's complement.
    Signed,
    /// Unsigned.
    Unsigned,
    /// `_Bool`.
    Boolean,
    /// Floating point.
    Float,
    /// Complex floating point.
    Complex,
    /// Anything else.
    Other,
}

/// The kinds of records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RecordKind {
    /// `struct`.
    Struct,
    /// `union`.
    Union,
    /// `class`.
    Class,
}

/// A member of a record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Its name; empty for anonymous members.
    pub name: String,
    /// Its type.
    pub ty: CTypeId,
    /// Where it begins, in bits.
    pub offset_bits: u64,
    /// Its size in bits.
    pub size_bits: u64,
    /// Whether it is a bit-field.
    pub bit_field: bool,
}

/// A named value of an enumeration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Enumerator {
    /// The name.
    pub name: String,
    /// The value.
    pub value: i128,
}
