//! What was found beside what an advisory says (F63).

use hydrogen_evidence::{Answer, Verdict};
use std::collections::BTreeMap;

/// How a version's answer and the advisory compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Agreement {
    /// Both say the same.
    Same,
    /// The fault was found, and the version is not documented.
    Undocumented,
    /// The version is documented, and the fault was not found.
    NotFound,
    /// The version could not be decided.
    Undecided,
}

/// One version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// Its name.
    pub version: String,
    /// Whether the advisory lists it as having the fault.
    pub documented: bool,
    /// What was found.
    pub found: Verdict,
    /// How both compare.
    pub agreement: Agreement,
}

/// All versions asked about, in their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comparison {
    /// One row per version.
    pub rows: Vec<Row>,
}

/// Compares an answer with the versions that an advisory lists. A version has the fault where any finding is present, and is
/// without it only where no finding is undecided.
pub fn compare(answer: &Answer, documented: &[String]) -> Comparison {
    let mut found: BTreeMap<&str, Verdict> = BTreeMap::new();
    for finding in &answer.findings {
        for (version, verdict) in finding.settled() {
            let known = found.entry(version).or_insert(verdict);
            if rank(verdict) < rank(*known) {
                *known = verdict;
            }
        }
    }
    let row = |version: &String| {
        let documented = documented.contains(version);
        // Without any finding nothing was decided.
        let found = found.get(version.as_str()).copied().unwrap_or(Verdict::Unknown);
        let agreement = match (found, documented) {
            (Verdict::Unknown, _) => Agreement::Undecided,
            (Verdict::Present, false) => Agreement::Undocumented,
            (Verdict::Absent | Verdict::Fixed | Verdict::NotApplicable, true) => Agreement::NotFound,
            _ => Agreement::Same,
        };
        Row { version: version.clone(), documented, found, agreement }
    };
    Comparison { rows: answer.versions.iter().map(row).collect() }
}

/// What counts when findings of one version differ.
fn rank(verdict: Verdict) -> u8 {
    match verdict {
        Verdict::Present => 0,
        Verdict::Unknown => 1,
        Verdict::Fixed => 2,
        Verdict::Absent => 3,
        Verdict::NotApplicable => 4,
    }
}

impl Agreement {
    /// One word, as in JSON.
    pub fn word(self) -> &'static str {
        match self {
            Agreement::Same => "same",
            Agreement::Undocumented => "undocumented",
            Agreement::NotFound => "not_found",
            Agreement::Undecided => "undecided",
        }
    }
}

impl Comparison {
    /// The versions of a kind.
    pub fn versions(&self, agreement: Agreement) -> Vec<&str> {
        let rows = self.rows.iter().filter(|row| row.agreement == agreement);
        rows.map(|row| row.version.as_str()).collect()
    }
}
