//! Build-free reading of whole histories: every blob is read once, and a commit costs what it touches.
//!
//! [`Sources`] keeps the units that were read, by blob; [`Snapshot`] is the C files of one tree and moves from tree to
//! tree along their differences, which git finds by object ids. To walk a history:
//!
//! ```ignore
//! let sources = Sources::new(256 << 20);
//! let objects = Objects::new(&repository); // one per thread
//! let mut snapshot = Snapshot::default();
//! for commit in commits {
//!     let step = snapshot.advance(&sources, &objects, &commit.tree)?;
//!     for file in step.reread(&snapshot) {
//!         let unit = sources.unit(&objects, file, snapshot.known())?; // files that are new, or are read anew
//!     }
//! }
//! ```
//!
//! # What headers say
//!
//! How a file is read depends on its own bytes and on what the headers of its version say about the names in it: which
//! are macros, and of what kind, and which functions do not return ([`hydrogen_syntax::Options::known`]).
//!
//! - *Per header*, [`hydrogen_syntax::names`] is asked once per blob.
//! - *Per tree*, [`NameCounts`] counts the definitions of each name over all headers. A step takes out those of the old
//!   headers and puts in those of the new ones, so it costs as much as the touched headers define; the result is the same
//!   as merging the headers of the tree from scratch (property-tested), also where definitions conflict.
//! - *Per unit*, the key is the blob and a digest of what is known about the names that the blob mentions, through all
//!   definitions. So a unit is read again exactly when a header says something else about a name in it. [`Step::names`]
//!   lists those names, and [`Step::reread`] the files of the tree that mention one, by an index that moves along with the tree.

mod mentions;
mod snapshot;
mod store;
#[cfg(test)]
mod tests;

pub use hydrogen_syntax::words_of as words;
pub use snapshot::{Glance, Snapshot, Step};

use hydrogen_history::tree::{self, FileEntry, Kind};
use hydrogen_history::{Objects, Oid};
use hydrogen_syntax::{Keep, Mentioned, Names, Options, Pieces, Unit, mentions_of};
use mentions::Index;
use std::sync::{Arc, Mutex, MutexGuard};
use store::Store;

/// Reads a file: what is kept of it, and the names that decide how it is read (those in its functions and in its macros), by
/// pieces.
type Read<T> = dyn Fn(&str, &[u8], &Options) -> (T, Mentions) + Send + Sync;
/// Reads what a header says about names.
type ReadNames = dyn Fn(&[u8]) -> Names + Send + Sync;
/// The names that the pieces of a file mention.
pub type Mentions = Vec<Arc<Mentioned>>;

/// What makes something of a file and its pieces.
type ReadPieces<T, K> = fn(&str, &[u8], &Options, &Pieces<K>) -> (T, Mentions);

/// The units of a history, or what is kept of them, read once per blob and kept while there is room. Threads share it.
pub struct Sources<T = Unit> {
    store: Mutex<Store<T>>,
    read: Box<Read<T>>,
    read_names: Box<ReadNames>,
    weight: fn(&T) -> usize,
}

impl Sources {
    /// Keeps about `budget` bytes of units; what was not used for the longest time goes first.
    pub fn new(budget: usize) -> Self {
        let read = |path: &str, content: &[u8], options: &Options| {
            let unit = hydrogen_syntax::read(path, content, options);
            let mentions = mentions_of(unit.uses.iter().flatten().copied().collect(), &unit.items);
            (unit, vec![Arc::new(Mentioned::new(mentions))])
        };
        Self {
            store: Mutex::new(Store::new(budget)),
            read: Box::new(read),
            read_names: Box::new(hydrogen_syntax::names),
            weight: store::weight,
        }
    }
}

impl<T: 'static> Sources<T> {
    /// Keeps what `read` makes of a file and its pieces, where an analysis needs less than the unit. `weight` says how many
    /// bytes that takes.
    pub fn by_pieces<K: Keep + Send + 'static>(
        budget: usize,
        pieces: Pieces<K>,
        read: ReadPieces<T, K>,
        weight: fn(&T) -> usize,
    ) -> Self {
        let pieces = Arc::new(pieces);
        let shared = Arc::clone(&pieces);
        Self {
            store: Mutex::new(Store::new(budget)),
            read: Box::new(move |path: &str, content: &[u8], options: &Options| {
                read(path, content, options, &pieces)
            }),
            read_names: Box::new(move |content: &[u8]| hydrogen_syntax::names_by_pieces(content, &shared)),
            weight,
        }
    }
}

impl<T> Sources<T> {
    /// The unit of a file, read with what the headers of its version say.
    pub fn unit(
        &self,
        objects: &Objects,
        file: &FileEntry,
        known: &Arc<Names>,
    ) -> Result<Arc<T>, tree::Error> {
        // A unit carries its path, so one blob at two places is two units.
        let path = String::from_utf8_lossy(&file.path);
        let mentions = self.store().mentions(file.oid, &path);
        if let Some(mentions) = &mentions
            && let digest = self.digest(file, &path, mentions, known)
            && let Some(unit) = self.store().get(file.oid, &path, digest)
        {
            return Ok(unit);
        }
        let options = Options { known: Some(Arc::clone(known)), ..Options::default() };
        let (unit, mentioned) = (self.read)(&path, &objects.blob(file.oid)?, &options);
        let mentions = mentions.unwrap_or_else(|| mentioned.into());
        let digest = known.digest_of(&mentions);
        let unit = Arc::new(unit);
        let weight = (self.weight)(&unit);
        self.store().put(file.oid, &path, mentions, digest, (Arc::clone(&unit), weight));
        Ok(unit)
    }

    /// What is known about the names in a file. Asked once for each state of the headers, as long as it is remembered.
    fn digest(&self, file: &FileEntry, path: &str, mentions: &[Arc<Mentioned>], known: &Names) -> u64 {
        let asked = self.store().digest(file.oid, path, known.stamp());
        asked.unwrap_or_else(|| {
            let digest = known.digest_of(mentions);
            self.store().put_digest(file.oid, path, known.stamp(), digest);
            digest
        })
    }

    /// Tells who mentions what in the files that were read since it was told last.
    fn teach(&self, mentions: &mut Index) {
        let mut store = self.store();
        let fresh = store.take_fresh();
        mentions.learn(|oid, path| {
            let path = String::from_utf8_lossy(path);
            let new = fresh.get(&oid).and_then(|all| all.iter().find(|(at, _)| **at == *path));
            new.map(|(_, mentions)| Arc::clone(mentions)).or_else(|| store.mentions(oid, &path))
        });
    }

    /// What a header says about names.
    fn names(&self, objects: &Objects, oid: Oid) -> Result<Arc<Names>, tree::Error> {
        if let Some(names) = self.store().names(oid) {
            return Ok(names);
        }
        let names = Arc::new((self.read_names)(&objects.blob(oid)?));
        self.store().put_names(oid, Arc::clone(&names));
        Ok(names)
    }

    fn store(&self) -> MutexGuard<'_, Store<T>> {
        self.store.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}

/// Whether build-free mode reads the file: C sources and headers that are files.
pub fn is_c(file: &FileEntry) -> bool {
    matches!(file.kind, Kind::File | Kind::Executable) && (file.path.ends_with(b".c") || is_header(file))
}

fn is_header(file: &FileEntry) -> bool {
    file.path.ends_with(b".h")
}
