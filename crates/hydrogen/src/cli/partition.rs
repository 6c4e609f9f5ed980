//! The options of `hydrogen compare --inputs`: whole programs, by partitions of their inputs.

use crate::cli::AtFault;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// What `compare` needs for whole programs.
#[derive(Args)]
pub struct PartitionOptions {
    /// Compare whole programs over these inputs, separated by commas: stdin:N, stdin:0-N, arg:I:N, arg:I:int, arg:I:int:LOW..HIGH, arg:*,
    /// file:NAME:N, env:NAME:N; or, with one --function, call: all calls of the function
    #[arg(long, value_name = "SPEC", value_delimiter = ',')]
    pub inputs: Vec<String>,
    /// With --inputs: look at these inputs first, tests that explore wrote
    #[arg(long, value_name = "FILE", requires = "inputs")]
    pub given: Vec<PathBuf>,
    /// With --inputs: say which partitions these tests are in, a folder or a file as for expose --tests, and which partitions no test is in
    #[arg(long, value_name = "DIR", requires = "inputs")]
    pub tests: Option<PathBuf>,
    /// With --inputs: versions between the two; inputs are equal where all agree
    #[arg(long, value_name = "VERSION", requires = "inputs")]
    pub versions: Vec<String>,
    /// With --inputs: an input that has another name in the new version, as arg:2=arg:1
    #[arg(long, value_name = "NEW=OLD", requires = "inputs")]
    pub rename: Vec<String>,
    /// With --inputs: a version that is right, to judge differences by
    #[arg(long, value_name = "VERSION", requires = "inputs")]
    pub golden: Option<String>,
    /// With --inputs: measure a simpler method instead
    #[arg(long, value_enum, value_name = "METHOD", requires = "inputs")]
    pub baseline: Option<BaselineName>,
    /// With --inputs: tell inputs that execute no change by what decides over changes alone, in place of their whole paths
    #[arg(long, requires = "inputs")]
    pub by_reach: bool,
    /// With --inputs: list every partition, and why its input was looked at
    #[arg(long, requires = "inputs")]
    pub explain: bool,
    /// With --inputs: at most so many inputs are run
    #[arg(long, value_name = "N", requires = "inputs")]
    pub runs: Option<usize>,
    /// With --inputs: do not go on from what an earlier comparison found
    #[arg(long, requires = "inputs")]
    pub fresh: bool,
    /// With --inputs: what to do at a fault: stop, or go on where C implementations do (see run --faults); then the fault is part of the
    /// outcome
    #[arg(long, value_enum, default_value_t, requires = "inputs")]
    pub faults: AtFault,
    /// With --inputs: do not build the versions natively
    #[arg(long, requires = "inputs")]
    pub no_native: bool,
    /// With --inputs: write the partitions as a picture, a page of HTML
    #[arg(long, value_name = "FILE", requires = "inputs")]
    pub picture: Option<PathBuf>,
    /// With --inputs: arguments for the compiler, for C files
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true, requires = "inputs")]
    pub cflags: Option<String>,
    /// With --inputs: the program's arguments
    #[arg(last = true, value_name = "ARGS", requires = "inputs")]
    pub args: Vec<std::ffi::OsString>,
}

/// A simpler method.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BaselineName {
    /// All paths of the new version
    Dart,
    /// Those that may execute a change
    Express,
    /// Random inputs
    Random,
}
