//! Bringing a slot to a version.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use bstr::{BStr, BString, ByteSlice};
use hydrogen_jail::inside;

use super::manifest::{Manifest, Recorded, Stamp};
use super::path::{admit, parents, stays_inside};
use super::{Error, Problem};
use crate::Oid;
use crate::limits::{self, Exceeded};
use crate::tree::{FileEntry, Kind, Reader, to_path};

/// Every file gets the same time of modification. Make rebuilds what is older than its sources, so files that were
/// generated before the commit (`configure`, a parser) are taken as up to date, whatever the order of writing.
const MODIFIED: u64 = 1_000_000_000;

/// Makes the slot hold exactly `files`.
pub(super) fn fill(
    slot: &Path,
    identity: &str,
    files: &[FileEntry],
    reader: &Reader<'_>,
) -> Result<Vec<Problem>, Error> {
    let root = slot.join("files");
    let (wanted, mut problems) = admit(files);
    let before = Manifest::read(slot);
    Manifest::remove(slot).map_err(Error::io("prepare", slot))?;
    let kept = match &before {
        Some(before) => Cleaner::new(before, &wanted).run(&root),
        None => remove_all(&root).map(|()| BTreeMap::new()),
    };
    let mut recorded = kept.map_err(Error::io("clean", &root))?;
    fs::create_dir_all(&root).map_err(Error::io("create", &root))?;
    // Links come last, so that no file is ever written through one.
    let (links, plain): (Vec<_>, Vec<_>) = wanted.into_iter().partition(|file| file.kind == Kind::Symlink);
    let mut left = limits::allowed().bytes;
    for file in plain.into_iter().chain(links) {
        if recorded.contains_key(file.path.as_slice()) {
            continue;
        }
        let place = root.join(to_path(file.path.as_bstr()));
        let content = match file.kind {
            Kind::Submodule => Vec::new(),
            _ => match reader.read(file) {
                Err(crate::tree::Error::TooLarge { limit, .. }) => {
                    problems.push(Problem::TooLarge { path: file.path.clone(), limit });
                    continue;
                }
                // What is not there costs its file: whether anything needs it, the build will say.
                Err(crate::tree::Error::Object { message, .. }) => {
                    problems.push(Problem::Unreadable { path: file.path.clone(), message });
                    continue;
                }
                content => content?,
            },
        };
        left = left.checked_sub(content.len() as u64).ok_or_else(|| Error::TooLarge {
            version: reader.version().to_owned(),
            limit: Exceeded::Bytes(limits::allowed().bytes),
        })?;
        if file.kind == Kind::Symlink && !stays_inside(file.path.as_bstr(), content.as_bstr()) {
            let (path, target) = (file.path.clone(), BString::from(content));
            problems.push(Problem::EscapingSymlink { path, target });
            continue;
        }
        let stamp = write(&place, file.kind, &content).map_err(Error::io("write", &place))?;
        if let Some(stamp) = stamp {
            let oid = file.oid.as_bytes().to_vec();
            recorded.insert(file.path.to_vec(), Recorded { oid, kind: file.kind, stamp });
        }
    }
    let manifest = Manifest { identity: identity.to_string(), complete: 0, files: recorded };
    manifest.write(slot).map_err(Error::io("record", slot))?;
    problems.sort();
    Ok(problems)
}

/// Writes one file; the stamp is nothing for a submodule, which is an empty folder.
fn write(place: &Path, kind: Kind, content: &[u8]) -> io::Result<Option<Stamp>> {
    if let Some(parent) = place.parent() {
        fs::create_dir_all(parent)?;
    }
    match kind {
        Kind::Submodule => {
            fs::create_dir_all(place)?;
            Ok(None)
        }
        Kind::Symlink => {
            std::os::unix::fs::symlink(std::ffi::OsStr::from_bytes(content), place)?;
            fs::symlink_metadata(place).map(|found| Some(Stamp::of(&found)))
        }
        Kind::File | Kind::Executable => {
            let mode = if kind == Kind::Executable { 0o755 } else { 0o644 };
            let mut file = File::options().write(true).create_new(true).mode(mode).open(place)?;
            file.write_all(content)?;
            file.set_permissions(Permissions::from_mode(mode))?;
            file.set_modified(UNIX_EPOCH + Duration::from_secs(MODIFIED))?;
            file.metadata().map(|found| Some(Stamp::of(&found)))
        }
    }
}

/// Removes from a known slot what the version does not have, or has otherwise.
struct Cleaner<'a> {
    before: &'a Manifest,
    wanted: BTreeMap<&'a [u8], &'a FileEntry>,
    folders: BTreeSet<&'a BStr>,
    kept: BTreeMap<Vec<u8>, Recorded>,
}

impl<'a> Cleaner<'a> {
    fn new(before: &'a Manifest, wanted: &[&'a FileEntry]) -> Cleaner<'a> {
        let folders = wanted.iter().flat_map(|file| {
            let itself = (file.kind == Kind::Submodule).then_some(file.path.as_bstr());
            parents(file.path.as_bstr()).chain(itself)
        });
        Cleaner {
            before,
            folders: folders.collect(),
            wanted: wanted.iter().map(|file| (file.path.as_slice(), *file)).collect(),
            kept: BTreeMap::new(),
        }
    }

    fn run(mut self, root: &Path) -> io::Result<BTreeMap<Vec<u8>, Recorded>> {
        match fs::symlink_metadata(root) {
            Ok(found) if found.is_dir() => self.folder(root, &mut BString::default())?,
            Ok(_) => fs::remove_file(root)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        Ok(self.kept)
    }

    fn folder(&mut self, folder: &Path, path: &mut BString) -> io::Result<()> {
        open_up(folder)?;
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let length = path.len();
            if length > 0 {
                path.push(b'/');
            }
            path.extend_from_slice(entry.file_name().as_bytes());
            let place = entry.path();
            let found = fs::symlink_metadata(&place)?;
            if found.is_dir() && self.folders.contains(path.as_bstr()) {
                self.folder(&place, path)?;
            } else if let Some(recorded) = self.unchanged(&place, path, &Stamp::of(&found)) {
                self.kept.insert(path.to_vec(), recorded);
            } else {
                remove_all(&place)?;
            }
            path.truncate(length);
        }
        Ok(())
    }

    /// The record of a file that is as it was written and as it is wanted.
    fn unchanged(&self, place: &Path, path: &BString, stamp: &Stamp) -> Option<Recorded> {
        let recorded = self.before.files.get(path.as_slice())?;
        let wanted = self.wanted.get(path.as_slice())?;
        let same = recorded.stamp == *stamp
            && recorded.kind == wanted.kind
            && recorded.oid == wanted.oid.as_bytes()
            && (!self.before.is_racy(stamp) || has_content(place, wanted));
        same.then(|| recorded.clone())
    }
}

fn has_content(place: &Path, wanted: &FileEntry) -> bool {
    let content = match wanted.kind {
        Kind::Symlink => fs::read_link(place).map(|target| target.as_os_str().as_bytes().to_vec()),
        _ => inside::read_left(place, inside::MOST).map_err(io::Error::from),
    };
    content.is_ok_and(|content| Oid::of_blob_as(&content, &wanted.oid) == wanted.oid)
}

/// Removes a file, a link or a whole folder, whether it exists or not, also when a build made it read-only.
pub(super) fn remove_all(path: &Path) -> io::Result<()> {
    let gone = |result: io::Result<()>| match result {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    };
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => match gone(fs::remove_dir_all(path)) {
            Ok(()) => Ok(()),
            Err(_) => {
                unlock_folders(path)?;
                gone(fs::remove_dir_all(path))
            }
        },
        Ok(_) => gone(fs::remove_file(path)),
        Err(error) => gone(Err(error)),
    }
}

fn unlock_folders(folder: &Path) -> io::Result<()> {
    open_up(folder)?;
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            unlock_folders(&entry.path())?;
        }
    }
    Ok(())
}

/// Gives a folder its usual permissions back.
fn open_up(folder: &Path) -> io::Result<()> {
    let mode = fs::symlink_metadata(folder)?.permissions().mode();
    if mode & 0o7777 != 0o755 {
        fs::set_permissions(folder, Permissions::from_mode(0o755))?;
    }
    Ok(())
}
