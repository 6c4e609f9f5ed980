//! The names that files and their parts mention: what is said about others does not change how they are read.

use crate::{Item, ItemKind, NameHash, Names};
use std::sync::{Arc, Mutex};

/// The names that a part of a file mentions, sorted.
#[derive(Debug)]
pub struct Mentioned {
    names: Box<[NameHash]>,
    /// What was last said about them, by whom.
    said: Mutex<Option<(u128, u64)>>,
}

impl Mentioned {
    /// These names, which are sorted.
    pub fn new(names: Vec<NameHash>) -> Self {
        Self { names: names.into(), said: Mutex::new(None) }
    }

    /// The names.
    pub fn names(&self) -> &[NameHash] {
        &self.names
    }

    /// A hash of everything that is said about the names.
    fn digest(&self, known: &Names) -> u64 {
        let mut said = self.said.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match *said {
            Some((stamp, digest)) if stamp == known.stamp() => digest,
            _ => {
                let digest = known.digest(&self.names);
                *said = Some((known.stamp(), digest));
                digest
            }
        }
    }
}

impl Names {
    /// A hash of everything that is said about the names that the parts of a file mention, and about the names in their
    /// definitions, however deep: a file that mentions no others is read alike wherever this is the same.
    pub fn digest_of(&self, parts: &[Arc<Mentioned>]) -> u64 {
        parts.iter().fold(0, |hash: u64, part| {
            (hash.rotate_left(9) ^ part.digest(self)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
        })
    }
}

/// The names that decide how a text is read, sorted: those that its functions use, and those in its macros.
pub fn mentions_of(uses: Vec<NameHash>, items: &[Item]) -> Vec<NameHash> {
    let mut mentions = uses;
    for item in items.iter().filter(|item| item.kind == ItemKind::Macro) {
        mentions.extend(words_of(&item.text));
    }
    mentions.sort_unstable();
    mentions.dedup();
    mentions
}

/// The words of a text.
pub fn words_of(text: &str) -> impl Iterator<Item = NameHash> {
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
    let parts = text.as_bytes().split(move |byte| !word(byte));
    parts.filter(|part| part.first().is_some_and(|first| !first.is_ascii_digit())).map(NameHash::of)
}
