//! The sorts of terms.

use std::fmt;

/// The widest bit-vector there is.
pub const MAX_WIDTH: u32 = 128;

/// What kind of value a term stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Bit-vectors of 1 to 128 bits.
    Bits(u32),
    /// Arrays from bit-vectors of `index` (1 to 64) bits to bit-vectors of `element` bits.
    Array {
        /// Width of an index in bits.
        index: u32,
        /// Width of an element in bits.
        element: u32,
    },
}

impl Sort {
    /// Memory: bytes at 64-bit addresses.
    pub const MEMORY: Sort = Sort::Array { index: 64, element: 8 };

    /// The width of a bit-vector sort; of the others, none.
    pub fn bits(self) -> Option<u32> {
        match self {
            Sort::Bits(width) => Some(width),
            Sort::Bool | Sort::Array { .. } => None,
        }
    }

    /// Whether widths are within bounds.
    pub fn is_valid(self) -> bool {
        let fits = |width| (1..=MAX_WIDTH).contains(&width);
        match self {
            Sort::Bool => true,
            Sort::Bits(width) => fits(width),
            Sort::Array { index, element } => (1..=64).contains(&index) && fits(element),
        }
    }
}

/// SMT-LIB's notation.
impl fmt::Display for Sort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bool => write!(f, "Bool"),
            Sort::Bits(width) => write!(f, "(_ BitVec {width})"),
            Sort::Array { index, element } => {
                write!(f, "(Array {} {})", Sort::Bits(*index), Sort::Bits(*element))
            }
        }
    }
}
