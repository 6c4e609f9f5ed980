//! Rulings as they are stored.

use super::content::{Dependence, Place};
use hydrogen_evidence::Verdict;
use hydrogen_ir::ContentHash;
use serde::{Deserialize, Serialize};

/// How many rulings are kept for one statement of one content: callees and callers may differ.
const ALTERNATIVES: usize = 8;

/// A ruling, and all that it rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Entry {
    pub dependences: Vec<Dependence>,
    pub verdict: Decided,
    /// From the entry to the fault.
    pub path: Vec<Place>,
    pub constraint: String,
    pub model: Vec<(String, String)>,
    /// The input that a run confirmed, as JSON; it is run again before it is used.
    pub input: Option<String>,
    pub ledger: Vec<hydrogen_evidence::Entry>,
    pub weak: Option<Weak>,
}

/// The verdicts that are worth keeping.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Decided {
    Present,
    Absent,
    Unknown,
}

/// A ruling that was made in view of an earlier version's: see `takes_away`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Weak {
    /// What the ruling that it was compared with rests on, if there was one.
    pub before: Option<ContentHash>,
}

impl Decided {
    pub fn of(verdict: Verdict) -> Option<Self> {
        match verdict {
            Verdict::Present => Some(Decided::Present),
            Verdict::Absent => Some(Decided::Absent),
            Verdict::Unknown => Some(Decided::Unknown),
            Verdict::Fixed | Verdict::NotApplicable => None,
        }
    }

    pub fn verdict(self) -> Verdict {
        match self {
            Decided::Present => Verdict::Present,
            Decided::Absent => Verdict::Absent,
            Decided::Unknown => Verdict::Unknown,
        }
    }
}

/// The rulings of a stored value; none if it is damaged.
pub(crate) fn read(bytes: &[u8]) -> Vec<Entry> {
    postcard::from_bytes(bytes).unwrap_or_default()
}

/// Stored rulings with a new one in front.
pub(crate) fn write(mut entries: Vec<Entry>, new: Entry) -> Vec<u8> {
    entries.retain(|old| old.dependences != new.dependences);
    entries.insert(0, new);
    entries.truncate(ALTERNATIVES);
    postcard::to_stdvec(&entries).expect("plain data is always storable")
}
