//! Exploration of small programs.
#![allow(clippy::unwrap_used)]

mod examples;
mod generate;
mod library;
mod paths;
mod random;
mod search;
mod shapes;
mod support;
