//! For which inputs versions of a program do the same, and for which not: partition-based regression verification.
//!
//! An input is run in all versions at once. What it fulfils on the way, in every version, and whether the outcomes are equal, is the
//! condition of a [`Cell`]: a set of inputs of which all, or none, are treated alike by all versions. Turning one condition after the
//! other around gives inputs of other cells, until the solver says that no input is outside of all cells. Then the cells are a proof;
//! before, they are one for the part of the inputs that they hold.
//!
//! - `subject`: what is compared, over which inputs, by what (D3, D4). `watch`: one run. `changes`: the statements that are not shared.
//! - `cell`: partitions (Alg. 2). `joint`: the conditions of all versions in one row. `reach`: when no change is executed (Def. 5).
//! - `queue`: what is looked at next (D6). `tree`: what was asked already. `ask`: questions, and answers that are kept.
//! - `search`: the loop (Alg. 1), with the certificate that no cell is missing. `look`: the cell of an input (Alg. 2). `neighbours`: of a cell
//!   (Alg. 4). `check`: whether runs do what was promised. `convergence`: where runs become the same again (Alg. 3), a hint. `found`: the result.
//! - `share`: how much of the input space is decided. `baseline`: what simpler methods find. `golden`: differences judged by a version
//!   that is known to be right. `covered`: which partitions tests are in. `signature`: summaries of two versions compared pair by pair.

mod ask;
mod baseline;
mod cell;
mod changes;
mod check;
mod convergence;
mod covered;
mod found;
mod golden;
mod joint;
mod look;
mod neighbours;
mod queue;
mod reach;
mod search;
mod share;
mod shown;
mod signature;
mod subject;
mod tree;
mod watch;

pub use ask::Answers;
pub use baseline::{Baseline, measure};
pub use cell::{Cell, Label, Side};
pub use changes::{Change, identical};
pub use found::{Alarm, Found, Wrong};
pub use golden::judge;
pub use hydrogen_evidence::partitioned::{Baselined, Judgement, Measure, Share, Status};
pub use queue::Class;
pub use search::{Method, Options, Partitioner};
pub use shown::shown;
pub use signature::{Entry, Exposed, compare_signatures, signature};
pub use subject::{Rename, Subject, Undefined};
