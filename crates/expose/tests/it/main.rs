//! Tests of the search for differences, by the examples of the specification.
#![allow(clippy::unwrap_used, clippy::print_stdout)]

mod effects;
mod examples;
mod laws;
mod leaves;
mod sequences;
mod support;
