//! Change contracts (A-15 of the specification), for whole programs: which inputs a change means to treat otherwise, and how. Every other
//! input must be treated as before. [`Contract::parse`] reads one, [`Contract::judge`] says of one input and what both versions did with it
//! whether it is kept.
//!
//! - `word`: the words of a text. `parse`: cases and clauses; `expression`: predicates, with their types; `quantified`: those about all numbers of a range.
//! - `value`: what predicates are about, and what they say. `judge`: which cases apply, and what they ask.

mod expression;
mod judge;
mod parse;
mod quantified;
mod value;
mod word;

pub use judge::Verdict;
pub use parse::{Contract, ContractError};
pub use value::{End, Given, Run};
