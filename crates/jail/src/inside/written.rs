//! Writing where somebody else chose the name, or where foreign code could have put something before.
//!
//! Every folder on the way is a folder below the root that is held open, so nothing is ever written through a link. What is in the
//! place of the new file is replaced and not written into.

use std::fs::File;
use std::io::Write;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, CWD, Mode, OFlags, linkat, mkdirat, openat, symlinkat, unlinkat};
use rustix::io::Errno;

use super::{MOST, Refused, content, of_system, walk};

/// Writes a file inside of a folder, with the folders on the way to it.
pub fn write(root: &Path, name: &Path, bytes: &[u8]) -> Result<(), Refused> {
    create(root, name, bytes, Mode::from_raw_mode(0o666))
}

/// The same for a file that can be executed.
pub fn write_executable(root: &Path, name: &Path, bytes: &[u8]) -> Result<(), Refused> {
    create(root, name, bytes, Mode::from_raw_mode(0o777))
}

/// Makes a link inside of a folder. Where it leads is the caller's concern.
pub fn write_link(root: &Path, name: &Path, target: &Path) -> Result<(), Refused> {
    let place = Place::free(root, name)?;
    symlinkat(target, &place.folder, place.name).map_err(|error| of_system(error, name))
}

/// Gives a file that lies inside of another folder a second name. Both are one file: nobody may write to it.
pub fn share(root: &Path, name: &Path, (from, file): (&Path, &Path)) -> Result<(), Refused> {
    let found = super::open(from, file)?;
    let found = File::from(found);
    if !found.metadata()?.is_file() {
        return Err(Refused::NotAFile("a folder, a pipe or a device"));
    }
    let place = Place::free(root, name)?;
    let itself = format!("/proc/self/fd/{}", found.as_raw_fd());
    match linkat(CWD, itself, &place.folder, place.name, AtFlags::SYMLINK_FOLLOW) {
        Ok(()) => Ok(()),
        // Another disk, or no `/proc`.
        Err(_) => write(root, name, &content(found.into(), MOST)?),
    }
}

/// Removes a file or a link inside of a folder.
pub fn remove(root: &Path, name: &Path) -> Result<(), Refused> {
    let place = Place::find(root, name)?;
    unlinkat(&place.folder, place.name, AtFlags::empty()).map_err(|error| of_system(error, name))
}

/// Makes a folder inside of another one, with those on the way to it.
pub fn make_folder(root: &Path, name: &Path) -> Result<(), Refused> {
    // What lies in it is not made.
    Place::find(root, &name.join("new")).map(drop)
}

fn create(root: &Path, name: &Path, bytes: &[u8], mode: Mode) -> Result<(), Refused> {
    let place = Place::free(root, name)?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = openat(&place.folder, place.name, flags, mode).map_err(|error| of_system(error, name))?;
    Ok(File::from(file).write_all(bytes)?)
}

/// A name in a folder that is held open.
struct Place<'a> {
    folder: OwnedFd,
    name: &'a std::ffi::OsStr,
}

impl<'a> Place<'a> {
    /// Folders that are missing on the way are made.
    fn find(root: &Path, name: &'a Path) -> Result<Self, Refused> {
        let outside = || Refused::Outside { root: root.to_owned() };
        let mut ahead = walk::parts(name).ok_or_else(outside)?;
        let last = name.file_name().ok_or_else(outside)?;
        ahead.remove(0);
        let tree = openat(CWD, root, OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty());
        let mut folders = vec![tree.map_err(|error| of_system(error, root))?];
        while let Some(part) = ahead.pop() {
            if part == ".." {
                folders.pop();
                if folders.is_empty() {
                    return Err(outside());
                }
                continue;
            }
            let folder = folders.last().ok_or_else(outside)?;
            match mkdirat(folder, &part, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(of_system(error, name)),
            }
            let next = walk::step(folder, &part).map_err(|error| match error {
                Errno::LOOP | Errno::NOTDIR => Refused::NotAFolder,
                error => of_system(error, name),
            })?;
            folders.push(next);
        }
        let folder = folders.pop().ok_or_else(outside)?;
        Ok(Self { folder, name: last })
    }

    /// The same, with nothing there.
    fn free(root: &Path, name: &'a Path) -> Result<Self, Refused> {
        let place = Self::find(root, name)?;
        match unlinkat(&place.folder, place.name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(place),
            Err(Errno::ISDIR) => Err(Refused::NotAFile("a folder")),
            Err(error) => Err(of_system(error, name)),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    /// A folder in which foreign code left links, beside what is not to be touched.
    fn tree() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("tree");
        fs::create_dir_all(root.join("in")).unwrap();
        fs::create_dir(folder.path().join("home")).unwrap();
        fs::write(folder.path().join("home/key"), "secret").unwrap();
        for (name, target) in [
            ("out", "../home"),
            ("key", "../home/key"),
            ("in/out", "../../home"),
            ("new", "../home/new"),
            ("inner", "in"),
        ] {
            symlink(target, root.join(name)).unwrap();
        }
        folder
    }

    fn is_untouched(folder: &Path) -> bool {
        let names: Vec<_> =
            fs::read_dir(folder.join("home")).unwrap().map(|it| it.unwrap().file_name()).collect();
        names == ["key"]
            && fs::read_to_string(folder.join("home/key")).unwrap() == "secret"
            && fs::read_dir(folder).unwrap().count() == 2
    }

    #[test]
    fn nothing_is_written_outside() {
        let folder = tree();
        let root = folder.path().join("tree");
        let absolute = folder.path().join("home/new").display().to_string();
        for name in [
            "../new",
            "../home/key",
            "in/../../new",
            "out/key",
            "out/new",
            "in/out/new/deep",
            "inner/x",
            "",
            "..",
            "in/..",
            &absolute,
        ] {
            let name = Path::new(name);
            assert!(write(&root, name, b"evil").is_err(), "{}", name.display());
            assert!(write_link(&root, name, Path::new("/")).is_err(), "{}", name.display());
            assert!(
                share(&root, name, (folder.path(), Path::new("home/key"))).is_err(),
                "{}",
                name.display()
            );
            assert!(remove(&root, name).is_err(), "{}", name.display());
            assert!(is_untouched(folder.path()), "{}", name.display());
        }
        for name in ["../new", "out/new", "in/out/new/deep", "in/../../new"] {
            assert!(make_folder(&root, Path::new(name)).is_err() && is_untouched(folder.path()), "{name}");
        }
    }

    #[test]
    fn what_is_in_the_place_is_replaced() {
        let folder = tree();
        let root = folder.path().join("tree");
        for name in ["key", "new", "a/b/c", "in/./../a/d"] {
            write_executable(&root, Path::new(name), b"one").unwrap();
            let found = fs::symlink_metadata(root.join(name)).unwrap();
            assert!(found.is_file() && found.permissions().mode() & 0o100 != 0, "{name}");
            write(&root, Path::new(name), b"two").unwrap();
            let found = fs::symlink_metadata(root.join(name)).unwrap();
            assert!(found.is_file() && found.permissions().mode() & 0o100 == 0, "{name}");
            assert_eq!(fs::read(root.join(name)).unwrap(), b"two");
        }
        assert!(matches!(write(&root, Path::new("in"), b""), Err(Refused::NotAFile(_))));
        assert!(matches!(write(&root, Path::new("a/b/c/d"), b""), Err(Refused::NotAFolder)));
        make_folder(&root, Path::new("x/y")).unwrap();
        make_folder(&root, Path::new("x/y")).unwrap();
        assert!(root.join("x/y").is_dir() && !root.join("x/y/new").exists());
        remove(&root, Path::new("out")).unwrap();
        assert!(matches!(remove(&root, Path::new("out")), Err(Refused::Missing)));
        assert!(is_untouched(folder.path()));
    }

    #[test]
    fn a_file_is_shared_and_no_link_is_followed_to_it() {
        let folder = tree();
        let root = folder.path().join("tree");
        write(&root, Path::new("in/one"), b"one").unwrap();
        share(&root, Path::new("two"), (&root, Path::new("in/one"))).unwrap();
        assert_eq!(fs::read(root.join("two")).unwrap(), b"one");
        for name in ["key", "out/key", "../home/key", "in"] {
            assert!(share(&root, Path::new("three"), (&root, Path::new(name))).is_err(), "{name}");
            assert!(!root.join("three").exists());
        }
    }
}
