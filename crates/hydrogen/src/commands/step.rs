//! A step between two trees of a repository, with the dependence of both.

use crate::context::Context;
use anyhow::{Context as _, Result};
use hydrogen_history::version::{CommitInfo, Source, Version};
use hydrogen_history::{Objects, Repository};
use hydrogen_interact::{Changes, Dependence, FileFacts, Index, Touched, Transition};
use hydrogen_ir::Module;
use hydrogen_model::sources::{Snapshot, Sources};
use std::sync::Arc;

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
    transition(repository, old, new, &[])
}

/// Reads the step between two commits, which are built: memory and calls are those of the compiled programs.
pub fn compiled(
    context: &Context,
    repository: &Repository,
    old: Option<&CommitInfo>,
    new: &CommitInfo,
) -> Result<Transition> {
    let modeller = context.modeller()?;
    let program = |commit: &CommitInfo| -> Result<Module> {
        let version = Version { name: commit.commit.clone(), source: Source::Commit(commit.clone()) };
        let mut models = context.models(&modeller, &[version], false)?;
        let model = models.pop().context("a model per version")?;
        anyhow::ensure!(!model.units.is_empty(), "nothing of {} could be built", commit.commit);
        let modules = model.units.iter().map(|unit| modeller.module(unit).map(Arc::unwrap_or_clone));
        Ok(hydrogen_ir::link(modules.collect::<Result<Vec<_>, _>>()?).module)
    };
    let programs: Vec<(&str, Module)> = old
        .into_iter()
        .chain([new])
        .map(|commit| Ok((commit.tree.as_str(), program(commit)?)))
        .collect::<Result<_>>()?;
    transition(repository, old.map(|old| old.tree.as_str()), &new.tree, &programs)
}

/// The functions of the new tree, and the files that differ.
pub fn touched(repository: &Repository, old: Option<&str>, new: &str) -> Result<(Index, Vec<Touched>)> {
    let sources: Sources<FileFacts> = FileFacts::sources(BUDGET);
    let mut index = Index::default();
    if let Some(old) = old {
        index.advance(repository, &sources, old)?;
    }
    let touched = index.advance(repository, &sources, new)?;
    Ok((index, touched))
}

/// The step between two trees, by the compiled programs of those that were built.
fn transition(
    repository: &Repository,
    old: Option<&str>,
    new: &str,
    programs: &[(&str, Module)],
) -> Result<Transition> {
    let objects = Objects::new(repository);
    let (index, touched) = touched(repository, old, new)?;
    let changes = Changes::of(&index, &touched);
    if changes.functions.is_empty() && changes.gone.is_empty() {
        let nothing = || Dependence::of(Vec::new());
        return Ok(Transition::new(index, &touched, nothing(), nothing()));
    }
    // Files that both have are read once.
    let units = Sources::new(BUDGET);
    let of_tree = |tree: &str| -> Result<Dependence> {
        let mut snapshot = Snapshot::default();
        snapshot.advance(&units, &objects, tree)?;
        let known = snapshot.known();
        let all: Result<Vec<_>, _> = snapshot.files().map(|file| units.unit(&objects, file, known)).collect();
        let program = programs.iter().find(|(known, _)| *known == tree);
        Ok(match program {
            Some((_, program)) => Dependence::with_code(all?, program),
            None => Dependence::of(all?),
        })
    };
    let before = old.map(of_tree).transpose()?.unwrap_or_else(|| Dependence::of(Vec::new()));
    Ok(Transition::new(index, &touched, before, of_tree(new)?))
}
