//! The versions of a list, read one after the other: compiled, or from the source alone.

use crate::roster::{Roster, Touched};
use crate::{input, pointers};
use hydrogen_graph::{AddError, FunctionKey, Graph, Item, VersionId, VersionInfo, VersionInput, VersionStep};
use hydrogen_history::version::{CommitInfo, Source, Version};
use hydrogen_ir::ContentHash;
use hydrogen_model::{Arrival, Error, ItemChange, Modeller, VersionItem, VersionModel};
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
    /// The functions of the commit that was read last.
    roster: Roster,
    /// What it changed since the version that entered the graph last, if that was the commit before it in the list.
    touched: Option<Touched>,
    /// Whether it is the newest version of the graph.
    entered: bool,
    changes: Vec<ItemChange>,
    /// What stands outside its functions.
    table: BTreeMap<(String, Option<String>), (hydrogen_syntax::ItemKind, ContentHash)>,
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
            modeller.walk(&commits, !syntax, |arrival| send.send(arrival).is_ok());
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
            roster: Roster::default(),
            touched: None,
            entered: false,
            changes: Vec::new(),
            table: BTreeMap::new(),
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
            (Source::Commit(_), true) => {
                self.arrive().map(|_| ReadVersion { model: None, items: Arc::default() })
            }
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
        if !self.syntax {
            return Ok(arrival.items);
        }
        if arrival.afresh {
            (self.roster, self.table) = (Roster::default(), BTreeMap::new());
        }
        let gone = arrival.removed.into_iter().map(|path| (path, None));
        let new = arrival.units.into_iter().map(|(path, unit)| (path, Some(unit)));
        let touched = self.roster.replace(gone.chain(new).collect());
        for change in &arrival.changes {
            let key = (change.name.clone(), change.file.clone());
            match change.now {
                Some(now) => drop(self.table.insert(key, now)),
                None => drop(self.table.remove(&key)),
            }
        }
        // A version that was left out lies between this one and the newest of the graph.
        let follows = self.entered && !arrival.afresh;
        self.touched = Some(touched).filter(|_| follows);
        (self.changes, self.entered) = (arrival.changes, false);
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
                let item = |((name, file), (kind, hash)): (&(String, Option<String>), &(_, ContentHash))| {
                    VersionItem { name: name.clone(), file: file.clone(), kind: *kind, hash: *hash }
                };
                let all: Vec<VersionItem> = self.table.iter().map(item).collect();
                let items = input::items_of_source(&all, true).into();
                input::of_outlines(self.roster.files(), self.complete(info), items)
            }
        }
    }

    /// What is known about a commit that was read from its source.
    fn complete(&self, info: VersionInfo) -> VersionInfo {
        let (problems, missing) = self.roster.troubles().clone();
        let read = self.roster.files().len() - missing.len();
        VersionInfo { problems, missing, read, ..info }
    }

    /// Adds the version that was read last to the graph: by what differs from the newest version, where that is known. Nothing
    /// is added if nothing could be read of it; its info says what is missing.
    pub fn enter(
        &mut self,
        read: &ReadVersion,
        info: VersionInfo,
        graph: &mut Graph,
    ) -> Result<Entered, AddError> {
        if let (None, Some(touched)) = (&read.model, &self.touched) {
            let info = self.complete(info);
            if graph.can_step(&info) && !self.roster.is_empty() {
                let (changed, removed) = self.roster.step(touched);
                let find = Box::new(|key: &FunctionKey| self.roster.find(key));
                let items = input::item_steps(&self.changes);
                let id = graph.add_step(VersionStep { info, changed, removed, find, items })?;
                self.entered = true;
                return Ok(Ok(id));
            }
            return self.enter_whole(read, info, graph);
        }
        self.enter_whole(read, info, graph)
    }

    fn enter_whole(
        &mut self,
        read: &ReadVersion,
        info: VersionInfo,
        graph: &mut Graph,
    ) -> Result<Entered, AddError> {
        let input = self.input(read, info);
        if read.is_empty(&input) {
            return Ok(Err(input.info));
        }
        let id = graph.add(input)?;
        self.entered = true;
        Ok(Ok(id))
    }
}

/// The number of the version, or what is known about one of which nothing could be read.
pub type Entered = Result<VersionId, VersionInfo>;

impl ReadVersion {
    /// Whether nothing of the version could be read.
    pub fn is_empty(&self, input: &VersionInput<'_>) -> bool {
        match &self.model {
            Some(model) => model.units.is_empty(),
            None => input.functions.is_empty() && input.items.is_empty(),
        }
    }
}
