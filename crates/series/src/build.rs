//! Building a graph, version by version.

use crate::kept::{Kept, LeftOut};
use crate::reading::{Reading, while_reading};
use hydrogen_graph::{AddError, Graph, VersionId, VersionInfo, VersionInput};
use hydrogen_history::version::{self, Source, Version};
use hydrogen_model::{Modeller, OUR_BUG};
use std::collections::BTreeMap;

/// How a graph is built.
#[derive(Default)]
pub struct Options {
    /// From the source alone.
    pub syntax: bool,
    /// Find out whom calls through pointers may reach, in compiled mode.
    pub pointers: bool,
    /// Compare every version taken out of the graph with the version itself.
    pub check: bool,
    /// A graph to which the versions are added.
    pub base: Option<Graph>,
    /// Neither look for a kept graph nor keep this one.
    pub afresh: bool,
    /// The versions that a version comes after, by name, where nobody else knows.
    pub after: BTreeMap<String, Vec<String>>,
}

/// Who is told what the graph lacks.
pub trait Listener {
    /// A version is in the graph; its info says what is missing from it.
    fn version(&self, info: &VersionInfo);
    /// A version is not in the graph.
    fn left_out(&self, version: &str, why: &str);
}

/// Why there is no graph.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A version cannot be modelled, or the user stopped the run.
    #[error(transparent)]
    Model(#[from] hydrogen_model::Error),
    /// A version cannot be added.
    #[error(transparent)]
    Add(#[from] AddError),
    /// No version is left.
    #[error("none of the versions could be read")]
    Nothing,
    /// No version is left, and that is our own bug.
    #[error("none of the versions could be read, because of a bug of ours: {first}")]
    Bug {
        /// The first file that we failed on.
        first: String,
    },
    /// Our own bug.
    #[error("the graph does not give {version} back: {first} ({count} in all)")]
    Check {
        /// The version.
        version: String,
        /// The first thing that is wrong.
        first: String,
        /// How many there are.
        count: usize,
    },
}

/// The graph of the versions, in their order. A version of which nothing could be read is left out.
pub fn build(
    modeller: &Modeller,
    versions: Vec<Version>,
    options: Options,
    listener: &dyn Listener,
) -> Result<Graph, Error> {
    // A check needs the models; a graph from elsewhere, or in an order of its own, has a past that no key knows.
    let keep = !options.check && !options.afresh && options.base.is_none() && options.after.is_empty();
    let graph = options.base.unwrap_or_default();
    let mut building = Building {
        graph,
        places: Vec::new(),
        left_out: Vec::new(),
        bug: None,
        after: options.after,
        listener,
    };
    let versions: Vec<Version> = versions.into_iter().filter(|version| building.lacks(version)).collect();
    let parents = version::ancestors(&versions);
    let how = (options.syntax, options.pointers);
    let kept = keep.then(|| Kept::of(modeller, &versions, &parents, how)).transpose()?;
    let done = kept.as_ref().and_then(|kept| kept.longest(modeller));
    let first = done.map_or(0, |(count, graph, left_out)| {
        building.resume(&versions[..count], graph, left_out);
        count
    });
    let outcome = while_reading(modeller, &versions[first..], options.syntax, |reading| {
        building.add_all(reading, &parents, options.pointers, options.check)
    });
    if let Some(kept) = kept.filter(|_| building.places.len() > first) {
        kept.put(modeller, building.places.len(), &building.graph, &building.left_out);
    }
    outcome?;
    match (building.graph.newest(), building.bug) {
        (Some(_), _) => Ok(building.graph),
        (None, Some(first)) => Err(Error::Bug { first }),
        (None, None) => Err(Error::Nothing),
    }
}

/// A graph and how far it is.
struct Building<'a> {
    graph: Graph,
    /// Per version of the list, its place in the graph; none for those that are left out.
    places: Vec<Option<VersionId>>,
    left_out: Vec<LeftOut>,
    /// The first file of a version that was left out on which we failed.
    bug: Option<String>,
    after: BTreeMap<String, Vec<String>>,
    listener: &'a dyn Listener,
}

impl Building<'_> {
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
        graph.versions().iter().for_each(|info| self.listener.version(info));
        left_out.iter().for_each(|one| self.listener.left_out(&one.version, &one.message));
        self.places = versions.iter().map(|version| graph.version(&version.name)).collect();
        (self.graph, self.left_out) = (graph, left_out);
    }

    fn add_all(
        &mut self,
        reading: &mut Reading<'_>,
        parents: &[Vec<usize>],
        pointers: bool,
        check: bool,
    ) -> Result<(), Error> {
        while let Some((version, read)) = reading.read() {
            let read = match read {
                Ok(read) => read,
                Err(error @ hydrogen_model::Error::Interrupted) => return Err(error.into()),
                Err(error) => {
                    self.leave_out(version, error.to_string());
                    continue;
                }
            };
            let info = self.info(version, &parents[self.places.len()]);
            let id = match reading.enter(&read, info, &mut self.graph)? {
                Ok(id) => id,
                Err(info) => {
                    self.listener.version(&info);
                    let mut missing = info.missing.iter().map(|gap| &gap.message);
                    self.bug = self.bug.take().or(missing.find(|it| it.contains(OUR_BUG)).cloned());
                    self.leave_out(version, "nothing could be read of this version".into());
                    continue;
                }
            };
            self.listener.version(&self.graph.versions()[id.index()]);
            if check {
                let again = reading.input(&read, VersionInfo::default());
                self.check(&version.name, id, &again)?;
            }
            if pointers {
                reading.pointers(&read, &mut self.graph)?;
            }
            self.places.push(Some(id));
        }
        Ok(())
    }

    fn leave_out(&mut self, version: &Version, message: String) {
        self.listener.left_out(&version.name, &message);
        self.left_out.push(LeftOut { version: version.name.clone(), message });
        self.places.push(None);
    }

    /// What is known about a version. Its parents are its nearest ancestors in the graph; else it is matched with the version
    /// before.
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
        if let Some(names) = self.after.get(&version.name) {
            info.parents = names.iter().filter_map(|name| self.graph.version(name)).collect();
        }
        if info.parents.is_empty() {
            info.parents.extend(self.graph.newest());
            // Matched with whatever is there, which it was not made from. A first commit has nothing before it.
            info.unrelated = match &version.source {
                Source::Commit(commit) => !(commit.parents.is_empty() && info.parents.is_empty()),
                Source::Directory(_) | Source::Bitcode(_) => false,
            };
        }
        info
    }

    fn check(&self, name: &str, id: VersionId, again: &VersionInput<'_>) -> Result<(), Error> {
        let violations = self.graph.check_version(id, again);
        match violations.first() {
            None => Ok(()),
            Some(first) => Err(Error::Check {
                version: name.to_owned(),
                first: first.to_string(),
                count: violations.len(),
            }),
        }
    }
}
