//! The options of the commands that ask about faults.

use crate::cli::time;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::time::Duration;

/// `hydrogen check`.
#[derive(Args)]
pub struct CheckOptions {
    /// OLD..NEW, or one commit, which is compared with its parents: a merge with all of them
    #[arg(value_name = "A..B")]
    pub what: String,
    /// An ordering rule, besides those of hydrogen.toml: 'A => B' (after A, B must follow on every path) or 'A => !B' (after A, never B)
    #[arg(long = "rule", value_name = "RULE")]
    pub rules: Vec<String>,
    /// Find out whom calls through pointers may reach, by analysing every version's whole program
    #[arg(long)]
    pub pointers: bool,
    /// Count left shifts of signed numbers that are negative or lose bits, which every compiler computes
    #[arg(long)]
    pub strict: bool,
    /// Only the rules, and no faults
    #[arg(long)]
    pub only_rules: bool,
    /// How the change is gone through; the verdicts are the same
    #[arg(long, value_enum, default_value_t)]
    pub strategy: StrategyName,
    #[command(flatten)]
    pub how: FaultOptions,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum VerdictFormat {
    /// For people, with source and paths
    #[default]
    Text,
    /// For programs
    Json,
    /// For code hosts and editors
    Sarif,
    /// For a comment on a change
    Markdown,
    /// The table of releases: impacted, patch applicable, fixed, with the time
    Csv,
}

/// What every question about faults can be told.
#[derive(Args)]
pub struct FaultOptions {
    /// The kind of the fault, such as overflow, null or leak [default: whatever can happen there]
    #[arg(long, value_name = "KIND", value_parser = kind)]
    pub kind: Option<hydrogen_evidence::Class>,
    /// Stop after this time, with what is decided then
    #[arg(long, value_name = "TIME", value_parser = time)]
    pub budget: Option<Duration>,
    /// Write every question to the solver into this folder
    #[arg(long, value_name = "DIR")]
    pub dump_smt: Option<PathBuf>,
    /// The solver: bitwuzla, z3, or the name of a program that reads SMT-LIB
    #[arg(long, value_name = "NAME")]
    pub solver: Option<String>,
    /// Judge everything anew, and neither use nor keep the rulings of earlier runs
    #[arg(long)]
    pub fresh: bool,
    /// Write every input that a run confirmed into this folder: as a test for `hydrogen run`, and for a function also as a test in C
    #[arg(long, value_name = "DIR")]
    pub tests: Option<PathBuf>,
    #[arg(long, value_enum, default_value_t)]
    pub format: VerdictFormat,
}

/// How `check` goes through a change.
#[derive(Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum StrategyName {
    /// Backward from statements that can fail on changed paths
    #[default]
    Demand,
    /// The same, with what earlier versions left
    Cached,
}

/// `hydrogen verify`.
#[derive(Args)]
pub struct VerifyOptions {
    /// OLD..NEW: before and after the fix
    #[arg(value_name = "A..B")]
    pub what: String,
    /// The faulty statement: FILE:LINE, a line of A, or FILE:LINE@VERSION [default: what --fix is about]
    #[arg(long, value_name = "WHERE")]
    pub bug: Option<String>,
    /// Take this change as the specification of the fix
    #[arg(long, value_name = "A..B")]
    pub fix: Option<String>,
    #[command(flatten)]
    pub how: FaultOptions,
}

/// `hydrogen impact`.
#[derive(Args)]
pub struct ImpactOptions {
    /// The faulty statement: FILE:LINE@VERSION [default: what --fix is about]
    #[arg(long, value_name = "WHERE")]
    pub bug: Option<String>,
    /// The releases
    #[arg(value_name = "VERSION", required = true)]
    pub versions: Vec<String>,
    /// Take this change as the specification of the fix
    #[arg(long, value_name = "A..B")]
    pub fix: Option<String>,
    /// The releases that an advisory lists, separated by commas, to be compared with the answer
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub documented: Option<Vec<String>>,
    #[command(flatten)]
    pub how: FaultOptions,
}

/// `hydrogen patch`.
#[derive(Args)]
pub struct PatchOptions {
    /// The change that is the patch
    #[arg(long, value_name = "A..B")]
    pub from: String,
    /// The faulty statement: FILE:LINE, a line of A, or FILE:LINE@VERSION [default: what the patch is about]
    #[arg(long, value_name = "WHERE")]
    pub bug: Option<String>,
    /// The releases
    #[arg(value_name = "VERSION", required = true)]
    pub versions: Vec<String>,
    #[command(flatten)]
    pub how: FaultOptions,
}

fn kind(text: &str) -> Result<hydrogen_evidence::Class, String> {
    let searched = hydrogen_evidence::Class::FAULTS.into_iter().find(|class| class.word() == text);
    searched.ok_or_else(|| {
        let all = hydrogen_evidence::Class::FAULTS.map(hydrogen_evidence::Class::word).join(", ");
        format!("`{text}` is no kind of fault; the kinds are {all}")
    })
}
