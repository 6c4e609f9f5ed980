//! What in the environment makes a program fail.
//!
//! A run is recorded call by call ([`record`]). The same program, failing elsewhere, is run again with some answers as recorded, until
//! the smallest part of the environment is known that makes the difference.

mod file;
mod launch;
mod memory;
mod packages;
pub mod record;
mod recorder;
mod replay;
pub mod show;
mod sys;
pub mod table;
mod tracer;
mod watchdog;

pub use file::{Error as FileError, decode, encode, read, write};
pub use recorder::{Options, Recorded, here, record as record_run};
pub use replay::{Replayed, replay};
pub use tracer::{Error, Order, Ran};
