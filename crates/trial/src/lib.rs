//! Inputs on which two versions of a function differ: proposed, run in the machine, made small.
//!
//! [`search`] calls a function of two programs at its own entry, with memory made for each call, and compares what a caller sees. What it finds has been run; that it
//! finds nothing says nothing. Where inputs come from: `propose` (numbers at which rewrites fail, constants of both bodies, arrays, strings, lists), by the C
//! types of the parameters, and `callers` (what the program's own code and tests call it with). Found ones are made small (`shrink`).

mod callers;
mod constants;
mod dice;
mod objects;
mod observe;
mod propose;
mod search;
mod shrink;
mod words;

pub use callers::{Given, Made, made, texts};
pub use observe::{Hidden, Observed, Side, only_in_one, unsteady};
pub use propose::{Proposer, does_something};
pub use search::{Difference, Effort, search};
pub use words::{call_text, value_text};
