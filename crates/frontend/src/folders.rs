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
    let file = directory.join(OsStr::from_bytes(&command.file));
    paths.push(directory);
    let mut folders = around(paths);
    folders.extend(included(&file, &folders));
    folders
}

/// What a file includes by a way that leads out of these folders (`#include "../../common.h"`), as compilers do, and what those include: the
/// files alone. What is hidden, or has no name of a source file, is nobody's header.
fn included(file: &Path, folders: &[PathBuf]) -> BTreeSet<PathBuf> {
    const MOST: usize = 500;
    const ENDINGS: [&str; 8] = ["h", "hh", "hpp", "c", "inc", "inl", "def", "i"];
    let is_source = |path: &Path| {
        let ending = path.extension().and_then(OsStr::to_str);
        let hidden = path.components().any(|part| part.as_os_str().as_bytes().starts_with(b"."));
        ending.is_some_and(|ending| ENDINGS.contains(&ending)) && !hidden && path.is_file()
    };
    let mut seen: BTreeSet<PathBuf> = file.canonicalize().into_iter().collect();
    let mut work: Vec<PathBuf> = seen.iter().cloned().collect();
    while let Some(path) = work.pop().filter(|_| seen.len() < MOST) {
        let (Ok(text), Some(folder)) = (std::fs::read(&path), path.parent()) else { continue };
        let quoted = text.lines().filter_map(|line| {
            let name = line.trim_start().strip_prefix(b"#")?.trim_start().strip_prefix(b"include")?;
            let name = name.trim_start().strip_prefix(b"\"")?;
            Some(&name[..name.find_byte(b'"')?])
        });
        for name in quoted {
            let found = folder.join(OsStr::from_bytes(name)).canonicalize().ok();
            if let Some(found) =
                found.filter(|found| is_source(found)).filter(|found| seen.insert(found.clone()))
            {
                work.push(found);
            }
        }
    }
    seen.into_iter().filter(|path| !folders.iter().any(|folder| path.starts_with(folder))).collect()
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
    fn headers_above_are_read_and_nothing_else_there() {
        let folder = tempfile::Builder::new().prefix("headers").tempdir().expect("a folder");
        let path = |name: &str| folder.path().canonicalize().expect("it is there").join(name);
        std::fs::create_dir_all(path("a/b")).expect("folders");
        let write = |name: &str, text: &str| std::fs::write(path(name), text).expect("a file");
        write("a/b/main.c", "#include \"../../top.h\"\n # include \"near.h\"\n#include \"../../secret\"\n");
        write("top.h", "#include \"deep.inc\"\n");
        ["deep.inc", "secret", "other.h", "a/b/near.h"].into_iter().for_each(|name| write(name, ""));
        let found = included(&path("a/b/main.c"), &[path("a/b")]);
        assert_eq!(found.into_iter().collect::<Vec<_>>(), [path("deep.inc"), path("top.h")]);
    }

    #[test]
    fn folders_inside_of_others_are_not_named_twice() {
        assert_eq!(
            around(["/usr/include/linux", "/usr/include", "/usr/include/stdio.h"]),
            [Path::new("/usr/include")]
        );
        assert!(around(["/", "/no/such/folder"]).is_empty());
    }
}
