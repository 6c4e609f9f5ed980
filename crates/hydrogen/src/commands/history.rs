//! `hydrogen history FILE:LINE|FUNCTION V…`.

mod uses;

use super::Outcome;
use crate::cli::TableFormat;
use crate::context::Context;
use crate::graphs::{self, Compared};
use anyhow::{Context as _, Result, bail};
use hydrogen_evidence::lineage::{By, Entry};
use hydrogen_graph::{ChainId, Event, Graph, NodeId, VersionId};
use hydrogen_history::version::{CommitInfo, Source};
use hydrogen_history::{Objects, Repository};
use hydrogen_report::histories as report;
use hydrogen_series::{Origin, Origins, Sought, Sure};
use std::collections::BTreeMap;

pub struct Options {
    pub syntax: bool,
    /// Look up who wrote what is older than the versions.
    pub older: bool,
    /// Tell where the values of a statement come from and go to.
    pub uses: bool,
    pub format: TableFormat,
}

pub fn run(context: &Context, place: &str, names: &[String], options: Options) -> Result<Outcome> {
    let (compared, versions) = graphs::compared(context, names, options.syntax)?;
    let mut commits = BTreeMap::new();
    for version in versions {
        if let (Source::Commit(commit), Some(id)) = (version.source, compared.graph.version(&version.name)) {
            commits.insert(id, commit);
        }
    }
    let asked = Asked { compared: &compared, commits, older: options.older, uses: options.uses };
    let entries = match statement(place) {
        Some((file, line)) => asked.of_statements(file, line)?,
        None if options.uses => bail!("--uses is about a statement, given as FILE:LINE"),
        None => asked.of_function(place)?,
    };
    context.output(&match options.format {
        TableFormat::Json => report::lineage_json(&entries),
        TableFormat::Text => report::lineage_text(&entries),
    })?;
    Ok(Outcome::Done)
}

/// FILE:LINE, when it is one.
fn statement(place: &str) -> Option<(&str, u32)> {
    let (file, line) = place.rsplit_once(':')?;
    Some((file, line.parse().ok()?))
}

/// What became of something in a version.
enum What {
    /// It appeared there.
    Began,
    /// It was there before, or may have been.
    Before,
    /// Anything else.
    Event(String),
}

struct Asked<'a> {
    compared: &'a Compared,
    commits: BTreeMap<VersionId, CommitInfo>,
    older: bool,
    uses: bool,
}

impl Asked<'_> {
    fn graph(&self) -> &Graph {
        &self.compared.graph
    }

    fn of_statements(&self, file: &str, line: u32) -> Result<Vec<Entry>> {
        let graph = self.graph();
        let newest = self.compared.given.last().context("a version was given")?;
        let nodes = graph.nodes_at(newest, file, line);
        if nodes.is_empty() {
            bail!("{}", self.nothing_at(newest, file, line));
        }
        let mut all = Vec::new();
        for node in nodes {
            all.extend(self.of_node(node)?);
        }
        Ok(all)
    }

    /// Why there is nothing at a place, and what there is instead.
    fn nothing_at(&self, version: VersionId, file: &str, line: u32) -> String {
        let graph = self.graph();
        let name = &graph.versions()[version.index()].name;
        let here: Vec<ChainId> = graph
            .chains()
            .filter(|&chain| graph.chain_in(chain, version) && graph.location(chain, version).0 == file)
            .collect();
        if here.is_empty() {
            return format!(
                "{name} has no function in a file {file}; write the path as the repository has it, from its root"
            );
        }
        let lines = here.iter().flat_map(|&chain| graph.lines(chain, version)).filter_map(|(_, at)| at);
        let nearest = lines.min_by_key(|&at| (at.abs_diff(line), at > line));
        let instead = nearest.map(|at| format!("; the nearest one begins at line {at}")).unwrap_or_default();
        format!("no statement of {name}, the newest version given, begins at {file}:{line}{instead}")
    }

    fn of_node(&self, node: NodeId) -> Result<Vec<Entry>> {
        let graph = self.graph();
        let history = graph.node_history(node);
        let mut all: Vec<(VersionId, What)> = Vec::new();
        let mut add = |versions: &[VersionId], what: fn() -> What| {
            all.extend(versions.iter().map(|version| (*version, what())));
        };
        add(&history.introduced, || What::Began);
        add(&history.first_seen, || What::Before);
        add(&history.unread, || What::Event("unknown (its file could not be read)".into()));
        add(&history.removed, || What::Event("removed".into()));
        let changed = history.changed.into_iter();
        all.extend(changed.map(|(version, names)| (version, What::Event(changed_meaning(&names)))));
        if self.uses {
            let events = uses::changes(graph, node).into_iter();
            all.extend(events.map(|(version, event)| (version, What::Event(event))));
        }
        let text = graph.label(node);
        let place = |version: VersionId| {
            let (file, head) = graph.location(graph.chain(node), version);
            let line = graph.line(node, version).unwrap_or(head);
            Sought { file: file.to_owned(), line, text: text.clone(), function: false }
        };
        self.entries(&text, all, |version| graph.node_in(node, version), &place)
    }

    fn of_function(&self, name: &str) -> Result<Vec<Entry>> {
        let mut entries = Vec::new();
        for chain in self.graph().chains_named(name) {
            entries.extend(self.of_chain(chain)?);
        }
        if entries.is_empty() {
            bail!("no version defines a function `{name}`");
        }
        Ok(entries)
    }

    fn of_chain(&self, chain: ChainId) -> Result<Vec<Entry>> {
        let graph = self.graph();
        let what = |event: Event| match event {
            Event::Added => What::Began,
            Event::FirstSeen => What::Before,
            other => What::Event(other.to_string()),
        };
        let history = graph.chain_history(chain).into_iter();
        let all = history.flat_map(|(version, events)| events.into_iter().map(move |it| (version, what(it))));
        let place = |version: VersionId| {
            let (file, line) = graph.location(chain, version);
            Sought {
                file: file.to_owned(),
                line,
                text: graph.name(chain, version).to_owned(),
                function: true,
            }
        };
        let name = graph.newest_name(chain);
        self.entries(name, all.collect(), |version| graph.chain_in(chain, version), &place)
    }

    /// What is said: of the versions given, and at most once that it is older than them.
    fn entries(
        &self,
        text: &str,
        mut all: Vec<(VersionId, What)>,
        has: impl Fn(VersionId) -> bool,
        place: &dyn Fn(VersionId) -> Sought,
    ) -> Result<Vec<Entry>> {
        all.sort_by_key(|(version, _)| *version);
        let graph = self.graph();
        let versions = || (0..graph.versions().len()).map(VersionId::at);
        let given = |version: &VersionId| self.compared.is_given(*version);
        let first = versions().filter(given).find(|version| has(*version));
        let mut out = Vec::new();
        // What a commit before the versions has is older than all of them.
        let older = versions().filter(|version| !given(version)).rfind(|version| has(*version));
        if let (Some(older), Some(first)) = (older, first) {
            out.push(self.older(older, first, place)?);
        }
        for (version, what) in all.into_iter().filter(|(version, _)| given(version)) {
            match what {
                What::Before if older.is_some() => {}
                What::Before => out.push(self.older(version, version, place)?),
                What::Began => out.push(self.began(version, place(version))?),
                What::Event(event) => {
                    let line = has(version).then(|| place(version).line);
                    out.push(self.entry(version, &event, text, line));
                }
            }
        }
        Ok(out)
    }

    /// Something that a version has, and had before.
    fn older(
        &self,
        version: VersionId,
        first: VersionId,
        place: &dyn Fn(VersionId) -> Sought,
    ) -> Result<Entry> {
        let sought = place(version);
        let info = &self.graph().versions()[version.index()];
        let before = &self.graph().versions()[first.index()].name;
        let exact = version != first;
        let words = if exact { format!("before {before}") } else { format!("in {before} or before") };
        let repository = self.commits.values().next().map(|commit| commit.repository.clone());
        let origin = match (&info.commit, repository, self.older) {
            (Some(commit), Some(repository), true) => origin(&repository, commit, sought.clone())?,
            _ => None,
        };
        Ok(match origin {
            Some(origin) => written(&origin, &format!("{words}, written in"), Some(before)),
            None => Entry {
                version: Some(before.clone()),
                event: words,
                text: sought.text,
                file: None,
                line: Some(sought.line),
                by: None,
            },
        })
    }

    /// Something that a version has and its parents in the graph have not.
    fn began(&self, version: VersionId, sought: Sought) -> Result<Entry> {
        let commit = self.commits.get(&version);
        let whole = commit.is_none_or(|commit| self.compared.is_whole(version, commit));
        if let (Some(commit), true) = (commit, self.older)
            && let Some(origin) = origin(&commit.repository, &commit.commit, sought.clone())?
            && origin.commit.commit != commit.commit
        {
            // Between two versions of the list lie others; the one that wrote it is named. Where none do, it only came here.
            let name = &self.graph().versions()[version.index()].name;
            let how = if whole { "moved" } else { "introduced" };
            return Ok(written(&origin, &format!("{how} in {name}, written in"), Some(name)));
        }
        Ok(self.entry(version, "introduced", &sought.text, Some(sought.line)))
    }

    /// What a version did. Who made it is said only where what differs is its own doing.
    fn entry(&self, version: VersionId, what: &str, text: &str, line: Option<u32>) -> Entry {
        let info = &self.graph().versions()[version.index()];
        let commit = self.commits.get(&version);
        let own = commit.is_none_or(|commit| self.compared.is_whole(version, commit));
        let own = |value: &Option<String>| value.clone().filter(|_| own);
        Entry {
            version: Some(info.name.clone()),
            event: what.to_owned(),
            text: text.to_owned(),
            file: None,
            line,
            by: Some(By {
                commit: own(&info.commit),
                author: own(&info.author),
                date: info.date.clone(),
                summary: own(&info.summary),
            }),
        }
    }
}

/// That a statement means something else, and which of the names in it do.
fn changed_meaning(names: &[String]) -> String {
    match names {
        [] => "changed meaning".into(),
        names => format!("changed meaning ({} changed)", names.join(", ")),
    }
}

fn origin(repository: &std::path::Path, commit: &str, sought: Sought) -> Result<Option<Origin>> {
    let repository = Repository::open(repository)?;
    let objects = Objects::new(&repository);
    Ok(Origins::new(&objects).of(commit, sought)?)
}

/// Who wrote something, by the whole history.
fn written(origin: &Origin, how: &str, version: Option<&str>) -> Entry {
    let Origin { commit, sought, sure } = origin;
    let short = &commit.commit[..commit.commit.len().min(12)];
    let older = match sure {
        Sure::Yes => "",
        Sure::Cut => ", or before: the history is cut off there",
        Sure::Unread => ", or before: the file cannot be read there as it is written",
    };
    Entry {
        version: version.map(str::to_owned),
        event: format!("{how} {short}{older}"),
        text: sought.text.clone(),
        file: Some(sought.file.clone()),
        line: Some(sought.line),
        by: Some(By {
            commit: Some(commit.commit.clone()),
            author: Some(commit.author.clone()),
            date: Some(commit.date()),
            summary: Some(commit.summary.clone()),
        }),
    }
}
