//! The C files of one tree, moving along a history.

use super::mentions::Index;
use super::{Sources, is_c, is_header};
use bstr::BString;
use hydrogen_history::Objects;
use hydrogen_history::tree::{Change, ChangedFile, Error, FileEntry};
use hydrogen_syntax::{NameCounts, NameHash, Names};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The C files of one tree, and what its headers say about names. The default is the empty tree.
#[derive(Debug, Clone, Default)]
pub struct Snapshot {
    tree: Option<String>,
    files: BTreeMap<BString, FileEntry>,
    headers: NameCounts,
    mentions: Index,
}

/// What a step from one tree to another met.
#[derive(Debug, Clone, Default)]
pub struct Step {
    /// Every file that differs, also those that are no C, sorted by path.
    pub changed: Vec<ChangedFile>,
    /// The names about which headers say something else now, sorted.
    pub names: Vec<NameHash>,
}

/// Another tree, seen from where a snapshot is.
#[derive(Debug)]
pub struct Glance {
    /// Every file that differs, from that tree to the snapshot's, also those that are no C, sorted by path.
    pub changed: Vec<ChangedFile>,
    /// The C files of that tree that are read anew when going from it to the snapshot's, and those that are gone then.
    pub files: Vec<FileEntry>,
    /// What the headers of that tree say.
    pub known: Arc<Names>,
}

impl Snapshot {
    /// The hash of the tree; nothing for the empty one.
    pub fn tree(&self) -> Option<&str> {
        self.tree.as_deref()
    }

    /// The C files, sorted by path.
    pub fn files(&self) -> impl Iterator<Item = &FileEntry> {
        self.files.values()
    }

    /// The C file at a path.
    pub fn file(&self, path: &[u8]) -> Option<&FileEntry> {
        self.files.get(path)
    }

    /// What the headers say.
    pub fn known(&self) -> &Arc<Names> {
        self.headers.known()
    }

    /// Moves to another tree of the same repository, which need not be a neighbour: only what differs is looked at. After
    /// an error the snapshot is where it was.
    pub fn advance<T>(&mut self, sources: &Sources<T>, objects: &Objects, tree: &str) -> Result<Step, Error> {
        if self.tree.as_deref() == Some(tree) {
            return Ok(Step::default());
        }
        let changed = objects.changes(self.tree.as_deref(), tree)?;
        let headers = headers(sources, objects, &changed)?;
        let names = self.headers.replace(headers.iter().map(|(old, new)| (old.as_deref(), new.as_deref())));
        sources.teach(&mut self.mentions);
        for (before, after) in changed.iter().map(sides) {
            let (before, after) = (before.filter(|file| is_c(file)), after.filter(|file| is_c(file)));
            if let Some(file) = before {
                self.files.remove(&file.path);
            }
            if let Some(file) = after {
                self.files.insert(file.path.clone(), file.clone());
            }
            if let Some(file) = after.or(before) {
                self.mentions.changed(&file.path, after.map(|file| file.oid));
            }
        }
        self.tree = Some(tree.to_owned());
        Ok(Step { changed, names })
    }

    /// Looks at another tree without going there: what [`Snapshot::advance`] would meet on the way from it to here. A merge is
    /// compared with parents that are far apart; going to each of them and back would cost all that they differ in twice.
    pub fn glance<T>(
        &mut self,
        sources: &Sources<T>,
        objects: &Objects,
        tree: &str,
    ) -> Result<Glance, Error> {
        let here = self.tree.as_deref().unwrap_or_default();
        let changed = objects.changes(Some(tree), here)?;
        let headers = headers(sources, objects, &changed)?;
        let sides = || headers.iter().map(|(old, new)| (old.as_deref(), new.as_deref()));
        let now = Arc::clone(self.headers.known());
        let names = self.headers.replace(sides().map(|(old, new)| (new, old)));
        let known = Arc::clone(self.headers.known());
        self.headers.replace(sides());
        self.headers.is_known(now);
        sources.teach(&mut self.mentions);
        let mut files: Vec<FileEntry> = Vec::new();
        let different: BTreeSet<&BString> = changed.iter().map(|file| &file.path).collect();
        files.extend(changed.iter().filter_map(|it| self::sides(it).0).filter(|file| is_c(file)).cloned());
        let users = if names.is_empty() { BTreeSet::new() } else { self.mentions.of(&names) };
        let others = users.into_iter().filter(|path| !different.contains(path));
        files.extend(others.filter_map(|path| self.file(path)).cloned());
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(Glance { changed, files, known })
    }
}

/// What a header says before and after.
type Said = (Option<Arc<Names>>, Option<Arc<Names>>);

/// What the headers among changed files say.
fn headers<T>(sources: &Sources<T>, objects: &Objects, changed: &[ChangedFile]) -> Result<Vec<Said>, Error> {
    let mut headers = Vec::new();
    let names = |file: &FileEntry| sources.names(objects, file.oid);
    for (before, after) in changed.iter().map(sides) {
        let header = |file: &&FileEntry| is_c(file) && is_header(file);
        let (before, after) = (before.filter(header), after.filter(header));
        // A mode change leaves the content as it was.
        if before.map(|file| file.oid) != after.map(|file| file.oid) {
            headers.push((before.map(names).transpose()?, after.map(names).transpose()?));
        }
    }
    Ok(headers)
}

impl Step {
    /// The C files of the tree reached that are to be read: those that changed, and those that mention a name about which
    /// headers say something else now, or may do. Sorted by path.
    pub fn reread<'a>(&self, reached: &'a Snapshot) -> Vec<&'a FileEntry> {
        let touched: Vec<&FileEntry> = self.changed.iter().filter_map(|it| reached.file(&it.path)).collect();
        if self.names.is_empty() {
            return touched;
        }
        let mut files = touched;
        files.extend(reached.mentions.of(&self.names).into_iter().filter_map(|path| reached.file(path)));
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        files.dedup_by(|a, b| a.path == b.path);
        files
    }
}

/// A file before and after.
fn sides(changed: &ChangedFile) -> (Option<&FileEntry>, Option<&FileEntry>) {
    match &changed.change {
        Change::Added(new) => (None, Some(new)),
        Change::Deleted(old) => (Some(old), None),
        Change::Modified { old, new } => (Some(old), Some(new)),
    }
}
