//! Inputs on which two versions of a program differ (reach a change, infect, propagate), or that there are none.
//!
//! [`Changes`] are the statements that differ, from the graph of both versions. A [`Search`] runs inputs in both versions and asks for new ones: the
//! exact question first (both paths as they are, and outcomes that differ), then inputs on which a branch that both versions take decides
//! differently, then the other sides of branches: those that lead to a change, and those behind one. What differs is a [`Found`]; where the
//! difference was born, travelled and came out is its [`Way`]. When no question is left, no input of this shape tells the versions apart.
//!
//! - `changes`: which statements differ, by text or by `meaning`; `joint`: one input in both versions as one list of conditions.
//! - `rank`: which question is asked next; `search`: asking and running, each list of conditions once
//!   (`tree`).

mod changes;
mod joint;
mod meaning;
mod rank;
mod search;
mod tree;
mod way;

pub use changes::Changes;
pub use rank::Class;
pub use search::{Asked, Ended, Found, Options, Search, Shape, Statistics};
pub use way::{Point, Way};
