//! The options of `hydrogen compare`.

use crate::cli::{PartitionOptions, time};
use clap::{Args, ValueEnum};
use std::time::Duration;

/// `hydrogen compare`.
#[derive(Args)]
pub struct CompareOptions {
    /// A..B, or two versions; folders and C files (old=a.c new=b.c) serve as versions
    #[arg(value_name = "A..B", required = true, num_args = 1..=2)]
    pub what: Vec<String>,
    /// Only this function; may be repeated
    #[arg(short, long = "function", value_name = "FUNCTION")]
    pub functions: Vec<String>,
    /// Every function that both versions define, unchanged ones too
    #[arg(long, conflicts_with = "functions")]
    pub all_functions: bool,
    /// Leave out inputs on which the old version's behaviour is undefined
    #[arg(long)]
    pub assume_defined: bool,
    /// What counts as a difference
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',', default_values_t = Observed::ALL)]
    pub observe: Vec<Observed>,
    /// Stop after the first function that differs; with --inputs, after the first difference
    #[arg(long)]
    pub stop_on_difference: bool,
    /// Stop after this time, with what is decided then
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub budget: Option<Duration>,
    /// The most time for one function
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "10s")]
    pub function_budget: Duration,
    /// Go through every proof again: by a checker of its own, with another solver (z3)
    #[arg(long)]
    pub check_proofs: bool,
    /// Instead of verdicts, list what changed functions give back and when, and where that differs; what both versions have in
    /// common stays closed
    #[arg(long, conflicts_with_all = ["all_functions", "check_proofs", "inputs"])]
    pub deltas: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: CompareFormat,
    #[command(flatten)]
    pub partition: PartitionOptions,
}

/// What is observed of a call.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Observed {
    /// The result
    Return,
    /// Memory that the caller sees, global variables included
    Memory,
    Stdout,
    Stderr,
    /// How the program ends, if the call ends it
    Status,
    Files,
    /// Undefined behaviour
    Faults,
}

impl Observed {
    pub const ALL: [Self; 7] =
        [Self::Return, Self::Memory, Self::Stdout, Self::Stderr, Self::Status, Self::Files, Self::Faults];
}

/// How `compare` answers.
#[derive(Clone, Copy, Default, ValueEnum)]
pub enum CompareFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
    /// For a pull request
    Md,
    /// A page of its own
    Html,
}
