//! Terms as text.

mod number;
mod readable;
mod smt;
mod theory;

pub use smt::Script;
