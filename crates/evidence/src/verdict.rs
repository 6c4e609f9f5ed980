//! What is said of a fault in a version.

use crate::Ruling;
use serde::{Deserialize, Serialize};

/// The answer for one version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Some input leads to the fault.
    Present,
    /// Every path was refuted.
    Absent,
    /// Every path was refuted, and an earlier version among those asked about has the fault.
    Fixed,
    /// The statement, or what the question needs, is not in the version.
    NotApplicable,
    /// Neither could be shown; the ledger says why.
    Unknown,
}

impl Verdict {
    /// One word, as in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Present => "present",
            Verdict::Absent => "absent",
            Verdict::Fixed => "fixed",
            Verdict::NotApplicable => "not_applicable",
            Verdict::Unknown => "unknown",
        }
    }
}

/// What a verdict is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// The safety condition itself.
    Fault,
    /// What the statement's own function says of it, whatever comes in.
    Local,
    /// The states that a fix took away from the statement.
    Patch,
}

/// How a finding stands between two versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Only the newer version has it.
    New,
    /// Only the older version has it.
    Fixed,
    /// Both have it.
    Unchanged,
    /// One of the two could not be decided.
    Open,
}

/// Calls fixed what is absent behind a version that has the fault.
pub fn mark_fixed(verdicts: &mut [Ruling]) {
    let mut seen = false;
    for ruling in verdicts {
        seen |= ruling.verdict == Verdict::Present;
        if seen && ruling.verdict == Verdict::Absent {
            ruling.verdict = Verdict::Fixed;
        }
    }
}
