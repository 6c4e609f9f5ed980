//! Tests of the search for differences, by the examples of the specification.

mod examples;
mod laws;
mod support;
