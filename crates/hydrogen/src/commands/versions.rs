//! `hydrogen versions`.

use super::Outcome;
use crate::cli::TableFormat;
use crate::context::Context;
use anyhow::Result;
use hydrogen_evidence::setup::{Cached, VersionKind, VersionState};
use hydrogen_history::version::{Source, Version};
use hydrogen_model::{Modeller, State};
use hydrogen_report::setup as report;

pub fn run(context: &Context, names: &[String], format: TableFormat) -> Result<Outcome> {
    let defaults = ["*".to_owned(), "HEAD".to_owned()];
    let versions = match names {
        // A repository without tags still has a HEAD.
        [] => context.resolve(&defaults).or_else(|_| context.resolve(&defaults[1..]))?,
        names => context.resolve(names)?,
    };
    let modeller = context.modeller()?;
    let states = versions.iter().map(|version| Ok((version, modeller.state(version)?)));
    let states: Vec<VersionState> = states.map(|state| state.map(told)).collect::<Result<_>>()?;
    drop::<Modeller>(modeller);
    context.output(&match format {
        TableFormat::Json => report::versions_json(&states),
        TableFormat::Text => report::versions_text(&states),
    })?;
    Ok(Outcome::Done)
}

fn told((version, state): (&Version, State)) -> VersionState {
    let is = match &version.source {
        Source::Commit(commit) => VersionKind::Commit {
            commit: commit.commit.clone(),
            tree: commit.tree.clone(),
            parents: commit.parents.clone(),
            author: commit.author.clone(),
            date: commit.date(),
            summary: commit.summary.clone(),
        },
        Source::Directory(path) => VersionKind::Path("folder", path.display().to_string()),
        Source::Bitcode(path) => VersionKind::Path("bitcode", path.display().to_string()),
    };
    let cached = state.cached.map(|record| Cached { units: record.units, failed: record.failed });
    VersionState { name: version.name.clone(), is, built_by: state.how, cached }
}
