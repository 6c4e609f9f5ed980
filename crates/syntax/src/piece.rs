//! A piece of a file: a stretch of top-level items that is read on its own.
//!
//! Reading pieces one after the other gives what reading the file gives, if each ends between items. That is so where, at its
//! end, no comment, bracket or item is open and nothing is left out before what follows; where conditionals that reach over its
//! ends stand between items, so that all their alternatives are kept; and where the next piece begins with a word, which
//! neither goes on with an item nor is a body without its head.

use crate::facts::Facts;
use crate::memory::Hash128;
use crate::mentioned::mentions_of;
use crate::names::Macro;
use crate::token::{DIRECTIVE, WORD};
use crate::unit::Parsed;
use crate::{Item, Mentioned, NameHash, Problem};
use std::sync::{Arc, Mutex, MutexGuard};

/// How a piece fits to what stands before and behind it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Joints {
    /// Something may stand before it.
    pub begins: bool,
    /// Something may stand behind it.
    pub ends: bool,
    /// Conditionals that are not all here are between items.
    pub sound: bool,
    /// A conditional around all of it keeps it.
    level: bool,
    /// How many conditionals end here that began before, and how many go on behind.
    reaching: (usize, usize),
}

impl Joints {
    pub fn of(parsed: &Parsed<'_>) -> Self {
        let (selected, segments) = (&parsed.selected, &parsed.segments);
        let last = segments.bounds.last().copied().unwrap_or(0);
        let between = |at: &usize| segments.bounds.binary_search(at).is_ok();
        let word = selected.tokens.first().is_none_or(|token| token.kind == WORD);
        let first = parsed.all.first().is_none_or(|token| matches!(token.kind, WORD | DIRECTIVE));
        Self {
            begins: word && first && !segments.headless,
            ends: parsed.ends
                && selected.closed
                && segments.balanced
                && segments.unmatched.is_empty()
                && last == selected.tokens.len(),
            sound: selected.sound && selected.loose.iter().all(between),
            level: selected.level,
            reaching: selected.reaching,
        }
    }

    /// Whether it is read alike with so many conditionals open before it.
    pub fn stands_in(&self, open: usize) -> bool {
        open == 0 || self.level && self.ends
    }

    /// How many conditionals are open behind the piece, if so many are open before it.
    pub fn open_behind(&self, before: usize) -> usize {
        before.saturating_sub(self.reaching.0) + self.reaching.1
    }
}

/// A piece of a file, with what is kept of its functions and of its items.
#[derive(Debug)]
pub struct Piece<T, I> {
    /// How many lines it has.
    pub lines: u32,
    /// What is kept of its items.
    pub items: I,
    /// What could not be read as written outside functions; lines count from the piece's first one.
    pub problems: Vec<Problem>,
    /// The names that decide how it is read: those in its functions and in its macros.
    pub mentions: Arc<Mentioned>,
    pub(crate) functions: Box<[Defined<T>]>,
    pub(crate) said: Said,
    pub(crate) joints: Joints,
}

/// A function of a piece.
#[derive(Debug)]
pub(crate) struct Defined<T> {
    /// Its first line, counted from the piece's first one.
    pub line: u32,
    /// Its text.
    pub hash: u128,
    /// The names in it, sorted.
    pub names: Box<[NameHash]>,
    /// What was made of it, by what was said about names.
    made: Mutex<Vec<(Circumstances, Arc<T>)>>,
}

/// All that decides how the functions of a piece are read: what the file says about names, and what headers say.
pub(crate) type Circumstances = (u128, u128);

/// Headers and files go back and forth between few states.
const STATES: usize = 4;

impl<T> Defined<T> {
    fn made(&self) -> MutexGuard<'_, Vec<(Circumstances, Arc<T>)>> {
        self.made.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub fn get(&self, circumstances: Circumstances) -> Option<Arc<T>> {
        self.made().iter().find(|(it, _)| *it == circumstances).map(|(_, value)| Arc::clone(value))
    }

    pub fn put(&self, circumstances: Circumstances, value: Arc<T>) {
        let mut made = self.made();
        if made.len() >= STATES {
            made.remove(0);
        }
        made.push((circumstances, value));
    }
}

/// A name.
pub(crate) type Name = (NameHash, Box<[u8]>);

/// What a piece says about names; see [`Facts`].
#[derive(Debug)]
pub(crate) struct Said {
    pub macros: Box<[Macro]>,
    pub enumerators: Box<[Name]>,
    pub no_return: Box<[Name]>,
    pub functions: Box<[Name]>,
    pub declared: Box<[Name]>,
    /// A hash of all of it, which those of all pieces of a file add up to.
    pub hash: u128,
}

impl Said {
    fn of(facts: &Facts<'_>) -> Self {
        let mut hash: u128 = 0;
        let mut macros: Vec<Macro> = facts.macros.iter().map(|(name, text)| Macro::of(name, *text)).collect();
        macros.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        for one in &macros {
            let text = one.text.as_deref();
            let seed = [one.id.0, u64::from(text.is_some())];
            hash = hash.wrapping_add(Hash128::of(text.unwrap_or_default(), seed).finish());
        }
        let sets = [&facts.enumerators, &facts.no_return, &facts.functions, &facts.declared];
        let mut kind = 1;
        let [enumerators, no_return, functions, declared] = sets.map(|set| {
            kind += 1;
            let mut names: Vec<Name> =
                set.iter().map(|name| (NameHash::of(name), Box::from(*name))).collect();
            names.sort_unstable();
            for name in &names {
                hash = hash.wrapping_add(Hash128::of(&name.1, [kind, 0]).finish());
            }
            names.into()
        });
        Self { macros: macros.into(), enumerators, no_return, functions, declared, hash }
    }

    /// Adds what is said here to what a file says.
    pub fn add_to<'a>(&'a self, facts: &mut Facts<'a>) {
        for one in &self.macros {
            let text = one.text.as_deref();
            let known = facts.macros.entry(&one.name).or_insert(text);
            if *known != text {
                *known = None;
            }
        }
        let sets = [
            (&self.enumerators, &mut facts.enumerators),
            (&self.no_return, &mut facts.no_return),
            (&self.functions, &mut facts.functions),
            (&self.declared, &mut facts.declared),
        ];
        for (names, set) in sets {
            set.extend(names.iter().map(|(_, name)| &**name));
        }
    }
}

impl<T, I> Piece<T, I> {
    /// The piece of a text that was parsed; `keep` says what is kept of items.
    pub(crate) fn of(parsed: &Parsed<'_>, joints: Joints, keep: impl FnOnce(&[Item]) -> I) -> Self {
        let (heads, items, facts) = parsed.items(Facts::default());
        let reader = parsed.reader(&facts);
        let functions: Box<[Defined<T>]> = heads
            .iter()
            .map(|(head, body)| {
                let (line, hash, names) = reader.identity(head, body);
                Defined { line: line - 1, hash, names: names.into(), made: Mutex::new(Vec::new()) }
            })
            .collect();
        let uses = functions.iter().flat_map(|function| function.names.iter().copied()).collect();
        Self {
            lines: parsed.lines.count(),
            items: keep(&items),
            problems: parsed.problems(),
            mentions: Arc::new(Mentioned::new(mentions_of(uses, &items))),
            functions,
            said: Said::of(&facts),
            joints,
        }
    }
}
