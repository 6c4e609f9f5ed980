//! Exploration by relevant-slice conditions.
#![allow(clippy::unwrap_used)]

mod examples;
mod generate;
mod support;
mod theorems;
