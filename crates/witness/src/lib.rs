//! Runs the witnesses of static verdicts in the machine: what one half claims, the other half runs.
//!
//! A [`Runner`] makes a program of a version's own models when the first witness of that version is to be run. [`Runner::confirm`] runs the
//! input that `query` made of a witness; where that goes another way, it looks for a better one near by (`search`), and
//! what is shown is made short (`small`). What counts as the
//! same fault is in `verdict`; what was proved is attacked in `attack`; what is no fault of the machine's is watched for by `watch`.

mod attack;
mod between;
mod carry;
mod chance;
mod nearby;
mod runner;
mod search;
mod small;
mod tried;
mod verdict;
mod watch;

pub use runner::{Runner, Units};
