//! `hydrogen mine regressions`.

use crate::cli::TableFormat;
use crate::commands::{Outcome, step};
use crate::context::Context;
use anyhow::Result;
use hydrogen_evidence::mined::{Candidate, Candidates};
use hydrogen_history::Objects;
use hydrogen_history::tree::Change;
use hydrogen_history::version::CommitInfo;
use hydrogen_interact::mine::{Hints, hints, is_news};
use hydrogen_model::sources::is_c;
use hydrogen_report::mined as report;
use std::collections::BTreeSet;

/// Release notes larger than this are not compared line by line.
const MOST: u64 = 16 << 20;
/// A fix that names more reports than this, or touches more C files, is likely several changes in one (G5).
const REPORTS: usize = 1;
const FILES: usize = 8;

pub fn run(context: &Context, tip: &str, history: usize, format: TableFormat) -> Result<Outcome> {
    let tip = step::commit(context, tip)?;
    let repository = context.trees.repository(&tip.repository)?;
    let objects = Objects::new(&repository);
    let mut found = Vec::new();
    let commits = objects.newest(&tip.commit, history)?;
    for commit in &commits {
        found.extend(candidate(&objects, commit)?);
    }
    let found = Candidates { looked_at: commits.len(), candidates: found };
    context.output(&match format {
        TableFormat::Json => report::json("mine-regressions/1", &found),
        TableFormat::Text => report::candidates(&found),
    })?;
    Ok(Outcome::Done)
}

fn candidate(objects: &Objects, commit: &CommitInfo) -> Result<Option<Candidate>> {
    let message = hints(&objects.message(&commit.commit)?);
    // Merges repeat what their parents say; without its parent a commit cannot be compared.
    if commit.parents.len() > 1 || !commit.parents.is_empty() && objects.is_cut(&commit.commit)? {
        return Ok(None);
    }
    let parent = commit.parents.first().map(|parent| objects.commit(parent)).transpose()?;
    let changed = objects.changes(parent.as_ref().map(|it| it.tree.as_str()), &commit.tree)?;
    let mut notes = Hints::default();
    let mut c_files = 0;
    for file in &changed {
        let (old, new) = match &file.change {
            Change::Added(new) => (None, Some(new)),
            Change::Deleted(old) => (Some(old), None),
            Change::Modified { old, new } => (Some(old), Some(new)),
        };
        c_files += usize::from(old.or(new).is_some_and(is_c));
        if let Some(new) = new.filter(|_| is_news(&file.path.to_string()) && parent.is_some()) {
            notes = hints(&added_lines(objects, old.map(|it| it.oid), new.oid)?);
        }
    }
    if message.words.is_empty() && notes.words.is_empty() {
        return Ok(None);
    }
    let bugs: BTreeSet<String> = message.bugs.into_iter().chain(notes.bugs).collect();
    let mut doubts = Vec::new();
    if c_files == 0 {
        doubts.push("no C file changed".to_owned());
    }
    if bugs.len() > REPORTS {
        doubts.push(format!("tangled: names {} reports", bugs.len()));
    }
    if c_files > FILES {
        doubts.push(format!("tangled: touches {c_files} C files"));
    }
    Ok(Some(Candidate {
        commit: commit.commit.clone(),
        date: commit.date(),
        summary: commit.summary.clone(),
        message: message.words,
        news: notes.words,
        bugs: bugs.into_iter().collect(),
        introduced_by: message.introduced_by.or(notes.introduced_by),
        c_files,
        doubts,
    }))
}

fn added_lines(
    objects: &Objects,
    old: Option<hydrogen_history::Oid>,
    new: hydrogen_history::Oid,
) -> Result<String> {
    if objects.size(new)? > MOST {
        return Ok(String::new());
    }
    let before = old.map(|old| objects.blob(old)).transpose()?.unwrap_or_default();
    let before: BTreeSet<&[u8]> = before.split(|&byte| byte == b'\n').collect();
    let after = objects.blob(new)?;
    let added: Vec<&[u8]> =
        after.split(|&byte| byte == b'\n').filter(|line| !before.contains(line)).collect();
    Ok(String::from_utf8_lossy(&added.join(&b'\n')).into_owned())
}
