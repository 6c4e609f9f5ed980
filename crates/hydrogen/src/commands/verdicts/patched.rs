//! Releases with a patch in them, as folders of real source.

use super::question::Question;
use crate::context::Context;
use anyhow::{Context as _, Result};
use bstr::{BString, ByteSlice};
use hydrogen_evidence::Applies;
use hydrogen_graph::Fix;
use hydrogen_graph::{NodeId, VersionId};
use hydrogen_history::tree::{FileEntry, Kind as FileKind};
use hydrogen_history::version::{Source, Version};
use hydrogen_jail::inside;
use hydrogen_patch::{Files, How, Hunk, carry};
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

/// The patch: its two versions with their files, and its hunks.
pub struct Patch<'a> {
    pub context: &'a Context,
    pub question: &'a Question,
    pub fix: Fix,
    pub old: &'a Version,
    pub new: &'a Version,
    pub hunks: Vec<Hunk>,
    /// The files that differ, in the order of their paths.
    changed: Vec<Changed>,
}

struct Changed {
    path: BString,
    old: Option<FileEntry>,
    new: Option<FileEntry>,
}

/// A release with the patch in it, or why there is none.
#[derive(Default)]
pub struct Made {
    /// Per hunk.
    pub applies: Vec<Applies>,
    /// Per file that the patch changes outside functions: whether that could be carried.
    pub outside: BTreeMap<String, bool>,
    /// The hunks that were placed by statements.
    pub by_statements: BTreeSet<usize>,
    /// The hunks that apply and for which there was no place in the text.
    pub lost: BTreeSet<usize>,
    /// Whether one of the carried hunks, or a change outside functions, can have to do with the fault.
    pub matters: bool,
    /// The source; none if nothing was carried.
    pub version: Option<Version>,
}

impl Made {
    /// Whether a hunk is in the release.
    pub fn carries(&self, hunk: usize) -> bool {
        self.applies[hunk] == Applies::Yes && !self.lost.contains(&hunk)
    }
}

impl<'a> Patch<'a> {
    pub fn read(
        context: &'a Context,
        question: &'a Question,
        (old, new): (&'a Version, &'a Version),
    ) -> Result<Self> {
        let fix = Fix { before: question.id(old)?, after: question.id(new)? };
        let hunks = hydrogen_patch::hunks(&question.graph, fix);
        let mut files: BTreeMap<BString, (Option<FileEntry>, Option<FileEntry>)> = BTreeMap::new();
        for file in context.trees.files(old)? {
            let both = files.entry(file.path.clone()).or_default();
            both.0 = Some(file);
        }
        for file in context.trees.files(new)? {
            let both = files.entry(file.path.clone()).or_default();
            both.1 = Some(file);
        }
        let differs = |(path, (old, new)): (BString, (Option<FileEntry>, Option<FileEntry>))| {
            let same = old.as_ref().map(|file| file.oid) == new.as_ref().map(|file| file.oid);
            (!same).then_some(Changed { path, old, new })
        };
        let changed = files.into_iter().filter_map(differs).collect();
        Ok(Self { context, question, fix, old, new, hunks, changed })
    }

    /// Writes the release with the patch, or with one of its hunks, into a folder.
    pub fn make(
        &self,
        release: &Version,
        name: &str,
        bug: &[NodeId],
        folder: &Path,
        only: Option<usize>,
    ) -> Result<Made> {
        let Some(id) = self.question.graph.version(&release.name) else {
            return Ok(Made { applies: vec![Applies::Unread; self.hunks.len()], ..Made::default() });
        };
        let graph = &self.question.graph;
        let applies = |(at, hunk): (usize, &Hunk)| match only {
            Some(only) if only != at => Applies::No,
            _ => hunk.applies(graph, self.fix, id),
        };
        let applies: Vec<Applies> = self.hunks.iter().enumerate().map(applies).collect();
        let mut made = Made { applies, ..Made::default() };
        if matches!(release.source, Source::Bitcode(_)) {
            return Ok(made);
        }
        let mut files: BTreeMap<BString, FileEntry> = BTreeMap::new();
        for file in self.context.trees.files(release)? {
            files.insert(file.path.clone(), file);
        }
        let edited = self.edit(release, id, &files, &mut made)?;
        let leads = |hunk: &Hunk| bug.iter().any(|&node| hunk.leads_to(graph, self.fix, node));
        let mut carried = self.hunks.iter().enumerate().filter(|(at, _)| self.is_carried(&made, *at));
        made.matters = carried.any(|(_, hunk)| leads(hunk)) || made.outside.values().any(|&carried| carried);
        if edited.is_empty() || !made.matters {
            return Ok(made);
        }
        self.write(release, &files, &edited, folder)
            .with_context(|| format!("cannot write {name} into {}", folder.display()))?;
        made.version = Some(Version { name: name.to_owned(), source: Source::Directory(folder.to_owned()) });
        Ok(made)
    }

    /// Whether a hunk is in the release that was made.
    pub fn is_carried(&self, made: &Made, hunk: usize) -> bool {
        made.carries(hunk)
    }

    /// The release's files that the patch changes, with the patch in them.
    fn edit(
        &self,
        release: &Version,
        id: VersionId,
        files: &BTreeMap<BString, FileEntry>,
        made: &mut Made,
    ) -> Result<BTreeMap<BString, Vec<u8>>> {
        let trees = &self.context.trees;
        let mut edited = BTreeMap::new();
        let applies: Vec<bool> = made.applies.iter().map(|&applies| applies == Applies::Yes).collect();
        let plain = |file: &FileEntry| matches!(file.kind, FileKind::File | FileKind::Executable);
        for Changed { path, old, new } in &self.changed {
            let (old, new) = match (old, new) {
                (Some(old), Some(new)) if plain(old) && plain(new) => (old, new),
                (None, Some(new)) if plain(new) && !files.contains_key(path) => {
                    edited.insert(path.clone(), trees.read(self.new, new)?);
                    continue;
                }
                _ => continue,
            };
            let name = path.to_str_lossy();
            let there = self.path_in(&name, id).filter(|path| files.contains_key(path));
            let there = there.or_else(|| files.contains_key(path).then(|| path.clone()));
            let Some(file) = there.and_then(|path| files.get(&path)).filter(|file| plain(file)) else {
                if is_source(&name) {
                    made.outside.insert(name.into_owned(), false);
                }
                continue;
            };
            let (before, after) = (trees.read(self.old, old)?, trees.read(self.new, new)?);
            let text = trees.read(release, file)?;
            let sides = Files { old: (&name, &before), new: (&name, &after), release: &text };
            let graph = &self.question.graph;
            let carried = carry(graph, self.fix, id, &self.hunks, &applies, &sides, How::Either);
            made.by_statements.extend(&carried.by_statements);
            made.lost.extend(&carried.lost);
            if carried.outside && is_source(&name) {
                made.outside.insert(name.into_owned(), !carried.outside_lost);
            }
            if carried.text != text {
                edited.insert(file.path.clone(), carried.text);
            }
        }
        Ok(edited)
    }

    /// Where the release has the functions that the patch changes in a file.
    fn path_in(&self, file: &str, release: VersionId) -> Option<BString> {
        let graph = &self.question.graph;
        let here = |hunk: &&Hunk| {
            graph.chain_in(hunk.chain, self.fix.before)
                && graph.chain_in(hunk.chain, release)
                && graph.location(hunk.chain, self.fix.before).0 == file
        };
        let hunk = self.hunks.iter().find(here)?;
        Some(graph.location(hunk.chain, release).0.into())
    }

    fn write(
        &self,
        release: &Version,
        files: &BTreeMap<BString, FileEntry>,
        edited: &BTreeMap<BString, Vec<u8>>,
        folder: &Path,
    ) -> Result<()> {
        let reader = self.context.trees.reader(release)?;
        std::fs::create_dir_all(folder)?;
        let added = edited.keys().filter(|path| !files.contains_key(*path));
        for path in files.keys().chain(added) {
            let target = Path::new(OsStr::from_bytes(path));
            let kind = files.get(path).map_or(FileKind::File, |file| file.kind);
            if kind == FileKind::Submodule {
                continue;
            }
            let content = match (edited.get(path), files.get(path)) {
                (Some(content), _) => content.clone(),
                (None, Some(file)) => reader.read(file)?,
                (None, None) => continue,
            };
            match kind {
                FileKind::Symlink => {
                    inside::write_link(folder, target, Path::new(OsStr::from_bytes(&content)))?;
                }
                FileKind::Executable => inside::write_executable(folder, target, &content)?,
                _ => inside::write(folder, target, &content)?,
            }
        }
        Ok(())
    }
}

/// Whether a file is part of the program's text.
fn is_source(path: &str) -> bool {
    [".c", ".h", ".inc", ".def"].iter().any(|end| path.ends_with(end))
}
