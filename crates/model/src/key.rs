//! Keys of cached things: hashes over everything that decides their content.

/// A key under construction. Every part is preceded by its length, so that parts never run into each other.
#[derive(Clone)]
pub(crate) struct Key(blake3::Hasher);

impl Key {
    pub(crate) fn new(kind: &str) -> Self {
        Self(blake3::Hasher::new()).with(kind.as_bytes())
    }

    pub(crate) fn with(mut self, part: &[u8]) -> Self {
        self.0.update(&(part.len() as u64).to_le_bytes());
        self.0.update(part);
        self
    }

    pub(crate) fn finish(self) -> [u8; 32] {
        *self.0.finalize().as_bytes()
    }
}
