//! The files of a directory, named as git would name them.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use bstr::{BStr, BString, ByteSlice};

use hydrogen_jail::inside;

use super::{Error, FileEntry, Kind, too_large};
use crate::Oid;
use crate::limits::{self, Room};

/// A version's path as a path of this system.
pub(crate) fn to_path(path: &BStr) -> PathBuf {
    PathBuf::from(OsStr::from_bytes(path.as_bytes()))
}

/// Every file below `root`, sorted by path, without `.git`. Sockets, pipes and devices are no files of a program.
pub(super) fn files(root: &Path) -> Result<Vec<FileEntry>, Error> {
    let mut files = Vec::new();
    walk(root, &mut BString::default(), &mut files, &mut Room::new())?;
    files.sort_unstable();
    Ok(files)
}

/// A single file, under its own name.
pub(super) fn single(file: &Path) -> Result<Vec<FileEntry>, Error> {
    let path = file.file_name().unwrap_or_default().as_bytes().into();
    Ok(vec![FileEntry { path, oid: Oid::of_blob(&read_named(file)?), kind: Kind::File }])
}

/// The content of a file, the target of a link.
pub(super) fn read(path: &Path, kind: Kind) -> Result<Vec<u8>, Error> {
    let content = match kind {
        Kind::Symlink => fs::read_link(path).map(|target| target.into_os_string().into_vec()),
        _ => inside::read_left(path, limits::allowed().file()).map_err(std::io::Error::from),
    };
    content.map_err(|error| Error::Io { path: path.to_path_buf(), error })
}

/// The content of a file that the user named: links lead wherever they do.
pub(super) fn read_named(path: &Path) -> Result<Vec<u8>, Error> {
    let content = inside::read_named(path, limits::allowed().file());
    content.map_err(|refused| Error::Io { path: path.to_path_buf(), error: refused.into() })
}

fn walk(
    directory: &Path,
    path: &mut BString,
    files: &mut Vec<FileEntry>,
    room: &mut Room,
) -> Result<(), Error> {
    let failed = |path: &Path, error| Error::Io { path: path.to_path_buf(), error };
    for entry in fs::read_dir(directory).map_err(|error| failed(directory, error))? {
        let entry = entry.map_err(|error| failed(directory, error))?;
        if entry.file_name() == ".git" {
            continue;
        }
        let length = path.len();
        if length > 0 {
            path.push(b'/');
        }
        path.extend_from_slice(entry.file_name().as_bytes());
        let version = || directory.display().to_string();
        room.take(path.as_bstr()).map_err(|limit| too_large(&version(), path.as_bstr(), limit))?;
        let place = entry.path();
        let found = fs::symlink_metadata(&place).map_err(|error| failed(&place, error))?;
        let kind = match found.file_type() {
            kind if kind.is_symlink() => Some(Kind::Symlink),
            kind if kind.is_file() && found.permissions().mode() & 0o100 != 0 => Some(Kind::Executable),
            kind if kind.is_file() => Some(Kind::File),
            kind if kind.is_dir() => {
                walk(&place, path, files, room)?;
                None
            }
            _ => None,
        };
        // A file that is too large is no source: a dump of memory, an image of a disk.
        let is_read = limits::check_size(found.len());
        if let Err(limit) = is_read.as_ref().map_err(|limit| too_large(&version(), path.as_bstr(), *limit)) {
            tracing::warn!("{limit}");
        }
        if let Some(kind) = kind.filter(|_| is_read.is_ok()) {
            let oid = Oid::of_blob(&read(&place, kind)?);
            files.push(FileEntry { path: path.clone(), oid, kind });
        }
        path.truncate(length);
    }
    Ok(())
}
