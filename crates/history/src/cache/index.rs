//! Sizes and times of use of the values, for eviction.

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use redb::{Database, ReadableDatabase, ReadableTable, TableDefinition, WriteTransaction};

use super::Warning;
use super::store::{Name, Store};
use crate::lock::FileLock;

/// Name of a value → its size on disk, and when it was used last (milliseconds since 1970).
const VALUES: TableDefinition<&[u8], (u64, u64)> = TableDefinition::new("values");
/// The sum of all sizes, and when the index was last compared with the files.
const FACTS: TableDefinition<&str, u64> = TableDefinition::new("facts");

/// How long to wait for other processes; their transactions take milliseconds.
const PATIENCE: Duration = Duration::from_secs(5);
/// A use is not recorded again before this many milliseconds have passed.
const STALE: u64 = 60_000;
/// Files that the index does not know (their writer was killed) are looked for once a day.
const RECONCILE: u64 = 24 * 3600 * 1000;

/// What happened to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Event {
    /// Its size on disk, when it was written; it was only used otherwise.
    pub written: Option<u64>,
    /// When, in milliseconds since 1970.
    pub at: u64,
}

/// The index file. Nothing is held open between the calls.
#[derive(Debug)]
pub(super) struct Index {
    file: PathBuf,
    lock: PathBuf,
}

/// What a transaction can run into.
type Failure = Box<dyn std::error::Error + Send + Sync>;

impl Index {
    pub fn new(root: &Path) -> Index {
        Index { file: root.join("index.redb"), lock: root.join("lock") }
    }

    /// Whether the index can be read; a missing one counts. Nothing is written, so this is quick.
    pub fn is_sound(&self) -> Result<bool, Warning> {
        let _lock = self.lock()?;
        let read = || -> Result<(), Failure> {
            let database = Database::builder().set_cache_size(1 << 20).open_read_only(&self.file)?;
            let transaction = database.begin_read()?;
            transaction.open_table(FACTS)?.get("total")?;
            Ok(())
        };
        Ok(!self.file.exists() || catch_unwind(read).is_ok_and(|read| read.is_ok()))
    }

    /// Records events and evicts what is over the limit. A damaged index is rebuilt, which is told as a warning.
    pub fn update(
        &self,
        store: &Store,
        events: &BTreeMap<Name, Event>,
        limit: u64,
    ) -> Result<Option<Warning>, Warning> {
        self.transact_or_rebuild(store, limit, |transaction| {
            apply(transaction, store, events)?;
            if now().saturating_sub(fact(transaction, "reconciled")?) > RECONCILE {
                store.sweep();
                reconcile(transaction, store)?;
            }
            evict(transaction, store, limit)
        })
    }

    /// Makes the index say what the files say.
    pub fn reconcile(&self, store: &Store, limit: u64) -> Result<Option<Warning>, Warning> {
        store.sweep();
        self.transact_or_rebuild(store, limit, |transaction| {
            reconcile(transaction, store)?;
            evict(transaction, store, limit)
        })
    }

    fn transact_or_rebuild(
        &self,
        store: &Store,
        limit: u64,
        work: impl FnOnce(&WriteTransaction) -> Result<(), Failure>,
    ) -> Result<Option<Warning>, Warning> {
        let _lock = self.lock()?;
        match self.transact(work) {
            Ok(()) => Ok(None),
            Err(failure) if is_full(failure.as_ref()) => Err(Warning::Index { message: failure.to_string() }),
            Err(failure) => {
                let moved = self.move_aside()?;
                let rebuilt = self.transact(|transaction| {
                    reconcile(transaction, store)?;
                    evict(transaction, store, limit)
                });
                rebuilt.map_err(|failure| Warning::Index { message: failure.to_string() })?;
                Ok(Some(Warning::IndexRebuilt { message: failure.to_string(), moved }))
            }
        }
    }

    /// Starts anew; `clear` removes the values meanwhile.
    pub fn reset(&self, clear: impl FnOnce()) -> Result<(), Warning> {
        let _lock = self.lock()?;
        clear();
        let _ = fs::remove_file(&self.file);
        Ok(())
    }

    /// Waits for the other processes.
    fn lock(&self) -> Result<FileLock, Warning> {
        let start = Instant::now();
        let mut pause = Duration::from_micros(200);
        loop {
            match FileLock::try_take(&self.lock) {
                Ok(Some(lock)) => return Ok(lock),
                Ok(None) if start.elapsed() > PATIENCE => return Err(Warning::IndexBusy),
                Ok(None) => {
                    sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(20));
                }
                Err(error) => return Err(Warning::Index { message: error.to_string() }),
            }
        }
    }

    /// Runs one write transaction. A damaged file can make redb panic as well as fail; both mean the same here.
    fn transact(&self, work: impl FnOnce(&WriteTransaction) -> Result<(), Failure>) -> Result<(), Failure> {
        let run = || -> Result<(), Failure> {
            // A new index is made beside its place: a kill on the way must not look like damage.
            let made = self.file.with_extension("new");
            let is_new = !self.file.exists();
            if is_new {
                let _ = fs::remove_file(&made);
            }
            let place = if is_new { &made } else { &self.file };
            let database = Database::builder().set_cache_size(8 << 20).create(place)?;
            let transaction = database.begin_write()?;
            work(&transaction)?;
            transaction.commit()?;
            drop(database);
            if is_new {
                fs::rename(&made, &self.file)?;
            }
            Ok(())
        };
        catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err("its pages contradict each other".into()))
    }

    fn move_aside(&self) -> Result<PathBuf, Warning> {
        let moved = self.file.with_extension("damaged");
        match fs::rename(&self.file, &moved) {
            Ok(()) => Ok(moved),
            Err(error) => Err(Warning::Index { message: error.to_string() }),
        }
    }
}

fn is_full(failure: &(dyn std::error::Error + 'static)) -> bool {
    use std::io::ErrorKind::{PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull};
    let storage = |error: &redb::StorageError| match error {
        redb::StorageError::Io(error) => {
            matches!(error.kind(), StorageFull | QuotaExceeded | ReadOnlyFilesystem | PermissionDenied)
        }
        _ => false,
    };
    if let Some(redb::DatabaseError::Storage(error)) = failure.downcast_ref() {
        return storage(error);
    }
    if let Some(redb::TransactionError::Storage(error)) = failure.downcast_ref() {
        return storage(error);
    }
    if let Some(redb::CommitError::Storage(error)) = failure.downcast_ref() {
        return storage(error);
    }
    if let Some(error) = failure.downcast_ref::<std::io::Error>() {
        return matches!(error.kind(), StorageFull | QuotaExceeded | ReadOnlyFilesystem | PermissionDenied);
    }
    failure.downcast_ref::<redb::StorageError>().is_some_and(storage)
}

fn fact(transaction: &WriteTransaction, name: &str) -> Result<u64, Failure> {
    let facts = transaction.open_table(FACTS)?;
    let value = facts.get(name)?.map(|value| value.value());
    Ok(value.unwrap_or(0))
}

fn apply(
    transaction: &WriteTransaction,
    store: &Store,
    events: &BTreeMap<Name, Event>,
) -> Result<(), Failure> {
    let mut total = fact(transaction, "total")?;
    let mut values = transaction.open_table(VALUES)?;
    for (name, event) in events {
        let known = values.get(name.as_bytes())?.map(|value| value.value());
        let size = match (event.written, known) {
            (Some(size), _) => size,
            (None, Some((_, used))) if event.at.saturating_sub(used) < STALE => continue,
            (None, Some((size, _))) => size,
            // Written by a process that was killed before it could say so.
            (None, None) => match store.size(name) {
                Some(size) => size,
                None => continue,
            },
        };
        total = (total + size).saturating_sub(known.map_or(0, |(size, _)| size));
        values.insert(name.as_bytes(), (size, event.at))?;
    }
    drop(values);
    transaction.open_table(FACTS)?.insert("total", total)?;
    Ok(())
}

/// Removes the values that were not used for the longest time, down to nine tenths of the limit.
fn evict(transaction: &WriteTransaction, store: &Store, limit: u64) -> Result<(), Failure> {
    let mut total = fact(transaction, "total")?;
    if total <= limit {
        return Ok(());
    }
    let mut values = transaction.open_table(VALUES)?;
    let mut oldest = Vec::new();
    for row in values.iter()? {
        let (name, value) = row?;
        let (size, used) = value.value();
        oldest.push((used, name.value().to_vec(), size));
    }
    oldest.sort_unstable();
    for (_, name, size) in oldest {
        if total <= limit / 10 * 9 {
            break;
        }
        // The file first: an entry without a file is harmless, a file without an entry takes room unseen.
        if let Some(name) = Name::from_bytes(&name) {
            store.remove(&name);
        }
        values.remove(name.as_slice())?;
        total = total.saturating_sub(size);
    }
    drop(values);
    transaction.open_table(FACTS)?.insert("total", total)?;
    Ok(())
}

/// Rebuilds the table from the files, keeping the times of use that are known.
fn reconcile(transaction: &WriteTransaction, store: &Store) -> Result<(), Failure> {
    let mut found = BTreeMap::new();
    store.each(|name, file| {
        let written = file.written.duration_since(UNIX_EPOCH).map_or(0, milliseconds);
        found.insert(name, (file.size, written));
    });
    let mut values = transaction.open_table(VALUES)?;
    values.retain(|name, _| Name::from_bytes(name).is_some_and(|name| found.contains_key(&name)))?;
    let mut total = 0;
    for (name, (size, written)) in found {
        let used = values.get(name.as_bytes())?.map(|value| value.value().1);
        values.insert(name.as_bytes(), (size, used.unwrap_or(written)))?;
        total += size;
    }
    drop(values);
    let mut facts = transaction.open_table(FACTS)?;
    facts.insert("total", total)?;
    facts.insert("reconciled", now())?;
    Ok(())
}

/// The time, in milliseconds since 1970.
pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, milliseconds)
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
