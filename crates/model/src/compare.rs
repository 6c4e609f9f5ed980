//! Which functions two versions have in common, and which changed.

use crate::version::VersionModel;
use hydrogen_align::Partners;
pub use hydrogen_evidence::changed::Status;
use hydrogen_ir::{ContentHash, FunctionSummary, Linkage};
use hydrogen_statements::canonical;
use hydrogen_syntax::ItemKind;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// Why a function counts as updated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Its statements changed.
    Statements,
    /// Its statements are spelled differently and compile to the same code.
    Spelling,
    /// Its statements are the same and compile to other code: a macro, type or declaration changed.
    Meaning,
    /// Its code is the same, and these globals that it uses changed.
    Globals(Vec<String>),
    /// It had this name.
    Renamed(String),
}

impl std::fmt::Display for Change {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Change::Statements => write!(out, "statements changed"),
            Change::Spelling => write!(out, "spelled differently, same code"),
            Change::Meaning => {
                write!(out, "same statements, other code: a macro, type or declaration changed")
            }
            Change::Globals(names) => write!(out, "uses what changed: {}", names.join(", ")),
            Change::Renamed(from) => write!(out, "renamed from {from}"),
        }
    }
}

/// A function in two versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionChange {
    /// Its name.
    pub name: String,
    /// Its file, in the new version where it has one.
    pub file: String,
    /// Its first line there.
    pub line: u32,
    /// What became of it.
    pub status: Status,
    /// Why, when it was updated.
    pub change: Option<Change>,
}

/// What could be said about the functions of two versions, and about how many nothing could.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comparison {
    /// The functions, sorted by file, line and name.
    pub functions: Vec<FunctionChange>,
    /// Functions that only one version shows because their file did not compile in the other.
    pub undecided: Vec<FunctionChange>,
}

/// All functions of the two versions. Functions of system headers are left out.
pub fn compare(old: &VersionModel, new: &VersionModel) -> Comparison {
    let (undecided, functions) = changes(old, new).into_iter().partition(|change| match change.status {
        Status::Added => may_be_in_a_failure(old, &change.file),
        Status::Deleted => may_be_in_a_failure(new, &change.file),
        Status::Updated | Status::Renamed | Status::Unchanged => false,
    });
    Comparison { functions, undecided }
}

/// Whether a version may define functions of this file after all, in a unit that could not be read: the file itself,
/// or any unit that includes the header.
fn may_be_in_a_failure(version: &VersionModel, file: &str) -> bool {
    version.failures.iter().any(|failure| failure.file == file || !file.ends_with(".c"))
}

/// A function and its file, wherever the file stands.
fn in_folder((name, file): &(String, String)) -> (&str, &str) {
    (name, file.rsplit('/').next().unwrap_or(file))
}

fn changes(old: &VersionModel, new: &VersionModel) -> Vec<FunctionChange> {
    let (old, new) = (entries(old), entries(new));
    let mut partners =
        Partners::by_key(old.iter().map(|(key, _)| key.clone()), new.iter().map(|(key, _)| key.clone()));
    // Where a folder moved, several of a name are told apart by their files.
    partners.then_by_name(|at| in_folder(&old[at].0), |at| in_folder(&new[at].0));
    partners.then_by_name(|at| &old[at].0.0, |at| &new[at].0.0);
    // What is left and says the very same under another name. Short ones look alike by chance.
    let said = |entry: &Entry, at: usize, side: usize| match entry.pieces >= TELLING {
        true => (entry.texts.iter().map(|(text, _)| *text).collect::<Vec<_>>(), None),
        false => (Vec::new(), Some((side, at))),
    };
    partners.then_by_name(|at| said(&old[at].1, at, 0), |at| said(&new[at].1, at, 1));
    let mut changes = Vec::new();
    for (((name, file), entry), was) in new.iter().zip(&partners.old_of) {
        changes.push(match was {
            Some(was) => entry.against(&old[*was], name.clone(), file.clone()),
            None => entry.alone(name.clone(), file.clone(), Status::Added),
        });
    }
    for ((name, file), entry) in partners.gone().into_iter().map(|at| &old[at]) {
        changes.push(entry.alone(name.clone(), file.clone(), Status::Deleted));
    }
    changes.sort_by(|a, b| (&a.file, a.line, &a.name).cmp(&(&b.file, b.line, &b.name)));
    changes
}

/// A function has so many pieces, entry and exit included, that it can be told by what it says.
const TELLING: u32 = 5;

/// A function; one source function can be compiled several times, with other flags or in several units.
#[derive(Default)]
struct Entry {
    line: u32,
    pieces: u32,
    texts: BTreeSet<(ContentHash, String)>,
    codes: BTreeSet<Option<ContentHash>>,
    globals: BTreeMap<String, BTreeSet<ContentHash>>,
    /// Macros among these, where only the source is known: one that comes or goes changes what a name is.
    macros: BTreeSet<String>,
}

/// The functions of a version by name and file.
fn entries(model: &VersionModel) -> Vec<((String, String), Entry)> {
    let mut public: BTreeMap<&str, ContentHash> = BTreeMap::new();
    for global in model.units.iter().flat_map(|unit| &unit.summary.globals) {
        if global.linkage != Linkage::Internal {
            public.entry(&global.name).or_insert(global.seen);
        }
    }
    let macros: HashSet<(&str, Option<&str>)> = model
        .items
        .iter()
        .filter(|item| item.kind == ItemKind::Macro)
        .map(|item| (item.name.as_str(), item.file.as_deref()))
        .collect();
    let mut entries: BTreeMap<(String, String), Entry> = BTreeMap::new();
    for unit in &model.units {
        let own: BTreeMap<&str, ContentHash> =
            unit.summary.globals.iter().map(|global| (global.name.as_str(), global.seen)).collect();
        for function in unit.summary.functions.iter().filter(|function| is_of_the_program(function)) {
            let entry = entries.entry((function.name.clone(), function.file.clone())).or_default();
            entry.line = if entry.line == 0 { function.line } else { entry.line.min(function.line) };
            entry.texts.insert((function.print.text, canonical(&function.signature)));
            entry.codes.insert(function.code);
            entry.pieces = entry.pieces.max(function.piece_count);
            for name in &function.globals {
                let hash = own.get(name.as_str()).or_else(|| public.get(name.as_str()));
                entry.globals.entry(name.clone()).or_default().extend(hash.copied());
                let is_macro = |file: Option<&str>| macros.contains(&(name.as_str(), file));
                if function.code.is_none() && (is_macro(Some(&function.file)) || is_macro(None)) {
                    entry.macros.insert(name.clone());
                }
            }
        }
    }
    entries.into_iter().collect()
}

/// Files outside the version's root have absolute names.
fn is_of_the_program(function: &FunctionSummary) -> bool {
    !function.file.starts_with('/')
}

impl Entry {
    fn alone(&self, name: String, file: String, status: Status) -> FunctionChange {
        FunctionChange { name, file, line: self.line, status, change: None }
    }

    fn against(&self, was: &((String, String), Entry), name: String, file: String) -> FunctionChange {
        let ((old_name, _), before) = was;
        if *old_name != name {
            let change = Some(Change::Renamed(old_name.clone()));
            return FunctionChange { name, file, line: self.line, status: Status::Renamed, change };
        }
        let change = self.change_since(before);
        let status = if change.is_some() { Status::Updated } else { Status::Unchanged };
        FunctionChange { name, file, line: self.line, status, change }
    }

    fn change_since(&self, before: &Entry) -> Option<Change> {
        let same_text = self.texts == before.texts;
        let same_code = self.codes == before.codes;
        match (same_text, same_code) {
            (false, false) => return Some(Change::Statements),
            (true, false) => return Some(Change::Meaning),
            // Without code there is only the text to go by.
            (false, true) if self.codes.contains(&None) => return Some(Change::Statements),
            (false, true) => return Some(Change::Spelling),
            (true, true) => {}
        }
        let differs = |(name, hashes): &(&String, &BTreeSet<ContentHash>)| {
            before.globals.get(*name).is_some_and(|old| old != *hashes)
        };
        let mut names: Vec<String> =
            self.globals.iter().filter(differs).map(|(name, _)| name.clone()).collect();
        names.extend(self.macros.symmetric_difference(&before.macros).cloned());
        // What a pointer leads to is told by the pointer's name, and a part of a variable by the variable's.
        names
            .iter_mut()
            .for_each(|name| *name = name.trim_start_matches('&').trim_end_matches('.').to_owned());
        names.sort_unstable();
        names.dedup();
        (!names.is_empty()).then_some(Change::Globals(names))
    }
}
