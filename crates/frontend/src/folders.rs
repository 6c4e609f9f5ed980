//! Which folders a command of the user's may read.

use crate::protocol::Command;
use bstr::{BStr, ByteSlice};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The folders that a command names, each with the repository it belongs to: headers are often beside the folder of a file.
pub(crate) fn named(command: &Command) -> Vec<PathBuf> {
    let path = |bytes: &BStr| PathBuf::from(OsStr::from_bytes(bytes));
    let directory = path(command.directory.as_bstr());
    let mut paths = vec![path(command.root.as_bstr()), directory.join(path(command.file.as_bstr()))];
    for word in &command.arguments {
        // `-I/folder`, `-isystem=/folder` and `/folder` alike.
        let bare = ["-I", "-isystem", "-iquote", "-idirafter", "-include", "-imacros", "--sysroot"];
        let joined = bare.iter().find_map(|option| word.strip_prefix(option.as_bytes()));
        let value = joined.unwrap_or(word.as_slice());
        let value = value.strip_prefix(b"=").unwrap_or(value);
        if !value.is_empty() && !value.starts_with(b"-") {
            paths.push(directory.join(OsStr::from_bytes(value)));
        }
    }
    paths.push(directory);
    around(paths)
}

/// The folders that a user who names these paths lets a compiler read: each path's repository, else its folder. Those inside of others are
/// left out.
pub fn around(paths: impl IntoIterator<Item = impl AsRef<Path>>) -> Vec<PathBuf> {
    let all: BTreeSet<PathBuf> = paths.into_iter().filter_map(|path| home_of(path.as_ref())).collect();
    let mut outer: Vec<PathBuf> = Vec::new();
    for folder in all {
        if !outer.last().is_some_and(|other| folder.starts_with(other)) {
            outer.push(folder);
        }
    }
    outer
}

/// The folder for temporary files or the repository that the path is in, else its own folder. The root of the file system and the
/// user's home are no such folders: everything is inside.
fn home_of(path: &Path) -> Option<PathBuf> {
    let path = path.canonicalize().ok()?;
    let folder = if path.is_dir() { path.as_path() } else { path.parent()? };
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let too_much = |folder: &Path| folder.parent().is_none() || Some(folder) == home.as_deref();
    let temporary = std::env::temp_dir();
    let repository = folder.ancestors().find(|folder| folder.join(".git").exists() && !too_much(folder));
    let chosen = match repository {
        _ if folder.starts_with(&temporary) => &temporary,
        Some(repository) => repository,
        None => folder,
    };
    // A file that lies in the home itself is shown alone.
    if too_much(chosen) { path.is_file().then_some(path) } else { Some(chosen.to_owned()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_inside_of_others_are_not_named_twice() {
        assert_eq!(
            around(["/usr/include/linux", "/usr/include", "/usr/include/stdio.h"]),
            [Path::new("/usr/include")]
        );
        assert!(around(["/", "/no/such/folder"]).is_empty());
    }
}
