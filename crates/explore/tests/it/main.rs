//! Exploration of small programs.
#![allow(clippy::unwrap_used)]

mod library;
mod paths;
mod support;
