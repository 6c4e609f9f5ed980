//! Floating-point numbers as bits: formats, arithmetic, comparison, conversion and rounding, the same to the last bit wherever numbers are
//! computed (the machine, the evaluator of terms, the table of meanings).
//!
//! `float` and `double` are the host's, which are IEEE's; the other formats are computed in software. Rounding is to the nearest, ties to even,
//! unless said otherwise.
//!
//! # No number
//!
//! IEEE leaves open which NaN an operation gives, and so does Rust. Here it is always the one that x86-64 gives: the first operand that is no
//! number, made quiet; if all are numbers, the [default one](Format::default_nan), which is negative. A conversion between formats keeps sign and upper
//! payload. Negation, absolute value and sign are operations on the sign bit alone.

mod arithmetic;
mod convert;
mod format;

pub use arithmetic::{Arithmetic, arithmetic, class, compare, fused, round, sqrt};
pub use convert::{convert, from_int, to_int};
pub use format::{Format, Rounding};
