//! The half of Hydrogen that links clang and LLVM: C in, program model out.
//!
//! It runs as a child process (`hydrogen-lower`), so that a crash or a malformed file never takes the tool down.
//! clang runs inside this process: starting a compiler costs more than compiling a typical file.

pub mod arguments;
pub mod attribute;
mod bounds;
pub mod clang;
pub mod fidelity;
pub mod llvm;
pub mod lower;
pub mod pieces;
pub mod serve;
pub mod unit;

pub use fidelity::{Mismatch, fidelity};
pub use lower::{LowerError, Origin, lower};
