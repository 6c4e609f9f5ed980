//! Who wrote a statement, against `git blame -w -M`. Every difference is printed with its reason.
//!
//! Blame speaks of lines and we of statements, so some must differ. A reason is found by looking at the commit that the one
//! names and the other does not.

use crate::old_code::{head, short};
use crate::table;
use anyhow::{Context, Result};
use hydrogen_history::{Objects, Repository};
use hydrogen_ir::Function;
use hydrogen_model::sources::is_c;
use hydrogen_series::{Origin, Origins, Sought, Sure};
use hydrogen_syntax::{Options, read};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

pub fn run(repositories: &[PathBuf], lines: usize) -> Result<()> {
    let mut rows = Vec::new();
    for repository in repositories {
        let mut reasons: BTreeMap<&'static str, usize> = BTreeMap::new();
        let opened = Repository::discover(repository)?;
        let objects = Objects::new(&opened);
        let mut origins = Origins::new(&objects);
        for sought in sample(repository, lines)? {
            let reason = compare(repository, &mut origins, &sought)?;
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
    let opened = Repository::discover(repository)?;
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

fn compare(repository: &Path, origins: &mut Origins<'_>, sought: &Sought) -> Result<&'static str> {
    let head = head(repository)?;
    let Some(origin) = origins.of(&head.commit, sought.clone())? else {
        println!("{}:{} `{}`: no answer of ours", sought.file, sought.line, sought.text);
        return Ok("no answer of ours");
    };
    let (blamed, line, path) = blame(repository, &head.commit, &sought.file, sought.line)?;
    if blamed == origin.commit.commit {
        return Ok("the same commit");
    }
    let reason = reason(repository, &origin, &sought.text, (&blamed, line, &path))?;
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

/// Why the two differ; `UNEXPLAINED` where neither text nor history shows it.
fn reason(repository: &Path, origin: &Origin, text: &str, blamed: (&str, u32, &str)) -> Result<&'static str> {
    let is_ancestor = |a: &str, b: &str| -> Result<bool> {
        let status = Command::new("git")
            .current_dir(repository)
            .args(["merge-base", "--is-ancestor", a, b])
            .status()?;
        Ok(status.success())
    };
    if is_ancestor(&origin.commit.commit, blamed.0)? {
        return blame_is_younger(repository, text, blamed);
    }
    if is_ancestor(blamed.0, &origin.commit.commit)? {
        return ours_is_younger(repository, origin);
    }
    Ok("neither came from the other: the statement was written on two branches")
}

const UNEXPLAINED: &str = "UNEXPLAINED";

/// A text without white space and comments.
fn bare(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(start) = rest.find("/*") {
        out.push_str(&rest[..start]);
        rest = rest[start + 2..].split_once("*/").map_or("", |(_, behind)| behind);
    }
    out.push_str(rest);
    out.lines()
        .map(|line| line.split("//").next().unwrap_or_default())
        .collect::<String>()
        .split_whitespace()
        .collect()
}

/// Had the parent of the blamed commit the statement, the line changed around it.
fn blame_is_younger(
    repository: &Path,
    text: &str,
    (commit, line, path): (&str, u32, &str),
) -> Result<&'static str> {
    let now = git(repository, &["show", &format!("{commit}:{path}")])?;
    let words = |text: &str| text.split_whitespace().collect::<String>();
    let whole_line = now.lines().nth(line as usize - 1).map(words).unwrap_or_default();
    let statement = bare(text);
    let parents = git(repository, &["show", "-s", "--format=%P", commit])?;
    let mut reason = UNEXPLAINED;
    for parent in parents.split_whitespace() {
        let before = git(repository, &["show", &format!("{parent}:{path}")])?;
        if before.is_empty() {
            reason = "blame: the file came from another one";
        } else if !whole_line.is_empty() && words(&before).contains(&whole_line) {
            return Ok("blame: the line moved too far or is too short to be followed");
        } else if bare(&before).contains(&statement) {
            return Ok("blame: the line changed around the statement (comment, brace, a neighbour on it)");
        } else {
            let touched = git(repository, &["show", "--format=", "--name-only", "-m", commit])?;
            let elsewhere = touched.lines().filter(|other| *other != path).any(|other| {
                git(repository, &["show", &format!("{parent}:{other}")])
                    .is_ok_and(|text| bare(&text).contains(&statement))
            });
            if elsewhere {
                return Ok("blame: the statement came from another file");
            }
        }
    }
    Ok(reason)
}

/// What the parents of our commit have in the place of the statement's function.
fn ours_is_younger(repository: &Path, origin: &Origin) -> Result<&'static str> {
    let Origin { commit, sought, sure } = origin;
    if *sure == Sure::Unread {
        return Ok("ours: says \"or before\", because the file cannot be read there as it is written");
    }
    let file =
        |commit: &str| -> Result<String> { git(repository, &["show", &format!("{commit}:{}", sought.file)]) };
    let now = file(&commit.commit)?;
    let first = now.lines().nth(sought.line as usize - 1).unwrap_or_default();
    let words = |text: &str| text.split_whitespace().collect::<String>();
    if sought.text.lines().count() > 1 || !words(first).contains(&words(&sought.text)) {
        return Ok("ours: another line of the statement changed later");
    }
    let unit = |text: &str| read(&sought.file, text.as_bytes(), &Options::default());
    let spans = |function: &Function| {
        function.pieces.iter().filter_map(|piece| piece.span).any(|span| span.start.line == sought.line)
    };
    let own = unit(&now).module.functions.into_iter().find(spans);
    let Some(own) = own else { return Ok(UNEXPLAINED) };
    let count =
        |function: &Function| function.pieces.iter().filter(|piece| piece.text == sought.text).count();
    let mut reason = "ours: the function is new; blame follows a line of another one";
    for parent in &commit.parents {
        let before = unit(&file(parent)?);
        let Some(was) = before.module.functions.iter().find(|function| function.name == own.name) else {
            if !before.problems.is_empty() {
                reason = UNEXPLAINED;
            }
            continue;
        };
        reason = match (count(was), count(&own)) {
            (0, _) => "ours: the function had no such statement; blame follows a line of another one",
            (some, now) if some < now => {
                "ours: one more of several alike in the function; blame takes another of them"
            }
            _ => "ours: moved inside of the function, too short to be recognised",
        };
    }
    Ok(reason)
}
