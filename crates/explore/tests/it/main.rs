//! Exploration of small programs.
#![allow(clippy::unwrap_used)]

mod generate;
mod library;
mod paths;
mod random;
mod search;
mod support;
