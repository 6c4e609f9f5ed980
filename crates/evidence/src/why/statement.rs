//! Statements of two versions, and what the other version has in their place (F-C27).

/// One of the two versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The version in which the test passes.
    Old,
    /// The version in which it fails.
    New,
}

impl Side {
    /// The other one.
    pub fn other(self) -> Self {
        match self {
            Self::Old => Self::New,
            Self::New => Self::Old,
        }
    }

    /// Its number among the programs of a pair.
    pub fn number(self) -> usize {
        match self {
            Self::Old => 0,
            Self::New => 1,
        }
    }
}

impl std::fmt::Display for Side {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str(match self {
            Self::Old => "old",
            Self::New => "new",
        })
    }
}

/// A statement of one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// The version.
    pub side: Side,
    /// Its file.
    pub file: String,
    /// Its line.
    pub line: u32,
    /// The function.
    pub function: String,
    /// The statement, or the part of it, as written.
    pub text: String,
}

/// What the other version has in the place of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Counterpart {
    /// The same statement.
    Same(Spot),
    /// The same statement, which is come to in another way.
    Moved(Spot),
    /// The same words, which mean something else: another macro, type or layout.
    Redefined(Spot),
    /// Another statement.
    Other(Spot),
    /// Nothing. Where it would be: behind this line.
    Missing(Option<(String, u32)>),
}

impl Counterpart {
    /// The statement there, if any.
    pub fn spot(&self) -> Option<&Spot> {
        match self {
            Self::Same(spot) | Self::Moved(spot) | Self::Redefined(spot) | Self::Other(spot) => Some(spot),
            Self::Missing(_) => None,
        }
    }
}
