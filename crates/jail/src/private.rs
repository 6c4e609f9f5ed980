//! Folders that belong to the user alone, and what foreign code may not leave in them.
//!
//! What is kept between runs lies where other users may be able to write: in a folder for temporary files, on a shared disk. A folder that
//! somebody else prepared is not used: its content would be believed, and what a link in it leads to would be deleted.

use std::fs::{self, DirBuilder, Metadata, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Why a folder is not used.
#[derive(Debug, thiserror::Error)]
pub enum NotPrivate {
    /// Somebody else made it, or a link on the way to it.
    #[error("{} belongs to another user (number {owner})", path.display())]
    Owner {
        /// The folder, or the link.
        path: PathBuf,
        /// Whose it is.
        owner: u32,
    },
    /// Everybody can write into it.
    #[error("everybody can write into {}; chmod go-w makes it yours, once you have looked at what is in it", path.display())]
    Open {
        /// The folder.
        path: PathBuf,
    },
    /// Something else is in its place.
    #[error("{} is not a folder", path.display())]
    NotAFolder {
        /// The place.
        path: PathBuf,
    },
    /// A link where none is expected.
    #[error("{} is a link: nothing that hydrogen keeps is one", path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// The system refused.
    #[error("{}: {error}", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// The system's answer.
        error: io::Error,
    },
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> NotPrivate + '_ {
    move |error| NotPrivate::Io { path: path.to_owned(), error }
}

/// A folder whose place the user chose: it is made, with all above it, if it is missing. It may be a link that the user or the
/// administrator made. Nobody else gets into it, and all that lies in it is the user's own.
pub fn own(path: &Path) -> Result<(), NotPrivate> {
    if let Ok(found) = fs::symlink_metadata(path)
        && found.is_symlink()
    {
        check_owner(path, &found)?;
    }
    make(path)?;
    let found = fs::metadata(path).map_err(failed(path))?;
    check(path, &found)?;
    close(path, &found)?;
    for entry in fs::read_dir(path).map_err(failed(path))?.flatten() {
        let Ok(found) = entry.metadata() else { continue };
        check_owner(&entry.path(), &found)?;
        if found.is_symlink() {
            return Err(NotPrivate::Link { path: entry.path() });
        }
        if found.is_dir() && is_open(&found) {
            return Err(NotPrivate::Open { path: entry.path() });
        }
    }
    // What others put into it while they could is seen once: from now on nobody can.
    match found.permissions().mode() & OTHERS_WRITE {
        0 => Ok(()),
        _ => check_below(path),
    }
}

/// That nobody else put anything anywhere into a folder.
fn check_below(folder: &Path) -> Result<(), NotPrivate> {
    for entry in fs::read_dir(folder).map_err(failed(folder))?.flatten() {
        let Ok(found) = entry.metadata() else { continue };
        check_owner(&entry.path(), &found)?;
        if found.is_dir() {
            if is_open(&found) {
                return Err(NotPrivate::Open { path: entry.path() });
            }
            check_below(&entry.path())?;
        }
    }
    Ok(())
}

/// A folder of ours inside of one that is [`own`]: it is made if it is missing, and is never a link.
pub fn inner(path: &Path) -> Result<(), NotPrivate> {
    make(path)?;
    let found = fs::symlink_metadata(path).map_err(failed(path))?;
    match found.is_symlink() {
        true => Err(NotPrivate::Link { path: path.to_owned() }),
        false if is_open(&found) => Err(NotPrivate::Open { path: path.to_owned() }),
        false => check(path, &found).and_then(|()| close(path, &found)),
    }
}

/// A folder of ours among those for temporary files, which stays from run to run.
pub fn temporary(name: &str) -> Result<PathBuf, NotPrivate> {
    let path = std::env::temp_dir().join(format!("{name}-{}", user()));
    own(&path).map(|()| path)
}

fn make(path: &Path) -> Result<(), NotPrivate> {
    match DirBuilder::new().recursive(true).mode(0o700).create(path) {
        // Also where something that is no folder is in its place: this is said in words of our own.
        Err(error) if fs::symlink_metadata(path).is_err() => Err(failed(path)(error)),
        _ => Ok(()),
    }
}

fn check(path: &Path, found: &Metadata) -> Result<(), NotPrivate> {
    if !found.is_dir() {
        return Err(NotPrivate::NotAFolder { path: path.to_owned() });
    }
    check_owner(path, found)
}

/// That others may write, those of the group among them.
const OTHERS_WRITE: u32 = 0o022;

/// Whether everybody can write into it.
fn is_open(found: &Metadata) -> bool {
    found.permissions().mode() & 0o002 != 0
}

/// From now on nobody but its owner gets into a folder. Older versions of the tool made it as the user's mask had it. What its owner may
/// do stays, and a folder of the administrator's is left as it is.
fn close(path: &Path, found: &Metadata) -> Result<(), NotPrivate> {
    let mode = found.permissions().mode() & 0o7777;
    if mode & 0o077 != 0 && found.uid() == user() {
        fs::set_permissions(path, Permissions::from_mode(mode & 0o700)).map_err(failed(path))?;
    }
    Ok(())
}

fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// The administrator can do everything anyway.
fn check_owner(path: &Path, found: &Metadata) -> Result<(), NotPrivate> {
    match found.uid() {
        owner if owner == user() || owner == 0 => Ok(()),
        owner => Err(NotPrivate::Owner { path: path.to_owned(), owner }),
    }
}

/// Bits by which a program runs as its owner or group.
const SET_ID: u32 = 0o6000;

/// Takes the bits away by which programs run as somebody else, from all that lies below a folder. Links are not followed. To be
/// called when nothing is left that could change the folder meanwhile.
pub fn mask(folder: &Path) {
    let mut open = vec![folder.to_owned()];
    while let Some(path) = open.pop() {
        let Ok(found) = fs::symlink_metadata(&path) else { continue };
        if found.is_symlink() {
            continue;
        }
        let mode = found.permissions().mode();
        if mode & SET_ID != 0 {
            // Best effort: what is not ours cannot be changed, and is not run as us either.
            let _ = fs::set_permissions(&path, Permissions::from_mode(mode & 0o7777 & !SET_ID));
        }
        if found.is_dir() {
            open.extend(fs::read_dir(&path).into_iter().flatten().flatten().map(|entry| entry.path()));
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::os::unix::fs::symlink;

    fn mode(path: &Path) -> u32 {
        fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn folders_are_made_for_the_user_alone() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("a/b");
        own(&folder).unwrap();
        assert_eq!(mode(&folder), 0o700);
        // One that an older version made.
        fs::set_permissions(&folder, Permissions::from_mode(0o775)).unwrap();
        own(&folder).unwrap();
        assert_eq!(mode(&folder), 0o700);
        fs::set_permissions(&folder, Permissions::from_mode(0o555)).unwrap();
        own(&folder).unwrap();
        assert_eq!(mode(&folder), 0o500);
        // A link of the user's own leads to another disk.
        symlink(&folder, place.path().join("link")).unwrap();
        own(&place.path().join("link")).unwrap();
        assert!(matches!(inner(&place.path().join("link")), Err(NotPrivate::Link { .. })));
    }

    #[test]
    fn what_others_prepared_is_not_used() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("cache");
        fs::create_dir(&folder).unwrap();
        fs::create_dir(folder.join("v1")).unwrap();
        fs::set_permissions(folder.join("v1"), Permissions::from_mode(0o777)).unwrap();
        assert!(matches!(own(&folder), Err(NotPrivate::Open { .. })));
        assert!(matches!(inner(&folder.join("v1")), Err(NotPrivate::Open { .. })));
        fs::remove_dir(folder.join("v1")).unwrap();
        fs::set_permissions(&folder, Permissions::from_mode(0o1777)).unwrap();
        own(&folder).unwrap();
        assert_eq!(mode(&folder), 0o700);
        // Deep inside, it counts while others could write into the folder.
        fs::create_dir_all(folder.join("v1/values")).unwrap();
        fs::set_permissions(folder.join("v1/values"), Permissions::from_mode(0o777)).unwrap();
        own(&folder).unwrap();
        fs::set_permissions(&folder, Permissions::from_mode(0o770)).unwrap();
        assert!(matches!(own(&folder), Err(NotPrivate::Open { .. })));
        symlink("/etc", folder.join("checkouts")).unwrap();
        assert!(matches!(own(&folder), Err(NotPrivate::Link { .. })));
        fs::write(place.path().join("file"), "").unwrap();
        assert!(matches!(own(&place.path().join("file")), Err(NotPrivate::NotAFolder { .. })));
        // Only the administrator can make folders of other users.
        if rustix::process::geteuid().is_root() {
            fs::remove_file(folder.join("checkouts")).unwrap();
            std::os::unix::fs::chown(&folder, Some(4242), None).unwrap();
            assert!(matches!(own(&folder), Err(NotPrivate::Owner { owner: 4242, .. })));
        }
    }

    #[test]
    fn nothing_stays_that_runs_as_somebody_else() {
        let place = tempfile::tempdir().unwrap();
        let (file, other) = (place.path().join("in/program"), place.path().join("other"));
        fs::create_dir(place.path().join("in")).unwrap();
        for (path, bits) in [(&file, 0o6755), (&other, 0o4711)] {
            fs::write(path, "").unwrap();
            fs::set_permissions(path, Permissions::from_mode(bits)).unwrap();
        }
        symlink(&other, place.path().join("in/link")).unwrap();
        mask(&place.path().join("in"));
        assert_eq!((mode(&file), mode(&other)), (0o755, 0o4711));
    }
}
