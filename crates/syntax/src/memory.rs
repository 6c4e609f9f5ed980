//! Functions that were read before: successive versions of a file share nearly all of theirs.
//!
//! What a function's statements are depends on its tokens and on what is known about the names in it, here and in headers. Both
//! are hashed; where they are the same, the function is the same but for its first line.

use crate::NameHash;
use crate::facts::Facts;
use crate::names::{Identity, Names, words};
use crate::token::Token;
use std::collections::{HashMap, HashSet};
use std::hash::BuildHasherDefault;
use std::sync::{Arc, Mutex, MutexGuard};

/// What was made of functions, kept while there is room. Threads share it.
#[derive(Debug)]
pub struct Memory<T> {
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
    /// The names that the function mentions, sorted.
    names: Arc<[NameHash]>,
    /// By what was known about them.
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

    pub(crate) fn names(&self, text: u128) -> Option<Arc<[NameHash]>> {
        self.shelf().functions.get(&text).map(|it| Arc::clone(&it.names))
    }

    pub(crate) fn get(&self, text: u128, known: u64) -> Option<Arc<T>> {
        let mut shelf = self.shelf();
        shelf.clock += 1;
        let clock = shelf.clock;
        let found = shelf.functions.get_mut(&text)?;
        found.last = clock;
        found.values.iter().find(|(it, _)| *it == known).map(|(_, value)| Arc::clone(value))
    }

    pub(crate) fn put(&self, text: u128, names: Arc<[NameHash]>, known: u64, value: Arc<T>) {
        let mut shelf = self.shelf();
        shelf.clock += 1;
        let last = shelf.clock;
        let entry = shelf.functions.entry(text).or_insert(Remembered { names, values: Vec::new(), last });
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
type Said<'a> = HashMap<NameHash, (u64, Option<&'a [u8]>), BuildHasherDefault<Identity>>;

/// What a file and its version's headers say about names, ready to be hashed by name.
pub(crate) struct Knowledge<'a> {
    file: Said<'a>,
    known: Option<&'a Names>,
}

fn mix(hash: u64, value: u64) -> u64 {
    (hash.rotate_left(23) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl<'a> Knowledge<'a> {
    pub fn of(facts: &'a Facts<'_>) -> Self {
        let mut file: Said<'a> = HashMap::default();
        let sets = [&facts.enumerators, &facts.no_return, &facts.functions, &facts.declared];
        for (bit, set) in sets.into_iter().enumerate() {
            for name in set {
                file.entry(NameHash::of(name)).or_default().0 |= 1 << bit;
            }
        }
        for (name, text) in &facts.macros {
            let entry = file.entry(NameHash::of(name)).or_default();
            entry.0 |= if text.is_some() { 1 << 8 } else { 1 << 9 };
            entry.1 = *text;
        }
        Self { file, known: facts.known }
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
    let mut hash = [0x243f_6a88_85a3_08d3u64 ^ u64::from(column), 0x1319_8a2e_0370_7344u64 ^ name as u64];
    let mut add = |value: u64| {
        hash[0] = mix(hash[0], value);
        hash[1] = (hash[1] ^ value).wrapping_mul(0xa076_1d64_78bd_642f).rotate_left(31) ^ hash[0];
    };
    let mut chunks = text.chunks_exact(8);
    for chunk in &mut chunks {
        add(u64::from_le_bytes(chunk.try_into().expect("eight bytes")));
    }
    let mut rest = [0; 8];
    rest[..chunks.remainder().len()].copy_from_slice(chunks.remainder());
    add(u64::from_le_bytes(rest));
    add(text.len() as u64);
    for token in tokens {
        let flags = u64::from(token.kind) | u64::from(token.fresh) << 8 | u64::from(token.cut) << 9;
        add(u64::from(token.start.wrapping_sub(origin)) << 32
            | u64::from(token.end - token.start) << 10 ^ flags);
    }
    u128::from(hash[0]) << 64 | u128::from(hash[1])
}
