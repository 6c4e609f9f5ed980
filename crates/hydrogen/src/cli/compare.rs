//! The options of `hydrogen compare`.

use crate::cli::{TableFormat, time};
use clap::Args;
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
    /// Stop after this time, with what is decided then
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub budget: Option<Duration>,
    /// The most time for one function
    #[arg(long, value_name = "TIME", value_parser = time, default_value = "10s")]
    pub function_budget: Duration,
    #[arg(long, value_enum, default_value_t)]
    pub format: TableFormat,
}
