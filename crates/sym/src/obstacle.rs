//! Why something cannot be followed.

/// Why something cannot be followed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Obstacle(String);

impl Obstacle {
    /// In words.
    pub fn new(words: impl Into<String>) -> Self {
        Self(words.into())
    }
}
