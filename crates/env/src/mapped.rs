//! The part of a file that a process maps, and its hash, which is worked out once for all runs.

use std::collections::HashMap;
use std::fs::File;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::sync::{Mutex, PoisonError};

use crate::record::{Hash, Tid};

/// Which file, in which state, from where, how much.
type Key = (u64, u64, i64, i64, u64, u64, u64);

static KNOWN: Mutex<Option<HashMap<Key, Hash>>> = Mutex::new(None);

/// A part of a file.
#[derive(Debug)]
pub struct Mapped {
    file: File,
    key: Key,
    offset: u64,
    /// So many bytes of the file are in it.
    pub length: usize,
}

impl Mapped {
    /// What a call to `mmap` with these arguments maps, if that is a part of a file.
    pub fn of(tid: Tid, args: &[u64; 6]) -> Option<Self> {
        let [_, length, _, flags, fd, offset] = *args;
        if flags & libc::MAP_ANONYMOUS as u64 != 0 {
            return None;
        }
        let file = File::open(format!("/proc/{tid}/fd/{}", fd as i32)).ok()?;
        let found = file.metadata().ok().filter(std::fs::Metadata::is_file)?;
        let changed = found.mtime() << 32 ^ found.mtime_nsec();
        let inode = found.ctime() << 32 ^ found.ctime_nsec();
        let key = (found.dev(), found.ino(), changed, inode, found.len(), offset, length);
        let length = found.len().saturating_sub(offset).min(length) as usize;
        Some(Self { file, key, offset, length })
    }

    /// Its content.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        let mut bytes = vec![0; self.length];
        self.file.read_exact_at(&mut bytes, self.offset).ok()?;
        Some(bytes)
    }

    /// The hash of its content.
    pub fn hash(&self) -> Option<Hash> {
        if let Some(hash) = known(|known| known.get(&self.key).copied()) {
            return Some(hash);
        }
        let hash = *blake3::hash(&self.bytes()?).as_bytes();
        known(|known| known.insert(self.key, hash));
        Some(hash)
    }
}

fn known<T>(with: impl FnOnce(&mut HashMap<Key, Hash>) -> T) -> T {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    with(known.get_or_insert_default())
}
