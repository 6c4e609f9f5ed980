//! The graph that a command asks about.

use crate::context::Context;
use anyhow::{Context as _, Result};
use hydrogen_graph::{Graph, VersionId, VersionInfo, VersionSet};
use hydrogen_history::version::{CommitInfo, Version};
use hydrogen_model::Modeller;
use hydrogen_series::{Listener, Options};
use std::collections::BTreeSet;
use std::path::Path;

/// The graph of the versions that the names stand for.
pub fn build(context: &Context, names: &[String], options: Options) -> Result<Graph> {
    let versions = context.resolve(names)?;
    let modeller = context.modeller()?;
    of_versions(context, &modeller, versions, options)
}

fn of_versions(
    context: &Context,
    modeller: &Modeller,
    versions: Vec<Version>,
    options: Options,
) -> Result<Graph> {
    hydrogen_series::build(modeller, versions, options, context).map_err(|error| match error {
        // The exit code depends on what is inside.
        hydrogen_series::Error::Model(inner) => inner.into(),
        other => other.into(),
    })
}

/// A graph of these versions, and nothing special.
pub fn plain(context: &Context, names: &[String], syntax: bool) -> Result<Graph> {
    build(context, names, Options { syntax, ..Options::default() })
}

/// A graph of versions in which each commit is compared with what it was made from.
pub struct Compared {
    pub graph: Graph,
    /// The versions that the user gave; the others are commits right before them.
    pub given: VersionSet,
}

impl Compared {
    pub fn is_given(&self, version: VersionId) -> bool {
        self.given.contains(version)
    }

    /// Whether all that a version differs in from its parents in the graph is its own doing: its real parents are there.
    pub fn is_whole(&self, version: VersionId, commit: &CommitInfo) -> bool {
        let info = &self.graph.versions()[version.index()];
        let parents: Vec<Option<&str>> = info
            .parents
            .iter()
            .map(|parent| self.graph.versions()[parent.index()].commit.as_deref())
            .collect();
        !info.unrelated && commit.parents.iter().all(|parent| parents.contains(&Some(parent.as_str())))
    }
}

/// The graph of the versions, and of the commits right before them that the list has not.
pub fn compared(context: &Context, names: &[String], syntax: bool) -> Result<(Compared, Vec<Version>)> {
    let given = context.resolve(names)?;
    Ok((compared_versions(context, given.clone(), syntax)?, given))
}

/// As [`compared`], of versions that are resolved.
pub fn compared_versions(context: &Context, given: Vec<Version>, syntax: bool) -> Result<Compared> {
    let extended = hydrogen_series::with_parents(given);
    let before: BTreeSet<String> =
        extended.versions[..extended.before].iter().map(|version| version.name.clone()).collect();
    let modeller = context.modeller()?;
    let options = Options { syntax, ..Options::default() };
    let graph = of_versions(context, &modeller, extended.versions, options)?;
    let mut set = VersionSet::empty();
    for (at, info) in graph.versions().iter().enumerate() {
        if !before.contains(&info.name) {
            set = set.union(&VersionSet::one(VersionId::at(at)));
        }
    }
    anyhow::ensure!(!set.is_empty(), "none of the versions could be read");
    Ok(Compared { graph, given: set })
}

/// A graph from a file.
pub fn load(context: &Context, path: &Path) -> Result<Graph> {
    let path = context.path(path);
    let bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    Graph::load(&bytes).with_context(|| path.display().to_string())
}

impl Listener for Context {
    fn version(&self, info: &VersionInfo) {
        self.tell_missing(info);
    }

    fn left_out(&self, version: &str, why: &str) {
        self.tell_left_out(version, why);
    }
}
