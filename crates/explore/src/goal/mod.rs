//! Goals: places that a search is to come to, and how far it is from each side of a branch to the nearest of them.

mod blocks;
mod distance;

pub use distance::{Distances, Sides};
