//! The machine against the real thing. Programs are compiled by `hydrogen-lower`; where the C library was not fetched,
//! the tests say so and pass.
#![allow(clippy::unwrap_used, missing_docs)]

mod addresses;
mod bad_input;
mod conformance;
mod faults;
mod going_on;
mod monitors;
mod mutants;
mod random;
mod support;
mod worlds;
