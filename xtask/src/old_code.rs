//! Build-free mode on real old code: every C file of many commits of repositories that the user has. Nothing may fail.

use crate::table;
use anyhow::{Result, ensure};
use hydrogen_history::tree::Change;
use hydrogen_history::version::{CommitInfo, Source, resolve};
use hydrogen_history::{Objects, Oid, Repository};
use hydrogen_model::sources::is_c;
use hydrogen_syntax::{Options, Unit, read, seen};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

/// Reads the files of so many commits of each repository, spread over its history; of all, if none are asked for.
pub fn run(repositories: &[PathBuf], commits: usize) -> Result<()> {
    let header = ["repository", "commits", "files", "functions", "items", "problems", "failed"];
    let (mut rows, mut failures) = (Vec::new(), Vec::new());
    for repository in repositories {
        let mut count = Count::default();
        let chosen = spread(repository, commits)?;
        let opened = Repository::discover(repository)?;
        let objects = Objects::new(&opened);
        let mut known: HashSet<Oid> = HashSet::new();
        let mut before: Option<String> = None;
        for commit in &chosen {
            for file in objects.changes(before.as_deref(), &commit.tree)? {
                let (Change::Added(new) | Change::Modified { new, .. }) = file.change else { continue };
                if is_c(&new) && known.insert(new.oid) {
                    let path = String::from_utf8_lossy(&new.path).into_owned();
                    let unit = read(&path, &objects.blob(new.oid)?, &Options::default());
                    failures.extend(unit.failed.iter().map(|why| format!("{}: {why}", repository.display())));
                    count.add(&unit);
                }
            }
            before = Some(commit.tree.clone());
        }
        let name = short(repository);
        let counts = [chosen.len(), known.len(), count.functions, count.items, count.problems, count.failed];
        rows.push(std::iter::once(name).chain(counts.iter().map(ToString::to_string)).collect());
    }
    table::print("old-code", &header, &rows);
    ensure!(failures.is_empty(), "{}", failures.join("\n"));
    Ok(())
}

#[derive(Default)]
struct Count {
    functions: usize,
    items: usize,
    problems: usize,
    failed: usize,
}

impl Count {
    fn add(&mut self, unit: &Unit) {
        self.functions += unit.module.functions.len();
        self.items += unit.items.iter().map(|item| seen(item).len()).sum::<usize>();
        self.problems += unit.problems.len();
        self.failed += usize::from(unit.failed.is_some());
    }
}

/// Commits from the whole history of `HEAD`, oldest first.
fn spread(repository: &Path, wanted: usize) -> Result<Vec<CommitInfo>> {
    let head = head(repository)?;
    let opened = Repository::discover(repository)?;
    let mut all = Objects::new(&opened).newest(&head.commit, usize::MAX)?;
    all.reverse();
    if wanted == 0 || all.len() <= wanted {
        return Ok(all);
    }
    Ok((1..=wanted).map(|at| all[at * (all.len() - 1) / wanted].clone()).collect())
}

/// The commit that a repository is at.
pub fn head(repository: &Path) -> Result<CommitInfo> {
    let mut versions = resolve(&["HEAD".to_owned()], repository)?;
    match versions.pop().map(|version| version.source) {
        Some(Source::Commit(commit)) => Ok(commit),
        _ => anyhow::bail!("{} is no repository", repository.display()),
    }
}

/// A repository's name: that of its folder, above folders that are only called so by git or a mirror.
pub fn short(repository: &Path) -> String {
    let names = repository.components().rev().map(|part| part.as_os_str().to_string_lossy().into_owned());
    names.into_iter().find(|name| !matches!(name.as_str(), ".git" | "repo")).unwrap_or_default()
}
