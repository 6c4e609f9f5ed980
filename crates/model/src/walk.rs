//! Versions of one repository in build-free mode, one after the other: each costs what differs from the one before.

use crate::common::differing;
use crate::item_table::{ItemChange, ItemTable};
use crate::items::{FileItem, VersionItem};
use crate::modeller::{Error, Modeller, lock};
use crate::outline::{Outline, OutlinePiece};
use crate::sources::{Snapshot, Sources, is_c};

use bstr::BString;
use hydrogen_history::tree::{Change, ChangedFile, FileEntry};
use hydrogen_history::version::{self, CommitInfo};
use hydrogen_history::{Objects, Oid, Repository};
use hydrogen_syntax::Names;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// About how many bytes of units are kept for files that come back.
const KEPT: usize = 256 << 20;
/// So many commits are looked at ahead, and all files that they need are read in parallel.
const AHEAD: usize = 32;

/// What a commit changes in the C files of the commit before it in a list.
#[derive(Debug, Default)]
pub struct Arrival {
    /// Whether the files of the commit before are to be forgotten: it is of another repository.
    pub afresh: bool,
    /// Files that are gone.
    pub removed: Vec<BString>,
    /// Files that are new or read anew.
    pub units: Vec<(BString, Arc<Outline>)>,
    /// Macros, types, variables and members that changed.
    pub changes: Vec<ItemChange>,
    /// All of them, where they are asked for; shared with the commit before when none changed.
    pub items: Arc<[VersionItem]>,
}

impl Modeller {
    /// Reads commits in build-free mode, one after the other: each costs what differs from the one before. Hands over what
    /// each brings, until `take` says no.
    pub fn walk(
        &self,
        commits: &[&CommitInfo],
        with_all: bool,
        mut take: impl FnMut(Result<Arrival, Error>) -> bool,
    ) {
        let mut walk: Option<Walk> = None;
        let mut rest = commits;
        while let Some(first) = rest.first() {
            let same = |commit: &&&CommitInfo| commit.repository == first.repository;
            let count = rest.iter().take(AHEAD).take_while(same).count();
            let now = &rest[..count];
            let here = walk.take().filter(|walk| walk.path == first.repository);
            let mut next = match here.map_or_else(
                || Walk::new(&first.repository, self.threads().current_num_threads(), with_all),
                Ok,
            ) {
                Ok(next) => next,
                Err(error) => {
                    rest = &rest[1..];
                    if !take(Err(error)) {
                        return;
                    }
                    continue;
                }
            };
            let arrivals = self.threads().install(|| next.arrivals(self, now));
            rest = &rest[arrivals.len()..];
            // After a failure the next commit is read from scratch.
            walk = Some(next).filter(|_| arrivals.iter().all(Result::is_ok));
            if !arrivals.into_iter().all(&mut take) {
                return;
            }
        }
    }
}

/// A walk along the commits of a repository.
struct Walk {
    path: PathBuf,
    objects: Objects,
    /// One for each thread.
    readers: Vec<Mutex<Objects>>,
    sources: Sources<Outline>,
    snapshot: Snapshot,
    /// The files where the walk is.
    contents: BTreeMap<BString, Arc<Outline>>,
    /// What stands outside their functions.
    table: ItemTable,
    /// All of it, if it is wanted.
    items: Arc<[VersionItem]>,
    with_all: bool,
    afresh: bool,
}

/// The files that a commit needs.
struct Needs {
    removed: Vec<BString>,
    files: Vec<FileEntry>,
    known: Arc<Names>,
}

impl Walk {
    fn new(path: &Path, threads: usize, with_all: bool) -> Result<Self, Error> {
        let unreadable = |error: version::Error| Error::Unreadable(error.to_string());
        let repository = Repository::open(path).map_err(unreadable)?;
        Ok(Self {
            path: path.to_owned(),
            objects: Objects::new(&repository),
            readers: (0..threads.max(1)).map(|_| Mutex::new(Objects::for_blobs(&repository))).collect(),
            sources: Outline::sources(KEPT),
            snapshot: Snapshot::default(),
            contents: BTreeMap::new(),
            table: ItemTable::default(),
            items: Arc::from(Vec::new()),
            with_all,
            afresh: true,
        })
    }

    /// What each commit brings.
    fn arrivals(&mut self, modeller: &Modeller, commits: &[&CommitInfo]) -> Vec<Result<Arrival, Error>> {
        let needs: Vec<Result<Needs, Error>> = commits.iter().map(|commit| self.needs(commit)).collect();
        let wanted: Vec<(&FileEntry, &Arc<Names>)> = needs
            .iter()
            .flatten()
            .flat_map(|need| need.files.iter().map(|file| (file, &need.known)))
            .collect();
        modeller.settings.progress.units(wanted.len());
        let outlines = self.read(modeller, &wanted);
        let mut outlines = outlines.into_iter();
        let mut arrivals = Vec::with_capacity(needs.len());
        for need in needs {
            let arrival = need.and_then(|need| {
                let outlines: Vec<Arc<Outline>> =
                    outlines.by_ref().take(need.files.len()).collect::<Result<_, Error>>()?;
                let paths = need.files.into_iter().map(|file| file.path);
                Ok(self.arrive(need.removed, paths.zip(outlines).collect()))
            });
            let failed = arrival.is_err();
            arrivals.push(arrival);
            if failed {
                // The commits behind build on what is missing now.
                break;
            }
        }
        arrivals
    }

    /// Reads files in parallel; those of one content by one thread, so that it is read once where once is enough.
    fn read(
        &self,
        modeller: &Modeller,
        wanted: &[(&FileEntry, &Arc<Names>)],
    ) -> Vec<Result<Arc<Outline>, Error>> {
        let mut groups: BTreeMap<Oid, Vec<usize>> = BTreeMap::new();
        for (at, (file, _)) in wanted.iter().enumerate() {
            groups.entry(file.oid).or_default().push(at);
        }
        let sources = &self.sources;
        let one = |objects: &Objects, (file, known): &(&FileEntry, &Arc<Names>)| {
            modeller.check_cancelled()?;
            let outline = sources.unit(objects, file, known)?;
            modeller.settings.progress.unit_done(true);
            Ok(outline)
        };
        let groups: Vec<Vec<usize>> = groups.into_values().collect();
        let readers = &self.readers;
        let read = groups.par_iter().flat_map_iter(|group| {
            let reader = &readers[rayon::current_thread_index().unwrap_or(0) % readers.len()];
            let objects = lock(reader);
            group.iter().map(|&at| (at, one(&objects, &wanted[at]))).collect::<Vec<_>>()
        });
        let mut read: Vec<(usize, Result<Arc<Outline>, Error>)> = read.collect();
        read.sort_unstable_by_key(|(at, _)| *at);
        read.into_iter().map(|(_, outline)| outline).collect()
    }

    /// Goes to a commit, from wherever the walk is.
    fn needs(&mut self, commit: &CommitInfo) -> Result<Needs, Error> {
        let step = self.snapshot.advance(&self.sources, &self.objects, &commit.tree)?;
        let files = step.reread(&self.snapshot).into_iter().cloned().collect();
        let gone = |path: &&BString| self.snapshot.file(path).is_none();
        let was_c = |changed: &&ChangedFile| match &changed.change {
            Change::Deleted(old) | Change::Modified { old, .. } => is_c(old),
            Change::Added(_) => false,
        };
        let removed = step.changed.iter().filter(was_c).map(|changed| &changed.path);
        let removed = removed.filter(gone).cloned().collect();
        Ok(Needs { removed, files, known: Arc::clone(self.snapshot.known()) })
    }

    fn arrive(&mut self, removed: Vec<BString>, units: Vec<(BString, Arc<Outline>)>) -> Arrival {
        for path in &removed {
            if let Some(old) = self.contents.remove(path) {
                self.replace(&old.path, Some(&old), None);
            }
        }
        for (path, unit) in &units {
            let old = self.contents.insert(path.clone(), Arc::clone(unit));
            self.replace(&unit.path, old.as_deref(), Some(unit));
        }
        let changes = self.table.settle();
        if self.with_all && !changes.is_empty() {
            self.items = self.table.all().into();
        }
        let afresh = std::mem::take(&mut self.afresh);
        Arrival { afresh, removed, units, changes, items: Arc::clone(&self.items) }
    }

    /// Brings the items of a file up to date, by the pieces that are not the same.
    fn replace(&mut self, path: &str, old: Option<&Outline>, new: Option<&Outline>) {
        fn pieces(side: Option<&Outline>) -> &[Arc<OutlinePiece>] {
            side.map_or(&[], |outline| &outline.pieces)
        }
        let (gone, added) = differing(pieces(old), pieces(new), Arc::as_ptr);
        fn items<'a>(pieces: &[&'a Arc<OutlinePiece>]) -> impl Iterator<Item = &'a FileItem> {
            pieces.iter().flat_map(|piece| &piece.items)
        }
        if !gone.is_empty() || !added.is_empty() {
            self.table.replace(path, items(&gone), items(&added));
        }
    }
}
