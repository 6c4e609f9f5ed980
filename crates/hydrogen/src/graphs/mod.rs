//! From versions to a multi-version graph.

mod input;
mod kept;

use crate::context::Context;
use anyhow::{Context as _, Result, bail};
use hydrogen_graph::{Graph, VersionId, VersionInfo};
use hydrogen_history::version::{self, Source, Version};
use hydrogen_model::Modeller;
use kept::{Kept, LeftOut};
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

/// So many versions are modelled at a time, before they enter the graph one after the other: enough to keep all threads
/// busy, few enough to be held in memory.
const AT_A_TIME: usize = 16;

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
    let outcome = building.add_all(context, &modeller, &versions, &parents, first, options);
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
        modeller: &Modeller,
        versions: &[Version],
        parents: &[Vec<usize>],
        first: usize,
        options: &Options,
    ) -> Result<()> {
        for start in (first..versions.len()).step_by(AT_A_TIME) {
            let chunk = &versions[start..versions.len().min(start + AT_A_TIME)];
            for (version, model) in chunk.iter().zip(modeller.models(chunk, options.syntax)) {
                let model = match model {
                    Ok(model) if model.units.is_empty() => {
                        self.leave_out(version, "nothing could be read of this version".into());
                        continue;
                    }
                    Ok(model) => model,
                    Err(error @ hydrogen_model::Error::Interrupted) => return Err(error.into()),
                    Err(error) => {
                        self.leave_out(version, format!("{:#}", anyhow::Error::from(error)));
                        continue;
                    }
                };
                context.report_missing(&model);
                let info = self.info(version, &parents[self.places.len()]);
                let id = self.graph.add(input::version(modeller, &model, info))?;
                if options.check {
                    self.check(modeller, &model, id)?;
                }
                self.places.push(Some(id));
            }
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

    fn check(&self, modeller: &Modeller, model: &hydrogen_model::VersionModel, id: VersionId) -> Result<()> {
        let again = input::version(modeller, model, VersionInfo::default());
        let violations = self.graph.check_version(id, &again);
        if let Some(first) = violations.first() {
            let name = &model.version.name;
            bail!("the graph does not give {name} back: {first} ({} in all)", violations.len());
        }
        Ok(())
    }
}
