//! A step between two trees of a repository, with the dependence of both.

use crate::context::Context;
use anyhow::{Context as _, Result};
use hydrogen_history::version::{CommitInfo, Source};
use hydrogen_history::{Objects, Repository};
use hydrogen_interact::{Changes, Dependence, FileFacts, Index, Transition};
use hydrogen_model::sources::{Snapshot, Sources};

/// About how many bytes of files read are kept.
const BUDGET: usize = 512 << 20;

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
pub fn read(repository: &Repository, old: Option<&str>, new: &str) -> Result<Transition> {
    let objects = Objects::new(repository);
    let sources: Sources<FileFacts> = FileFacts::sources(BUDGET);
    let mut index = Index::default();
    if let Some(old) = old {
        index.advance(repository, &sources, old)?;
    }
    let touched = index.advance(repository, &sources, new)?;
    let changes = Changes::of(&index, &touched);
    if changes.functions.is_empty() && changes.gone.is_empty() {
        let nothing = || Dependence::of(Vec::new());
        return Ok(Transition::new(index, &touched, nothing(), nothing()));
    }
    // Files that both have are read once.
    let units = Sources::new(BUDGET);
    let dependence = |tree: &str| -> Result<Dependence> {
        let mut snapshot = Snapshot::default();
        snapshot.advance(&units, &objects, tree)?;
        let known = snapshot.known();
        let all: Result<Vec<_>, _> = snapshot.files().map(|file| units.unit(&objects, file, known)).collect();
        Ok(Dependence::of(all?))
    };
    let before = old.map(dependence).transpose()?.unwrap_or_else(|| Dependence::of(Vec::new()));
    Ok(Transition::new(index, &touched, before, dependence(new)?))
}
