//! Behaviour of the crate on real repositories, directories and builds; git itself is the oracle.

mod builds;
mod caches;
mod checkouts;
mod fixture;
mod trees;
mod versions;
