//! Which two versions a review compares, and what is asked about them.

use super::ask::Part;
use crate::commands::program::names;
use crate::context::Context;
use anyhow::{Result, bail};
use bstr::ByteSlice;
use hydrogen_history::version::{Source, Version, is_pre_release, natural_order};
use hydrogen_history::{Objects, Repository};
use hydrogen_jail::inside;
use std::path::Path;

/// Two versions.
pub struct Range {
    /// As the reader calls them.
    pub old: String,
    pub new: String,
    /// As they are given to the other commands.
    from: String,
    to: String,
    commits: bool,
}

impl Range {
    /// What the user asks about, or what they most likely mean.
    pub fn find(context: &Context, what: Option<&str>) -> Result<Range> {
        match what {
            Some(what) => {
                // Of one commit, the commit itself is named in an error, not its parent.
                if !what.contains("..") {
                    context.resolve_one(what)?;
                }
                let (old, new) = names(&[what.to_owned()])?;
                Self::of(context, &old, &new)
            }
            None => Self::usual(context),
        }
    }

    fn of(context: &Context, old: &str, new: &str) -> Result<Range> {
        let versions = [context.resolve_one(old)?, context.resolve_one(new)?];
        if versions[0].source == versions[1].source {
            bail!("`{old}` and `{new}` are the same version; there is no change to review");
        }
        let commits = versions.iter().all(|version| matches!(version.source, Source::Commit(_)));
        let [from, to] = versions.map(|version| given(&version));
        Ok(Range { old: old.to_owned(), new: new.to_owned(), from, to, commits })
    }

    /// The work tree if something of it is not committed; else HEAD against the branch that it left, or against its parent.
    fn usual(context: &Context) -> Result<Range> {
        let repository = Repository::discover(context.here())?;
        if let Some(folder) = repository.work_dir()
            && differs(context, &folder)?
        {
            let folder = format!("worktree={}", folder.display());
            return Self::of(context, "HEAD", &folder)
                .map(|range| Range { new: "the work tree".into(), ..range });
        }
        let Source::Commit(head) = context.resolve_one("HEAD")?.source else { bail!("HEAD is no commit") };
        for branch in ["origin/HEAD", "origin/main", "origin/master", "main", "master"] {
            let Ok(Version { source: Source::Commit(info), .. }) = context.resolve_one(branch) else {
                continue;
            };
            let base = Objects::new(&repository).merge_base(&info.commit, &head.commit)?;
            if let Some(base) = base.filter(|base| *base != head.commit) {
                let range = Self::of(context, &base, "HEAD")?;
                return Ok(Range { old: format!("{branch} ({})", &base[..10]), ..range });
            }
        }
        Self::of(context, "HEAD~1", "HEAD")
    }

    /// The versions as they are resolved.
    pub fn names(&self) -> (&str, &str) {
        (&self.from, &self.to)
    }

    pub fn is_of_commits(&self) -> bool {
        self.commits
    }

    /// What is answered in a moment.
    pub fn quick(&self) -> Vec<Part> {
        let (from, to) = (self.from.as_str(), self.to.as_str());
        let mut parts = vec![self.part("functions", &[from, to])];
        if self.commits {
            let range = self.both();
            parts.push(self.part("affects", &[&range]));
            parts.push(self.part("complexity", &[&range]));
        }
        parts
    }

    /// What may take its time.
    pub fn slow(&self) -> Vec<Part> {
        vec![
            self.part("compare", &[&self.from, &self.to]).with_budget(),
            self.part("check", &[&self.both()]).with_budget(),
            self.part("expose", &[&self.from, &self.to]).with_budget(),
        ]
    }

    /// Which tests of a folder the change can affect.
    pub fn select(&self, tests: &str) -> Part {
        self.part("select", &[&self.from, &self.to, "--tests", tests]).with_budget()
    }

    /// As tests, the inputs that show the change.
    pub fn tests(&self) -> Part {
        self.part("expose", &[&self.both(), "-o", "tests"])
    }

    /// Which of these releases have the fault at a line of the old version.
    pub fn impact(&self, file: &str, line: u32, releases: &[String]) -> Part {
        let (bug, fix) = (format!("{file}:{line}@{}", self.from), self.both());
        let mut arguments = vec!["--bug", bug.as_str(), "--fix", fix.as_str()];
        arguments.extend(releases.iter().map(String::as_str));
        self.part("impact", &arguments).with_budget()
    }

    fn both(&self) -> String {
        format!("{}..{}", self.from, self.to)
    }

    fn part(&self, command: &str, arguments: &[&str]) -> Part {
        Part::new(command, arguments, (&self.from, &self.to), (&self.old, &self.new))
    }
}

/// Whether a C file of HEAD is not as it was committed.
fn differs(context: &Context, folder: &Path) -> Result<bool> {
    let Source::Commit(head) = context.resolve_one("HEAD")?.source else { return Ok(false) };
    let repository = context.trees.repository(&head.repository)?;
    let objects = Objects::new(&repository);
    for file in objects.files(&head.tree)? {
        if !(file.path.ends_with(b".c") || file.path.ends_with(b".h")) {
            continue;
        }
        let name = file.path.to_path_lossy();
        let same = match std::fs::symlink_metadata(folder.join(&name)) {
            Ok(found) if found.is_symlink() => true,
            Ok(found) => {
                // What cannot be read as a plain file is not as it was committed.
                found.len() == objects.size(file.oid)?
                    && inside::read(folder, &name, inside::MOST).ok() == Some(objects.blob(file.oid)?)
            }
            Err(_) => false,
        };
        if !same {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A version as another process finds it again.
fn given(version: &Version) -> String {
    match &version.source {
        Source::Commit(info) => info.commit.clone(),
        Source::Directory(path) | Source::Bitcode(path) => format!("{}={}", version.name, path.display()),
    }
}

/// The newest tags.
pub fn newest_tags(context: &Context) -> Vec<String> {
    const COUNT: usize = 5;
    let mut names: Vec<String> = context
        .resolve(&["*".to_owned()])
        .map(|versions| versions.into_iter().map(|version| version.name).collect())
        .unwrap_or_default();
    names.retain(|name| !is_pre_release(name));
    names.sort_by(|a, b| natural_order(b, a));
    names.truncate(COUNT);
    names.reverse();
    names
}
