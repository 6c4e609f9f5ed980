//! The options of `hydrogen review`, `explain` and `watch`.

use crate::cli::time;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// `hydrogen review`.
#[derive(Args, Clone)]
pub struct ReviewOptions {
    /// OLD..NEW, or one commit [default: the work tree if it differs from HEAD; else HEAD against the branch it left, or its parent]
    #[arg(value_name = "A..B")]
    pub what: Option<String>,
    /// How long it may take: the best answer known then is printed
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "60s")]
    pub budget: Duration,
    /// A review written earlier with --format json: what it has is marked as known, and counts no more
    #[arg(long, value_name = "FILE")]
    pub baseline: Option<PathBuf>,
    /// Releases that may need the change, if it fixes something [default: the newest five tags]
    #[arg(long, value_name = "VERSION")]
    pub releases: Vec<String>,
    /// Tests that are there, as `hydrogen select` takes them: which of them to run is told then, and what none of them executes
    #[arg(long, value_name = "DIR")]
    pub tests: Option<PathBuf>,
    /// What makes the exit code 1
    #[arg(long, value_enum, default_value_t, value_name = "WHAT")]
    pub fail_on: FailOn,
    #[arg(long, value_enum, default_value_t)]
    pub format: ReviewFormat,
}

/// What a pipeline should stop at.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// A new fault
    #[default]
    Faults,
    /// A new fault, or anything that is done differently
    Differs,
    /// Nothing: the exit code is 0 unless the review itself fails
    Nothing,
}

/// The forms of a review.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ReviewFormat {
    /// One screen
    #[default]
    Text,
    /// For programs
    Json,
    /// For code hosts and editors
    Sarif,
    /// For a comment on a pull request
    Md,
    /// One page
    Html,
}

/// `hydrogen watch`.
#[derive(Args)]
pub struct WatchOptions {
    /// The version that the work tree is compared with
    #[arg(value_name = "VERSION", default_value = "HEAD")]
    pub base: String,
    /// How long one review may take
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "60s")]
    pub budget: Duration,
}
