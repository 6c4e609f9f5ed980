//! A program that shows only what a change affects (B6): statements that no affected output depends on are taken out of the
//! source, and functions that nothing mentions any more.
//!
//! Only expression statements and whole functions go. Conditions, jumps, declarations and `return` stay, with everything they
//! depend on, so that loops end as before and nothing is read that was not set.

use crate::depend::{Dependence, StatementId, uses};
use hydrogen_ir::{Function, Piece, Position, Role, fold};
use hydrogen_library::{Library, Trait};
use hydrogen_model::sources::words;
use hydrogen_syntax::NameHash;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// What is taken out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reduction {
    /// Per file, the places that go, in order.
    pub cuts: BTreeMap<String, Vec<Cut>>,
    /// How many statements stay, and how many go.
    pub statements: (usize, usize),
    /// How many functions stay, and how many go.
    pub functions: (usize, usize),
}

/// A place that goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// Where it begins.
    pub start: Position,
    /// Just behind its last byte.
    pub end: Position,
    /// What stands there by the reading, to be compared with the source; nothing for a whole function.
    pub text: Option<String>,
}

/// Reduces a program to what these statements depend on.
pub fn reduce(dependence: &Dependence, wanted: &[StatementId]) -> Reduction {
    let program = Reducer::new(dependence);
    let mut criterion: Vec<StatementId> = wanted.to_vec();
    criterion.extend(program.ends());
    let mut kept: FxHashSet<usize> = FxHashSet::default();
    let slice = loop {
        let slice = dependence.backward(criterion.iter().copied());
        let reached = (0..program.functions.len()).filter(|&at| slice[program.functions[at].1.0 as usize]);
        let mut fresh: Vec<usize> = reached.filter(|at| !kept.contains(at)).collect();
        fresh.extend(program.mentioned(&kept, &slice));
        fresh.retain(|at| kept.insert(*at));
        if fresh.is_empty() {
            break slice;
        }
        fresh.sort_unstable();
        for at in fresh {
            criterion.extend(program.staying(at));
        }
    };
    program.cuts(&kept, &slice)
}

struct Reducer<'a> {
    dependence: &'a Dependence,
    /// Unit and entry of each function.
    functions: Vec<(usize, StatementId)>,
    by_name: FxHashMap<NameHash, Vec<usize>>,
}

impl<'a> Reducer<'a> {
    fn new(dependence: &'a Dependence) -> Self {
        let functions: Vec<(usize, StatementId)> =
            dependence.functions().map(|(unit, _, entry)| (unit as usize, entry)).collect();
        let mut by_name: FxHashMap<NameHash, Vec<usize>> = FxHashMap::default();
        for (at, (_, entry)) in functions.iter().enumerate() {
            let name = &dependence.place(*entry).1.name;
            by_name.entry(NameHash::of(name.as_bytes())).or_default().push(at);
        }
        Self { dependence, functions, by_name }
    }

    fn function(&self, at: usize) -> (&'a Function, StatementId) {
        let entry = self.functions[at].1;
        (self.dependence.place(entry).1, entry)
    }

    /// The statements that end the program, wherever they are.
    fn ends(&self) -> Vec<StatementId> {
        let library = Library::standard();
        let names = [Trait::Ends, Trait::Jumps, Trait::MayEnd].into_iter().flat_map(|what| library.all(what));
        let names: Vec<NameHash> = names.map(|name| NameHash::of(name.as_bytes())).collect();
        let all = (0..self.functions.len()).flat_map(|at| {
            let (function, entry) = self.function(at);
            let ends =
                |piece: &Piece| uses(&piece.text, false).calls.iter().any(|(name, _)| names.contains(name));
            let found = function.pieces.iter().enumerate().filter(move |(_, piece)| ends(piece));
            found.map(move |(piece, _)| StatementId(entry.0 + piece as u32)).collect::<Vec<_>>()
        });
        all.collect()
    }

    /// The statements of a kept function that are never taken out.
    fn staying(&self, at: usize) -> Vec<StatementId> {
        let (function, entry) = self.function(at);
        let goes: FxHashSet<usize> = removable(function).into_iter().flatten().collect();
        let stays = (0..function.pieces.len()).filter(|piece| !goes.contains(piece));
        stays.map(|piece| StatementId(entry.0 + piece as u32)).collect()
    }

    /// The functions that what is left of the kept ones, or something outside of functions, names.
    fn mentioned(&self, kept: &FxHashSet<usize>, slice: &[bool]) -> Vec<usize> {
        let mut named: FxHashSet<NameHash> = FxHashSet::default();
        for &at in kept {
            let (function, entry) = self.function(at);
            let gone: FxHashSet<usize> = self.gone(at, slice).into_iter().flatten().collect();
            for (piece, code) in function.pieces.iter().enumerate() {
                if !gone.contains(&piece) {
                    debug_assert!(entry.0 as usize + piece < slice.len(), "every piece is a statement");
                    named.extend(words(&code.text));
                }
            }
        }
        for unit in self.dependence.units() {
            for item in &unit.items {
                // A declaration of a function is no use of it.
                if !matches!(item.kind, hydrogen_syntax::ItemKind::Prototype) {
                    named.extend(words(&item.text));
                }
            }
        }
        let found = named.iter().filter_map(|name| self.by_name.get(name)).flatten();
        found.copied().filter(|at| !kept.contains(at)).collect()
    }

    /// The statements of a kept function that go: their pieces.
    fn gone(&self, at: usize, slice: &[bool]) -> Vec<Vec<usize>> {
        let (function, entry) = self.function(at);
        let unused = |pieces: &Vec<usize>| pieces.iter().all(|piece| !slice[entry.0 as usize + piece]);
        removable(function).into_iter().filter(unused).collect()
    }

    fn cuts(&self, kept: &FxHashSet<usize>, slice: &[bool]) -> Reduction {
        let mut reduction = Reduction::default();
        for at in 0..self.functions.len() {
            let (function, _) = self.function(at);
            let name = &self.dependence.units()[self.functions[at].0].module.name;
            let cuts = reduction.cuts.entry(name.clone()).or_default();
            let all = function.pieces.len().saturating_sub(2);
            if !kept.contains(&at) {
                reduction.functions.1 += 1;
                reduction.statements.1 += all;
                cuts.extend(function.span.map(|span| Cut { start: span.start, end: span.end, text: None }));
                continue;
            }
            reduction.functions.0 += 1;
            let gone = self.gone(at, slice);
            for pieces in &gone {
                let code = &function.pieces[pieces[pieces.len() - 1]];
                let text = Some(code.text.clone());
                cuts.extend(code.span.map(|span| Cut { start: span.start, end: span.end, text }));
            }
            let went = gone.iter().map(Vec::len).sum::<usize>();
            reduction.statements.0 += all - went;
            reduction.statements.1 += went;
        }
        reduction.cuts.retain(|_, cuts| !cuts.is_empty());
        reduction.cuts.values_mut().for_each(|cuts| cuts.sort_by_key(|cut| (cut.start, cut.end)));
        reduction
    }
}

/// The statements of a function that may be taken out: expression statements, each with the pieces inside of it before it.
fn removable(function: &Function) -> Vec<Vec<usize>> {
    let mut found = Vec::new();
    let mut inside: Vec<usize> = Vec::new();
    for (at, piece) in function.pieces.iter().enumerate() {
        match piece.role {
            Role::Condition | Role::Arm => inside.push(at),
            Role::Expression if piece.part == 0 => {
                inside.retain(|&other| function.pieces[other].statement == piece.statement);
                inside.push(at);
                found.push(std::mem::take(&mut inside));
            }
            _ => inside.clear(),
        }
    }
    found
}

/// The source without the cuts. Lines keep their numbers. A cut whose text is not what the source has there, or behind which no
/// statement ends, is left in: that is counted.
pub fn cut(source: &[u8], cuts: &[Cut]) -> (Vec<u8>, usize) {
    let mut starts = vec![0];
    starts.extend(source.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1));
    let offset = |at: Position| {
        let line = starts.get((at.line as usize).checked_sub(1)?)?;
        let offset = line + (at.column as usize).checked_sub(1)?;
        (offset <= source.len()).then_some(offset)
    };
    let mut out = Vec::with_capacity(source.len());
    let (mut done, mut left) = (0, 0);
    for cut in cuts {
        let place =
            offset(cut.start).zip(offset(cut.end)).filter(|(start, end)| done <= *start && start <= end);
        let Some((start, end)) = place.filter(|&(start, end)| fits(source, cut, start, end)) else {
            left += 1;
            continue;
        };
        out.extend_from_slice(&source[done..start]);
        out.extend(source[start..end].iter().filter(|byte| **byte == b'\n'));
        done = end;
    }
    out.extend_from_slice(&source[done..]);
    (out, left)
}

fn fits(source: &[u8], cut: &Cut, start: usize, end: usize) -> bool {
    let Some(text) = &cut.text else { return true };
    let there = fold(&source[start..end]);
    let same = there.trim_end_matches(';').trim() == text.trim_end_matches(';').trim();
    let next = source[end..].iter().find(|byte| !byte.is_ascii_whitespace());
    // Without its end the statement could not become an empty one. What holds a directive is left alone.
    same && (next == Some(&b';') && !there.ends_with(';')) && !source[start..end].contains(&b'#')
}
