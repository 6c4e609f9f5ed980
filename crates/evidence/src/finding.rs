//! A possible fault, what is said of it in every version, and what shows that.

use crate::ledger::Entry;
use crate::{Basis, Class, Input, Replay, Status, Verdict};
use serde::{Deserialize, Serialize};

/// A place on a path, or of a finding.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Spot {
    /// The function.
    pub function: String,
    /// The file.
    pub file: String,
    /// The line; 0 where unknown.
    pub line: u32,
    /// The statement, as a reader knows it.
    pub text: String,
    /// What is worth knowing there: `len = 17`, `taken`.
    pub notes: Vec<String>,
}

/// How a fault is reached, or why it cannot be.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Evidence {
    /// From a function's entry (or the cut of a patch) to the fault.
    pub path: Vec<Spot>,
    /// The condition that remains on the inputs, in C-like words.
    pub constraint: String,
    /// Values that fulfil it, by name.
    pub model: Vec<(String, String)>,
    /// The input that was run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Input>,
    /// What came of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub replay: Option<Replay>,
}

/// One version's answer on one basis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    /// The version's number among those of the analysis.
    pub id: u32,
    /// Its name.
    pub version: String,
    /// The answer.
    pub verdict: Verdict,
    /// What it is measured by.
    pub basis: Basis,
    /// What shows it.
    pub evidence: Evidence,
    /// Everything assumed, bounded, skipped or not understood; sorted.
    pub ledger: Vec<Entry>,
}

impl Ruling {
    /// Whether the input that shows the fault in the other version of a change was run in this one, and did no harm.
    pub fn is_harmless(&self) -> bool {
        self.ledger.iter().any(|entry| matches!(entry, Entry::SameInputHarmless { .. }))
    }

    /// Whether a witness needs a null pointer, or certain values in memory, that nothing in the code is seen to cause.
    pub fn rests_on_outside(&self) -> bool {
        self.ledger.iter().any(|entry| matches!(entry, Entry::NullComesIn | Entry::MemoryHoldsAnything))
    }
}

/// A possible fault and its answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The kind.
    pub kind: Class,
    /// What can go wrong, in words: `a[i] is outside a (16 bytes)`.
    pub message: String,
    /// The statement.
    pub location: Spot,
    /// The version that the location's line is of.
    pub at_version: String,
    /// The statement's number in the analysis.
    pub node: u32,
    /// For a comparison of two versions.
    pub status: Option<Status>,
    /// The versions in the order of the question; a version that both bases judge has two, `fault` first.
    pub verdicts: Vec<Ruling>,
}

impl Finding {
    /// Whether a fix was taken as the measure.
    pub fn is_by_fix(&self) -> bool {
        self.verdicts.iter().any(|ruling| ruling.basis == Basis::Patch)
    }

    /// One verdict per version: the fix's where one was given and it decides, else the safety condition's.
    pub fn settled(&self) -> Vec<(&str, Verdict)> {
        let mut out: Vec<(&str, Verdict)> = Vec::new();
        for ruling in &self.verdicts {
            match out.last_mut() {
                Some((version, verdict)) if *version == ruling.version => {
                    let decides = ruling.basis == Basis::Patch && ruling.verdict != Verdict::Unknown;
                    if decides || *verdict == Verdict::Unknown {
                        *verdict = ruling.verdict;
                    }
                }
                _ => out.push((&ruling.version, ruling.verdict)),
            }
        }
        // One measure may find the fault in a version, and the other its absence in a later one.
        let mut seen = false;
        for (_, verdict) in &mut out {
            seen |= *verdict == Verdict::Present;
            if seen && *verdict == Verdict::Absent {
                *verdict = Verdict::Fixed;
            }
        }
        out
    }
}
