//! A file system of its own: what the policy names, at its usual place, and nothing else.

use std::ffi::{CString, OsStr};
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};

use hydrogen_jail::{Namespaces, Policy};
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind_recursive, mount_change, unmount,
};
use rustix::process::{chdir, pivot_root};

use crate::{Refusal, sys};

const OLD: &str = "/old";
const NEW: &str = "/new";
/// Devices that do no harm.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];
/// Names for what is open, as programs expect them.
const LINKS: [(&str, &str); 5] = [
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
    ("ptmx", "pts/ptmx"),
];
/// A chain of links that is longer has no end.
const MOST_LINKS: usize = 40;
/// Bytes in files for temporary use; they live in memory.
const TEMPORARY: u64 = 512 << 20;

/// Moves this process into the new file system.
pub fn enter(policy: &Policy, namespaces: Namespaces) -> Result<(), Refusal> {
    build(policy, namespaces).map_err(|(what, error)| format!("file system: {}: {error}", what.display()))
}

type Failure = (PathBuf, io::Error);

fn at<E: Into<io::Error>>(path: impl AsRef<Path>) -> impl FnOnce(E) -> Failure {
    let path = path.as_ref().to_owned();
    move |error| (path, error.into())
}

fn build(policy: &Policy, namespaces: Namespaces) -> Result<(), Failure> {
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC).map_err(at("/"))?;
    // First to a place from which both the old and the new can be seen.
    let stage = Path::new("/tmp");
    let tight = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", stage, "tmpfs", tight, c"mode=755,size=1m").map_err(at(stage))?;
    for name in ["old", "new"] {
        fs::create_dir(stage.join(name)).map_err(at(name))?;
    }
    pivot_root(stage, stage.join("old")).map_err(at("pivot"))?;
    chdir("/").map_err(at("/"))?;
    mount("tmpfs", NEW, "tmpfs", tight, c"mode=755,size=4m").map_err(at(NEW))?;
    devices(policy).map_err(at("/dev"))?;
    let size = policy.limits.disk.unwrap_or(TEMPORARY).min(TEMPORARY);
    let options = CString::new(format!("mode=1777,size={size}")).unwrap_or_default();
    for place in ["tmp", "dev/shm"] {
        let place = Path::new(NEW).join(place);
        fs::create_dir_all(&place).map_err(at(&place))?;
        mount("tmpfs", &place, "tmpfs", tight, options.as_c_str()).map_err(at(&place))?;
    }
    processes(policy, namespaces)?;
    // Outer folders before inner ones, and of two for the same place the writable one last.
    let mut places: Vec<(&OsStr, bool)> = policy.read.iter().map(|path| (path.as_os_str(), false)).collect();
    places.extend(policy.write.iter().map(|path| (path.as_os_str(), true)));
    places.sort_by(|a, b| Path::new(a.0).cmp(Path::new(b.0)).then(a.1.cmp(&b.1)));
    for (path, writable) in places {
        place(Path::new(path), writable)?;
    }
    sys::mount_attributes(Path::new(NEW), libc::MOUNT_ATTR_RDONLY, false).map_err(at(NEW))?;
    chdir(NEW).map_err(at(NEW))?;
    // The old root ends up on top of the new one, and goes.
    pivot_root(".", ".").map_err(at("pivot"))?;
    unmount(".", UnmountFlags::DETACH).map_err(at("old root"))?;
    chdir("/").map_err(at("/"))
}

/// Shows one folder or file of the old file system at the same place in the new one. What does not exist is left out.
fn place(path: &Path, writable: bool) -> Result<(), Failure> {
    let Some(real) = follow(path)? else { return Ok(()) };
    let (from, to) = (below(OLD, &real), below(NEW, &real));
    let Ok(found) = fs::metadata(&from) else { return Ok(()) };
    if found.is_dir() {
        fs::create_dir_all(&to).map_err(at(&real))?;
    } else if fs::symlink_metadata(&to).is_err() {
        fs::create_dir_all(to.parent().unwrap_or(Path::new(NEW))).map_err(at(&real))?;
        fs::write(&to, "").map_err(at(&real))?;
    }
    mount_bind_recursive(&from, &to).map_err(at(&real))?;
    let mut attributes = libc::MOUNT_ATTR_NOSUID | libc::MOUNT_ATTR_NODEV;
    if !writable {
        attributes |= libc::MOUNT_ATTR_RDONLY;
    }
    sys::mount_attributes(&to, attributes, true).map_err(at(&real))
}

/// The path without links. The links on the way are made in the new file system, too.
fn follow(path: &Path) -> Result<Option<PathBuf>, Failure> {
    let mut path = path.to_owned();
    'again: for _ in 0..MOST_LINKS {
        let mut done = PathBuf::from("/");
        let mut parts = path.components();
        while let Some(part) = parts.next() {
            match part {
                Component::Normal(name) => done.push(name),
                Component::ParentDir => {
                    done.pop();
                }
                _ => continue,
            }
            let Ok(target) = fs::read_link(below(OLD, &done)) else { continue };
            let link = below(NEW, &done);
            let parent = done.parent().unwrap_or(Path::new("/")).to_owned();
            if fs::symlink_metadata(&link).is_err() {
                fs::create_dir_all(below(NEW, &parent)).map_err(at(&parent))?;
                // The folder may be one that is shown as it is, and then holds the link already.
                let _ = symlink(&target, &link);
            }
            path = parent.join(target).join(parts.as_path());
            continue 'again;
        }
        return Ok(Some(done));
    }
    Ok(None)
}

fn below(root: &str, path: &Path) -> PathBuf {
    Path::new(root).join(path.strip_prefix("/").unwrap_or(path))
}

fn devices(policy: &Policy) -> io::Result<()> {
    let folder = Path::new(NEW).join("dev");
    fs::create_dir(&folder)?;
    // What only reads and computes needs none that has no end: a source could include it.
    let needed = if policy.temporary { &DEVICES[..] } else { &DEVICES[..1] };
    for name in needed {
        let (from, to) = (below(OLD, Path::new("/dev")).join(name), folder.join(name));
        if from.exists() {
            fs::write(&to, "")?;
            mount_bind_recursive(&from, &to)?;
        }
    }
    for (name, target) in LINKS {
        symlink(target, folder.join(name))?;
    }
    // Terminals of its own are a comfort; not every kernel allows them here.
    let terminals = folder.join("pts");
    fs::create_dir(&terminals)?;
    let options = c"newinstance,ptmxmode=0666,mode=620";
    let _ = mount("devpts", &terminals, "devpts", MountFlags::NOSUID | MountFlags::NOEXEC, options);
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o755))
}

/// A view of the new namespace's processes, and no others.
fn processes(policy: &Policy, namespaces: Namespaces) -> Result<(), Failure> {
    let folder = Path::new(NEW).join("proc");
    fs::create_dir(&folder).map_err(at("/proc"))?;
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    mount("proc", &folder, "proc", flags, None).map_err(at("/proc"))?;
    if namespaces == Namespaces::User {
        // What could be won back in a namespace inside of this one.
        let _ = fs::write(folder.join("sys/user/max_user_namespaces"), "0");
    }
    if let Some(most) = policy.limits.hard_processes().filter(|_| pid_max_is_our_own()) {
        // The kernel reserves the first 300 numbers.
        let _ = fs::write(folder.join("sys/kernel/pid_max"), (most.max(100) + 301).to_string());
    }
    sys::mount_attributes(&folder, libc::MOUNT_ATTR_NOSUID, false).map_err(at("/proc"))?;
    // What configures the kernel is only read.
    let settings = folder.join("sys");
    mount_bind_recursive(&settings, &settings).map_err(at("/proc/sys"))?;
    sys::mount_attributes(&settings, libc::MOUNT_ATTR_RDONLY, true).map_err(at("/proc/sys"))
}

/// Since Linux 6.14 each namespace has its own limit; before that, there was one for the whole machine.
fn pid_max_is_our_own() -> bool {
    let system = rustix::system::uname();
    let release = system.release().to_string_lossy();
    let mut numbers =
        release.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse::<u32>().ok());
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= (6, 14)
}
