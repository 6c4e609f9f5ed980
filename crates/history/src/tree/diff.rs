//! What differs between two trees.

use std::cmp::Ordering;

use bstr::{BString, ByteSlice};
use gix::ObjectId;
use gix::objs::tree::EntryRef;

use super::{Error, FileEntry, entry_kind, list, object_error, too_large};
use crate::Oid;
use crate::limits::Room;

/// A file that is not the same in both versions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ChangedFile {
    /// Its path.
    pub path: BString,
    /// What happened to it.
    pub change: Change,
}

/// What happened to a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// Only the second version has it.
    Added(FileEntry),
    /// Only the first version has it.
    Deleted(FileEntry),
    /// Content or kind differ.
    Modified {
        /// In the first version.
        old: FileEntry,
        /// In the second one.
        new: FileEntry,
    },
}

/// What to call a tree in messages, and the tree.
type Side<'a> = (&'a str, ObjectId);

/// Compares two trees; a subtree with the same id on both sides is not read.
pub(crate) fn commits(repo: &gix::Repository, a: Side<'_>, b: Side<'_>) -> Result<Vec<ChangedFile>, Error> {
    let mut walk = Walk {
        repo,
        a: a.0,
        b: b.0,
        path: BString::default(),
        deleted: vec![],
        added: vec![],
        room: Room::new(),
    };
    walk.compare(a.1, b.1)?;
    Ok(join(walk.deleted, walk.added))
}

/// The two lists of files, paired by path.
fn join(mut deleted: Vec<FileEntry>, mut added: Vec<FileEntry>) -> Vec<ChangedFile> {
    deleted.sort_unstable();
    added.sort_unstable();
    let mut changes = Vec::with_capacity(deleted.len().max(added.len()));
    let mut added = added.into_iter().peekable();
    for old in deleted {
        while let Some(new) = added.next_if(|new| new.path < old.path) {
            changes.push(ChangedFile { path: new.path.clone(), change: Change::Added(new) });
        }
        let path = old.path.clone();
        let change = match added.next_if(|new| new.path == old.path) {
            Some(new) => Change::Modified { old, new },
            None => Change::Deleted(old),
        };
        changes.push(ChangedFile { path, change });
    }
    changes.extend(added.map(|new| ChangedFile { path: new.path.clone(), change: Change::Added(new) }));
    changes
}

struct Walk<'a> {
    repo: &'a gix::Repository,
    a: &'a str,
    b: &'a str,
    path: BString,
    deleted: Vec<FileEntry>,
    added: Vec<FileEntry>,
    room: Room,
}

impl Walk<'_> {
    fn compare(&mut self, a: ObjectId, b: ObjectId) -> Result<(), Error> {
        if a == b {
            return Ok(());
        }
        let path = self.path.as_bstr();
        self.room.take(path).map_err(|limit| too_large(self.b, path, limit))?;
        let (x, y) = (self.repo.find_tree(a), self.repo.find_tree(b));
        let x = x.map_err(|error| object_error(self.a, self.path.as_bstr(), error))?;
        let y = y.map_err(|error| object_error(self.b, self.path.as_bstr(), error))?;
        let x = x.decode().map_err(|error| object_error(self.a, self.path.as_bstr(), error))?;
        let y = y.decode().map_err(|error| object_error(self.b, self.path.as_bstr(), error))?;
        // Sorted by plain name here: git's own order puts `a/` and `a` at different places, and an entry that
        // turned from a file into a folder should still be met once.
        // Nearly all entries are the same on both sides, and need no order.
        let (x, y) = different(&x.entries, &y.entries);
        let (x, y) = (by_name(x), by_name(y));
        let (mut i, mut j) = (0, 0);
        while i < x.len() || j < y.len() {
            let order = match (x.get(i), y.get(j)) {
                (Some(old), Some(new)) => old.filename.cmp(new.filename),
                (Some(_), None) => Ordering::Less,
                _ => Ordering::Greater,
            };
            let old = (order != Ordering::Greater).then(|| x[i]);
            let new = (order != Ordering::Less).then(|| y[j]);
            i += usize::from(old.is_some());
            j += usize::from(new.is_some());
            self.entry(old, new)?;
        }
        Ok(())
    }

    fn entry(&mut self, old: Option<&EntryRef<'_>>, new: Option<&EntryRef<'_>>) -> Result<(), Error> {
        let Some(any) = old.or(new) else { return Ok(()) };
        if let (Some(old), Some(new)) = (old, new)
            && (old.oid, old.mode.kind()) == (new.oid, new.mode.kind())
        {
            return Ok(());
        }
        let length = self.path.len();
        if length > 0 {
            self.path.push(b'/');
        }
        self.path.extend_from_slice(any.filename);
        crate::strange::note(self.path.as_bstr());
        match (old, new) {
            (Some(old), Some(new)) if old.mode.is_tree() && new.mode.is_tree() => {
                self.compare(old.oid.to_owned(), new.oid.to_owned())?;
            }
            _ => {
                collect(self.repo, self.a, old, &mut self.path, (&mut self.deleted, &mut self.room))?;
                collect(self.repo, self.b, new, &mut self.path, (&mut self.added, &mut self.room))?;
            }
        }
        self.path.truncate(length);
        Ok(())
    }
}

/// Two lists without what both have at the beginning and at the end.
fn different<'a, 'b, 'c>(
    x: &'b [EntryRef<'a>],
    y: &'c [EntryRef<'a>],
) -> (&'b [EntryRef<'a>], &'c [EntryRef<'a>]) {
    let same = |(x, y): &(&EntryRef<'_>, &EntryRef<'_>)| x == y;
    let before = x.iter().zip(y).take_while(same).count();
    let (x, y) = (&x[before..], &y[before..]);
    let behind = x.iter().rev().zip(y.iter().rev()).take_while(same).count();
    (&x[..x.len() - behind], &y[..y.len() - behind])
}

fn by_name<'a, 'b>(entries: &'b [EntryRef<'a>]) -> Vec<&'b EntryRef<'a>> {
    let mut sorted: Vec<_> = entries.iter().collect();
    sorted.sort_by_key(|entry| entry.filename);
    sorted
}

fn collect(
    repo: &gix::Repository,
    version: &str,
    entry: Option<&EntryRef<'_>>,
    path: &mut BString,
    (files, room): (&mut Vec<FileEntry>, &mut Room),
) -> Result<(), Error> {
    let Some(entry) = entry else { return Ok(()) };
    match entry_kind(entry.mode) {
        Some(kind) => files.push(FileEntry { path: path.clone(), oid: Oid(entry.oid.to_owned()), kind }),
        None => list(repo, version, entry.oid.to_owned(), path, files, room)?,
    }
    Ok(())
}
