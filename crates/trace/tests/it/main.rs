//! Traces, dependences and slices.
#![allow(clippy::unwrap_used)]

mod examples;
mod mutations;
mod replays;
mod support;
