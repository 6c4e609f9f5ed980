//! The options of `hydrogen select`.

use crate::cli::{ProgramOptions, TableFormat, time};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// `hydrogen select`.
#[derive(Args)]
pub struct SelectOptions {
    #[command(flatten)]
    pub program: ProgramOptions,
    /// The tests: a folder of inputs that explore or expose wrote (.json), of arguments (.args, with .stdin beside it), and of standard
    /// input (anything else); or a file with the arguments of one test per line
    #[arg(long, value_name = "DIR")]
    pub tests: PathBuf,
    /// Of the tests that are affected, only so many that together cover as much of this
    #[arg(long, value_name = "MEASURE", num_args = 0..=1, default_missing_value = "changes")]
    pub reduce: Option<Measure>,
    /// List the tests that are affected in the order in which to run them: next is always the one that covers most of this that those before it do not
    #[arg(long, value_name = "MEASURE", num_args = 0..=1, default_missing_value = "changes")]
    pub order: Option<Measure>,
    /// Also list the statements that the effect of the change may get to over at most so many dependences, and the tests in which it does: what a
    /// new test should make happen
    #[arg(long, value_name = "N")]
    pub distance: Option<usize>,
    /// Stop after this time; tests that were not run count as affected
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "60s")]
    pub budget: Duration,
    #[arg(long, value_enum, default_value_t)]
    pub format: TableFormat,
}

/// What a smaller suite must still cover.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Measure {
    /// Statements that changed
    Changes,
    /// All statements
    Statements,
    /// Both sides of branches
    Branches,
}
