//! Files of submodules, where the user's repository has them: `git submodule update --init` puts their objects below its git directory.

use std::path::{Path, PathBuf};

use bstr::{BStr, BString, ByteSlice};

use super::{Error, FileEntry, Kind, Trees, list};
use crate::limits::Room;
use crate::version::{Source, Version};
use crate::{Oid, Repository};

/// A submodule of a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submodule {
    /// Where its files belong.
    pub path: BString,
    /// Its commit.
    pub commit: Oid,
    /// The git directory that has this commit, if there is one.
    pub git_dir: Option<PathBuf>,
}

impl Trees {
    /// The submodules of a version among its files.
    pub fn submodules(&self, version: &Version, files: &[FileEntry]) -> Result<Vec<Submodule>, Error> {
        let entries: Vec<&FileEntry> = files.iter().filter(|file| file.kind == Kind::Submodule).collect();
        let Source::Commit(commit) = &version.source else { return Ok(Vec::new()) };
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        let text = self.read_path(version, ".gitmodules".into())?.unwrap_or_default();
        let parent = self.repository(&commit.repository)?;
        let found = |file: &&FileEntry| {
            let places = places(&parent, &text, file.path.as_bstr());
            let git_dir = places.into_iter().find(|place| self.has_commit(place, file.oid));
            Submodule { path: file.path.clone(), commit: file.oid, git_dir }
        };
        Ok(entries.iter().map(found).collect())
    }

    /// The files of a version with those of its submodules in their place. What is nowhere to be found stays a submodule.
    pub(crate) fn with_submodules(
        &self,
        version: &Version,
        files: Vec<FileEntry>,
    ) -> Result<(Vec<FileEntry>, Vec<gix::Repository>), Error> {
        let mut all = files;
        let (mut repositories, mut room) = (Vec::new(), Room::new());
        for Submodule { path, commit, git_dir } in self.submodules(version, &all)? {
            let Some(git_dir) = git_dir else { continue };
            let repository = self.repository(&git_dir)?.local();
            let tree = repository.find_commit(commit.0).and_then(|commit| commit.tree_id());
            let Ok(tree) = tree.map(|id| id.detach()) else { continue };
            all.retain(|file| file.path != path);
            list(&repository, &version.name, tree, &mut path.clone(), &mut all, &mut room)?;
            repositories.push(repository);
        }
        all.sort_unstable();
        Ok((all, repositories))
    }

    fn has_commit(&self, git_dir: &Path, commit: Oid) -> bool {
        git_dir.is_dir()
            && self.repository(git_dir).is_ok_and(|repository| repository.local().has_object(commit.0))
    }
}

/// The git directories that a submodule can have, the usual one first.
fn places(parent: &Repository, modules: &[u8], path: &BStr) -> Vec<PathBuf> {
    let folder = |name: &BStr| super::to_path(name);
    let kept = parent.local().common_dir().join("modules");
    let named = name_of(modules, path).filter(|name| is_plain(name.as_bstr()));
    let mut places: Vec<PathBuf> = named.iter().map(|name| kept.join(folder(name.as_bstr()))).collect();
    places.push(kept.join(folder(path)));
    // Cloned by hand, or by an old git.
    places.extend(parent.work_dir().map(|work| work.join(folder(path)).join(".git")));
    places
}

/// The name that `.gitmodules` gives to the submodule at a path.
fn name_of(modules: &[u8], path: &BStr) -> Option<BString> {
    let mut name = None;
    for line in modules.lines().map(|line| line.trim()) {
        if let Some(rest) = line.strip_prefix(b"[submodule \"") {
            name = rest.strip_suffix(b"\"]").map(BString::from);
        } else if let Some(value) =
            line.strip_prefix(b"path").and_then(|rest| rest.trim_start().strip_prefix(b"="))
            && value.trim() == path.as_bytes()
        {
            return name;
        }
    }
    None
}

/// A name comes from the version: it must not lead out of the folder of submodules.
fn is_plain(name: &BStr) -> bool {
    name.split_str("/").all(|part| !matches!(part, b"" | b"." | b".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_by_path() {
        let text = b"[submodule \"x\"]\n\tpath = modules/x\n\turl = u\n[submodule \"gnulib\"]\n\turl = v\n\tpath=gnulib\n";
        assert_eq!(name_of(text, "gnulib".into()), Some("gnulib".into()));
        assert_eq!(name_of(text, "modules/x".into()), Some("x".into()));
        assert_eq!(name_of(text, "x".into()), None);
        assert!(!is_plain("../x".into()) && is_plain("a/b".into()));
    }
}
