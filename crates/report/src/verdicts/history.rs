//! With which version a fault came and went (F64).

use hydrogen_evidence::{Finding, Verdict};

/// A change of a finding between two of the versions asked about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// What happened.
    pub kind: TurnKind,
    /// The version that shows it.
    pub version: String,
    /// The last version before it of which the opposite is known; none where no version before is decided. Where it is not the
    /// version just before, those in between could not be decided.
    pub after: Option<String>,
    /// Whether versions between the two could not be decided.
    pub vague: bool,
}

/// What a turn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnKind {
    /// The fault is there.
    Introduced,
    /// It is not there any more.
    Fixed,
    /// The statement is not there any more.
    Gone,
}

/// When a fault came and went, in the order of the versions. Those that stand apart were not made from the one before them.
pub fn history(finding: &Finding, apart: &[String]) -> Vec<Turn> {
    let mut turns = Vec::new();
    let mut before: Option<(&str, bool)> = None;
    let mut vague = false;
    for (version, verdict) in finding.settled() {
        if apart.iter().any(|one| one == version) {
            (before, vague) = (None, false);
        }
        let present = match verdict {
            Verdict::Unknown => {
                vague = true;
                continue;
            }
            verdict => verdict == Verdict::Present,
        };
        let kind = match (before.is_some_and(|(_, present)| present), present, verdict) {
            (false, true, _) => Some(TurnKind::Introduced),
            (true, false, Verdict::NotApplicable) => Some(TurnKind::Gone),
            (true, false, _) => Some(TurnKind::Fixed),
            _ => None,
        };
        if let Some(kind) = kind {
            let after = before.map(|(version, _)| version.to_owned());
            turns.push(Turn { kind, version: version.to_owned(), after, vague });
        }
        before = Some((version, present));
        vague = false;
    }
    turns
}

impl Turn {
    /// The turn in words.
    pub(super) fn sentence(&self) -> String {
        let version = &self.version;
        let when = match (&self.after, self.vague) {
            (None, _) => format!("in {version} or before"),
            (Some(_), false) => format!("in {version}"),
            (Some(after), true) => format!("after {after}, in {version} at the latest"),
        };
        match self.kind {
            TurnKind::Introduced => format!("introduced {when}"),
            TurnKind::Fixed => format!("fixed {when}"),
            TurnKind::Gone => format!("its statement is gone {when}"),
        }
    }

    /// One word.
    pub(super) fn word(&self) -> &'static str {
        match self.kind {
            TurnKind::Introduced => "introduced",
            TurnKind::Fixed => "fixed",
            TurnKind::Gone => "gone",
        }
    }
}
