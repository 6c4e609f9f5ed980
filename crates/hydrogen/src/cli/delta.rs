//! The options of `hydrogen delta`.

use clap::{Args, ValueEnum};

/// `hydrogen delta`.
#[derive(Args)]
pub struct DeltaOptions {
    /// A..B, two versions, or one commit (against its first parent)
    #[arg(value_name = "A..B", required = true, num_args = 1..=2)]
    pub what: Vec<String>,
    /// Only this function: NAME or FILE:NAME; may be repeated
    #[arg(short, long = "function", value_name = "FUNCTION")]
    pub functions: Vec<String>,
    /// What the change is meant to do: with `none`, as for a refactoring, any delta is a finding (exit 1)
    #[arg(long, value_enum, value_name = "WHAT")]
    pub expect: Option<Expected>,
    #[arg(long, value_enum, default_value_t)]
    pub format: DeltaFormat,
}

/// What a change is meant to do.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Expected {
    /// Nothing
    None,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum DeltaFormat {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
    /// For a comment on a pull request
    Md,
    /// One page to look at
    Html,
}
