//! One input in several programs: what each did, and where they did the same.
//!
//! A [`Pair`] is made of two programs, or of more. It runs an input in each ([`Pair::run`]) over one pool of terms, so that what
//! both compute from the same bytes is the same term. What came out is an [`Outcome`], compared by a list of [`Observable`]s;
//! what happened is a list of instances of statements, which are the same in two runs when their execution indices are
//! equal ([`Alignment`]). The condition under which an instance is reached, or a value is what it is, can be had for any
//! instance ([`Facts::condition`]). What a difference means is not known here.
//!
//! - `nodes`: from an instruction of the machine to the statement that all versions share, and back (P-1); `place`: the statements
//!   that an instruction executes.
//! - `follow`: the instances of a run, while it goes on (P-2); `values`, `handed`: what they computed and what their calls were given, without addresses (P-3).
//! - What came out, and when two are equal (P-4), is evidence. `apart`: for which other inputs they differ, as a term. `repeat`: what is not determined by the input (P-6);
//!   `replay`: whether native builds agree.
//! - `run`: everything about one input in one program (P-5). `alignment`: two of them side by side.
//! - `condition`: relevant-slice conditions of any instance, with what keeps the run from faulting. `near`: inputs that fulfil some and
//!   change little. `numbers`: what chosen instances computed, as terms.

mod alignment;
mod apart;
mod condition;
mod follow;
mod handed;
mod near;
mod nodes;
mod numbers;
mod parted;
mod place;
mod repeat;
mod replay;
mod run;
mod values;

pub use alignment::Alignment;
pub use apart::Apart;
pub use condition::{Condition, Facts};
pub use follow::{Instance, Instances};
pub use hydrogen_evidence::{Difference, Ending, Node, Observable, Outcome};
pub use near::near;
pub use nodes::{Nodes, Statement};
pub use numbers::{Numbers, unequal};
pub use parted::{Parted, Spot, parted};
pub use repeat::{Disturbance, unsteady};
pub use replay::{Agreement, Built, TestInC};
pub use run::{Pair, Ran, Setting, memory, run_lightly};
