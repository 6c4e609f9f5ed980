//! The options of `hydrogen mine`.

use super::formats::{ReadingName, StatisticsFormat, TableFormat};
use super::units::time;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Subcommand)]
pub enum MineWhat {
    /// Commits that say they repair a regression, in their message or in release notes
    Regressions {
        /// Where to begin
        #[arg(value_name = "COMMIT", default_value = "HEAD")]
        tip: String,
        /// How many commits to look at
        #[arg(long, value_name = "N", default_value_t = 1000)]
        history: usize,
        #[arg(long, value_enum, default_value_t)]
        format: TableFormat,
    },
    /// What a history says about its regressions, as one table: labels, keywords, days to fix, changed lines
    Statistics {
        /// Where to begin
        #[arg(value_name = "COMMIT", default_value = "HEAD")]
        tip: String,
        /// How many commits to look at
        #[arg(long, value_name = "N", default_value_t = 1000)]
        history: usize,
        #[arg(long, value_enum, default_value_t)]
        format: StatisticsFormat,
    },
    /// The commit that introduced an error, by a test that fails where the error is
    Introduced {
        /// A shell command, run in a clean checkout: 0 passes, 125 cannot tell, anything else fails
        #[arg(long, value_name = "CMD")]
        test: String,
        /// A shell command to run before it; where it fails, the version is skipped
        #[arg(long, value_name = "CMD")]
        build: Option<String>,
        /// A version that has the error [default: HEAD, or the parent of the fix]
        #[arg(long, value_name = "VERSION")]
        bad: Option<String>,
        /// An older version that has not [default: searched for]
        #[arg(long, value_name = "VERSION")]
        good: Option<String>,
        /// The commit that fixed it: validates the answer at four points, and compares what both changed
        #[arg(long, value_name = "COMMIT")]
        fix: Option<String>,
        /// How often each version is tested; answers that differ are flaky
        #[arg(long, value_name = "N", default_value_t = std::num::NonZeroUsize::MIN.saturating_add(1))]
        repeat: std::num::NonZeroUsize,
        /// How long a test or build may take
        #[arg(long, value_name = "TIME", default_value = "5m", value_parser = time)]
        timeout: std::time::Duration,
        #[arg(long, value_enum, default_value_t)]
        format: TableFormat,
    },
    /// What a change is for your tests: regression, progression, incomplete fix; and which of its parts are needed to fail
    Classify(ClassifyOptions),
    /// Life spans, complexity, chains and statistics of errors with known commits
    Study {
        /// A file with a line per error: INTRODUCING FIXING [REPORT]
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// How the definition of complexity is read
        #[arg(long, value_enum, default_value_t)]
        reading: ReadingName,
        #[arg(long, value_enum, default_value_t)]
        format: TableFormat,
    },
}

#[derive(Args)]
pub struct ClassifyOptions {
    /// OLD..NEW, or one commit (against its first parent)
    #[arg(value_name = "A..B")]
    pub what: String,
    /// A shell command, run in a clean checkout: 0 is correct, 125 cannot tell, anything else is wrong. Repeat it for several tests
    #[arg(long, value_name = "CMD", required = true)]
    pub test: Vec<String>,
    /// A shell command that builds; `true` where there is nothing to build. What does not build is never judged
    #[arg(long, value_name = "CMD")]
    pub build: String,
    /// A version that is right: the tests are judged by doing and printing the same there, instead of by their exit code
    #[arg(long, value_name = "VERSION")]
    pub oracle: Option<String>,
    /// How finely the change is divided
    #[arg(long, value_enum, default_value_t)]
    pub granularity: GranularityName,
    /// How many configurations (parts of the change) may be built and tested for each test
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub configurations: usize,
    /// Tell the error class only, without looking for the parts that are needed
    #[arg(long)]
    pub class_only: bool,
    /// How often each configuration is tested; answers that differ are flaky
    #[arg(long, value_name = "N", default_value_t = std::num::NonZeroUsize::MIN.saturating_add(1))]
    pub repeat: std::num::NonZeroUsize,
    /// How long a test or build may take
    #[arg(long, value_name = "TIME", default_value = "5m", value_parser = time)]
    pub timeout: std::time::Duration,
    #[arg(long, value_enum, default_value_t)]
    pub format: TableFormat,
}

#[derive(Clone, Copy, Default, ValueEnum)]
pub enum GranularityName {
    /// Whole files
    File,
    /// Runs of changed lines
    #[default]
    Hunk,
    /// Single lines; white space does not count
    Line,
}

impl From<GranularityName> for hydrogen_interact::mine::Granularity {
    fn from(name: GranularityName) -> Self {
        match name {
            GranularityName::File => Self::File,
            GranularityName::Hunk => Self::Hunk,
            GranularityName::Line => Self::Line,
        }
    }
}
