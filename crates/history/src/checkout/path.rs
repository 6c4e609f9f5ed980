//! Which paths and links of a tree may be written.

use std::collections::BTreeSet;

use bstr::{BStr, BString, ByteSlice};

use super::Problem;
use crate::tree::{FileEntry, Kind};

/// Splits the files into those to write and those to refuse.
pub(super) fn admit(files: &[FileEntry]) -> (Vec<&FileEntry>, Vec<Problem>) {
    let mut problems = Vec::new();
    let mut folders: BTreeSet<&BStr> = BTreeSet::new();
    let mut well_formed = Vec::with_capacity(files.len());
    for file in files {
        match refuse(file.path.as_bstr()) {
            Some(reason) => problems.push(Problem::RefusedPath { path: file.path.clone(), reason }),
            None => {
                folders.extend(parents(file.path.as_bstr()));
                well_formed.push(file);
            }
        }
    }
    // A damaged or hostile tree can hold `a` twice, or both `a` and `a/b`: with `a` a link, writing the second would
    // write through the first.
    let mut seen: Option<&BString> = None;
    well_formed.retain(|file| {
        let twice = seen == Some(&file.path);
        seen = Some(&file.path);
        let reason = match (twice, folders.contains(file.path.as_bstr())) {
            (true, _) => "the tree has two files of that name",
            (_, true) => "the tree has a folder of the same name",
            _ => return true,
        };
        problems.push(Problem::RefusedPath { path: file.path.clone(), reason });
        false
    });
    for file in well_formed.iter().filter(|file| file.kind == Kind::Submodule) {
        problems.push(Problem::Submodule { path: file.path.clone() });
    }
    (well_formed, problems)
}

/// The folders that contain a path, outermost first.
pub(super) fn parents(path: &BStr) -> impl Iterator<Item = &BStr> {
    path.find_iter("/").map(|at| path[..at].as_bstr())
}

fn refuse(path: &BStr) -> Option<&'static str> {
    for part in path.split_str("/") {
        match part {
            b"" => return Some("a component of the path is empty"),
            b"." | b".." => return Some("`.` and `..` are not names of files"),
            _ if part.eq_ignore_ascii_case(b".git") => return Some("`.git` is git's own name"),
            _ if part.contains(&0) => return Some("the path contains a NUL byte"),
            _ => {}
        }
    }
    None
}

/// Whether a link stays inside the checkout. Only leading `..` are allowed, and not more than the link is deep: the
/// folder of the link is a real folder, every other link obeys the same rule, so by induction none leads out.
pub(super) fn stays_inside(link: &BStr, target: &BStr) -> bool {
    if target.is_empty() || target.starts_with(b"/") || target.contains(&0) {
        return false;
    }
    let depth = link.find_iter("/").count();
    let mut up = 0;
    let mut named = false;
    for part in target.split_str("/") {
        match part {
            b"" | b"." => {}
            b".." if named => return false,
            b".." => up += 1,
            _ => named = true,
        }
    }
    up <= depth
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(link: &str, target: &str, inside: bool) {
        assert_eq!(stays_inside(link.into(), target.into()), inside, "{link} -> {target}");
    }

    #[test]
    fn links_stay_inside_or_are_refused() {
        check("a", "b", true);
        check("a", "./b/c", true);
        check("d/a", "../b", true);
        check("d/a", "..", true);
        check("d/a", "../../b", false);
        check("a", "../b", false);
        check("a", "/etc/passwd", false);
        // With `l -> ..` in a folder, `d/l/../..` leads out although it looks harmless.
        check("a", "d/l/../..", false);
        check("a", "", false);
    }

    #[test]
    fn paths_of_hostile_trees_are_refused() {
        for path in ["../a", "a/../b", ".git/config", "sub/.GIT/hooks", "a//b", "/a", "./a", "a/"] {
            assert!(refuse(path.into()).is_some(), "{path}");
        }
        for path in ["a", ".gitignore", "a b/c\nd", "..a", "a..b"] {
            assert!(refuse(path.into()).is_none(), "{path}");
        }
    }
}
