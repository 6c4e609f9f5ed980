//! What came of running the input of a witness.

use crate::FaultKind;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What a run did with an input that a witness claims to be faulty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Replay {
    /// The fault that was claimed, at the statement.
    Confirmed,
    /// The fault that was claimed, but something must come in or answer as nothing in the program lets it.
    ConfirmedIf {
        /// What must.
        needs: String,
    },
    /// The run ended earlier, with another fault.
    OtherFault {
        /// Which.
        kind: FaultKind,
        /// Where: `file:line in function()`.
        at: String,
        /// Its details.
        message: String,
    },
    /// The run went another way, or came by and nothing happened.
    NotReached {
        /// What it did instead.
        why: String,
    },
    /// There was no run.
    NotRun {
        /// Why.
        why: String,
    },
}

impl Replay {
    /// Whether the run showed the fault, whatever that needs.
    pub fn shows_it(&self) -> bool {
        matches!(self, Replay::Confirmed | Replay::ConfirmedIf { .. })
    }
}

impl fmt::Display for Replay {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Replay::Confirmed => out.write_str("confirmed by a run"),
            Replay::ConfirmedIf { needs } => write!(out, "confirmed by a run if {needs}"),
            Replay::OtherFault { kind, at, message } => {
                write!(out, "the run ends earlier, {at}: {kind}, {message}")
            }
            Replay::NotReached { why } => write!(out, "the run does not show it: {why}"),
            Replay::NotRun { why } => write!(out, "not run: {why}"),
        }
    }
}
