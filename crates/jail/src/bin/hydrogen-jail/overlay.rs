//! Files that are read as they are, and copied when they are written: what a program changes is gone with it.

use std::ffi::CString;
use std::fs;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, open};
use rustix::mount::{
    MountFlags, MountPropagationFlags, mount, mount_bind, mount_bind_recursive, mount_change,
};
use rustix::process::geteuid;

use crate::{Refusal, namespaces, sys};

/// What stays as it is: devices, and what the kernel tells.
const LIVE: [&str; 3] = ["/proc", "/sys", "/dev"];

/// Covers every folder at the root, and everything that is mounted, by a layer that takes what is written. Only this process and what
/// it starts see it. `place` is a folder of the tracer's own, which stays visible.
pub fn enter(place: &Path) -> Result<(), Refusal> {
    namespaces::enter_files()?;
    cover_all(place).map_err(|(path, error)| format!("{}: {error}", path.display()))
}

type Failure = (PathBuf, io::Error);

fn at<E: Into<io::Error>>(path: &Path) -> impl FnOnce(E) -> Failure + '_ {
    move |error| (path.to_owned(), error.into())
}

fn cover_all(place: &Path) -> Result<(), Failure> {
    let root = Path::new("/");
    mount_change(root, MountPropagationFlags::PRIVATE | MountPropagationFlags::REC).map_err(at(root))?;
    // As they are now: later, other things stand at these paths.
    let now = |path: &PathBuf| open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty());
    let mut all: Vec<(PathBuf, OwnedFd, bool)> = Vec::new();
    for path in places().map_err(at(root))? {
        // What may not even be looked at needs no cover.
        if let Ok(opened) = now(&path) {
            let is_folder = path.is_dir();
            all.push((path, opened, is_folder));
        }
    }
    let own = open(place, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).map_err(at(place))?;
    let layers = place.join("layers");
    fs::create_dir_all(&layers).map_err(at(&layers))?;
    mount("none", &layers, "tmpfs", MountFlags::empty(), c"mode=700").map_err(at(&layers))?;
    let layer = open(&layers, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).map_err(at(&layers))?;
    for (number, (path, opened, is_folder)) in all.iter().enumerate() {
        if *is_folder {
            // Without privileges, a folder with mounts inside has no copy. It can be read, at least.
            cover(path, opened, &layer, number).or_else(|_| only_read(path))?;
        } else {
            mount_bind(through(opened), path).map_err(at(path))?;
        }
    }
    mount_bind(through(&own), place).map_err(at(place))
}

/// The folders at the root and what is mounted, the outer before the inner.
fn places() -> io::Result<Vec<PathBuf>> {
    let mounts = fs::read_to_string("/proc/self/mountinfo")?;
    let mounted = mounts.lines().filter_map(|line| line.split(' ').nth(4)).map(PathBuf::from);
    let mut all: Vec<PathBuf> = mounted.filter(|path| path.parent().is_some()).collect();
    for entry in fs::read_dir("/")?.flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            all.push(entry.path());
        }
    }
    all.retain(|path| !LIVE.iter().any(|live| path.starts_with(live)));
    all.sort();
    all.dedup();
    Ok(all)
}

fn through(opened: &OwnedFd) -> PathBuf {
    format!("/proc/self/fd/{}", opened.as_raw_fd()).into()
}

fn cover(path: &Path, lower: &OwnedFd, layer: &OwnedFd, number: usize) -> Result<(), Failure> {
    let (upper, work) =
        (through(layer).join(format!("u{number}")), through(layer).join(format!("w{number}")));
    fs::create_dir(&upper).map_err(at(path))?;
    fs::create_dir(&work).map_err(at(path))?;
    // The folder itself looks as it did.
    let found = path.metadata().map_err(at(path))?;
    fs::set_permissions(&upper, found.permissions()).map_err(at(path))?;
    let _ = std::os::unix::fs::chown(&upper, Some(owner(&found).0), Some(owner(&found).1));
    let user = if geteuid().is_root() { "" } else { ",userxattr" };
    let options = format!(
        "lowerdir={},upperdir={},workdir={}{user}",
        through(lower).display(),
        upper.display(),
        work.display()
    );
    let options = CString::new(options).unwrap_or_default();
    mount("overlay", path, "overlay", MountFlags::empty(), options.as_c_str()).map_err(at(path))
}

fn only_read(path: &Path) -> Result<(), Failure> {
    mount_bind_recursive(path, path).map_err(at(path))?;
    sys::mount_attributes(path, libc::MOUNT_ATTR_RDONLY, true).map_err(at(path))
}

fn owner(found: &fs::Metadata) -> (u32, u32) {
    use std::os::unix::fs::MetadataExt;
    (found.uid(), found.gid())
}
