//! Terms as text.

mod readable;
mod smt;

pub use smt::Script;
