//! Who wrote a statement, against `git blame -w -M`. Every difference is printed with its reason.
//!
//! Blame speaks of lines and we of statements, so some must differ. A reason is found by looking at the commit that the one
//! names and the other does not.

use crate::old_code::{head, short};
use crate::table;
use anyhow::{Context, Result};
use hydrogen_history::{Objects, Repository};
use hydrogen_model::sources::is_c;
use hydrogen_series::{Origin, Origins, Sought};
use hydrogen_syntax::{Options, read};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

pub fn run(repositories: &[PathBuf], lines: usize) -> Result<()> {
    let mut rows = Vec::new();
    for repository in repositories {
        let mut reasons: BTreeMap<&'static str, usize> = BTreeMap::new();
        for sought in sample(repository, lines)? {
            let reason = compare(repository, &sought)?;
            *reasons.entry(reason).or_default() += 1;
        }
        for (reason, count) in reasons {
            rows.push(vec![format!("{}: {reason}", short(repository)), count.to_string()]);
        }
    }
    table::print("blame", &["statements", "count"], &rows);
    Ok(())
}

/// Statements of the newest commit, spread evenly over all its files.
fn sample(repository: &Path, wanted: usize) -> Result<Vec<Sought>> {
    let head = head(repository)?;
    let opened = Repository::open(repository)?;
    let objects = Objects::new(&opened);
    let mut all = Vec::new();
    for file in objects.files(&head.tree)?.iter().filter(|file| is_c(file)) {
        let path = String::from_utf8_lossy(&file.path).into_owned();
        let unit = read(&path, &objects.blob(file.oid)?, &Options::default());
        for piece in unit.module.functions.iter().flat_map(|function| &function.pieces) {
            let Some(span) = piece.span.filter(|_| piece.part == 0) else { continue };
            let (file, text) = (path.clone(), piece.text.clone());
            all.push(Sought { file, line: span.start.line, text, function: false });
        }
    }
    let step = (all.len() / wanted.max(1)).max(1);
    Ok(all.into_iter().step_by(step).take(wanted).collect())
}

fn compare(repository: &Path, sought: &Sought) -> Result<&'static str> {
    let opened = Repository::open(repository)?;
    let objects = Objects::new(&opened);
    let head = head(repository)?;
    let mut origins = Origins::new(&objects);
    let Some(origin) = origins.of(&head.commit, sought.clone())? else { return Ok("no answer of ours") };
    let (blamed, line, path) = blame(repository, &head.commit, &sought.file, sought.line)?;
    if blamed == origin.commit.commit {
        return Ok("the same commit");
    }
    let reason = reason(repository, &origin, (&blamed, line, &path))?;
    println!(
        "{}:{} `{}`: ours {} ({}:{}), blame {} ({path}:{line}): {reason}",
        sought.file,
        sought.line,
        sought.text,
        &origin.commit.commit[..10],
        origin.sought.file,
        origin.sought.line,
        &blamed[..10]
    );
    Ok(reason)
}

/// The commit, line and file that git blames.
fn blame(repository: &Path, commit: &str, file: &str, line: u32) -> Result<(String, u32, String)> {
    let range = format!("{line},{line}");
    let arguments = ["blame", "-w", "-M", "--porcelain", "-L", &range, commit, "--", file];
    let text = git(repository, &arguments)?;
    let mut words = text.split_whitespace();
    let blamed = words.next().context("git blames somebody")?.to_owned();
    let line = words.next().and_then(|word| word.parse().ok()).context("git names a line")?;
    let path = text.lines().find_map(|line| line.strip_prefix("filename ")).unwrap_or(file).to_owned();
    Ok((blamed, line, path))
}

fn git(repository: &Path, arguments: &[&str]) -> Result<String> {
    let output = Command::new("git").current_dir(repository).args(arguments).output()?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Why the two differ.
fn reason(repository: &Path, origin: &Origin, blamed: (&str, u32, &str)) -> Result<&'static str> {
    let (commit, line, path) = blamed;
    let is_ancestor = |a: &str, b: &str| -> Result<bool> {
        let status = Command::new("git")
            .current_dir(repository)
            .args(["merge-base", "--is-ancestor", a, b])
            .status()?;
        Ok(status.success())
    };
    if is_ancestor(&origin.commit.commit, commit)? {
        // Blame names a younger commit. Had its parents the statement under our eyes, the line changed around it.
        let before = git(repository, &["show", &format!("{commit}^:{path}")])?;
        let words = |text: &str| text.split_whitespace().collect::<String>();
        let statement = words(&origin.sought.text);
        let had = words(&before).contains(&statement);
        let now = git(repository, &["show", &format!("{commit}:{path}")])?;
        let whole_line = now.lines().nth(line as usize - 1).map(words).unwrap_or_default();
        let moved = words(&before).contains(&whole_line) && !whole_line.is_empty();
        return Ok(match (had, moved) {
            (_, true) => "blame: the line moved too far or is too short to be followed",
            (true, false) => {
                "blame: the line changed around the statement (comment, brace, a neighbour on it)"
            }
            (false, false) if before.is_empty() => "blame: the file came from another one",
            (false, false) => "blame: only the layout of the statement, or the file it is in, changed",
        });
    }
    if is_ancestor(commit, &origin.commit.commit)? {
        let height = origin.sought.text.lines().count();
        let shown = git(repository, &["show", &format!("{}:{}", origin.commit.commit, origin.sought.file)])?;
        let first = shown.lines().nth(origin.sought.line as usize - 1).unwrap_or_default();
        let words = |text: &str| text.split_whitespace().collect::<String>();
        let partial = height > 1 || !words(first).contains(&words(&origin.sought.text));
        return Ok(match partial {
            true => "ours: another line of the statement changed later",
            false => {
                "ours: the statement is in a place of the function where the parent had it not (moved, or one of several alike)"
            }
        });
    }
    Ok("neither came from the other: the statement was written on two branches")
}
