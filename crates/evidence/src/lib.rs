//! What is claimed about a program, and what shows it.
//!
//! Every engine speaks of faults, inputs, runs and differences in these words, and every report is made from them alone. The crate
//! holds data and its names; it knows no engine, no terms and no git. Numbers of versions and statements are those of whoever
//! made the evidence, who alone knows what they mean.

pub mod affected;
mod answer;
mod call;
pub mod calls;
pub mod changed;
pub mod compared;
pub mod complexity;
pub mod delta;
pub mod deltas;
pub mod depended;
pub mod environment;
pub mod explored;
pub mod exposed;
mod fault;
mod finding;
mod input;
pub mod interaction;
pub mod interplay;
mod join;
pub mod ledger;
pub mod lineage;
pub mod mined;
mod outcome;
pub mod partitioned;
mod patch;
mod recipe;
mod replay;
mod review;
mod run;
pub mod setup;
pub mod sliced;
mod standing;
pub mod steps;
mod verdict;
pub mod why;

pub use answer::{Answer, Command, Conclusion, Counters};
pub use call::{Argument, Call, Cell, FirstValue, Global, Known, Number, Object, Reply, Value};
pub use fault::{Class, FaultKind};
pub use finding::{Evidence, Finding, Ruling, Spot};
pub use input::{Input, escape, until_zero};
pub use join::join;
pub use ledger::Entry;
pub use outcome::{Difference, Ending, Left, Made, Memory, Node, Observable, Outcome};
pub use patch::{Alone, Applies, HunkRow, PatchTable, PatchedName};
pub use recipe::{Compiled, Origin, Recipe};
pub use replay::Replay;
pub use review::{Gap, Item, Review, Topic, Weight};
pub use run::{
    Condition, ConditionKind, End, Fault, FrameInfo, Leak, Limit, Natively, Note, ObjectInfo, Output, Ran,
    Statistics, Symbolic, Table, TableRow,
};
pub use standing::{Standing, standing};
pub use verdict::{Basis, Status, Verdict, mark_fixed};
