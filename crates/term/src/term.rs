//! Terms and their operators.

use smallvec::SmallVec;

use hydrogen_float::Format;

use crate::{float::FloatOp, sort::Sort};

/// A term of a [`Pool`](crate::Pool): equal ids, equal terms.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Term(pub(crate) u32);

impl Term {
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A variable's entry in its pool.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Symbol(pub(crate) u32);

/// An uninterpreted function of a pool.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Function(pub(crate) u32);

/// What a term's arguments are combined by. Whatever is not here (subtraction, `<=`, signed `>`, overflow, …) is made of these by
/// the constructors of [`Pool`](crate::Pool).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// A truth value.
    Bool(bool),
    /// A bit-vector value; the term's sort has the width.
    Bits(u128),
    /// A variable of any sort.
    Var(Symbol),

    /// Negation of a truth value.
    Not,
    /// Conjunction of two.
    And,
    /// Disjunction of two.
    Or,
    /// If-then-else on any sort.
    Ite,
    /// Equality on any sort.
    Eq,

    /// Complement of every bit.
    BitNot,
    /// Bitwise and.
    BitAnd,
    /// Bitwise or.
    BitOr,
    /// Bitwise exclusive or.
    BitXor,
    /// Sum of two or more.
    Add,
    /// Product of two; a constant factor is the second.
    Mul,
    /// Unsigned division; by zero: all ones.
    Udiv,
    /// Unsigned remainder; by zero: the dividend.
    Urem,
    /// Signed division, truncating; by zero: 1 for negative dividends and −1 for others.
    Sdiv,
    /// Signed remainder with the dividend's sign; by zero: the dividend.
    Srem,
    /// Shift left; by the width or more: zero.
    Shl,
    /// Unsigned shift right; by the width or more: zero.
    Lshr,
    /// Signed shift right; by the width or more: copies of the sign.
    Ashr,

    /// The first argument's bits above the second's.
    Concat,
    /// Bits `high` down to `low`, both included.
    Extract {
        /// The highest bit taken.
        high: u32,
        /// The lowest bit taken.
        low: u32,
    },
    /// Zeros above, up to this width.
    Zext(u32),
    /// Copies of the sign above, up to this width.
    Sext(u32),

    /// Unsigned less.
    Ult,
    /// Signed less.
    Slt,

    /// The element of an array at an index.
    Select,
    /// The array with the element at an index replaced.
    Store,
    /// The array with one element everywhere, for indices of this width.
    ConstArray(u32),

    /// An operator on floating-point numbers of a format.
    Float(FloatOp, Format),

    /// An uninterpreted function's value.
    Apply(Function),
}

impl Op {
    /// Whether the order of the two (or more) arguments does not matter.
    pub fn is_commutative(self) -> bool {
        use Op::*;
        matches!(self, And | Or | Eq | BitAnd | BitOr | BitXor | Add | Mul)
    }
}

pub(crate) type Args = SmallVec<[Term; 3]>;

/// A hash-consed node: its operator and arguments, and what follows from them.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub op: Op,
    pub sort: Sort,
    /// Longest way down to a leaf.
    pub height: u32,
    /// Depends on the structure only, not on the pool: see `order`.
    pub key: u64,
    /// What of the logic occurs in it.
    pub logic: Logic,
    pub args: Args,
}

/// The parts of the logic that some solvers lack or are slower with.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Logic(u8);

impl Logic {
    const ARRAYS: u8 = 1;
    const FUNCTIONS: u8 = 2;
    const CONSTANT_ARRAYS: u8 = 4;
    const ARRAY_EQUALITIES: u8 = 8;
    const FLOATS: u8 = 16;

    /// Of an operator and its result alone.
    pub fn of(op: Op, sort: Sort) -> Self {
        let arrays = if matches!(sort, Sort::Array { .. }) { Self::ARRAYS } else { 0 };
        Self(match op {
            Op::Apply(_) => Self::FUNCTIONS,
            Op::Float(..) => Self::FLOATS,
            Op::ConstArray(_) => Self::ARRAYS | Self::CONSTANT_ARRAYS,
            _ => arrays,
        })
    }

    /// As it is with an equality of arrays.
    pub fn with_array_equality(self) -> Self {
        Self(self.0 | Self::ARRAY_EQUALITIES)
    }

    /// Whether both constant arrays and equalities of arrays occur.
    pub fn compares_constant_arrays(self) -> bool {
        self.0 & Self::CONSTANT_ARRAYS != 0 && self.0 & Self::ARRAY_EQUALITIES != 0
    }

    /// Whether floating-point operators occur.
    pub fn has_floats(self) -> bool {
        self.0 & Self::FLOATS != 0
    }

    /// What occurs in either.
    pub fn and(self, other: Logic) -> Self {
        Self(self.0 | other.0)
    }

    /// SMT-LIB's name. Constant arrays belong to none of the named ones with bit-vectors.
    pub fn name(self) -> &'static str {
        match self.0 & !Self::ARRAY_EQUALITIES {
            0 => "QF_BV",
            Self::ARRAYS => "QF_ABV",
            Self::FUNCTIONS => "QF_UFBV",
            Self::FLOATS => "QF_BVFP",
            mixed if mixed & (Self::CONSTANT_ARRAYS | Self::FLOATS) == 0 => "QF_AUFBV",
            _ => "ALL",
        }
    }
}
