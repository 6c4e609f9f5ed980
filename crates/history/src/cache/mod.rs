//! The content-addressed store on disk.
//!
//! Values are files, written beside their place and renamed into it, so any number of processes read and write at the
//! same time and a kill at any moment leaves whole values only. The index (redb) keeps sizes and times of use for
//! eviction. It is opened for a moment, in batches, under a file lock; reading and writing values never waits for
//! it, and when it is lost it is rebuilt from the files.

mod blob;
mod index;
mod location;
mod store;
mod warning;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use hydrogen_jail::private::{self, NotPrivate};
use index::Index;
use store::{Name, Store};

pub use location::default_directory;
pub use warning::Warning;

/// How many uses and writes are kept in memory before the index hears of them.
const BATCH: usize = 1024;
/// How long they are kept at most, when something happens at all.
const BATCH_AGE: Duration = Duration::from_secs(5);

/// A key: callers hash everything that a value depends on.
pub type Key = [u8; 32];

/// Why a cache could not be opened. A directory that cannot be written is no error, see [`Warning`].
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The place is taken by something else.
    #[error("the cache directory {} is not a directory; set HYDROGEN_CACHE to another place", path.display())]
    NotADirectory {
        /// The place.
        path: PathBuf,
    },
    /// It is not the user's own.
    #[error("the cache is not used: {0}; HYDROGEN_CACHE or --cache-dir names another place")]
    NotPrivate(private::NotPrivate),
    /// No place is known.
    #[error("no place for the cache: none of HYDROGEN_CACHE, XDG_CACHE_HOME and HOME is set")]
    NoHome,
}

/// What became of a value that was put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stored {
    /// It is in the cache.
    Stored,
    /// It is not: the cache is read-only or the disk is full; a [`Warning`] says so once.
    NotStored,
}

/// What a cache holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stats {
    /// Where it is.
    pub directory: PathBuf,
    /// The size it may have, in bytes on disk.
    pub limit: u64,
    /// Entries and bytes on disk, for each kind.
    pub kinds: BTreeMap<String, KindStats>,
}

/// What a cache holds of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindStats {
    /// How many values.
    pub entries: u64,
    /// How much room they take, in bytes on disk.
    pub bytes: u64,
}

impl Stats {
    /// The sum over all kinds.
    pub fn total(&self) -> KindStats {
        self.kinds.values().fold(KindStats::default(), |sum, kind| KindStats {
            entries: sum.entries + kind.entries,
            bytes: sum.bytes + kind.bytes,
        })
    }
}

/// A folder below the cache's own, for what is kept in files that are no values. Both are the user's alone; this is the only way to get
/// there.
pub fn folder(directory: &Path, name: &str) -> Result<PathBuf, Error> {
    let folder = directory.join(name);
    match private::own(directory).and_then(|()| private::inner(&folder)) {
        // Where nothing can be written there is nothing to protect, and whoever writes says so.
        Ok(()) | Err(NotPrivate::Io { .. }) => Ok(folder),
        Err(NotPrivate::NotAFolder { path }) => Err(Error::NotADirectory { path }),
        Err(other) => Err(Error::NotPrivate(other)),
    }
}

/// An open cache; threads share it by reference. What it cannot do it does without: a cache never fails its user.
#[derive(Debug)]
pub struct Cache {
    directory: PathBuf,
    limit: u64,
    store: Store,
    index: Index,
    pending: Mutex<Pending>,
    warnings: Mutex<Vec<Warning>>,
}

/// What the index has not heard of yet.
#[derive(Debug)]
struct Pending {
    events: BTreeMap<Name, index::Event>,
    since: Instant,
}

impl Cache {
    /// Opens or makes the cache in `directory`, which may grow to `limit` bytes.
    pub fn open(directory: &Path, limit: u64) -> Result<Cache, Error> {
        if std::fs::metadata(directory).is_ok_and(|found| !found.is_dir()) {
            return Err(Error::NotADirectory { path: directory.to_path_buf() });
        }
        // The format's version is part of the path: an older or newer hydrogen uses its own folder.
        let root = folder(directory, "v1")?;
        let (store, warning) = Store::open(directory, &root);
        let cache = Cache {
            directory: directory.to_path_buf(),
            limit,
            index: Index::new(&root),
            store,
            pending: Mutex::new(Pending { events: BTreeMap::new(), since: Instant::now() }),
            warnings: Mutex::new(warning.into_iter().collect()),
        };
        // So that a damaged index is found and told of at the start.
        if cache.store.is_writable() && matches!(cache.index.is_sound(), Ok(false)) {
            cache.update(BTreeMap::new());
        }
        Ok(cache)
    }

    /// The value stored under a key; nothing when there is none or it is damaged.
    ///
    /// # Panics
    /// When `kind` is not made of lower-case letters, digits and `-`.
    pub fn get(&self, kind: &str, key: &Key) -> Option<Vec<u8>> {
        let name = Name::new(kind, key);
        match self.store.read(&name) {
            Ok(Some(value)) => {
                self.note(name, None);
                Some(value)
            }
            Ok(None) => None,
            Err(warning) => {
                self.warn(warning);
                None
            }
        }
    }

    /// Stores a value. A value under a key never changes, so storing twice is harmless.
    ///
    /// # Panics
    /// When `kind` is not made of lower-case letters, digits and `-`.
    pub fn put(&self, kind: &str, key: &Key, value: &[u8]) -> Stored {
        let name = Name::new(kind, key);
        if !self.store.is_writable() {
            return Stored::NotStored;
        }
        match self.store.write(&name, value) {
            Ok(size) => {
                self.note(name, Some(size));
                Stored::Stored
            }
            Err(warning) => {
                self.warn(warning);
                Stored::NotStored
            }
        }
    }

    /// What there is to tell the user, each thing once.
    pub fn take_warnings(&self) -> Vec<Warning> {
        std::mem::take(&mut *lock(&self.warnings))
    }

    /// What the cache holds, counted from its files.
    pub fn stats(&self) -> Stats {
        let mut kinds: BTreeMap<String, KindStats> = BTreeMap::new();
        self.store.each(|name, file| {
            let kind = kinds.entry(name.kind().to_string()).or_default();
            kind.entries += 1;
            kind.bytes += file.size;
        });
        Stats { directory: self.directory.clone(), limit: self.limit, kinds }
    }

    /// Removes every value, and says what there was.
    pub fn clear(&self) -> Stats {
        let stats = self.stats();
        lock(&self.pending).events.clear();
        if self.store.is_writable()
            && let Err(warning) = self.index.reset(|| self.store.clear())
        {
            self.warn(warning);
        }
        stats
    }

    /// Compares the index with the files, removes what writers that were killed left behind, and evicts what is over
    /// the limit.
    pub fn gc(&self) {
        if !self.store.is_writable() {
            return;
        }
        self.flush();
        if let Ok(Some(warning)) | Err(warning) = self.index.reconcile(&self.store, self.limit) {
            self.warn(warning);
        }
    }

    /// Tells the index of everything that happened. Also done now and then, and when the cache is dropped.
    pub fn flush(&self) {
        let events = std::mem::take(&mut lock(&self.pending).events);
        if !events.is_empty() {
            self.update(events);
        }
    }

    fn note(&self, name: Name, written: Option<u64>) {
        if !self.store.is_writable() {
            return;
        }
        let events = {
            let mut pending = lock(&self.pending);
            if pending.events.is_empty() {
                pending.since = Instant::now();
            }
            let event = pending.events.entry(name).or_insert(index::Event { written, at: 0 });
            // A use after a write is still a write for the index.
            event.written = written.or(event.written);
            event.at = index::now();
            if pending.events.len() < BATCH && pending.since.elapsed() < BATCH_AGE {
                return;
            }
            std::mem::take(&mut pending.events)
        };
        self.update(events);
    }

    fn update(&self, events: BTreeMap<Name, index::Event>) {
        match self.index.update(&self.store, &events, self.limit) {
            Ok(None) => {}
            Ok(Some(warning)) => self.warn(warning),
            Err(warning) => {
                // The values are there all the same; the index hears of them another time, or at the next `gc`.
                if warning == Warning::IndexBusy && events.len() < 64 * BATCH {
                    let mut pending = lock(&self.pending);
                    pending.since = Instant::now();
                    for (name, event) in events {
                        pending.events.entry(name).or_insert(event);
                    }
                }
                self.warn(warning);
            }
        }
    }

    fn warn(&self, warning: Warning) {
        let mut warnings = lock(&self.warnings);
        if !warnings.iter().any(|known| std::mem::discriminant(known) == std::mem::discriminant(&warning)) {
            warnings.push(warning);
        }
    }
}

impl Drop for Cache {
    fn drop(&mut self) {
        self.flush();
    }
}

/// A panic elsewhere leaves these lists whole: they are only ever pushed to or taken.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}
