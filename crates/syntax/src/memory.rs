//! Functions that were read before: successive versions of a file share nearly all of theirs.
//!
//! What a function's statements are depends on its tokens and on what is known about the names in it, here and in headers. Both
//! are hashed; where they are the same, the function is the same but for its first line.

use crate::NameHash;
use crate::names::{Identity, Names, words};
use crate::piece::Said;
use crate::token::Token;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;
use std::sync::{Arc, Mutex, MutexGuard};

/// What was made of functions, kept while there is room. Threads share it.
#[derive(Debug)]
pub(crate) struct Memory<T> {
    shelf: Mutex<Shelf<T>>,
    most: usize,
}

#[derive(Debug)]
struct Shelf<T> {
    functions: HashMap<u128, Remembered<T>>,
    clock: u64,
}

#[derive(Debug)]
struct Remembered<T> {
    /// By what was known about the names in it.
    values: Vec<(u64, Arc<T>)>,
    last: u64,
}

impl<T> Memory<T> {
    /// Room for so many functions.
    pub fn new(most: usize) -> Self {
        Self { shelf: Mutex::new(Shelf { functions: HashMap::new(), clock: 0 }), most: most.max(2) }
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf<T>> {
        self.shelf.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub(crate) fn get(&self, text: u128, known: u64) -> Option<Arc<T>> {
        let mut shelf = self.shelf();
        shelf.clock += 1;
        let clock = shelf.clock;
        let found = shelf.functions.get_mut(&text)?;
        found.last = clock;
        found.values.iter().find(|(it, _)| *it == known).map(|(_, value)| Arc::clone(value))
    }

    pub(crate) fn put(&self, text: u128, known: u64, value: Arc<T>) {
        let mut shelf = self.shelf();
        shelf.clock += 1;
        let last = shelf.clock;
        let entry = shelf.functions.entry(text).or_insert(Remembered { values: Vec::new(), last });
        entry.values.push((known, value));
        entry.last = last;
        if shelf.functions.len() > self.most {
            let mut ages: Vec<u64> = shelf.functions.values().map(|it| it.last).collect();
            let middle = ages.len() / 2;
            let (_, &mut oldest, _) = ages.select_nth_unstable(middle);
            shelf.functions.retain(|_, it| it.last >= oldest);
        }
    }
}

/// Names with what is said about them, as bits, and the definitions of macros.
type Told<'a> = HashMap<NameHash, (u64, Option<&'a [u8]>), BuildHasherDefault<Identity>>;

/// What a file and its version's headers say about names, ready to be hashed by name.
pub(crate) struct Knowledge<'a> {
    file: Told<'a>,
    known: Option<&'a Names>,
}

fn mix(hash: u64, value: u64) -> u64 {
    (hash.rotate_left(23) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl<'a> Knowledge<'a> {
    /// What the pieces of a file say, and headers.
    pub fn of(pieces: impl Iterator<Item = &'a Said>, known: Option<&'a Names>) -> Self {
        let mut file: Told<'a> = HashMap::default();
        for said in pieces {
            let sets = [&said.enumerators, &said.no_return, &said.functions, &said.declared];
            for (bit, set) in sets.into_iter().enumerate() {
                for (name, _) in set {
                    file.entry(*name).or_default().0 |= 1 << bit;
                }
            }
            for one in &said.macros {
                let entry = file.entry(one.id).or_default();
                let text = one.text.as_deref();
                let first = entry.0 & (3 << 8) == 0;
                let text = if first || entry.1 == text { text } else { None };
                entry.0 &= !(3 << 8);
                entry.0 |= if text.is_some() { 1 << 8 } else { 1 << 9 };
                entry.1 = text;
            }
        }
        Self { file, known }
    }

    /// A hash of everything that is said about these names, and about those in their definitions.
    pub fn digest(&self, names: &[NameHash]) -> u64 {
        let mut hash = 0;
        let mut more: Vec<NameHash> = Vec::new();
        let mut seen: HashSet<NameHash, BuildHasherDefault<Identity>> = HashSet::default();
        names.iter().for_each(|&name| self.add(name, &mut hash, &mut more));
        while let Some(name) = more.pop() {
            if seen.insert(name) {
                self.add(name, &mut hash, &mut more);
            }
        }
        hash
    }

    fn add(&self, name: NameHash, hash: &mut u64, more: &mut Vec<NameHash>) {
        let own = self.file.get(&name);
        if let Some((flags, _)) = own {
            *hash = mix(mix(*hash, name.0), *flags);
        }
        let defined = own.is_some_and(|(flags, _)| flags & (3 << 8) != 0);
        let mut text = own.and_then(|(_, text)| *text);
        if let Some(known) = self.known {
            let (definition, never_returns) = known.about(name);
            if never_returns {
                *hash = mix(*hash, name.0 ^ 1);
            }
            if !defined && let Some(definition) = definition {
                *hash = mix(*hash, name.0 ^ 2);
                text = definition;
            }
        }
        if let Some(text) = text {
            *hash = mix(*hash, NameHash::of(text).0);
            more.extend(words(text));
        }
    }
}

/// A hash of a function's text and of its tokens as they were selected; `column` is where it begins.
pub(crate) fn text_hash(text: &[u8], tokens: &[Token], origin: u32, name: usize, column: u32) -> u128 {
    let mut hash = Hash128::of(text, [u64::from(column), name as u64]);
    for token in tokens {
        let flags = u64::from(token.kind) | u64::from(token.fresh) << 8 | u64::from(token.cut) << 9;
        hash.add(
            u64::from(token.start.wrapping_sub(origin)) << 32
                | u64::from(token.end - token.start) << 10 ^ flags,
        );
    }
    hash.finish()
}

/// A hash that no two texts share by chance.
pub(crate) struct Hash128([u64; 2]);

impl Hash128 {
    /// Of a text, with something besides.
    pub fn of(text: &[u8], seed: [u64; 2]) -> Self {
        let mut hash = Self([0x243f_6a88_85a3_08d3 ^ seed[0], 0x1319_8a2e_0370_7344 ^ seed[1]]);
        let mut chunks = text.chunks_exact(8);
        for chunk in &mut chunks {
            hash.add(u64::from_le_bytes(chunk.try_into().expect("eight bytes")));
        }
        let mut rest = [0; 8];
        rest[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
        hash.add(u64::from_le_bytes(rest));
        hash.add(text.len() as u64);
        hash
    }

    pub fn add(&mut self, value: u64) {
        self.0[0] = mix(self.0[0], value);
        self.0[1] = (self.0[1] ^ value).wrapping_mul(0xa076_1d64_78bd_642f).rotate_left(31) ^ self.0[0];
    }

    pub fn finish(&self) -> u128 {
        u128::from(self.0[0]) << 64 | u128::from(self.0[1])
    }
}
