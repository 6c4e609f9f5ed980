//! The graph that a question is about, and the names of its versions.

use crate::context::Context;
use crate::output;
use anyhow::{Result, bail};
use hydrogen_graph::{Graph, VersionId};
use hydrogen_history::version::Version;
use hydrogen_model::Modeller;
use hydrogen_series::Options;

/// Versions in one graph.
pub struct Question {
    pub graph: Graph,
    pub versions: Vec<Version>,
    /// What the reader should know of versions that are not whole.
    pub notes: Vec<String>,
}

impl Question {
    /// Builds the graph of the versions.
    pub fn build(
        context: &Context,
        modeller: &Modeller,
        versions: Vec<Version>,
        options: Options,
    ) -> Result<Self> {
        let graph = hydrogen_series::build(modeller, versions.clone(), options, context).map_err(
            |error| match error {
                // The exit code depends on what is inside.
                hydrogen_series::Error::Model(inner) => anyhow::Error::from(inner),
                other => other.into(),
            },
        )?;
        let missing = |info: &hydrogen_graph::VersionInfo| {
            let files: Vec<String> = info.missing.iter().map(|gap| gap.file.clone()).collect();
            let listed = !files.is_empty();
            listed.then(|| format!("{}: not read: {}", info.name, output::shortened(files, ", ")))
        };
        let notes = graph.versions().iter().filter_map(missing).collect();
        Ok(Self { graph, versions, notes })
    }

    /// The place of a version in the graph.
    pub fn id(&self, version: &Version) -> Result<VersionId> {
        match self.graph.version(&version.name) {
            Some(id) => Ok(id),
            None => {
                bail!("nothing could be read of version {}, so that nothing can be said of it", version.name)
            }
        }
    }
}
