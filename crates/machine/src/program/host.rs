//! Headers of other libraries, as they are installed on the host: what programs include besides the C library.
//!
//! The machine has a C library of its own, so the host's must not be found: a folder of links shows what the host has without it.

use rustc_hash::FxHashSet;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// Where a Debian system has headers, what is special to the processor first.
const HEADERS: [&str; 3] = ["/usr/local/include", "/usr/include/x86_64-linux-gnu", "/usr/include"];
/// Which files are the host's C library's.
const LISTS: [&str; 2] = ["/var/lib/dpkg/info/libc6-dev:amd64.list", "/var/lib/dpkg/info/libc6-dev.list"];
/// No headers of C, and those of another C library.
const LEFT_OUT: [&str; 4] = ["c++", "x86_64-linux-gnu", "x86_64-linux-musl", "i386-linux-gnu"];

/// The folder of links to the host's headers. It is made when it is missing, and again when the host's headers changed. There is none
/// where it is not known which headers belong to the C library.
pub(super) fn headers(folder: &Path) -> Option<PathBuf> {
    let list = LISTS.iter().find_map(|list| fs::read_to_string(list).ok())?;
    let changed = |path: &&str| fs::metadata(path).and_then(|found| found.modified()).ok();
    let times: Vec<_> = HEADERS.iter().chain(&LISTS).map(changed).collect();
    let key = blake3::hash(format!("1 {times:?} {LEFT_OUT:?} {list}").as_bytes());
    let target = folder.join(format!("host-{}", &key.to_hex()[..16]));
    if target.is_dir() {
        return Some(target);
    }
    let own: FxHashSet<PathBuf> = list.lines().map(PathBuf::from).collect();
    let part = folder.join(format!("host.{}.part", std::process::id()));
    let _ = fs::remove_dir_all(&part);
    let sources: Vec<PathBuf> = HEADERS.iter().map(PathBuf::from).collect();
    let made = merge(&sources, &part, &own, &LEFT_OUT).and_then(|()| fs::rename(&part, &target));
    let _ = fs::remove_dir_all(&part);
    (made.is_ok() || target.is_dir()).then_some(target)
}

/// Links everything that is in these folders into one, but what is the C library's; of two files of a name the first one counts.
fn merge(sources: &[PathBuf], target: &Path, own: &FxHashSet<PathBuf>, left_out: &[&str]) -> io::Result<()> {
    fs::create_dir_all(target)?;
    let mut names: BTreeMap<OsString, Vec<PathBuf>> = BTreeMap::new();
    for source in sources {
        for entry in fs::read_dir(source).into_iter().flatten().flatten() {
            names.entry(entry.file_name()).or_default().push(entry.path());
        }
    }
    names.retain(|name, _| !left_out.iter().any(|one| name == *one));
    for (name, paths) in names {
        let to = target.join(name);
        let folders: Vec<PathBuf> = paths.iter().filter(|path| path.is_dir()).cloned().collect();
        match folders.as_slice() {
            [] => {
                if let Some(path) = paths.iter().find(|path| !own.contains(*path)) {
                    symlink(path, to)?;
                }
            }
            [one] if !own.contains(one) => symlink(one, to)?,
            several => merge(several, &to, own, &[])?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_c_library_is_left_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = |name: &str| folder.path().join(name);
        for name in ["a/sys", "a/lib", "b/lib", "b/other"] {
            fs::create_dir_all(path(name)).expect("folders");
        }
        let files =
            ["a/stdio.h", "a/sys/io.h", "a/sys/extra.h", "a/zlib.h", "a/lib/x.h", "b/lib/y.h", "b/other/z.h"];
        files.iter().for_each(|name| fs::write(path(name), name).expect("a file"));
        let own = ["a", "a/stdio.h", "a/sys", "a/sys/io.h"].map(path).into_iter().collect();
        merge(&[path("a"), path("b")], &path("out"), &own, &[]).expect("links");
        let there = |name: &str| fs::read(path("out").join(name)).is_ok();
        for name in ["zlib.h", "sys/extra.h", "lib/x.h", "lib/y.h", "other/z.h"] {
            assert!(there(name), "{name}");
        }
        assert!(!there("stdio.h") && !there("sys/io.h"));
    }
}
