//! From versions to a multi-version graph.

mod input;
mod kept;
mod reading;

use crate::context::Context;
use anyhow::{Context as _, Result, bail};
use hydrogen_graph::{Graph, VersionId, VersionInfo, VersionInput};
use hydrogen_history::version::{self, Source, Version};
use kept::{Kept, LeftOut};
use reading::{Reading, while_reading};
use std::path::{Path, PathBuf};

/// How a graph is built.
pub struct Options {
    /// From the source alone.
    pub syntax: bool,
    /// Compare every version taken out of the graph with the version itself.
    pub check: bool,
    /// A graph to which the versions are added.
    pub base: Option<PathBuf>,
}

impl Options {
    /// A new graph, unchecked.
    pub fn new(syntax: bool) -> Self {
        Self { syntax, check: false, base: None }
    }
}

/// The graph of the versions, in their order. A version of which nothing could be read is reported and left out.
pub fn build(context: &Context, names: &[String], options: &Options) -> Result<Graph> {
    let versions = context.resolve(names)?;
    let modeller = context.modeller()?;
    let mut building = match &options.base {
        Some(path) => Building::from(load(&context.path(path))?),
        None => Building::from(Graph::new()),
    };
    let versions: Vec<Version> = versions.into_iter().filter(|version| building.lacks(version)).collect();
    let parents = version::ancestors(&versions);
    // A check needs the models, and a graph from elsewhere has a past that no key knows.
    let kept = (!options.check && options.base.is_none())
        .then(|| Kept::of(&modeller, &versions, &parents, options.syntax))
        .transpose()?;
    let done = kept.as_ref().and_then(|kept| kept.longest(&modeller, context));
    let first = done.map_or(0, |(count, graph, left_out)| {
        building.resume(&versions[..count], graph, left_out);
        count
    });
    let rest = &versions[first..];
    let outcome = while_reading(&modeller, rest, options.syntax, |reading| {
        building.add_all(context, reading, &parents, options.check)
    });
    if let Some(kept) = kept.filter(|_| building.places.len() > first) {
        kept.put(&modeller, building.places.len(), &building.graph, &building.left_out);
    }
    outcome?;
    if building.graph.newest().is_none() {
        bail!("none of the versions could be read");
    }
    Ok(building.graph)
}

fn load(path: &Path) -> Result<Graph> {
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    Graph::load(&bytes).with_context(|| path.display().to_string())
}

/// A graph and how far it is.
struct Building {
    graph: Graph,
    /// Per version of the list, its place in the graph; none for those that are left out.
    places: Vec<Option<VersionId>>,
    left_out: Vec<LeftOut>,
}

impl Building {
    fn from(graph: Graph) -> Self {
        Self { graph, places: Vec::new(), left_out: Vec::new() }
    }

    /// Whether the graph has not the version yet.
    fn lacks(&self, version: &Version) -> bool {
        let known = self.graph.version(&version.name).is_some();
        if known {
            tracing::info!("{} is in the graph already", version.name);
        }
        !known
    }

    /// Goes on from a graph of these versions.
    fn resume(&mut self, versions: &[Version], graph: Graph, left_out: Vec<LeftOut>) {
        self.places = versions.iter().map(|version| graph.version(&version.name)).collect();
        (self.graph, self.left_out) = (graph, left_out);
    }

    fn add_all(
        &mut self,
        context: &Context,
        reading: &mut Reading<'_>,
        parents: &[Vec<usize>],
        check: bool,
    ) -> Result<()> {
        while let Some((version, read)) = reading.read() {
            let read = match read {
                Ok(read) => read,
                Err(error @ hydrogen_model::Error::Interrupted) => return Err(error.into()),
                Err(error) => {
                    self.leave_out(version, format!("{:#}", anyhow::Error::from(error)));
                    continue;
                }
            };
            let info = self.info(version, &parents[self.places.len()]);
            let input = reading.input(&read, info);
            context.tell_missing(&input.info);
            if read.is_empty(&input) {
                self.leave_out(version, "nothing could be read of this version".into());
                continue;
            }
            let id = self.graph.add(input)?;
            if check {
                let again = reading.input(&read, VersionInfo::default());
                self.check(&version.name, id, &again)?;
            }
            self.places.push(Some(id));
        }
        Ok(())
    }

    fn leave_out(&mut self, version: &Version, message: String) {
        let left_out = LeftOut { version: version.name.clone(), message };
        left_out.tell();
        self.left_out.push(left_out);
        self.places.push(None);
    }

    /// What is known about a version. Its parents are its nearest ancestors in the graph; else the version before.
    fn info(&self, version: &Version, parents: &[usize]) -> VersionInfo {
        let mut info = VersionInfo { name: version.name.clone(), ..VersionInfo::default() };
        if let Source::Commit(commit) = &version.source {
            let stored = |parent: &String| self.graph.version(parent);
            info.parents = parents.iter().filter_map(|&parent| self.places[parent]).collect();
            if info.parents.is_empty() {
                // A graph that was loaded has commits that are not in the list.
                info.parents = commit.parents.iter().filter_map(stored).collect();
            }
            info.commit = Some(commit.commit.clone());
            info.author = Some(commit.author.clone());
            info.date = Some(commit.date());
            info.summary = Some(commit.summary.clone());
        }
        if info.parents.is_empty() {
            info.parents.extend(self.graph.newest());
        }
        info
    }

    fn check(&self, name: &str, id: VersionId, again: &VersionInput<'_>) -> Result<()> {
        let violations = self.graph.check_version(id, again);
        if let Some(first) = violations.first() {
            bail!("the graph does not give {name} back: {first} ({} in all)", violations.len());
        }
        Ok(())
    }
}
