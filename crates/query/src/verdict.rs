//! What is said about a fault in a version.

use hydrogen_graph::NodeId;

/// The answer for one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Some input leads to the fault.
    Present(Evidence),
    /// Every path was refuted.
    Absent,
    /// The statement is not in the version, or cannot have such a fault.
    NotApplicable,
    /// Neither could be shown; the reasons, sorted.
    Unknown(Vec<String>),
}

impl Verdict {
    /// One word: `present`, `absent`, `not_applicable` or `unknown`.
    pub fn word(&self) -> &'static str {
        match self {
            Verdict::Present(_) => "present",
            Verdict::Absent => "absent",
            Verdict::NotApplicable => "not_applicable",
            Verdict::Unknown(_) => "unknown",
        }
    }
}

/// How a fault is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    /// From the function's entry to the fault.
    pub path: Vec<NodeId>,
    /// The condition on the function's inputs, in C-like words.
    pub constraint: String,
    /// Values that fulfil it.
    pub model: Vec<(String, String)>,
    /// What is taken for granted beside the C library's contracts.
    pub assumptions: Vec<String>,
}
