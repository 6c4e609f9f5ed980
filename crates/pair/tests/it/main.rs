//! Programs side by side.
#![allow(clippy::unwrap_used)]

mod conditions;
mod indices;
mod laws;
mod support;
