//! A step between two trees of a repository, with the dependence of the new one.

use crate::context::Context;
use anyhow::{Context as _, Result};
use hydrogen_history::version::{CommitInfo, Source};
use hydrogen_history::{Objects, Repository};
use hydrogen_interact::{Changes, Dependence, FileFacts, Index};
use hydrogen_model::sources::{Snapshot, Sources};

/// About how many bytes of files read are kept.
const BUDGET: usize = 512 << 20;

/// A step, and the program after it.
pub struct Step {
    pub index: Index,
    pub changes: Changes,
    pub dependence: Dependence,
}

/// The commit that a name stands for.
pub fn commit(context: &Context, name: &str) -> Result<CommitInfo> {
    match context.resolve_one(name)?.source {
        Source::Commit(info) => Ok(info),
        _ => anyhow::bail!("`{name}` is no commit"),
    }
}

/// The two ends of `A..B`; for one commit, its first parent and itself. A root commit has nothing before it.
pub fn ends(context: &Context, what: &str) -> Result<(Option<CommitInfo>, CommitInfo)> {
    if let Some((old, new)) = what.split_once("..").filter(|(_, new)| !new.starts_with(['.', '/'])) {
        let or_head = |name: &str| if name.is_empty() { "HEAD".to_owned() } else { name.to_owned() };
        return Ok((Some(commit(context, &or_head(old))?), commit(context, &or_head(new))?));
    }
    let new = commit(context, what)?;
    let repository = context.trees.repository(&new.repository)?;
    let parent = new.parents.first().map(|parent| Objects::new(&repository).commit(parent));
    let parent = parent.transpose().with_context(|| format!("the parent of {what}"))?;
    Ok((parent, new))
}

/// Reads the step from one tree to another.
pub fn read(repository: &Repository, old: Option<&str>, new: &str) -> Result<Step> {
    let objects = Objects::new(repository);
    let sources: Sources<FileFacts> = FileFacts::sources(BUDGET);
    let mut index = Index::default();
    if let Some(old) = old {
        index.advance(repository, &sources, old)?;
    }
    let touched = index.advance(repository, &sources, new)?;
    let changes = Changes::of(&index, &touched);
    if changes.functions.is_empty() && changes.gone.is_empty() {
        return Ok(Step { index, changes, dependence: Dependence::of(Vec::new()) });
    }
    let units = Sources::new(BUDGET);
    let mut snapshot = Snapshot::default();
    snapshot.advance(&units, &objects, new)?;
    let known = snapshot.known();
    let all: Result<Vec<_>, _> = snapshot.files().map(|file| units.unit(&objects, file, known)).collect();
    Ok(Step { index, changes, dependence: Dependence::of(all?) })
}
