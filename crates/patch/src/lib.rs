//! A patch as the graph sees it (spec 2.8), and carried over to the source of another release.
//!
//! [`hunks`] splits the difference of two versions into the parts that belong together and says to which releases each applies;
//! [`carry`] makes the source of the release with the patch in it; [`as_predicted`] checks the graph of the result against the one
//! that the hunks promise (AINV-7).

mod carry;
mod hunks;
mod place;
mod predict;
mod scan;

pub use carry::{Carried, Files, How, carry};
pub use hunks::{Extent, Hunk, hunks};
pub use predict::as_predicted;
