//! A version as something that runs.
//!
//! [`Workshop`] holds the compiler's children and the C library, and makes a [`Loaded`] program out of C files, of the models of a
//! version, or of modules that are there already; [`Native`] builds the same program for the host and runs inputs there.
//! What the runs are for is not known here.

mod arguments;
mod behind;
mod cover;
mod ctest;
mod entry;
mod error;
mod loaded;
mod native;
mod native_test;
mod observed;
mod seen;
mod string;
mod stubs;
mod toolchain;
mod typed;
mod workshop;

pub use arguments::{call_of, takes_plain_values};
pub use behind::Code;
pub use ctest::c_test;
pub use entry::defining;
pub use error::Error;
pub use hydrogen_ir::layout::parameter_type;
pub use loaded::{Loaded, Unit, UnitName, Units};
pub use native::{Done, Native, Observed, memory};
pub use native_test::{Printed, run_test_of_files, run_test_of_version};
pub use observed::{by_value, lines, printed, result_slot, result_slots, result_type, slots_of, target_of};
pub use seen::{Holder, Seen, Sight, Way, changes, seen, seen_by};
pub use toolchain::CLibrary;
pub use typed::typed;
pub use workshop::Workshop;
