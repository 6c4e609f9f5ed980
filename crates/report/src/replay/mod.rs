//! Scripts that replay what was found: a test of one program, of both versions, or the call of a function.

mod alone;
mod both;
mod call;
mod shell;

pub use alone::alone;
pub use both::{Replayed, both, status};
pub use call::{Version, call};
