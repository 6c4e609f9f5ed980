//! What is asked, and what may be decided from outside.

use hydrogen_evidence::Input;
use hydrogen_evidence::why::Side;
use hydrogen_machine::Program;
use hydrogen_pair::{Observable, Outcome, Setting};
use hydrogen_trace::TraceError;
use std::time::Instant;

/// Which conditions of the two runs are compared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Mode {
    /// Those that the wrong output depends on (F-C31).
    #[default]
    Relevant,
    /// All of the path.
    Path,
    /// All of the path without prefixes, and a comparison of traces (the report of 2008, F-C6).
    Plain,
}

/// What of two traces is compared, where traces are (F-C24).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Metric {
    /// The sequences of branches, aligned.
    #[default]
    Branches,
    /// Which branching statements were executed at all.
    Statements,
    /// Which blocks were.
    Blocks,
    /// Which ways from one jump back to the next were taken.
    Paths,
}

/// Says of an input and what both versions did with it whether the test passes; nothing where it cannot tell.
pub type Oracle<'a> = dyn Fn(&Input, &Outcome, &Outcome) -> Option<bool> + 'a;

/// A question: this input is right in the old version and wrong in the new one. Why?
#[derive(Clone, Copy)]
pub struct Ask<'a> {
    /// The version that is right.
    pub old: &'a Program,
    /// The version that is wrong.
    pub new: &'a Program,
    /// The world, what of the input may change, and the limits of runs.
    pub setting: Setting<'a>,
    /// The input of the failing test.
    pub input: &'a Input,
    /// What counts as output.
    pub observables: &'a [Observable],
    /// Which conditions are compared.
    pub mode: Mode,
    /// Of a run of more instructions, only what the wrong output depends on has terms and conditions.
    pub long: u64,
    /// How traces are compared, in the mode of 2008.
    pub metric: Metric,
    /// Whether the preconditions of both outputs are compared too (10.5).
    pub preconditions: bool,
    /// Whether predicates that no branch decides are asked about too (10.3).
    pub predicates: bool,
    /// Whether conditions inside of the C library are never asked about, also where those of the program give nothing.
    pub only_source: bool,
    /// Functions and files whose conditions are left out, by name (F-C28).
    pub trusted: &'a [String],
    /// When no more is asked.
    pub deadline: Option<Instant>,
    /// The user's word on whether an input passes; without, it passes where both versions give the same.
    pub oracle: Option<&'a Oracle<'a>>,
}

/// Why there is no answer at all.
#[derive(Debug, thiserror::Error)]
pub enum WhyError {
    /// A run could not be recorded.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// A run was cut, so its outcome is not known.
    #[error("the {0} version does not come to an end in the machine: {1}")]
    Cut(Side, String),
    /// The time was over before the runs were looked into.
    #[error("the time was over after {0} instructions, before both runs were looked into")]
    Late(u64),
}
