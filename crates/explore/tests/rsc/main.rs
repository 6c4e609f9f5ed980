//! Exploration by relevant-slice conditions.
#![allow(clippy::unwrap_used)]

mod examples;
mod hosted;
mod invariants;
mod static_slice;
mod support;
mod theorems;
