//! The old version with some of the changes of the new one, built and tested in a clean checkout (B10).

use crate::cli::{ClassifyOptions, GranularityName};
use crate::context::Context;
use crate::scratch::Scratch;
use anyhow::{Context as _, Result, bail};
use hydrogen_history::Objects;
use hydrogen_history::checkout::{Checkout, Checkouts};
use hydrogen_history::tree::Change;
use hydrogen_history::trial::{self, Seen, Trial};
use hydrogen_history::version::{CommitInfo, Source, Version};
use hydrogen_interact::mine::{Granularity, LineChange, Versions, line_changes, misfit, needs, with_changes};
use hydrogen_model::sources::is_c;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// So much of what a test writes is compared.
const MOST_OUTPUT: usize = 16 << 20;

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

/// What a test did somewhere, in all its runs.
#[derive(Clone, PartialEq, Eq)]
pub enum Answer {
    /// It always ended with this code, and wrote this (nothing where that was never twice the same).
    Steady(i32, Option<Vec<u8>>),
    /// It ended with different codes.
    Flaky(Vec<i32>),
    /// One of its parts needs one that is missing.
    Misfit,
    /// It does not build.
    NotBuilt,
    /// It cannot be tested there, and why.
    Skipped(String),
}

/// Builds and tests versions and parts of a change.
pub struct Tester<'a> {
    options: &'a ClassifyOptions,
    checkouts: Checkouts,
    stop: Arc<AtomicBool>,
    new: Version,
    files: Vec<Differing>,
    pub parts: Vec<Part>,
    /// Per part, those without which it does not fit.
    needs: Vec<BTreeSet<usize>>,
    /// Files that differ and are no C: they are always those of the new version.
    pub other_files: usize,
    /// Last, so that checkouts are given back before it is removed.
    _scratch: Scratch,
}

impl<'a> Tester<'a> {
    pub fn new(
        context: &Context,
        options: &'a ClassifyOptions,
        old: Option<&CommitInfo>,
        new: &CommitInfo,
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
        let granularity = match options.granularity {
            GranularityName::File => Granularity::File,
            GranularityName::Hunk => Granularity::Hunk,
            GranularityName::Line => Granularity::Line,
        };
        let scratch = Scratch::new("classify")?;
        let checkouts = Checkouts::with_trees(&scratch.path().join("checkouts"), Arc::clone(&context.trees))?;
        let parts = parts(&files, granularity);
        Ok(Self {
            options,
            checkouts,
            stop: context.cancel_flag()?,
            new: version(new),
            needs: needs_of(&files, &parts),
            parts,
            files,
            other_files,
            _scratch: scratch,
        })
    }

    /// How many configurations may be asked about.
    pub fn budget(&self) -> usize {
        self.options.configurations
    }

    /// What a test does in a version.
    pub fn version(&self, test: &str, commit: &CommitInfo) -> Result<Answer> {
        let version = version(commit);
        self.ask(test, &|| Ok(self.checkouts.lease(&version)?))
    }

    /// What a test does with some parts of the change. What cannot fit together is not built.
    pub fn configuration(&self, test: &str, chosen: &[usize]) -> Result<Answer> {
        if misfit(&self.needs, chosen).is_some() {
            return Ok(Answer::Misfit);
        }
        self.ask(test, &|| {
            let checkout = self.checkouts.lease(&self.new)?;
            self.put(checkout.path(), chosen)?;
            Ok(checkout)
        })
    }

    /// Writes the files of a configuration over those of the new version.
    fn put(&self, folder: &Path, chosen: &[usize]) -> Result<()> {
        for (number, file) in self.files.iter().enumerate() {
            let own: Vec<(usize, &Part)> =
                self.parts.iter().enumerate().filter(|(_, part)| part.file == number).collect();
            let path = folder.join(&file.path);
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
            let done = match content {
                Some(content) => {
                    let parent = path.parent().map_or(Ok(()), std::fs::create_dir_all);
                    parent.and_then(|()| std::fs::write(&path, content))
                }
                None => std::fs::remove_file(&path),
            };
            done.with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(())
    }

    /// Builds once for every run of the test: what a run leaves behind must not decide the next.
    fn ask(&self, test: &str, lease: &dyn Fn() -> Result<Checkout>) -> Result<Answer> {
        let mut seen: Vec<Seen> = Vec::new();
        for _ in 0..self.options.repeat.get() {
            let checkout = lease()?;
            match trial::run(&checkout, &self.options.build, self.options.timeout, &self.stop) {
                Trial::Pass => {}
                Trial::Fail => return Ok(Answer::NotBuilt),
                Trial::Skip(reason) => return Ok(Answer::Skipped(reason)),
                Trial::Broken(reason) => return broken(reason),
            }
            match trial::see(&checkout, test, self.options.timeout, &self.stop, MOST_OUTPUT) {
                Ok(mut one) => {
                    one.output = without_path(&one.output, checkout.path());
                    seen.push(one);
                }
                Err(Trial::Skip(reason)) => return Ok(Answer::Skipped(reason)),
                Err(Trial::Broken(reason)) => return broken(reason),
                Err(Trial::Pass | Trial::Fail) => bail!("a test that ended was not seen"),
            }
        }
        let first = &seen[0];
        if seen.iter().any(|other| other.code != first.code) {
            return Ok(Answer::Flaky(seen.iter().map(|it| it.code).collect()));
        }
        let steady = seen.iter().all(|other| other.output == first.output);
        Ok(Answer::Steady(first.code, steady.then(|| first.output.clone())))
    }
}

fn broken(reason: String) -> Result<Answer> {
    if reason == "interrupted" {
        return Err(hydrogen_model::Error::Interrupted.into());
    }
    // A program that is missing here may be there in another configuration.
    Ok(Answer::Skipped(reason))
}

fn version(commit: &CommitInfo) -> Version {
    let name = commit.commit.chars().take(10).collect();
    Version { name, source: Source::Commit(commit.clone()) }
}

/// Output that names the checkout says nothing about the version.
fn without_path(output: &[u8], path: &Path) -> Vec<u8> {
    use bstr::ByteSlice;
    output.replace(path.as_os_str().as_encoded_bytes(), ".")
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

/// The configurations that a test was asked about, by how they answered.
pub fn tally(asked: &[(Vec<usize>, String)]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for (_, said) in asked {
        *counts.entry(said.as_str()).or_default() += 1;
    }
    counts
}
