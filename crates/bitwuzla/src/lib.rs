//! Bitwuzla, a solver for bit-vectors, arrays, floating point and uninterpreted functions, in this process.
//!
//! A [`Context`] owns everything that Bitwuzla gives out; terms and sorts are numbers in it, so nothing can outlive it. Sorts of arguments are checked
//! here before Bitwuzla sees them, because it ends the process when they are wrong.
//!
//! Whether the library was there when this crate was built is said by [`is_available`]; without it [`Context::new`] gives none.

use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(bitwuzla)]
mod context;
#[cfg(bitwuzla)]
mod ffi;
#[cfg(not(bitwuzla))]
mod missing;

#[cfg(bitwuzla)]
pub use context::Context;
#[cfg(not(bitwuzla))]
pub use missing::Context;

/// Whether this build contains Bitwuzla.
pub fn is_available() -> bool {
    cfg!(bitwuzla)
}

/// Whether every check is to end, those to come included.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Ends the checks of all threads, for a process that is about to end.
pub fn interrupt() {
    INTERRUPTED.store(true, Ordering::Relaxed);
}

/// Whether there was an end to all checks.
pub fn is_interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// A term of a [`Context`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Handle(u32);

/// A sort.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// Truth values.
    Bool,
    /// Bit-vectors of a width.
    Bits(u32),
    /// Arrays, by the widths of index and element.
    Array(u32, u32),
    /// Floating-point numbers, by the bits of exponent and significand, the hidden one counted.
    Float(u32, u32),
    /// Ways to round.
    Rounding,
}

/// Bitwuzla's operators, by its numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(i32)]
#[allow(missing_docs)]
pub enum Kind {
    And = 4,
    Equal = 6,
    Not = 9,
    Or = 10,
    Ite = 12,
    Select = 17,
    Store = 18,
    BvAdd = 19,
    BvAnd = 20,
    BvAshr = 21,
    BvConcat = 23,
    BvMul = 26,
    BvNeg = 28,
    BvNot = 31,
    BvOr = 32,
    BvSdiv = 40,
    BvShl = 43,
    BvShr = 44,
    BvSlt = 46,
    BvSrem = 49,
    BvUdiv = 53,
    BvUlt = 57,
    BvUrem = 59,
    BvXor = 62,
    BvExtract = 63,
    BvSignExtend = 67,
    BvZeroExtend = 68,
    FpAbs = 69,
    FpAdd = 70,
    FpDiv = 71,
    FpEqual = 72,
    FpFma = 73,
    FpIsNan = 78,
    FpLeq = 84,
    FpLt = 85,
    FpMul = 88,
    FpNeg = 89,
    FpRti = 91,
    FpSqrt = 92,
    FpSub = 93,
    FpFromBits = 94,
    FpFromFp = 95,
    FpFromSigned = 96,
    FpFromUnsigned = 97,
    FpToSigned = 98,
    FpToUnsigned = 99,
}

/// Which neighbour a floating-point number is rounded to, by Bitwuzla's numbers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(i32)]
#[allow(missing_docs)]
pub enum RoundingMode {
    NearestEven = 0,
    NearestAway = 1,
    Down = 2,
    Up = 3,
    TowardZero = 4,
}

/// What a question came to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Outcome {
    /// The assertions can hold together; values can be asked for until the next assertion, push or pop.
    Sat,
    /// They cannot.
    Unsat,
    /// It gave up by itself.
    Unknown,
    /// The time was over; the context must be given up.
    Timeout,
    /// The memory was used up; the context must be given up.
    Memory,
    /// Something unexpected happened; the context must be given up.
    Broken,
}

/// An array's value: the element everywhere else, and elements by index, the first of equal indices counting.
pub type ArrayEntries = (u128, Vec<(u128, u128)>);
