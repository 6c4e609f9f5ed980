//! The history of a statement and of a function: since when, until when, by which version.

use crate::meaning::Seen;
use crate::model::{Graph, Place};
use crate::own::Before;
use crate::{ChainId, NodeId, VersionId, VersionSet};
use std::collections::BTreeSet;

/// What happened to a statement.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NodeHistory {
    /// The versions that have it.
    pub versions: VersionSet,
    /// The versions that have it and no parent has: who wrote it, or wrote it again.
    pub introduced: Vec<VersionId>,
    /// The versions that have it, where what was before is not in the graph or could not be read: it may be older.
    pub first_seen: Vec<VersionId>,
    /// The versions that have it not although a parent has.
    pub removed: Vec<VersionId>,
    /// The versions that may have it: its file could not be read.
    pub unread: Vec<VersionId>,
    /// The versions in which it means something else than in any parent that has it, and what it mentions that changed;
    /// nothing of that where it is compiled to other instructions.
    pub changed: Vec<(VersionId, Vec<String>)>,
}

/// What a version did to a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// It was not there before.
    Added,
    /// It is there, and what was before is not in the graph or could not be read.
    FirstSeen,
    /// Its file could not be read.
    Unread,
    /// It is there no more.
    Removed,
    /// It has another name.
    Renamed {
        /// The old name.
        from: String,
        /// The new name.
        to: String,
    },
    /// It stands in another file.
    Moved {
        /// The old file.
        from: String,
        /// The new file.
        to: String,
    },
    /// Its head changed.
    Signature,
    /// Its content changed.
    Changed {
        /// Nodes that the parent has not.
        added: usize,
        /// Nodes that only the parent has.
        removed: usize,
        /// Common nodes that mean other instructions.
        meaning: usize,
        /// Edges that one of the two has not.
        edges: usize,
    },
}

impl Event {
    /// How many statements kept their text and mean something else.
    pub fn meaning(&self) -> usize {
        match self {
            Event::Changed { meaning, .. } => *meaning,
            _ => 0,
        }
    }
}

impl std::fmt::Display for Event {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Event::Added => write!(out, "added"),
            Event::FirstSeen => write!(out, "first seen (what was before is not known)"),
            Event::Unread => write!(out, "unknown (its file could not be read)"),
            Event::Removed => write!(out, "removed"),
            Event::Renamed { from, to } => write!(out, "renamed from {from} to {to}"),
            Event::Moved { from, to } => write!(out, "moved from {from} to {to}"),
            Event::Signature => write!(out, "signature changed"),
            Event::Changed { added, removed, meaning, .. } => {
                let ending = if *added == 1 { "" } else { "s" };
                write!(
                    out,
                    "changed: {added} statement{ending} added, {removed} removed, {meaning} with another meaning"
                )
            }
        }
    }
}

impl Graph {
    /// The history of a statement.
    pub fn node_history(&self, node: NodeId) -> NodeHistory {
        let versions = self.node_versions(node);
        let chain = self.chain(node);
        let mut history = NodeHistory { versions: versions.clone(), ..NodeHistory::default() };
        let seen = Seen::of(self, std::iter::once(node));
        for (at, info) in self.versions.iter().enumerate() {
            let version = VersionId::at(at);
            if self.is_unread(chain, version) {
                history.unread.push(version);
                continue;
            }
            if info.unrelated {
                if versions.contains(version) {
                    history.first_seen.push(version);
                }
                continue;
            }
            let before = Before::of(self, &self.known_before(chain, version));
            let having = before.having(|parent| versions.contains(parent));
            match (versions.contains(version), !having.is_empty()) {
                (true, false) if before.parents.is_empty() && !info.parents.is_empty() => {
                    history.first_seen.push(version);
                }
                (true, false) => history.introduced.push(version),
                (false, true) if before.is_lost_after(&versions) => history.removed.push(version),
                (true, true) => {
                    let items = seen.changed(&having, version).remove(&node).unwrap_or_default();
                    if !items.is_empty() || self.is_other_code(node, &having, version) {
                        let names = items.into_iter().map(|item| item.name.clone()).collect();
                        history.changed.push((version, names));
                    }
                }
                (false, _) => {}
            }
        }
        history
    }

    /// Whether a node means other instructions than in each of these versions.
    fn is_other_code(&self, node: NodeId, before: &[VersionId], version: VersionId) -> bool {
        let own = self.payload(node, version);
        before.iter().all(|&parent| self.payload(node, parent) != own)
    }

    /// The versions in which a node means other instructions than in each parent that has it.
    pub(crate) fn other_code(&self, node: NodeId) -> Vec<VersionId> {
        let (versions, chain) = (self.node_versions(node), self.chain(node));
        let changed = |version: &VersionId| {
            let before = self.known_before(chain, *version);
            let having: Vec<_> = before.into_iter().filter(|&it| versions.contains(it)).collect();
            !having.is_empty() && self.is_other_code(node, &having, *version)
        };
        let related = |version: &VersionId| !self.versions[version.index()].unrelated;
        versions.iter().filter(related).filter(changed).collect()
    }

    /// The nodes whose text begins on a line of a file in a version.
    pub fn nodes_at(&self, version: VersionId, file: &str, line: u32) -> Vec<NodeId> {
        let mut found = Vec::new();
        let here =
            |chain: &ChainId| self.chain_in(*chain, version) && self.location(*chain, version).0 == file;
        for chain in self.chains().filter(here) {
            let lines = self.lines(chain, version).into_iter();
            found.extend(lines.filter(|(_, at)| *at == Some(line)).map(|(node, _)| node));
        }
        found
    }

    /// What each version did to a function, compared with all its parents.
    pub fn chain_history(&self, chain: ChainId) -> Vec<(VersionId, Vec<Event>)> {
        let mut out = Vec::new();
        let versions = self.chain_versions(chain);
        let seen = Seen::of(self, self.chain_nodes(chain).iter().copied());
        for (at, info) in self.versions.iter().enumerate() {
            let version = VersionId::at(at);
            if info.unrelated {
                if versions.contains(version) {
                    out.push((version, vec![Event::FirstSeen]));
                }
                continue;
            }
            let before = Before::of(self, &self.known_before(chain, version));
            let having = before.having(|parent| versions.contains(parent));
            let events = match (having.is_empty(), versions.contains(version)) {
                (false, false) if self.is_unread(chain, version) => vec![Event::Unread],
                (true, true) if before.parents.is_empty() && !info.parents.is_empty() => {
                    vec![Event::FirstSeen]
                }
                (true, true) => vec![Event::Added],
                (false, false) if before.is_lost_after(&versions) => vec![Event::Removed],
                (false, true) => {
                    let meant = seen.changed(&having, version).into_keys().collect();
                    self.events(chain, &before, version, &meant)
                }
                (_, false) => Vec::new(),
            };
            if !events.is_empty() {
                out.push((version, events));
            }
        }
        out
    }

    /// What a version did to a function that it and some of its parents have; `meant` are nodes that mention something else.
    pub(crate) fn events(
        &self,
        chain: ChainId,
        before: &Before,
        new: VersionId,
        meant: &BTreeSet<NodeId>,
    ) -> Vec<Event> {
        let mut events = Vec::new();
        let having = before.having(|parent| self.chain_in(chain, parent));
        let Some(&first) = having.first() else { return events };
        let (a, b) = (self.place_at(chain, first), self.place_at(chain, new));
        let text = |id| self.name_of(id).to_owned();
        let none =
            |same: &dyn Fn(&Place) -> bool| having.iter().all(|&parent| !same(self.place_at(chain, parent)));
        if none(&|place| place.name == b.name) {
            events.push(Event::Renamed { from: text(a.name), to: text(b.name) });
        }
        if none(&|place| place.file == b.file) {
            events.push(Event::Moved { from: text(a.file), to: text(b.file) });
        }
        if none(&|place| place.signature == b.signature) {
            events.push(Event::Signature);
        }
        let states = &self.chains[chain.index()].state;
        let same = having.iter().all(|parent| states.at(parent.0) == states.at(new.0));
        if !same || self.chain_nodes(chain).iter().any(|node| meant.contains(node)) {
            events.extend(self.content_change(chain, before, &having, new, meant));
        }
        events
    }

    fn content_change(
        &self,
        chain: ChainId,
        before: &Before,
        having: &[VersionId],
        new: VersionId,
        meant: &BTreeSet<NodeId>,
    ) -> Option<Event> {
        let (mut added, mut removed, mut meaning, mut edges) = (0, 0, 0, 0);
        for &node in self.chain_nodes(chain) {
            let known: Vec<VersionId> =
                having.iter().copied().filter(|&parent| self.node_in(node, parent)).collect();
            match (known.is_empty(), self.node_in(node, new)) {
                (false, false) => removed += usize::from(before.is_lost_after(&self.node_versions(node))),
                (true, true) => added += 1,
                (false, true) => {
                    let changed = meant.contains(&node) || self.is_other_code(node, &known, new);
                    meaning += usize::from(changed);
                }
                (true, false) => {}
            }
        }
        for edge in self.chain_edges(chain) {
            let is = self.edge_in(edge, new);
            edges += usize::from(having.iter().all(|&parent| self.edge_in(edge, parent) != is));
        }
        (added + removed + meaning + edges > 0).then_some(Event::Changed { added, removed, meaning, edges })
    }
}
