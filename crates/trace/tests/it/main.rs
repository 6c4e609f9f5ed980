//! Traces, dependences and slices.
#![allow(clippy::unwrap_used)]

mod examples;
mod replays;
mod support;
