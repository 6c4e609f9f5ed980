//! What changed between two versions of a function.

use crate::facts::{FunctionFacts, PieceKind};
use crate::items::common;
use crate::program::EXIT;
use hydrogen_align as align;
use hydrogen_syntax::NameHash;
use std::collections::{BTreeMap, BTreeSet};

/// Why a piece counts as changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    /// It is new, or says something else than before.
    Text,
    /// It says the same, and control goes elsewhere from it.
    Flow,
    /// It says the same, and a macro, type, variable or enumerator in it means something else.
    Meaning,
}

/// The changes of a function, seen from its new version.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FunctionChange {
    /// The changed pieces.
    pub pieces: BTreeMap<u32, Why>,
    /// Places where something was deleted and nothing put instead.
    pub deletions: Vec<Deletion>,
    /// Whether its head changed: type, parameters, visibility.
    pub head: bool,
    /// Runs of pieces that were replaced, inserted or deleted.
    pub hunks: Vec<Hunk>,
    /// The lines that changed and compute something.
    pub lines: BTreeSet<u32>,
    /// How many such lines of the old version are gone.
    pub deleted_lines: usize,
}

/// A deletion, as a dummy statement in the new version (D19).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deletion {
    /// The edges of the new version that it stands on.
    pub edges: Vec<(u32, u32)>,
    /// The line of the new version behind it; 0 where nothing follows.
    pub line: u32,
    /// The first deleted line of the old version.
    pub old_line: u32,
    /// The first deleted piece of the old version, and how many.
    pub old: (u32, u32),
    /// The piece of the new version behind it; the exit where nothing follows.
    pub before: u32,
}

/// A run of changed pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hunk {
    /// The first old piece, and how many.
    pub old: (u32, u32),
    /// The first new piece, and how many.
    pub new: (u32, u32),
}

impl FunctionChange {
    /// Whether nothing changed.
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty() && self.deletions.is_empty() && !self.head
    }

    /// Whether what names mean counts here: a statement says the same and means something else, or its head is not what it was.
    pub(crate) fn has_meaning(&self) -> bool {
        self.head || self.pieces.values().any(|why| *why == Why::Meaning)
    }

    /// A function that was not there before.
    pub fn added(new: &FunctionFacts) -> Self {
        let mut change = Self::default();
        let count = new.pieces.len() as u32;
        if count > 2 {
            change.inserted(new, 2..count, &BTreeSet::new());
            change.hunks.push(Hunk { old: (2, 0), new: (2, count - 2) });
        }
        change
    }

    /// The lines that compute something in a function that is gone.
    pub fn lines_of(function: &FunctionFacts) -> BTreeSet<u32> {
        let all = 2..function.pieces.len();
        let executable = all.filter(|&piece| function.pieces[piece].kind.is_executable());
        executable.flat_map(|piece| function.lines_of(piece).map(|(line, _)| line)).collect()
    }

    /// What changed from `old` to `new`, as far as the function's own text says.
    pub fn between(old: &FunctionFacts, new: &FunctionFacts) -> Self {
        let mut change = Self::default();
        if old.digest == new.digest {
            return change;
        }
        change.head = old.head != new.head;
        let matching = Matching::of(old, new);
        for &hunk in &matching.hunks {
            let (before, after) = (hunk.old.0..hunk.old.0 + hunk.old.1, hunk.new.0..hunk.new.0 + hunk.new.1);
            // Lines of a statement that stands on several are compared one by one.
            let several = |piece: &u32| old.pieces[*piece as usize].last > old.pieces[*piece as usize].first;
            let known: BTreeSet<u64> = before
                .clone()
                .filter(several)
                .flat_map(|piece| old.lines_of(piece as usize).map(|(_, hash)| hash))
                .collect();
            change.inserted(new, after.clone(), &known);
            let gone = before.filter(|&piece| old.pieces[piece as usize].kind.is_executable());
            let gone: BTreeSet<u32> =
                gone.flat_map(|piece| old.lines_of(piece as usize).map(|(line, _)| line)).collect();
            change.deleted_lines += gone.len();
            if after.is_empty() {
                change.deletions.push(matching.deletion(old, new, hunk));
            }
        }
        for piece in matching.redirected(old, new) {
            change.pieces.entry(piece).or_insert(Why::Flow);
        }
        change.hunks = matching.hunks;
        change
    }

    fn inserted(&mut self, new: &FunctionFacts, pieces: std::ops::Range<u32>, known: &BTreeSet<u64>) {
        for piece in pieces {
            self.pieces.insert(piece, Why::Text);
            let facts = &new.pieces[piece as usize];
            if !facts.kind.is_executable() {
                continue;
            }
            let lines = new.lines_of(piece as usize);
            let mut fresh: Vec<u32> =
                lines.filter(|(_, hash)| !known.contains(hash)).map(|(line, _)| line).collect();
            if fresh.is_empty() {
                fresh.push(new.line_of(piece as usize));
            }
            self.lines.extend(fresh);
        }
    }

    /// Adds the pieces in which one of the names (sorted) means something else now.
    pub fn add_meaning(&mut self, new: &FunctionFacts, names: &[NameHash]) {
        let used = common(names, &new.uses).map(|name| name.0 as u32);
        let mut used: Vec<u32> = used.filter(|name| new.locals.binary_search(name).is_err()).collect();
        used.sort_unstable();
        // What is not read may mention anything that its words name.
        let hidden = new.problems > 0 && common(names, &new.names).next().is_some();
        if used.is_empty() {
            self.head |= hidden;
            return;
        }
        for piece in 2..new.pieces.len() {
            if new.words_of(piece).iter().any(|word| used.binary_search(word).is_ok()) {
                self.pieces.entry(piece as u32).or_insert(Why::Meaning);
            }
        }
        self.head |= new.head_uses.iter().any(|name| used.contains(&(name.0 as u32)));
    }
}

/// Which pieces two versions of a function share.
pub(crate) struct Matching {
    /// Per old piece, the new one.
    pub forward: Vec<Option<u32>>,
    /// Per new piece, the old one.
    backward: Vec<Option<u32>>,
    pub hunks: Vec<Hunk>,
}

impl Matching {
    pub fn of(old: &FunctionFacts, new: &FunctionFacts) -> Self {
        // Entry and exit come first and say the same in all functions.
        let align::Matching { new_of, old_of, hunks } = align::Matching::of(&old.symbols(), &new.symbols());
        let short = |partners: Vec<Option<usize>>| -> Vec<Option<u32>> {
            partners.into_iter().map(|partner| partner.map(|at| at as u32)).collect()
        };
        let part = |range: std::ops::Range<usize>| (range.start as u32, range.len() as u32);
        let hunks = hunks.into_iter().map(|hunk| Hunk { old: part(hunk.old), new: part(hunk.new) });
        Self { forward: short(new_of), backward: short(old_of), hunks: hunks.collect() }
    }

    /// Where in the new version the old pieces of a hunk would stand: on the edges that lead past them now.
    fn deletion(&self, old: &FunctionFacts, new: &FunctionFacts, hunk: Hunk) -> Deletion {
        let region: Vec<u32> = (hunk.old.0..hunk.old.0 + hunk.old.1).collect();
        let before = self.survivors(&region, |piece| {
            old.flow.iter().filter(|edge| edge.1 == piece).map(|edge| edge.0).collect()
        });
        let behind = self.survivors(&region, |piece| old.leaving(piece).iter().map(|edge| edge.1).collect());
        let was = |edge: &(u32, u32, u64)| {
            let &(from, to, kind) = edge;
            let place = |piece: u32| self.backward[piece as usize];
            match (place(from), place(to)) {
                (Some(from), Some(to)) => old.leaving(from).contains(&(from, to, kind)),
                _ => false,
            }
        };
        let past = |edge: &&(u32, u32, u64)| before.contains(&edge.0) && behind.contains(&edge.1);
        let mut edges: Vec<(u32, u32)> =
            new.flow.iter().filter(past).filter(|edge| !was(edge)).map(|edge| (edge.0, edge.1)).collect();
        let next = if (hunk.new.0 as usize) < new.pieces.len() { hunk.new.0 } else { EXIT };
        if edges.is_empty() {
            edges = new.flow.iter().filter(|edge| edge.1 == next).map(|edge| (edge.0, edge.1)).collect();
        }
        edges.dedup();
        let last = new.pieces.iter().map(|it| it.last).max().unwrap_or(0);
        let line = if next == EXIT { new.line + last } else { new.line_of(next as usize) };
        Deletion { edges, line, old_line: old.line_of(hunk.old.0 as usize), old: hunk.old, before: next }
    }

    /// The new pieces next to a region of old ones, in the direction of `next`, over whatever is gone.
    fn survivors(&self, region: &[u32], next: impl Fn(u32) -> Vec<u32>) -> BTreeSet<u32> {
        let mut seen: BTreeSet<u32> = region.iter().copied().collect();
        let mut waiting = region.to_vec();
        let mut found = BTreeSet::new();
        while let Some(piece) = waiting.pop() {
            for other in next(piece) {
                match self.forward[other as usize] {
                    Some(new) => drop(found.insert(new)),
                    None if seen.insert(other) => waiting.push(other),
                    None => {}
                }
            }
        }
        found
    }

    /// Pieces that both versions have and from which control goes to another piece that both have: a brace or a label
    /// moved. What is explained by new and deleted pieces is not meant.
    fn redirected(&self, old: &FunctionFacts, new: &FunctionFacts) -> Vec<u32> {
        let mut found = Vec::new();
        for piece in 0..new.pieces.len() as u32 {
            let Some(before) = self.backward[piece as usize] else { continue };
            let image = |edge: &(u32, u32, u64)| Some((edge.2, self.forward[edge.1 as usize]?));
            let own = |edge: &(u32, u32, u64)| self.backward[edge.1 as usize].map(|_| (edge.2, edge.1));
            let kinds =
                |edges: &[(u32, u32, u64)]| -> BTreeSet<u64> { edges.iter().map(|it| it.2).collect() };
            let (gone, fresh) = (old.leaving(before), new.leaving(piece));
            let was: BTreeSet<(u64, u32)> = gone.iter().filter_map(image).collect();
            let is: BTreeSet<(u64, u32)> = fresh.iter().filter_map(own).collect();
            if was == is {
                continue;
            }
            let (old_kinds, new_kinds) = (kinds(gone), kinds(fresh));
            // An outcome that leads to something else in both, or that only one has and leads to what both have.
            let differs = |kind: &u64| {
                let at = |set: &BTreeSet<(u64, u32)>| -> BTreeSet<u32> {
                    set.iter().filter(|it| it.0 == *kind).map(|it| it.1).collect()
                };
                let (a, b) = (at(&was), at(&is));
                match (old_kinds.contains(kind), new_kinds.contains(kind)) {
                    (true, true) => !a.is_empty() && !b.is_empty() && a != b,
                    _ => !a.is_empty() || !b.is_empty(),
                }
            };
            if old_kinds.union(&new_kinds).any(differs)
                && new.pieces[piece as usize].kind != PieceKind::Synthetic
            {
                found.push(piece);
            }
        }
        found
    }
}
