//! A version as something that runs.
//!
//! [`Workshop`] holds the compiler's children and the C library, and makes a [`Loaded`] program out of C files, of the models of a
//! version, or of modules that are there already; [`Native`] builds the same program for the host and runs inputs there.
//! What the runs are for is not known here.

mod entry;
mod error;
mod loaded;
mod native;
mod toolchain;
mod workshop;

pub use entry::one_entry;
pub use error::Error;
pub use loaded::{Loaded, modules_of};
pub use native::{Done, Native, Replay, memory, until_zero};
pub use workshop::Workshop;
