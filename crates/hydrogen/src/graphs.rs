//! The graph that a command asks about.

use crate::context::Context;
use anyhow::{Context as _, Result};
use hydrogen_graph::{Graph, VersionInfo};
use hydrogen_series::{Listener, Options};
use std::path::Path;

/// The graph of the versions that the names stand for.
pub fn build(context: &Context, names: &[String], options: Options) -> Result<Graph> {
    let versions = context.resolve(names)?;
    let modeller = context.modeller()?;
    hydrogen_series::build(&modeller, versions, options, context).map_err(|error| match error {
        // The exit code depends on what is inside.
        hydrogen_series::Error::Model(inner) => inner.into(),
        other => other.into(),
    })
}

/// A graph of these versions, and nothing special.
pub fn plain(context: &Context, names: &[String], syntax: bool) -> Result<Graph> {
    build(context, names, Options { syntax, ..Options::default() })
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
        tracing::warn!("version {version}: {why}; the version is left out");
    }
}
