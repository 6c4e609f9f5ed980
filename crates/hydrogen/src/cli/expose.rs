//! The options of `hydrogen expose`.

use crate::cli::{ProgramOptions, time};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// `hydrogen expose`.
#[derive(Args)]
pub struct ExposeOptions {
    #[command(flatten)]
    pub program: ProgramOptions,
    /// What of the input may change, separated by commas: stdin:0-8, arg:1:4, arg:1:int, file:NAME:N, env:NAME:N [default: the arguments
    /// after -- by their look, standard input, and the option letters of the program's getopt]
    #[arg(long, value_name = "SPEC", value_delimiter = ',')]
    pub inputs: Vec<String>,
    /// Try these tests first: a folder of inputs that explore or expose wrote (.json), of arguments (.args, with .stdin beside it), and of
    /// standard input (anything else); or a file with the arguments of one test per line
    #[arg(long, value_name = "DIR")]
    pub tests: Option<PathBuf>,
    /// Stop after this time
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "60s")]
    pub budget: Duration,
    /// Run at most so many inputs
    #[arg(long, value_name = "N")]
    pub runs: Option<usize>,
    /// Look for so many differences
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub findings: usize,
    /// Do not build the versions natively
    #[arg(long)]
    pub no_native: bool,
    /// Also say what was asked, and how far the change got in each run
    #[arg(long)]
    pub explain: bool,
    #[arg(long, value_enum, default_value_t)]
    pub format: ExposeFormat,
}

/// How the answer looks.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ExposeFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
    /// For a pull request
    Md,
}
