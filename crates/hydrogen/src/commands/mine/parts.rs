//! The parts of a change, and the new version with only some of them (B10, B11).

use crate::context::Context;
use anyhow::{Context as _, Result};
use hydrogen_evidence::mined;
use hydrogen_history::Objects;
use hydrogen_history::tree::Change;
use hydrogen_history::version::CommitInfo;
use hydrogen_interact::mine::{Granularity, LineChange, Versions, line_changes, misfit, needs, with_changes};
use hydrogen_jail::inside;
use hydrogen_model::sources::is_c;
use std::collections::BTreeSet;
use std::path::Path;

/// A part of the change.
pub struct Part {
    /// The file's position in the list.
    file: usize,
    /// The lines; nothing for a file that comes or goes as a whole.
    lines: Option<LineChange>,
    pub path: String,
    /// The line of the new version; of the old one where lines only go.
    pub line: usize,
    pub kind: &'static str,
    /// The first line of it.
    pub text: String,
}

/// A C file that differs; nothing on the side where it does not exist.
struct Differing {
    path: String,
    old: Option<Vec<u8>>,
    new: Option<Vec<u8>>,
}

/// A change in parts.
pub struct Parts {
    files: Vec<Differing>,
    /// The parts.
    pub all: Vec<Part>,
    /// Per part, those without which it does not fit.
    needs: Vec<BTreeSet<usize>>,
    /// Files that differ and are no C: they are always those of the new version.
    pub other_files: usize,
}

impl Parts {
    /// The parts as they are told.
    pub fn told(&self) -> Vec<mined::Part> {
        let part = |(change, part): (usize, &Part)| mined::Part {
            change,
            kind: part.kind,
            file: part.path.clone(),
            line: part.line,
            text: part.text.clone(),
        };
        self.all.iter().enumerate().map(part).collect()
    }

    /// The parts of the change from one commit to another.
    pub fn of(
        context: &Context,
        old: Option<&CommitInfo>,
        new: &CommitInfo,
        granularity: Granularity,
    ) -> Result<Self> {
        let repository = context.trees.repository(&new.repository)?;
        let objects = Objects::new(&repository);
        let mut files = Vec::new();
        let mut other_files = 0;
        for changed in objects.changes(old.map(|old| old.tree.as_str()), &new.tree)? {
            let (old, new) = match &changed.change {
                Change::Added(new) => (None, Some(new)),
                Change::Deleted(old) => (Some(old), None),
                Change::Modified { old, new } => (Some(old), Some(new)),
            };
            if !old.or(new).is_some_and(is_c) {
                other_files += 1;
                continue;
            }
            let read = |oid| objects.blob(oid).with_context(|| format!("cannot read {}", changed.path));
            files.push(Differing {
                path: changed.path.to_string(),
                old: old.map(|it| read(it.oid)).transpose()?,
                new: new.map(|it| read(it.oid)).transpose()?,
            });
        }
        let all = parts(&files, granularity);
        Ok(Self { needs: needs_of(&files, &all), all, files, other_files })
    }

    /// Whether some of the parts cannot fit together without others.
    pub fn misfit(&self, chosen: &[usize]) -> bool {
        misfit(&self.needs, chosen).is_some()
    }

    /// Writes the files of a configuration over those of the new version.
    pub fn write(&self, folder: &Path, chosen: &[usize]) -> Result<()> {
        for (number, file) in self.files.iter().enumerate() {
            let own: Vec<(usize, &Part)> =
                self.all.iter().enumerate().filter(|(_, part)| part.file == number).collect();
            let content = match (&file.old, &file.new) {
                (Some(old), Some(new)) => {
                    let lines: Vec<LineChange> =
                        own.iter().filter_map(|(_, part)| part.lines.clone()).collect();
                    Some(with_changes(old, new, &lines, |at| chosen.contains(&own[at].0)))
                }
                (old, new) => {
                    let taken = own.iter().any(|(at, _)| chosen.contains(at));
                    if taken { new.clone() } else { old.clone() }
                }
            };
            let name = Path::new(&file.path);
            let done = match content {
                Some(content) => inside::write(folder, name, &content),
                None => inside::remove(folder, name),
            };
            done.with_context(|| format!("cannot write {}", file.path))?;
        }
        Ok(())
    }
}

fn needs_of(files: &[Differing], parts: &[Part]) -> Vec<BTreeSet<usize>> {
    let versions = files.iter().enumerate().map(|(number, file)| {
        let own = parts.iter().enumerate().filter(|(_, part)| part.file == number);
        let own = own.map(|(at, part)| (at, part.lines.clone())).collect();
        Versions { path: &file.path, old: file.old.as_deref(), new: file.new.as_deref(), parts: own }
    });
    needs(&versions.collect::<Vec<_>>(), parts.len())
}

fn parts(files: &[Differing], granularity: Granularity) -> Vec<Part> {
    let mut parts = Vec::new();
    for (number, file) in files.iter().enumerate() {
        let first = |text: &[u8], line: usize| {
            let line = text.split(|&byte| byte == b'\n').nth(line).unwrap_or_default();
            String::from_utf8_lossy(line).trim().to_owned()
        };
        let mut put = |lines: Option<LineChange>, line: usize, kind, text| {
            parts.push(Part { file: number, lines, path: file.path.clone(), line, kind, text });
        };
        match (&file.old, &file.new) {
            (Some(old), Some(new)) => {
                for change in line_changes(old, new, granularity) {
                    let gone = change.new.1 == 0;
                    let (text, at) = if gone { (old, change.old.0) } else { (new, change.new.0) };
                    let kind = match (change.old.1, change.new.1) {
                        (_, 0) => "deleted",
                        (0, _) => "added",
                        _ => "changed",
                    };
                    put(Some(change), at + 1, kind, first(text, at));
                }
            }
            (None, _) => put(None, 1, "added", "the whole file".into()),
            (_, None) => put(None, 1, "deleted", "the whole file".into()),
        }
    }
    parts
}
