//! Programs side by side.
#![allow(clippy::unwrap_used)]

mod apart;
mod conditions;
mod indices;
mod laws;
mod replay;
mod support;
