//! Helpers of the tests.

pub mod devtools;
pub mod samples;
