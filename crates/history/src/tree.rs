//! The files of a version, read without a checkout.

mod diff;
mod directory;
mod submodules;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use bstr::{BStr, BString, ByteSlice};
use hydrogen_jail::inside;

use crate::limits::{self, Exceeded, Room};
use crate::repository::told;
use crate::version::{CommitInfo, Source, Version};
use crate::{Oid, Repository};

pub(crate) use diff::commits as compare;
pub use diff::{Change, ChangedFile};
pub(crate) use directory::to_path;
pub use submodules::Submodule;

/// One file of a version.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileEntry {
    /// Its path from the root of the version, with `/` between the components; any bytes but NUL are possible.
    pub path: BString,
    /// The name git gives to its content.
    pub oid: Oid,
    /// What it is.
    pub kind: Kind,
}

/// What a tree entry is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub enum Kind {
    /// A regular file.
    File,
    /// A regular file that may be executed.
    Executable,
    /// A symbolic link; its content is the target.
    Symlink,
    /// A commit of another repository; its files are not here.
    Submodule,
}

/// Why the files of a version could not be read.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The repository cannot be opened.
    #[error(transparent)]
    Version(#[from] crate::version::Error),
    /// An object is missing or damaged.
    #[error("cannot read {what} of version `{version}`: {message}; `git fsck` may say more")]
    Object {
        /// Which object.
        what: String,
        /// The version.
        version: String,
        /// What went wrong.
        message: String,
    },
    /// It is larger than the user allows.
    #[error("version `{version}`: `{what}` is not read: {limit}")]
    TooLarge {
        /// Which file or folder.
        what: String,
        /// The version.
        version: String,
        /// What it exceeds.
        limit: Exceeded,
    },
    /// A file of a directory version cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        error: std::io::Error,
    },
    /// The two versions have no common repository.
    #[error("`{a}` and `{b}` are not commits of one repository, so their trees cannot be compared")]
    NotComparable {
        /// The first version.
        a: String,
        /// The second one.
        b: String,
    },
}

/// Reads files of versions; keeps repositories open and may be shared by threads.
#[derive(Debug, Default)]
pub struct Trees {
    open: Mutex<BTreeMap<PathBuf, Repository>>,
}

impl Trees {
    /// A reader with nothing open yet.
    pub fn new() -> Trees {
        Trees::default()
    }

    /// The handle for a git directory, opened once.
    pub fn repository(&self, git_dir: &Path) -> Result<Repository, Error> {
        let mut open = self.open.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(repository) = open.get(git_dir) {
            return Ok(repository.clone());
        }
        let repository = Repository::open(git_dir)?;
        open.insert(git_dir.to_path_buf(), repository.clone());
        Ok(repository)
    }

    /// Every file of the version, sorted by path. A bitcode version has one.
    pub fn files(&self, version: &Version) -> Result<Vec<FileEntry>, Error> {
        match &version.source {
            Source::Commit(commit) => {
                let repo = self.repository(&commit.repository)?.local();
                let mut files = Vec::new();
                let (mut path, mut room) = (BString::default(), Room::new());
                list(&repo, &version.name, tree_id(commit, version)?, &mut path, &mut files, &mut room)?;
                files.sort_unstable();
                Ok(files)
            }
            Source::Directory(directory) => directory::files(directory),
            Source::Bitcode(file) => directory::single(file),
        }
    }

    /// A reader of contents for the calling thread; cheaper than [`Trees::read`] for many files.
    pub fn reader<'a>(&self, version: &'a Version) -> Result<Reader<'a>, Error> {
        let repo = match &version.source {
            Source::Commit(commit) => Some(self.repository(&commit.repository)?.local()),
            Source::Directory(_) | Source::Bitcode(_) => None,
        };
        Ok(Reader { version, repo, submodules: Vec::new() })
    }

    /// The content of a file; of a symbolic link, its target.
    pub fn read(&self, version: &Version, file: &FileEntry) -> Result<Vec<u8>, Error> {
        self.reader(version)?.read(file)
    }

    /// The content of the file at `path`, or nothing when the version has no such file.
    pub fn read_path(&self, version: &Version, path: &BStr) -> Result<Option<Vec<u8>>, Error> {
        match &version.source {
            Source::Commit(commit) => {
                let repo = self.repository(&commit.repository)?.local();
                let broken = |error: gix::Error| object_error(&version.name, path, error);
                let tree = repo.find_tree(tree_id(commit, version)?).map_err(broken)?;
                let Some(entry) = tree.lookup_entry(path.split_str("/")).map_err(broken)? else {
                    return Ok(None);
                };
                if !entry.mode().is_blob() {
                    return Ok(None);
                }
                check_size(&repo, &version.name, path, entry.object_id())?;
                Ok(Some(entry.object().map_err(broken)?.detach().data))
            }
            Source::Directory(root) => {
                match inside::read(root, &directory::to_path(path), limits::allowed().file()) {
                    Ok(content) => Ok(Some(content)),
                    Err(refused) if refused.is_missing() => Ok(None),
                    Err(refused) => {
                        Err(Error::Io { path: root.join(directory::to_path(path)), error: refused.into() })
                    }
                }
            }
            Source::Bitcode(_) => Ok(None),
        }
    }

    /// What differs between two commits of one repository, sorted by path. Subtrees that are the same are not read.
    pub fn changed_files(&self, a: &Version, b: &Version) -> Result<Vec<ChangedFile>, Error> {
        match (&a.source, &b.source) {
            (Source::Commit(x), Source::Commit(y)) if x.repository == y.repository => {
                let repo = self.repository(&x.repository)?.local();
                diff::commits(&repo, (&a.name, tree_id(x, a)?), (&b.name, tree_id(y, b)?))
            }
            _ => Err(Error::NotComparable { a: a.name.clone(), b: b.name.clone() }),
        }
    }
}

/// Reads contents of one version, on one thread.
pub struct Reader<'a> {
    version: &'a Version,
    repo: Option<gix::Repository>,
    /// Where objects are that the repository has not.
    submodules: Vec<gix::Repository>,
}

impl Reader<'_> {
    /// The version's name.
    pub(crate) fn version(&self) -> &str {
        &self.version.name
    }

    /// Also finds objects of these repositories.
    pub(crate) fn and(self, submodules: Vec<gix::Repository>) -> Self {
        Self { submodules, ..self }
    }

    /// The content of a file; of a symbolic link, its target.
    pub fn read(&self, file: &FileEntry) -> Result<Vec<u8>, Error> {
        match (&self.repo, &self.version.source) {
            (Some(repo), _) => {
                let elsewhere = self.submodules.iter().find(|other| other.has_object(file.oid.0));
                let owner = if repo.has_object(file.oid.0) { repo } else { elsewhere.unwrap_or(repo) };
                check_size(owner, &self.version.name, file.path.as_bstr(), file.oid.0)?;
                let object = owner.find_object(file.oid.0);
                object
                    .map(|object| object.detach().data)
                    .map_err(|error| object_error(&self.version.name, file.path.as_bstr(), error))
            }
            (None, Source::Bitcode(path)) => directory::read_named(path),
            (None, Source::Directory(root)) => {
                directory::read(&root.join(directory::to_path(file.path.as_bstr())), file.kind)
            }
            (None, Source::Commit(_)) => unreachable!("a reader of a commit has its repository"),
        }
    }
}

/// [`Trees::files`] for a single use.
pub fn files(version: &Version) -> Result<Vec<FileEntry>, Error> {
    Trees::new().files(version)
}

/// [`Trees::read`] for a single use.
pub fn read_blob(version: &Version, file: &FileEntry) -> Result<Vec<u8>, Error> {
    Trees::new().read(version, file)
}

/// [`Trees::changed_files`] for a single use.
pub fn changed_files(a: &Version, b: &Version) -> Result<Vec<ChangedFile>, Error> {
    Trees::new().changed_files(a, b)
}

fn tree_id(commit: &CommitInfo, version: &Version) -> Result<gix::ObjectId, Error> {
    gix::ObjectId::from_hex(commit.tree.as_bytes()).map_err(|error| Error::Object {
        what: format!("the tree `{}`", commit.tree),
        version: version.name.clone(),
        message: error.to_string(),
    })
}

fn object_error(version: &str, what: &BStr, error: gix::Error) -> Error {
    Error::Object { what: format!("`{what}`"), version: version.to_owned(), message: told(&error) }
}

/// Whether the user allows a file of this size: it is not unpacked otherwise.
pub(crate) fn check_size(
    repo: &gix::Repository,
    version: &str,
    path: &BStr,
    id: gix::ObjectId,
) -> Result<(), Error> {
    let header = repo.find_header(id).map_err(|error| object_error(version, path, error))?;
    limits::check_size(header.size()).map_err(|limit| too_large(version, path, limit))
}

fn too_large(version: &str, what: &BStr, limit: Exceeded) -> Error {
    Error::TooLarge { what: what.to_string(), version: version.to_owned(), limit }
}

/// Appends the files below a tree, as far as there is room; `path` is the tree's own path and is left as it was.
pub(crate) fn list(
    repo: &gix::Repository,
    version: &str,
    id: gix::ObjectId,
    path: &mut BString,
    files: &mut Vec<FileEntry>,
    room: &mut Room,
) -> Result<(), Error> {
    room.take(path.as_bstr()).map_err(|limit| too_large(version, path.as_bstr(), limit))?;
    let broken = |error: gix::Error| object_error(version, path.as_bstr(), error);
    let tree = repo.find_tree(id).map_err(broken)?;
    let tree = tree.decode().map_err(broken)?;
    for entry in &tree.entries {
        let length = path.len();
        if length > 0 {
            path.push(b'/');
        }
        path.extend_from_slice(entry.filename);
        match entry_kind(entry.mode) {
            Some(kind) => {
                room.take(path.as_bstr()).map_err(|limit| too_large(version, path.as_bstr(), limit))?;
                files.push(FileEntry { path: path.clone(), oid: Oid(entry.oid.to_owned()), kind });
            }
            None => list(repo, version, entry.oid.to_owned(), path, files, room)?,
        }
        path.truncate(length);
    }
    Ok(())
}

/// The kind of a tree entry; nothing for a subtree.
fn entry_kind(mode: gix::objs::tree::EntryMode) -> Option<Kind> {
    use gix::objs::tree::EntryKind;
    match mode.kind() {
        EntryKind::Tree => None,
        EntryKind::Blob => Some(Kind::File),
        EntryKind::BlobExecutable => Some(Kind::Executable),
        EntryKind::Link => Some(Kind::Symlink),
        EntryKind::Commit => Some(Kind::Submodule),
    }
}
