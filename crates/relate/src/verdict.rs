//! What is claimed of a pair of functions.

use crate::certificate::Certificate;
pub use crate::outcome::Argument;
pub use hydrogen_evidence::compared::Method;
use serde::{Deserialize, Serialize};

/// Whether two versions of a function behave alike.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// For every common state before the call: if both come back, the outcomes are equal.
    Equal(Proof),
    /// There may be an input on which they differ. It counts only when it has been run.
    Candidate(Candidate),
    /// A difference was run: who ran it knows the input.
    Refuted,
    /// Neither is known, for these reasons.
    Open(Vec<String>),
}

/// A proof that two functions are equal, and what it rests on.
pub type Proof = hydrogen_evidence::compared::Proof<Certificate>;

/// A state at the beginning from which the outcomes seem to differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Candidate {
    /// What the parameters are, in order.
    pub arguments: Vec<Argument>,
    /// What differs.
    pub what: String,
    /// Whether the run depends on nothing but the input: no call of something unknown.
    pub sure: bool,
}
