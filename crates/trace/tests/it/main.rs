//! Traces, dependences and slices.
#![allow(clippy::unwrap_used)]

mod criteria;
mod examples;
mod mutations;
mod replays;
mod single;
mod support;
