//! The tool as its users run it.
#![allow(clippy::unwrap_used)]

mod bad_input;
mod functions;
mod graph;
mod ir;
mod machine;
mod project;
mod runs;
