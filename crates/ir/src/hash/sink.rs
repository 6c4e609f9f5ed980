//! Bytes to be hashed, written so that different values never give the same bytes.

use super::ContentHash;
use serde::Serialize;

#[derive(Default)]
pub(super) struct Sink(Vec<u8>);

impl Sink {
    pub(super) fn tag(&mut self, tag: u8) {
        self.0.push(tag);
    }

    pub(super) fn number(&mut self, number: u32) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    pub(super) fn wide(&mut self, number: u64) {
        self.0.extend_from_slice(&number.to_le_bytes());
    }

    pub(super) fn hash(&mut self, hash: ContentHash) {
        self.0.extend_from_slice(&hash.0);
    }

    /// The length goes first: "ab" + "c" is not "a" + "bc".
    pub(super) fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.wide(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// A value without ids, in its stored form.
    pub(super) fn plain(&mut self, value: &impl Serialize) {
        let bytes = std::mem::take(&mut self.0);
        self.0 = postcard::to_extend(value, bytes).expect("plain data is always storable");
    }

    pub(super) fn finish(&self) -> ContentHash {
        ContentHash::of(&self.0)
    }

    /// Empties the buffer and keeps its memory.
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}
