//! What tests share, and nothing else uses: fixtures in Markdown, one test for each ([`fixtures!`]); C to models and to programs
//! that run ([`Compile`]); random programs ([`generate`]); every operator with its meaning
//! ([`operators`]); tools that a test needs ([`need`]).
//!
//! A tool that is missing makes a test pass without having tested anything. That is convenient at home and a lie in continuous
//! integration: where the environment variable `CI` is set, it fails.
#![allow(clippy::expect_used, clippy::panic)]

mod compile;
mod fixture;
pub mod generate;
mod operands;
pub mod operators;
mod tool;

pub use compile::{Compile, HEADER, archive, bare, hosted, pool};
pub use fixture::{Block, Fixture, missing_tests};
pub use tool::{need, skip};
