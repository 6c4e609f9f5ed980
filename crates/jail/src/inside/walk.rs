//! The way to a file, component by component, where the kernel does not do it for us.

use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path};

use rustix::fs::{Mode, OFlags, openat, readlinkat};
use rustix::io::Errno;

use super::{FLAGS, Refused, of_system};

/// As many as the kernel follows.
const MOST_LINKS: usize = 40;

/// Opens what the kernel would open with `RESOLVE_BENEATH`. Every folder on the way is held open, so that nobody can put a link in
/// its place meanwhile, and `..` is the folder that we came from.
pub(super) fn open(root: &Path, tree: &OwnedFd, name: &Path) -> Result<OwnedFd, Refused> {
    let outside = || Refused::Outside { root: root.to_owned() };
    let mut folders: Vec<OwnedFd> = Vec::new();
    let mut ahead: Vec<OsString> = parts(name).ok_or_else(outside)?;
    let mut links = 0;
    while let Some(part) = ahead.pop() {
        if part == ".." {
            folders.pop().ok_or_else(outside)?;
            continue;
        }
        let folder = folders.last().unwrap_or(tree);
        let error = match ahead.is_empty() {
            true => match openat(folder, &part, FLAGS | OFlags::NOFOLLOW, Mode::empty()) {
                Ok(file) => return Ok(file),
                Err(error) => error,
            },
            false => match step(folder, &part) {
                Ok(next) => {
                    folders.push(next);
                    continue;
                }
                Err(error) => error,
            },
        };
        // Also where a folder was wanted and a link is: the kernel says either.
        let target = match error {
            Errno::LOOP | Errno::NOTDIR => readlinkat(folder, &part, Vec::new()),
            error => return Err(of_system(error, name)),
        };
        let Ok(target) = target else { return Err(of_system(error, name)) };
        links += 1;
        if links > MOST_LINKS {
            return Err(of_system(Errno::LOOP, name));
        }
        ahead.extend(parts(Path::new(OsStr::from_bytes(target.as_bytes()))).ok_or_else(outside)?);
    }
    Err(Refused::NotAFile("a folder"))
}

pub(super) fn step(folder: impl AsFd, part: &OsStr) -> Result<OwnedFd, Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(folder, part, flags, Mode::empty())
}

/// The components of a path, the last one first; nothing for an absolute path.
pub(super) fn parts(path: &Path) -> Option<Vec<OsString>> {
    let mut parts: Vec<OsString> = Vec::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => parts.push("..".into()),
            Component::Normal(name) => parts.push(name.to_owned()),
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    parts.reverse();
    Some(parts)
}
