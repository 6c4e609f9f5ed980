//! Compile commands in, program models out, through supervised child processes.

pub mod protocol;
