//! The options of `hydrogen expose`.

use crate::cli::{AtFault, ProgramOptions, time};
use clap::{Args, ValueEnum};
use hydrogen_expose::Strategy;
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
    /// A version that is right: every difference is called a regression, a progression or an error of both, and the search goes on until there is
    /// one that is wrong in the new version
    #[arg(long, value_name = "VERSION")]
    pub golden: Option<String>,
    /// Look for a difference behind every order in which changes are executed, until the time is over, and say which changes it needs together
    #[arg(long)]
    pub sequences: bool,
    /// With --sequences: search as simpler methods do, for comparison
    #[arg(long, value_name = "HOW", requires = "sequences")]
    pub baseline: Option<ExposeBaseline>,
    /// Which question is asked next; --explain shows what was asked
    #[arg(long, value_name = "HOW", value_enum, default_value_t)]
    pub strategy: ExposeStrategy,
    /// What to do at a fault: stop, or go on where C implementations do (see run --faults); then the fault is part of the outcome
    #[arg(long, value_enum, default_value_t)]
    pub faults: AtFault,
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
    /// One page to look at: both sources side by side, with the way of each difference
    Html,
}

/// A simpler method.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExposeBaseline {
    /// The changes one by one, in whatever order they come
    Individual,
}

/// Which question is asked next.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ExposeStrategy {
    /// Kinds of questions take turns, once a change was reached
    #[default]
    Turns,
    /// The one nearest to a change, or to what comes out of it
    Nearest,
    /// Any, by chance
    Random,
    /// The nearest one and any, by turns
    Alternate,
}

impl From<ExposeStrategy> for Strategy {
    fn from(strategy: ExposeStrategy) -> Self {
        match strategy {
            ExposeStrategy::Turns => Self::Turns,
            ExposeStrategy::Nearest => Self::Nearest,
            ExposeStrategy::Random => Self::Random,
            ExposeStrategy::Alternate => Self::Alternate,
        }
    }
}

impl ExposeOptions {
    /// Tests along the sequences of a change, with nothing else asked for.
    pub fn along_sequences(what: String, budget: Duration, json: bool) -> Self {
        Self {
            program: ProgramOptions::plain(vec![what]),
            inputs: Vec::new(),
            tests: None,
            budget,
            runs: None,
            findings: 1,
            golden: None,
            sequences: true,
            baseline: None,
            strategy: ExposeStrategy::Turns,
            faults: AtFault::Stop,
            no_native: false,
            explain: false,
            format: if json { ExposeFormat::Json } else { ExposeFormat::Text },
        }
    }
}
