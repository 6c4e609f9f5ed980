//! Compile commands in, program models out, through supervised child processes.
//!
//! LLVM and clang live in a child program, `hydrogen-lower`: a crash, a hang or malformed input there costs one
//! answer, never the tool. [`Pool`] keeps a few children alive, gives each one request at a time, limits the
//! time of an answer, and replaces a child that dies. A child reads certain folders and writes nothing: it is in the jail. Nothing in this crate links LLVM.

pub mod options;
pub mod protocol;

mod child;
mod folders;
mod pool;

pub use folders::around as folders_around;
pub use pool::{Error, Limits, Modelled, Pool, Preprocessed, Reader, allow};
pub use protocol::{Command, Stage, Stats};
