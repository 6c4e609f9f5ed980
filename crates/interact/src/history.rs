//! The complexity of every commit of a history.

use crate::Reading;
use crate::changes::Changes;
use crate::complexity::Complexity;
use crate::facts::FileFacts;
use crate::index::Index;
use crate::pairs::Touched;
use hydrogen_history::tree::{Change, ChangedFile, Error, FileEntry, Kind};
use hydrogen_history::version::{CommitInfo, near_order};
use hydrogen_history::{Objects, Repository};
use hydrogen_model::sources::{Sources, Step, is_c};
use rayon::prelude::*;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// What a commit gave.
#[derive(Debug, Clone)]
pub struct Measured {
    /// Its complexity, or why there is none.
    pub complexity: Result<Complexity, String>,
    /// What is worth knowing about the answer.
    pub notes: Vec<String>,
}

/// How a history is measured.
pub struct Walk<'a> {
    /// The repository.
    pub repository: &'a Repository,
    /// The reading.
    pub reading: Reading,
    /// Compare a merge with its first parent, instead of taking what is changed against all of them.
    pub first_parent: bool,
    /// Called after each commit.
    pub done: &'a (dyn Fn() + Sync),
    /// Asked before each commit; the rest is left out once it says so.
    pub stop: &'a (dyn Fn() -> bool + Sync),
}

/// About how many bytes of files read are kept for the whole walk.
const BUDGET: usize = 384 << 20;
/// Fewer commits than this in a row are not worth another thread, which has to read the tree they begin with.
const LEAST: usize = 48;

/// Measures commits; `digest` says what is kept of each. The result is in the order given, and shorter when the walk was
/// stopped.
///
/// They are gone through in an order in which neighbours differ little, divided among threads in stretches; what was
/// read of a file is shared by all.
pub fn measure_history<R: Send>(
    walk: &Walk<'_>,
    commits: &[CommitInfo],
    digest: impl Fn(&CommitInfo, Measured) -> R + Sync,
) -> Vec<R> {
    let sources = FileFacts::sources(BUDGET);
    let threads = rayon::current_num_threads();
    let order = near(walk.repository, commits);
    let stretch = order.len().div_ceil(threads).max(LEAST);
    let found: Vec<(usize, R)> = order
        .par_chunks(stretch)
        .flat_map_iter(|part| {
            let mut worker = Worker {
                walk,
                sources: &sources,
                objects: Objects::new(walk.repository),
                index: Index::default(),
                trees: FxHashMap::default(),
            };
            let mut results = Vec::with_capacity(part.len());
            for &at in part {
                if (walk.stop)() {
                    break;
                }
                let measured = worker.measure(&commits[at]);
                results.push((at, digest(&commits[at], measured)));
                (walk.done)();
            }
            results
        })
        .collect();
    let mut all: Vec<Option<R>> = commits.iter().map(|_| None).collect();
    found.into_iter().for_each(|(at, result)| all[at] = Some(result));
    // One that was not reached hides those behind it.
    all.into_iter().map_while(|result| result).collect()
}

/// The order in which commits are gone through.
fn near(repository: &Repository, commits: &[CommitInfo]) -> Vec<usize> {
    let objects = Objects::new(repository);
    let places: FxHashMap<&str, usize> =
        commits.iter().map(|commit| commit.commit.as_str()).zip(0..).collect();
    let inside = |commit: &CommitInfo| -> Vec<usize> {
        let parents = commit.parents.iter().filter_map(|parent| places.get(parent.as_str()).copied());
        parents.collect::<BTreeSet<usize>>().into_iter().collect()
    };
    let inside: Vec<Vec<usize>> = commits.iter().map(inside).collect();
    let made = |parent: &String| objects.committed(parent).ok();
    let begun = |(commit, inside): (&CommitInfo, &Vec<usize>)| match inside.is_empty() {
        true => commit.parents.iter().filter_map(made).max().unwrap_or(0),
        false => 0,
    };
    let begun: Vec<i64> = commits.iter().zip(&inside).map(begun).collect();
    near_order(&inside, &begun)
}

struct Worker<'a> {
    walk: &'a Walk<'a>,
    sources: &'a Sources<FileFacts>,
    objects: Objects,
    index: Index,
    /// Trees of the commits seen.
    trees: FxHashMap<String, String>,
}

impl Worker<'_> {
    fn measure(&mut self, commit: &CommitInfo) -> Measured {
        self.trees.insert(commit.commit.clone(), commit.tree.clone());
        let mut notes = Vec::new();
        let complexity = self.changes(commit, &mut notes).map_err(|error| {
            // The index may be halfway between two trees.
            self.index = Index::default();
            error.to_string()
        });
        let complexity = complexity.and_then(|found| match found {
            Found::Changes(changes) => Ok(Complexity::of(&self.index, changes, self.walk.reading)),
            Found::Nothing => Ok(Complexity::none()),
            Found::Reason(reason) => Err(reason),
        });
        Measured { complexity, notes }
    }

    fn changes(&mut self, commit: &CommitInfo, notes: &mut Vec<String>) -> Result<Found, Error> {
        if !commit.parents.is_empty() && self.objects.is_cut(&commit.commit)? {
            let reason = "its parents are not in this shallow clone; `git fetch --unshallow` brings them";
            return Ok(Found::Reason(reason.into()));
        }
        let parents = match commit.parents.len() {
            0 => {
                self.index = Index::default();
                let (touched, step) = self.arrive(&commit.tree, notes)?;
                note(&step.changed, notes);
                return Ok(Found::Changes(self.walk.reading.changes(&self.index, &touched)));
            }
            _ if self.walk.first_parent => &commit.parents[..1],
            _ => &commit.parents[..],
        };
        let mut trees = Vec::new();
        for parent in parents {
            trees.push(self.tree(parent)?);
        }
        if trees.len() > 1 && !self.has_own_files(commit, &trees)? {
            notes.push("a merge without changes of its own".into());
            return Ok(Found::Nothing);
        }
        if let [tree] = &trees[..] {
            let changed = self.objects.changes(Some(tree), &commit.tree)?;
            if !changed.iter().any(has_c) {
                note(&changed, notes);
                return Ok(Found::Nothing);
            }
            self.advance(tree)?;
            let (touched, _) = self.arrive(&commit.tree, notes)?;
            note(&changed, notes);
            return Ok(Found::Changes(self.walk.reading.changes(&self.index, &touched)));
        }
        self.advance(&commit.tree)?;
        // Most merges bring a short line into a long one, and differ little from the long one.
        let touched = self.index.glance(self.walk.repository, &self.objects, self.sources, &trees[0])?;
        let first = self.walk.reading.changes(&self.index, &touched);
        let mut failed = Vec::new();
        let mut others: Option<Changes> = None;
        for tree in trees[1..].iter().rev() {
            let touched = self.index.glance(self.walk.repository, &self.objects, self.sources, tree)?;
            note_failed(&touched, &mut failed);
            let changes = self.walk.reading.changes_among(&self.index, &touched, &first);
            others = Some(match others {
                Some(before) => changes.common(&before),
                None => changes,
            });
        }
        note_failed(&touched, &mut failed);
        notes.extend(failed);
        let all = match others {
            Some(others) => first.common(&others),
            None => first,
        };
        notes.push("a merge; only what is changed against every parent counts".into());
        Ok(Found::Changes(all))
    }

    fn advance(&mut self, tree: &str) -> Result<(Vec<Touched>, Step), Error> {
        self.index.advance_with(self.walk.repository, &self.objects, self.sources, tree)
    }

    /// Moves to the commit's tree; what cannot be measured there is noted.
    fn arrive(&mut self, tree: &str, notes: &mut Vec<String>) -> Result<(Vec<Touched>, Step), Error> {
        let (touched, step) = self.advance(tree)?;
        note_failed(&touched, notes);
        Ok((touched, step))
    }

    fn tree(&mut self, commit: &str) -> Result<String, Error> {
        if let Some(tree) = self.trees.get(commit) {
            return Ok(tree.clone());
        }
        let tree = self.objects.commit(commit)?.tree;
        self.trees.insert(commit.to_owned(), tree.clone());
        Ok(tree)
    }

    /// Whether a merge has C files that differ from all parents: most have none.
    fn has_own_files(&self, commit: &CommitInfo, parents: &[String]) -> Result<bool, Error> {
        let mut common: Option<BTreeSet<Vec<u8>>> = None;
        for tree in parents {
            let changed = self.objects.changes(Some(tree), &commit.tree)?;
            let paths: BTreeSet<Vec<u8>> =
                changed.iter().filter(|file| has_c(file)).map(|file| file.path.to_vec()).collect();
            let both = match common {
                Some(before) => before.intersection(&paths).cloned().collect(),
                None => paths,
            };
            if both.is_empty() {
                return Ok(false);
            }
            common = Some(both);
        }
        Ok(true)
    }
}

enum Found {
    Changes(Changes),
    Nothing,
    Reason(String),
}

/// Whether a file is C before or after. Without one a commit changes nothing that is measured, and nobody has to go to its tree.
fn has_c(changed: &ChangedFile) -> bool {
    sides(&changed.change).iter().flatten().any(|file| is_c(file))
}

fn sides(change: &Change) -> [Option<&FileEntry>; 2] {
    match change {
        Change::Added(new) => [None, Some(new)],
        Change::Deleted(old) => [Some(old), None],
        Change::Modified { old, new } => [Some(old), Some(new)],
    }
}

/// The files that could not be read.
fn note_failed(touched: &[Touched], notes: &mut Vec<String>) {
    let sides = touched.iter().flat_map(|file| [&file.old, &file.new]).flatten();
    for failed in sides.filter_map(|file| file.failed.as_ref()) {
        if !notes.contains(failed) {
            notes.push(failed.clone());
        }
    }
}

/// What differs and is not measured.
fn note(changed: &[ChangedFile], notes: &mut Vec<String>) {
    let entries = || changed.iter().filter(|file| sides(&file.change).iter().flatten().count() > 0);
    let submodules = entries()
        .filter(|file| sides(&file.change).iter().flatten().any(|it| it.kind == Kind::Submodule))
        .count();
    if submodules > 0 {
        notes.push(format!("{submodules} submodules changed; their files are not in this repository"));
    }
    let endings: [&[u8]; 7] = [b".cc", b".cpp", b".cxx", b".hpp", b".hh", b".hxx", b".C"];
    let others = entries().filter(|file| endings.iter().any(|ending| file.path.ends_with(ending))).count();
    if others > 0 {
        notes.push(format!("{others} C++ files changed; only C is read"));
    }
}
