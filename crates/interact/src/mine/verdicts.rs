//! What a change is for a test: error classes against an oracle (E2), and whether several changes are needed (G8).

use super::Minimal;

/// The class of a test (the matrix of §2.5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ErrorClass {
    /// Both versions do what the oracle says.
    UnchangedCorrect,
    /// Both versions do the same, which is wrong.
    UnchangedWrong,
    /// The old version is right and the new one is not. It is a differential error too.
    Regression,
    /// The new version is right and the old one is not.
    Progression,
    /// The versions differ, and both are wrong.
    IncompleteFix,
}

impl ErrorClass {
    /// The class, by whether the versions do the same and which of them does what the oracle says; nothing for a combination that
    /// cannot be.
    pub fn of(same: bool, old_correct: bool, new_correct: bool) -> Option<Self> {
        match (same, old_correct, new_correct) {
            (true, true, true) => Some(Self::UnchangedCorrect),
            (true, false, false) => Some(Self::UnchangedWrong),
            (false, true, false) => Some(Self::Regression),
            (false, false, true) => Some(Self::Progression),
            (false, false, false) => Some(Self::IncompleteFix),
            (true, _, _) | (false, true, true) => None,
        }
    }

    /// For people and programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::UnchangedCorrect => "unchanged, correct",
            Self::UnchangedWrong => "unchanged, wrong",
            Self::Regression => "regression",
            Self::Progression => "progression",
            Self::IncompleteFix => "incomplete fix",
        }
    }

    /// Whether the versions differ and the new one is wrong (Definition 9).
    pub fn is_differential_error(self) -> bool {
        matches!(self, Self::Regression | Self::IncompleteFix)
    }
}

/// Whether an error needs several changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InteractionLabel {
    /// A change interaction error: two changes at least, each of which can be skipped, and without which it does not show.
    Interaction,
    /// One change alone makes it.
    Single,
    /// It cannot be told, and why.
    Unclassified(String),
}

impl InteractionLabel {
    /// The strict rule: at least two changes, each skippable. What does not build decides nothing.
    pub fn of(minimal: &Minimal) -> Self {
        let (critical, skippable) = (minimal.critical.len(), minimal.skippable().len());
        match () {
            () if critical == 1 => Self::Single,
            () if skippable >= 2 => Self::Interaction,
            () if minimal.cut_short => Self::Unclassified(format!(
                "the budget of {} configurations is used up; {critical} changes fail together so far",
                minimal.asked.len()
            )),
            () => Self::Unclassified(format!(
                "{critical} changes fail together, and only {skippable} of them can be left out alone: without one of the others \
                 nothing can be tested"
            )),
        }
    }

    /// For people and programs.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Interaction => "CIE",
            Self::Single => "non-CIE",
            Self::Unclassified(_) => "unclassified",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ErrorClass;

    /// Every row of the matrix, and the invariant that a regression is a differential error.
    #[test]
    fn the_matrix_is_complete() {
        let name = |same, old, new| ErrorClass::of(same, old, new).map(ErrorClass::name);
        assert_eq!(name(true, true, true), Some("unchanged, correct"));
        assert_eq!(name(true, false, false), Some("unchanged, wrong"));
        assert_eq!(name(false, true, false), Some("regression"));
        assert_eq!(name(false, false, true), Some("progression"));
        assert_eq!(name(false, false, false), Some("incomplete fix"));
        // What equals something right is right; two that are right are equal.
        assert_eq!([name(true, true, false), name(true, false, true), name(false, true, true)], [None; 3]);
        assert!(ErrorClass::Regression.is_differential_error());
    }
}
