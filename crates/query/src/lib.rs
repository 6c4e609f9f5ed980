//! Backward, path-sensitive symbolic analysis of all versions at once, and its verdicts.

mod approximate;
mod arithmetic;
mod axioms;
mod budget;
mod call;
mod calls;
mod candidates;
mod check;
mod conditions;
mod contract;
mod delta;
mod doubt;
mod effect;
mod eval;
mod fault;
mod follow;
mod interface;
mod judge;
mod kept;
mod layouts;
mod ledger;
mod mods;
mod operand;
mod parts;
pub mod patch;
mod path;
mod points;
mod program;
mod relate;
mod resolve;
mod rounds;
pub mod rules;
mod shape;
mod sizes;
mod slim;
mod standing;
mod state;
mod up;
mod verdict;
mod walk;
mod witness;
mod words;

pub use budget::Budget;
pub use candidates::Candidates;
pub use check::{Check, Strategy};
pub use contract::{ContractError, Contracts};
pub use delta::Fix;
pub use judge::{Question, rests_on_outside};
pub use kept::{REVISION, Shelf};
pub use program::{Code, Program};
pub use standing::{Standing, standing};
pub use verdict::{
    Answer, Basis, Counters, Evidence, Finding, HunkRow, Kind, PatchTable, PatchedName, Ruling, Spot, Status,
    Verdict,
};
pub use walk::Analyst;
