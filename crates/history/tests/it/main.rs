//! Behaviour of the crate on real repositories, directories and builds; git itself is the oracle.

// The helpers of the tests are not inside test functions, so clippy.toml does not cover them.
#![allow(clippy::unwrap_used)]

mod builds;
mod caches;
mod checkouts;
mod fixture;
mod trees;
mod versions;
