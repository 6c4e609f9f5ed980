//! How large a version may be. Trees and blobs are small in a repository and large outside of it: a folder that holds itself ten times
//! over, ten levels deep, has ten thousand million files and a few hundred bytes.

use std::sync::OnceLock;

use bstr::{BStr, ByteSlice};

/// What a version may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Files of one version.
    pub files: u64,
    /// Bytes of all files of one checkout.
    pub bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { files: 500_000, bytes: 4 << 30 }
    }
}

impl Limits {
    /// Bytes of one file.
    pub fn file(&self) -> u64 {
        self.bytes / 8
    }
}

static ALLOWED: OnceLock<Limits> = OnceLock::new();

/// Sets what the user allows. It is one decision per run: a second one has no effect.
pub fn allow(limits: Limits) {
    let _ = ALLOWED.set(limits);
}

/// What the user allows; the usual when nobody said.
pub fn allowed() -> Limits {
    ALLOWED.get().copied().unwrap_or_default()
}

/// A version is too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum Exceeded {
    /// Files, or folders that hold nothing.
    #[error("it has more than {0} files and folders; --files-limit allows more")]
    Files(u64),
    /// Bytes of all files.
    #[error("its files have more than {0} bytes; --size-limit allows more")]
    Bytes(u64),
    /// Bytes of one file.
    #[error("it has {0} bytes, and more than {1} are not read; --size-limit allows more")]
    File(u64, u64),
    /// The length of a path, or how deep folders lie in each other.
    #[error("a path of it is longer than the system allows")]
    Path,
}

/// How much of a version may still be listed.
pub(crate) struct Room {
    files: u64,
    left: u64,
}

/// Longer paths cannot be used, see `PATH_MAX`.
const LONGEST_PATH: usize = 4096;
/// Folders inside of each other; every one takes room on the stack.
const DEEPEST: usize = 500;

impl Room {
    /// All that the user allows.
    pub fn new() -> Self {
        let files = allowed().files;
        Self { files, left: files }
    }

    /// Makes room for one more file or folder.
    pub fn take(&mut self, path: &BStr) -> Result<(), Exceeded> {
        crate::strange::note(path);
        if path.len() > LONGEST_PATH || path.find_iter("/").count() > DEEPEST {
            return Err(Exceeded::Path);
        }
        self.left = self.left.checked_sub(1).ok_or(Exceeded::Files(self.files))?;
        Ok(())
    }
}

/// Whether a file of this size is read.
pub(crate) fn check_size(size: u64) -> Result<(), Exceeded> {
    let most = allowed().file();
    if size > most { Err(Exceeded::File(size, most)) } else { Ok(()) }
}
