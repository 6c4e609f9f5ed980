//! The versions of a list, read one after the other: compiled, or from the source alone.

use crate::{input, pointers};
use bstr::BString;
use hydrogen_graph::{Graph, Item, VersionInfo, VersionInput};
use hydrogen_history::version::{CommitInfo, Source, Version};
use hydrogen_model::{Arrival, Error, Modeller, Outline, VersionItem, VersionModel};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};

/// So many versions are modelled at a time, before they enter the graph one after the other: enough to keep all threads
/// busy, few enough to be held in memory.
const AT_A_TIME: usize = 16;
/// So many commits that were read wait for the graph at most.
const WAITING: usize = 64;

/// Where a list of versions is.
pub struct Reading<'a> {
    modeller: &'a Modeller,
    versions: &'a [Version],
    syntax: bool,
    /// Whether macros and types are known in all versions.
    with_items: bool,
    next: usize,
    ahead: VecDeque<Result<VersionModel, Error>>,
    /// Per version, macros and types as far as they are known from an earlier run.
    known: Vec<Option<Arc<[VersionItem]>>>,
    /// What the source of each other commit says, read beside the work on the graph.
    arrivals: Receiver<Result<Arrival, Error>>,
    /// The files of the commit that was read last.
    units: BTreeMap<BString, Arc<Outline>>,
    items: Option<Shared>,
}

/// Items as the source has them, and as the graph takes them.
type Shared = (Arc<[VersionItem]>, Arc<[Item]>);

/// A version that was read.
pub struct ReadVersion {
    /// None: it is in the reading's units.
    model: Option<VersionModel>,
    items: Arc<[Item]>,
}

/// Reads versions, the source of commits on a thread of its own, while `work` takes them.
pub fn while_reading<T>(
    modeller: &Modeller,
    versions: &[Version],
    syntax: bool,
    work: impl FnOnce(&mut Reading<'_>) -> T,
) -> T {
    let commit = |version: &Version| match &version.source {
        Source::Commit(commit) => Some(commit.clone()),
        Source::Directory(_) | Source::Bitcode(_) => None,
    };
    let with_items = !versions.iter().any(|version| matches!(version.source, Source::Bitcode(_)));
    let known: Vec<Option<Arc<[VersionItem]>>> = versions
        .iter()
        .map(|version| if syntax || !with_items { None } else { modeller.known_items(version) })
        .collect();
    let commits: Vec<CommitInfo> = match syntax || with_items {
        true => versions
            .iter()
            .zip(&known)
            .filter(|(_, known)| known.is_none())
            .filter_map(|(version, _)| commit(version))
            .collect(),
        false => Vec::new(),
    };
    let (send, arrivals) = sync_channel(WAITING);
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let commits: Vec<&CommitInfo> = commits.iter().collect();
            modeller.walk(&commits, |arrival| send.send(arrival).is_ok());
        });
        let mut reading = Reading {
            modeller,
            versions,
            syntax,
            with_items,
            next: 0,
            ahead: VecDeque::new(),
            known,
            arrivals,
            units: BTreeMap::new(),
            items: None,
        };
        work(&mut reading)
    })
}

impl<'a> Reading<'a> {
    /// The next version.
    pub fn read(&mut self) -> Option<(&'a Version, Result<ReadVersion, Error>)> {
        let version = self.versions.get(self.next)?;
        let read = match (&version.source, self.syntax) {
            (Source::Commit(_), true) => self.arrive().map(|items| {
                let items = self.shared(items);
                ReadVersion { model: None, items }
            }),
            _ => {
                let model = self.model();
                self.with_model(version, model)
            }
        };
        self.next += 1;
        Some((version, read))
    }

    /// The model of the next version.
    fn model(&mut self) -> Result<VersionModel, Error> {
        if self.ahead.is_empty() {
            let end = self.versions.len().min(self.next + AT_A_TIME);
            self.ahead = self.modeller.models(&self.versions[self.next..end], self.syntax).into();
        }
        self.ahead.pop_front().expect("a model per version")
    }

    fn with_model(
        &mut self,
        version: &Version,
        model: Result<VersionModel, Error>,
    ) -> Result<ReadVersion, Error> {
        if self.syntax {
            let model = model?;
            let items = self.shared(Arc::clone(&model.items));
            return Ok(ReadVersion { model: Some(model), items });
        }
        // Arrivals and versions go together, also when a version has no model.
        let source = if self.with_items { Some(self.source_items(version)) } else { None };
        let model = model?;
        let mut items = input::variables(&model);
        if let Some(source) = source {
            items.extend(input::items_of_source(&source?, false));
        }
        Ok(ReadVersion { model: Some(model), items: items.into() })
    }

    /// Macros, types and variables as the source of the next version has them.
    fn source_items(&mut self, version: &Version) -> Result<Arc<[VersionItem]>, Error> {
        if let Some(known) = self.known[self.next].take() {
            return Ok(known);
        }
        let items = match &version.source {
            Source::Commit(_) => self.arrive()?,
            Source::Directory(_) | Source::Bitcode(_) => self.items_of_folder(version)?,
        };
        self.modeller.keep_items(version, &items);
        Ok(items)
    }

    /// Goes to the next commit; its macros, types and variables.
    fn arrive(&mut self) -> Result<Arc<[VersionItem]>, Error> {
        let arrival = self.arrivals.recv().unwrap_or(Err(Error::Interrupted))?;
        if arrival.afresh {
            self.units.clear();
        }
        for path in &arrival.removed {
            self.units.remove(path);
        }
        self.units.extend(arrival.units);
        Ok(arrival.items)
    }

    fn items_of_folder(&self, version: &Version) -> Result<Arc<[VersionItem]>, Error> {
        let mut models = self.modeller.models(std::slice::from_ref(version), true);
        Ok(models.pop().expect("one model per version")?.items)
    }

    /// The same list for the same items, so that the graph need not compare them.
    fn shared(&mut self, items: Arc<[VersionItem]>) -> Arc<[Item]> {
        match &self.items {
            Some((known, shared)) if Arc::ptr_eq(known, &items) => Arc::clone(shared),
            _ => {
                let shared: Arc<[Item]> = input::items_of_source(&items, true).into();
                self.items = Some((items, Arc::clone(&shared)));
                shared
            }
        }
    }

    /// Tells the graph whom calls through pointers of its newest version, which was read last, may reach.
    pub fn pointers(&self, read: &ReadVersion, graph: &mut Graph) -> Result<(), crate::Error> {
        if let (Some(model), Some(version), false) = (&read.model, graph.newest(), self.syntax) {
            let calls = pointers::resolve(self.modeller, model, graph, version)?;
            graph.enter_pointers(calls);
        }
        Ok(())
    }

    /// What the graph takes of the version that was read last.
    pub fn input<'b>(&'b self, read: &'b ReadVersion, info: VersionInfo) -> VersionInput<'b> {
        let items = Arc::clone(&read.items);
        match &read.model {
            Some(model) => input::of_model(self.modeller, model, info, items),
            None => {
                let problems = self.units.values().flat_map(|unit| unit.problems.iter().cloned()).collect();
                input::of_outlines(self.units.values(), VersionInfo { problems, ..info }, items)
            }
        }
    }
}

impl ReadVersion {
    /// Whether nothing of the version could be read.
    pub fn is_empty(&self, input: &VersionInput<'_>) -> bool {
        match &self.model {
            Some(model) => model.units.is_empty(),
            None => input.functions.is_empty() && input.items.is_empty(),
        }
    }
}
