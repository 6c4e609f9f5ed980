//! Versions as directories, without touching the user's work tree.
//!
//! A *slot* is a directory that holds one version at a time and is used by one process at a time. Moving a slot to
//! another version writes only what differs, and removes everything a build left behind.

mod manifest;
mod path;
mod slot;

use std::fs::{self, DirBuilder};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bstr::BString;
use hydrogen_jail::private::{self, NotPrivate};

use crate::limits::Exceeded;
use crate::lock::FileLock;
use crate::tree::{FileEntry, Trees};
use crate::version::{Source, Version};

/// Why a version could not be materialised.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Its files cannot be read.
    #[error(transparent)]
    Tree(#[from] crate::tree::Error),
    /// The files have more bytes than the user allows.
    #[error("version `{version}` is not checked out: {limit}")]
    TooLarge {
        /// The version.
        version: String,
        /// What was exceeded.
        limit: Exceeded,
    },
    /// The checkout directory is not the user's own.
    #[error("versions are not checked out: {0}")]
    NotPrivate(NotPrivate),
    /// The checkout directory cannot be written.
    #[error("cannot {doing} {}: {error}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// Where.
        path: PathBuf,
        /// The system's answer.
        error: std::io::Error,
    },
}

impl Error {
    fn io<'a>(doing: &'static str, path: &'a Path) -> impl FnOnce(std::io::Error) -> Error + 'a {
        move |error| Error::Io { doing, path: path.to_path_buf(), error }
    }
}

/// Something of a version that is not in its checkout.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Problem {
    /// A link that would lead out of the checkout.
    EscapingSymlink {
        /// The link.
        path: BString,
        /// Where it points.
        target: BString,
    },
    /// A submodule; its files belong to another repository.
    Submodule {
        /// Where it would be.
        path: BString,
    },
    /// A file that is larger than the user allows.
    TooLarge {
        /// The file.
        path: BString,
        /// Its size, and what was exceeded.
        limit: Exceeded,
    },
    /// A file whose content the repository does not have, or has damaged.
    Unreadable {
        /// The file.
        path: BString,
        /// What is wrong.
        message: String,
    },
    /// A path that no honest repository has.
    RefusedPath {
        /// The path.
        path: BString,
        /// What is wrong with it.
        reason: &'static str,
    },
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Problem::EscapingSymlink { path, target } => {
                write!(f, "the link `{path}` was left out: its target `{target}` leads out of the version")
            }
            Problem::Submodule { path } => {
                write!(
                    f,
                    "the files of the submodule `{path}` are missing; git submodule update --init brings them"
                )
            }
            Problem::TooLarge { path, limit } => {
                write!(f, "`{}` was left out: {limit}", path.escape_ascii())
            }
            Problem::Unreadable { path, message } => {
                write!(f, "`{}` was left out: {message}; `git fsck` may say more", path.escape_ascii())
            }
            Problem::RefusedPath { path, reason } => {
                write!(f, "`{}` was left out: {reason}", path.escape_ascii())
            }
        }
    }
}

/// The slots below one directory.
#[derive(Clone, Debug)]
pub struct Checkouts {
    root: PathBuf,
    trees: Arc<Trees>,
}

impl Checkouts {
    /// Slots below `root`, which is made when it is missing.
    pub fn open(root: &Path) -> Result<Checkouts, Error> {
        Self::with_trees(root, Arc::default())
    }

    /// As [`Checkouts::open`], sharing open repositories with other users of `trees`.
    pub fn with_trees(root: &Path, trees: Arc<Trees>) -> Result<Checkouts, Error> {
        private::inner(root).map_err(|refused| match refused {
            NotPrivate::Io { path, error } => Error::Io { doing: "create", path, error },
            other => Error::NotPrivate(other),
        })?;
        let root = root.canonicalize().map_err(Error::io("find", root))?;
        Ok(Checkouts { root, trees })
    }

    /// A directory with exactly the files of the version, and of its submodules that the repository has, for this caller alone until the lease is dropped.
    pub fn lease(&self, version: &Version) -> Result<Checkout, Error> {
        let (files, submodules) = self.trees.with_submodules(version, self.trees.files(version)?)?;
        let identity = identity(version, &files);
        let (slot, lock) = self.free_slot(&identity)?;
        let reader = self.trees.reader(version)?.and(submodules);
        let problems = slot::fill(&slot, &identity, &files, &reader)?;
        let scratch = slot.join("scratch");
        slot::remove_all(&scratch).map_err(Error::io("empty", &scratch))?;
        fs::create_dir_all(&scratch).map_err(Error::io("create", &scratch))?;
        Ok(Checkout { path: slot.join("files"), scratch, problems, files, _lock: lock })
    }

    /// Locks the slot that already holds the version, else any free one, else a new one.
    fn free_slot(&self, identity: &str) -> Result<(PathBuf, FileLock), Error> {
        let mut slots: Vec<PathBuf> = fs::read_dir(&self.root)
            .map_err(Error::io("list", &self.root))?
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().starts_with("slot-"))
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .map(|entry| entry.path())
            .collect();
        // Same version first; otherwise in the order of their names, so that runs are alike.
        slots
            .sort_by_cached_key(|slot| (manifest::identity(slot).as_deref() != Some(identity), slot.clone()));
        for slot in slots {
            if let Some(lock) = try_lock(&slot)? {
                return Ok((slot, lock));
            }
        }
        for number in 0.. {
            let slot = self.root.join(format!("slot-{number:03}"));
            match DirBuilder::new().mode(0o700).create(&slot) {
                Ok(()) => {}
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(Error::io("create", &slot)(error)),
            }
            // A link that was there before is no folder of ours.
            if fs::symlink_metadata(&slot).is_ok_and(|found| !found.is_dir()) {
                continue;
            }
            if let Some(lock) = try_lock(&slot)? {
                return Ok((slot, lock));
            }
        }
        unreachable!("there is always another number")
    }
}

fn try_lock(slot: &Path) -> Result<Option<FileLock>, Error> {
    let path = slot.join("lock");
    FileLock::try_take(&path).map_err(Error::io("lock", &path))
}

/// What distinguishes the content of one version from another; the manifest decides what is written, this only
/// helps to choose a slot.
fn identity(version: &Version, files: &[FileEntry]) -> String {
    match &version.source {
        Source::Commit(commit) => commit.tree.clone(),
        Source::Directory(_) | Source::Bitcode(_) => {
            let mut hash = blake3::Hasher::new();
            for file in files {
                hash.update(&(file.path.len() as u64).to_le_bytes());
                hash.update(&file.path);
                hash.update(file.oid.as_bytes());
                hash.update(&[file.kind as u8]);
            }
            hash.finalize().to_hex().to_string()
        }
    }
}

/// A lease of a slot. Dropping it gives the slot back; the files stay for the next one who needs that version.
#[derive(Debug)]
pub struct Checkout {
    path: PathBuf,
    scratch: PathBuf,
    problems: Vec<Problem>,
    files: Vec<FileEntry>,
    _lock: FileLock,
}

impl Checkout {
    /// The directory with the version's files.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// An empty directory beside it, for build folders, logs and temporary files.
    pub fn scratch(&self) -> &Path {
        &self.scratch
    }

    /// A new folder in the scratch folder, whatever foreign code left in its place.
    pub fn fresh(&self, name: &str) -> std::io::Result<PathBuf> {
        let folder = self.scratch.join(name);
        slot::remove_all(&folder)?;
        fs::create_dir(&folder).map(|()| folder)
    }

    /// The folder of both, which stays the same as long as the slot exists.
    pub fn slot(&self) -> &Path {
        self.path.parent().expect("the files are in a folder of the slot")
    }

    /// What of the version is not there.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The version's files, sorted by path.
    pub fn files(&self) -> &[FileEntry] {
        &self.files
    }
}
