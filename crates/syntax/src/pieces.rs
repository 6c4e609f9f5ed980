//! Files read piece by piece: what was read of a piece in one version of a file holds for all that have it.

use crate::cut::candidates;
use crate::facts::Facts;
use crate::memory::{Hash128, Knowledge, Memory};
use crate::piece::{Circumstances, Joints, Piece};
use crate::unit::Parsed;
use crate::{Item, NameHash, Names, Options, Sketch};
use hydrogen_ir::Function;
use rayon::prelude::*;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, Mutex, MutexGuard};

/// What an analysis keeps of files.
pub trait Keep: Sync {
    /// Of a function.
    type Function: Send + Sync;
    /// Of the items of a piece.
    type Items: Send + Sync;

    /// What is kept of a function, of the names it mentions, and of how many places in it could not be read. Lines are those of
    /// `text`, the piece that it stands in, so nothing may depend on where it begins.
    fn function(&self, function: Function, uses: &[NameHash], problems: usize, text: &[u8])
    -> Self::Function;

    /// What is kept of items, of a header or of another file.
    fn items(&self, items: &[Item], header: bool) -> Self::Items;
}

/// What was read of the files of a history, kept while there is room. Threads share it.
pub struct Pieces<K: Keep> {
    keep: K,
    functions: Memory<K::Function>,
    shelf: Mutex<Shelf<K>>,
    most: usize,
}

/// A piece as an analysis keeps it.
pub type Kept<K> = Piece<<K as Keep>::Function, <K as Keep>::Items>;

/// What is known of the functions of a piece.
type Found<K> = Vec<Option<Arc<<K as Keep>::Function>>>;

struct Shelf<K: Keep> {
    pieces: HashMap<u128, Entry<K>, BuildHasherDefault<Already>>,
    clock: u64,
}

struct Entry<K: Keep> {
    /// Nothing where the text is no whole piece.
    piece: Option<Arc<Kept<K>>>,
    last: u64,
}

/// Keys are hashes already. The order of such maps is never looked at.
#[derive(Default)]
struct Already(u64);

impl Hasher for Already {
    fn write(&mut self, _: &[u8]) {
        unreachable!("only hashes are keys");
    }

    fn write_u128(&mut self, hash: u128) {
        self.0 = hash as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

/// Fewer functions than this are not worth waking other threads for.
const PARALLEL: usize = 64;

/// A piece at its place in a file.
struct Placed<'a, K: Keep> {
    text: &'a [u8],
    piece: Arc<Kept<K>>,
    /// Its tokens, if it was read just now.
    parsed: Option<Parsed<'a>>,
}

impl<K: Keep> Pieces<K> {
    /// Room for so many functions and pieces.
    pub fn new(keep: K, most: usize) -> Self {
        let shelf = Shelf { pieces: HashMap::default(), clock: 0 };
        Self { keep, functions: Memory::new(most), shelf: Mutex::new(shelf), most: most.max(2) }
    }

    fn shelf(&self) -> MutexGuard<'_, Shelf<K>> {
        self.shelf.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    /// What a header says about names.
    pub(crate) fn names(&self, source: &[u8]) -> Names {
        let placed = self.cut(source, true);
        let said = || placed.iter().map(|one| &one.piece.said);
        let macros = said().flat_map(|said| &said.macros);
        Names::of_parts(macros, said().flat_map(|said| said.no_return.iter().map(|(name, _)| *name)))
    }

    /// Reads a file. Macros that the options define are not looked at.
    pub(crate) fn read(&self, source: &[u8], options: &Options, header: bool) -> Sketch<K> {
        let placed = self.cut(source, header);
        let known = options.known.as_deref();
        let said = placed.iter().fold(0u128, |sum, one| sum.wrapping_add(one.piece.said.hash));
        let circumstances: Circumstances = (said, known.map_or(u128::MAX, Names::stamp));
        let found: Vec<Found<K>> = placed
            .iter()
            .map(|one| one.piece.functions.iter().map(|function| function.get(circumstances)).collect())
            .collect();
        let missing = found.iter().flatten().filter(|value| value.is_none()).count();
        let fresh = if missing == 0 {
            Vec::new()
        } else {
            self.functions(&placed, &found, known, circumstances, missing >= PARALLEL)
        };
        let mut fresh = fresh.into_iter();
        let mut functions = Vec::with_capacity(found.iter().map(Vec::len).sum());
        let mut pieces = Vec::with_capacity(placed.len());
        let mut before = 0;
        for (one, found) in placed.into_iter().zip(found) {
            for (function, value) in one.piece.functions.iter().zip(found) {
                let value = value.or_else(|| fresh.next()).expect("what is missing was read");
                functions.push((before + function.line + 1, value));
            }
            let lines = one.piece.lines;
            pieces.push((before, one.piece));
            before += lines;
        }
        Sketch { functions, pieces, failed: None }
    }

    /// The functions that are missing, in order.
    fn functions(
        &self,
        placed: &[Placed<'_, K>],
        found: &[Found<K>],
        known: Option<&Names>,
        circumstances: Circumstances,
        parallel: bool,
    ) -> Vec<Arc<K::Function>> {
        let knowledge = Knowledge::of(placed.iter().map(|one| &one.piece.said), known);
        let mut facts = Facts { known, ..Facts::default() };
        placed.iter().for_each(|one| one.piece.said.add_to(&mut facts));
        let of_piece = |(one, found): (&Placed<'_, K>, &Found<K>)| {
            let missing = found.iter().enumerate().filter(|(_, value)| value.is_none()).map(|(at, _)| at);
            let missing: Vec<usize> = missing.collect();
            self.of_piece(one, &missing, &facts, &knowledge, circumstances)
        };
        if parallel {
            placed.par_iter().zip(found).flat_map_iter(of_piece).collect()
        } else {
            placed.iter().zip(found).flat_map(of_piece).collect()
        }
    }

    fn of_piece(
        &self,
        one: &Placed<'_, K>,
        missing: &[usize],
        facts: &Facts<'_>,
        knowledge: &Knowledge<'_>,
        circumstances: Circumstances,
    ) -> Vec<Arc<K::Function>> {
        let mut again = None;
        let mut made = Vec::with_capacity(missing.len());
        for &at in missing {
            let function = &one.piece.functions[at];
            let digest = knowledge.digest(&function.names);
            let value = self.functions.get(function.hash, digest).unwrap_or_else(|| {
                let parsed = match &one.parsed {
                    Some(parsed) => parsed,
                    None => again.get_or_insert_with(|| Parsed::of(one.text, None)),
                };
                let (head, body) = parsed.definitions().nth(at).expect("the text is the same");
                let result = parsed.reader(facts).function(head, body);
                let value =
                    self.keep.function(result.function, &function.names, result.problems.len(), one.text);
                let value = Arc::new(value);
                self.functions.put(function.hash, digest, Arc::clone(&value));
                value
            });
            function.put(circumstances, Arc::clone(&value));
            made.push(value);
        }
        made
    }

    /// Cuts a file into pieces.
    fn cut<'a>(&self, source: &'a [u8], header: bool) -> Vec<Placed<'a, K>> {
        let source = &source[..source.len().min(u32::MAX as usize / 2)];
        let bounds = candidates(source);
        let mut placed: Vec<Placed<'a, K>> = Vec::with_capacity(bounds.len());
        let (mut at, mut open) = (0, 0);
        while at + 1 < bounds.len() {
            let mut width = 1;
            let (next, found) = loop {
                let end = (at + width).min(bounds.len() - 1);
                let last = end == bounds.len() - 1;
                let found = self.piece(&source[bounds[at]..bounds[end]], header, last);
                if found.is_some() || last {
                    break (end, found);
                }
                width *= 2;
            };
            match found {
                Some(one)
                    if (one.piece.joints.begins || placed.is_empty()) && one.piece.joints.stands_in(open) =>
                {
                    open = one.piece.joints.open_behind(open);
                    placed.push(one);
                }
                // Something reaches over an end that cannot be found by looking ahead.
                _ => return vec![self.whole(source, header)],
            }
            at = next;
        }
        placed
    }

    /// The piece of a text, if it is one; the last one of a file may end anyhow.
    fn piece<'a>(&self, text: &'a [u8], header: bool, last: bool) -> Option<Placed<'a, K>> {
        let fits = |joints: &Joints| joints.sound && (joints.ends || last);
        let key = Hash128::of(text, [u64::from(header), 0]).finish();
        if let Some(known) = self.known(key) {
            match known {
                Some(piece) => {
                    return fits(&piece.joints).then_some(Placed { text, piece, parsed: None });
                }
                None if !last => return None,
                None => {}
            }
        }
        let parsed = Parsed::of(text, None);
        let joints = Joints::of(&parsed);
        if !fits(&joints) {
            self.put(key, None);
            return None;
        }
        Some(self.made(key, text, parsed, joints, header))
    }

    /// A whole file as one piece.
    fn whole<'a>(&self, source: &'a [u8], header: bool) -> Placed<'a, K> {
        let key = Hash128::of(source, [u64::from(header), 1]).finish();
        if let Some(Some(piece)) = self.known(key) {
            return Placed { text: source, piece, parsed: None };
        }
        let parsed = Parsed::of(source, None);
        let joints = Joints::of(&parsed);
        self.made(key, source, parsed, joints, header)
    }

    fn made<'a>(
        &self,
        key: u128,
        text: &'a [u8],
        parsed: Parsed<'a>,
        joints: Joints,
        header: bool,
    ) -> Placed<'a, K> {
        let piece = Arc::new(Piece::of(&parsed, joints, |items| self.keep.items(items, header)));
        self.put(key, Some(Arc::clone(&piece)));
        Placed { text, piece, parsed: Some(parsed) }
    }

    fn known(&self, key: u128) -> Option<Option<Arc<Kept<K>>>> {
        let mut shelf = self.shelf();
        shelf.clock += 1;
        let clock = shelf.clock;
        let entry = shelf.pieces.get_mut(&key)?;
        entry.last = clock;
        Some(entry.piece.clone())
    }

    fn put(&self, key: u128, piece: Option<Arc<Kept<K>>>) {
        let mut shelf = self.shelf();
        shelf.clock += 1;
        let last = shelf.clock;
        shelf.pieces.insert(key, Entry { piece, last });
        if shelf.pieces.len() > self.most {
            let mut ages: Vec<u64> = shelf.pieces.values().map(|it| it.last).collect();
            let middle = ages.len() / 2;
            let (_, &mut oldest, _) = ages.select_nth_unstable(middle);
            shelf.pieces.retain(|_, it| it.last >= oldest);
        }
    }
}
