//! The options of `hydrogen why`.

use crate::cli::{AtFault, ProgramOptions, time};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// `hydrogen why`.
#[derive(Args)]
pub struct WhyOptions {
    #[command(flatten)]
    pub program: ProgramOptions,
    /// The failing input: a test that explore or expose wrote, or NAME=NUMBER,… for memory that the program names
    #[arg(long, value_name = "SPEC")]
    pub input: Option<String>,
    /// The failing test: a shell command that passes in a checkout of A and fails in one of B; what it starts the program with is recorded
    #[arg(long, value_name = "CMD", conflicts_with = "input")]
    pub test: Option<String>,
    /// With --test: find the commit of A..B that broke the test first, and explain that one
    #[arg(long, requires = "test")]
    pub bisect: bool,
    /// Instead of an input: explain a fault that `check` finds, by its fingerprint or its FILE:LINE
    #[arg(long, value_name = "ID", conflicts_with_all = ["test", "input"])]
    pub finding: Option<String>,
    /// A shell command that says whether an output is right: it gets the new version's standard output and STATUS, and exits with 0 if so
    #[arg(long, value_name = "CMD")]
    pub oracle: Option<String>,
    /// A change contract that says which inputs the change treats otherwise, and how; all others must be treated as before (docs/why.md)
    #[arg(long, value_name = "FILE", conflicts_with = "oracle")]
    pub contract: Option<PathBuf>,
    /// The wrong output: stdout, stderr, exit, files or named [default: the first that differs]
    #[arg(long, value_name = "OUTPUT")]
    pub of: Option<String>,
    /// Which conditions are compared
    #[arg(long, value_enum, default_value_t)]
    pub mode: WhyMode,
    /// With --mode tr2008: what of two traces is compared
    #[arg(long, value_enum, default_value_t)]
    pub metric: WhyMetric,
    /// Tell also what each output stands on: the conditions of one run that do not follow from those of the other
    #[arg(long)]
    pub preconditions: bool,
    /// Ask also what no branch decides: the sign or null-ness of what functions return, and how a new value stands to other variables
    #[arg(long)]
    pub predicates: bool,
    /// Never ask about branches inside of the C library
    #[arg(long)]
    pub only_source: bool,
    /// Leave out the conditions of this function, or of all functions of this file; may be repeated
    #[arg(long, value_name = "NAME")]
    pub trust: Vec<String>,
    /// Make standard input smaller first, as long as the versions differ in the same way
    #[arg(long)]
    pub reduce: bool,
    /// What to do at a fault: stop, or go on where C implementations do (see run --faults); then the fault is part of the outcome
    #[arg(long, value_enum, default_value_t)]
    pub faults: AtFault,
    /// Stop after this time, with what is known then
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "60s")]
    pub budget: Duration,
    /// Write the alternate inputs into this folder, as tests
    #[arg(long, value_name = "DIR")]
    pub save_tests: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t)]
    pub format: WhyFormat,
}

/// Which conditions of the two runs are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum WhyMode {
    /// Those that the wrong output depends on
    #[default]
    Rsc,
    /// All of the path
    Pc,
    /// All of the path, each alone, and a comparison of traces
    Tr2008,
}

/// What of two traces is compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum WhyMetric {
    /// The branches in their order, aligned
    #[default]
    Branches,
    /// Which branching statements were executed
    Statements,
    /// Which blocks were executed
    Blocks,
    /// Which ways from one jump back to the next were taken
    Paths,
}

/// How the answer is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum WhyFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
    /// For a pull request
    Md,
    /// A page with both sources side by side
    Html,
}
