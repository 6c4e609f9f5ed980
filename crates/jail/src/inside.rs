//! Files that a repository names, or that foreign code left behind. They are opened and written here and nowhere else.
//!
//! A name of a repository's own choice may be anything: an absolute path, one with `..`, a link that leads to a key, a pipe
//! that nobody writes to, a device without an end. What is opened here lies inside of the tree, links included; it is a regular file;
//! opening it never waits; and it is not larger than the caller expects.

mod walk;
mod written;

pub use written::{make_folder, remove, share, write, write_executable, write_link};

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};
use rustix::io::Errno;

/// The most bytes of a text that people write: a configuration, contracts, a test.
pub const MOST_TEXT: u64 = 16 << 20;
/// The most bytes of any other file: more than any honest build writes.
pub const MOST: u64 = 1 << 30;

/// Why a file is not read.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// There is none.
    #[error("there is no such file")]
    Missing,
    /// It is an absolute path, or one that leads out, or a link on the way does.
    #[error("it leads out of {}, and only files inside of it are read", root.display())]
    Outside {
        /// The tree.
        root: PathBuf,
    },
    /// It is a folder, a pipe, a socket or a device.
    #[error("it is not a regular file but {0}")]
    NotAFile(&'static str),
    /// A file or a link is where a folder should be.
    #[error("something that is no folder is on the way to it")]
    NotAFolder,
    /// It is too large.
    #[error("it is larger than {most} bytes, the most that is read of such a file")]
    TooLarge {
        /// How many bytes it may have.
        most: u64,
    },
    /// It is no text.
    #[error("it is not UTF-8")]
    NotText,
    /// The system refused.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl Refused {
    /// Whether there simply is no such file.
    pub fn is_missing(&self) -> bool {
        matches!(self, Refused::Missing)
    }
}

impl From<Refused> for io::Error {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Missing => io::Error::from(io::ErrorKind::NotFound),
            Refused::Io(error) => error,
            other => io::Error::other(other.to_string()),
        }
    }
}

/// The content of a file inside of a tree. `name` counts from the root of the tree; links are followed as long as they stay inside.
pub fn read(root: &Path, name: &Path, most: u64) -> Result<Vec<u8>, Refused> {
    content(open(root, name)?, most)
}

/// The same, for a text.
pub fn read_text(root: &Path, name: &Path, most: u64) -> Result<String, Refused> {
    String::from_utf8(read(root, name, most)?).map_err(|_| Refused::NotText)
}

/// The content of a file whose folder is known and whose name was not chosen by anybody else; what it is now, foreign code may have
/// chosen. A link in its place is refused.
pub fn read_left(path: &Path, most: u64) -> Result<Vec<u8>, Refused> {
    let flags = FLAGS | OFlags::NOFOLLOW;
    match openat(CWD, path, flags, Mode::empty()) {
        Ok(file) => content(file, most),
        Err(Errno::LOOP) => Err(Refused::NotAFile("a link")),
        Err(error) => Err(of_system(error, path)),
    }
}

/// The content of a file that the user or the system named: links are followed wherever they lead, but it is a regular file of limited
/// size all the same.
pub fn read_named(path: &Path, most: u64) -> Result<Vec<u8>, Refused> {
    match openat(CWD, path, FLAGS, Mode::empty()) {
        Ok(file) => content(file, most),
        Err(error) => Err(of_system(error, path)),
    }
}

/// Opening a pipe does not wait for who writes, and a terminal does not become ours.
const FLAGS: OFlags = OFlags::RDONLY.union(OFlags::CLOEXEC).union(OFlags::NONBLOCK).union(OFlags::NOCTTY);

/// So often the kernel may say that something was renamed meanwhile.
const PATIENCE: usize = 16;

fn open(root: &Path, name: &Path) -> Result<OwnedFd, Refused> {
    // The kernel would say the same of most of these; said here, it does not depend on which kernel it is.
    if name.as_os_str().is_empty() || !leads_inside(name) {
        return Err(Refused::Outside { root: root.to_owned() });
    }
    let folder = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::PATH;
    let tree = openat(CWD, root, folder, Mode::empty()).map_err(|error| of_system(error, root))?;
    for _ in 0..PATIENCE {
        let how = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        return match openat2(&tree, name, FLAGS, Mode::empty(), how) {
            Ok(file) => Ok(file),
            Err(Errno::AGAIN) => continue,
            Err(Errno::XDEV) => Err(Refused::Outside { root: root.to_owned() }),
            // An old kernel, or a container that does not let new system calls through.
            Err(Errno::NOSYS | Errno::PERM | Errno::INVAL) => walk::open(root, &tree, name),
            Err(error) => Err(of_system(error, name)),
        };
    }
    walk::open(root, &tree, name)
}

/// Whether a path never leaves the folder that it starts from, links left aside.
fn leads_inside(name: &Path) -> bool {
    let mut depth = 0_usize;
    name.components().all(|part| match part {
        Component::CurDir => true,
        Component::Normal(_) => {
            depth += 1;
            true
        }
        Component::ParentDir => {
            let inside = depth > 0;
            depth = depth.saturating_sub(1);
            inside
        }
        Component::RootDir | Component::Prefix(_) => false,
    })
}

fn of_system(error: Errno, path: &Path) -> Refused {
    match error {
        Errno::NOENT | Errno::NOTDIR => Refused::Missing,
        // What a socket answers to being opened.
        Errno::NXIO | Errno::NODEV => Refused::NotAFile("a socket or a device"),
        Errno::LOOP => Refused::Io(io::Error::other("there are too many links on the way to it")),
        error => {
            tracing::debug!("{}: {error}", path.display());
            Refused::Io(error.into())
        }
    }
}

fn content(file: OwnedFd, most: u64) -> Result<Vec<u8>, Refused> {
    let file = File::from(file);
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(Refused::NotAFile(kind(&found)));
    }
    if found.len() > most {
        return Err(Refused::TooLarge { most });
    }
    let mut bytes = Vec::with_capacity(usize::try_from(found.len()).unwrap_or(0));
    // A file that grows while it is read, and one that does not know its size, end here too.
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    match bytes.len() as u64 > most {
        true => Err(Refused::TooLarge { most }),
        false => Ok(bytes),
    }
}

fn kind(found: &std::fs::Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    let kind = found.file_type();
    match () {
        () if kind.is_dir() => "a folder",
        () if kind.is_fifo() => "a pipe",
        () if kind.is_socket() => "a socket",
        () => "a device",
    }
}

#[cfg(test)]
mod tests;
