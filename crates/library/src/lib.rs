//! What functions without a body do: one readable table of the C library for every analysis, which the user's contracts extend.
//!
//! A function has a *contract* (what a call does to memory, for faults), *effects* on pointers (for what points where) and *traits* (pure,
//! seen from outside, never comes back). Where the table gives no effects, they follow from the contract. `library.txt` says how its lines
//! are read.

mod contract;
mod effect;
mod format;
mod table;

pub use contract::{Clause, Contract, Factor, Result, Sum};
pub use effect::Effect;
pub use format::{Text, texts};
pub use table::{Library, LibraryError, Trait};
