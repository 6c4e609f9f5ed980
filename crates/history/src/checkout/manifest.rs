//! What a slot holds: the files as they were when the checkout was complete.

use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::tree::Kind;

const MAGIC: &[u8; 8] = b"h2slot1\n";

/// Clocks of file systems tick; a file whose last change is this close to the end of the checkout could be changed
/// again without its time showing it.
const TICK: Duration = Duration::from_millis(20);

/// The files of a slot, by path. It is removed before the slot is touched and written when all is done, so a slot
/// with a manifest is known and a slot without one is rewritten.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub identity: String,
    /// When the checkout was complete, in nanoseconds since 1970.
    pub complete: i128,
    pub files: BTreeMap<Vec<u8>, Recorded>,
}

/// A file as it was written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Recorded {
    pub oid: Vec<u8>,
    pub kind: Kind,
    pub stamp: Stamp,
}

/// What the file system says about a file that nobody touched. The change time cannot be set by a program.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    mode: u32,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Stamp {
    pub fn of(found: &Metadata) -> Stamp {
        Stamp {
            device: found.dev(),
            inode: found.ino(),
            size: found.size(),
            mode: found.mode(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
        }
    }

    fn changed_at(&self) -> i128 {
        i128::from(self.changed.0) * 1_000_000_000 + i128::from(self.changed.1)
    }
}

impl Manifest {
    /// Whether a file with this stamp may have changed without its stamp showing it.
    pub fn is_racy(&self, stamp: &Stamp) -> bool {
        stamp.changed_at() >= self.complete - TICK.as_nanos() as i128
    }

    /// Reads the manifest of a slot; nothing when there is none or it is damaged.
    pub fn read(slot: &Path) -> Option<Manifest> {
        let bytes = fs::read(slot.join("manifest")).ok()?;
        let rest = bytes.strip_prefix(MAGIC)?;
        let (checksum, body) = rest.split_at_checked(32)?;
        (blake3::hash(body).as_bytes() == checksum).then(|| postcard::from_bytes(body).ok()).flatten()
    }

    /// Writes the manifest, whole or not at all.
    pub fn write(mut self, slot: &Path) -> io::Result<()> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        self.complete = i128::try_from(now.as_nanos()).unwrap_or_default();
        let body = postcard::to_stdvec(&self).map_err(io::Error::other)?;
        let temporary = slot.join("manifest.new");
        let mut file = fs::File::create(&temporary)?;
        file.write_all(MAGIC)?;
        file.write_all(blake3::hash(&body).as_bytes())?;
        file.write_all(&body)?;
        fs::rename(&temporary, slot.join("manifest"))?;
        // For choosing a slot without reading every manifest; wrong content costs time only.
        fs::write(slot.join("identity"), &self.identity)
    }

    /// Forgets the manifest: from now on the slot is dirty.
    pub fn remove(slot: &Path) -> io::Result<()> {
        for name in ["identity", "manifest"] {
            match fs::remove_file(slot.join(name)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

/// What the slot says it holds.
pub(super) fn identity(slot: &Path) -> Option<String> {
    fs::read_to_string(slot.join("identity")).ok()
}
