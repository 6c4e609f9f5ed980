//! The history of a statement and of a function: since when, until when, by which version.

use crate::model::Graph;
use crate::{ChainId, NodeId, VersionId, VersionSet};

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
    /// The versions in which it means other instructions than in a parent.
    pub changed: Vec<VersionId>,
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
            let before = self.known_before(chain, version);
            let mut having = before.iter().filter(|&&parent| versions.contains(parent)).peekable();
            match (versions.contains(version), having.peek().is_some()) {
                (true, false) if before.is_empty() && !info.parents.is_empty() => {
                    history.first_seen.push(version);
                }
                (true, false) => history.introduced.push(version),
                (false, true) => history.removed.push(version),
                (true, true) => {
                    let own = self.payload(node, version);
                    if having.any(|&parent| self.payload(node, parent) != own) {
                        history.changed.push(version);
                    }
                }
                (false, false) => {}
            }
        }
        history
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

    /// What each version did to a function, compared with its first parent.
    pub fn chain_history(&self, chain: ChainId) -> Vec<(VersionId, Vec<Event>)> {
        let mut out = Vec::new();
        for (at, info) in self.versions.iter().enumerate() {
            let version = VersionId::at(at);
            if info.unrelated {
                if self.chain_in(chain, version) {
                    out.push((version, vec![Event::FirstSeen]));
                }
                continue;
            }
            let before = self.known_before(chain, version).first().copied();
            let parent = before.filter(|&parent| self.chain_in(chain, parent));
            let events = match (parent, self.chain_in(chain, version)) {
                (Some(_), false) if self.is_unread(chain, version) => vec![Event::Unread],
                (None, true) if before.is_none() && !info.parents.is_empty() => vec![Event::FirstSeen],
                (None, true) => vec![Event::Added],
                (Some(_), false) => vec![Event::Removed],
                (Some(parent), true) => self.events(chain, parent, version),
                (None, false) => Vec::new(),
            };
            if !events.is_empty() {
                out.push((version, events));
            }
        }
        out
    }

    /// What differs in a function that two versions have.
    pub(crate) fn events(&self, chain: ChainId, old: VersionId, new: VersionId) -> Vec<Event> {
        let mut events = Vec::new();
        let (a, b) = (self.place_at(chain, old), self.place_at(chain, new));
        let text = |id| self.name_of(id).to_owned();
        if a.name != b.name {
            events.push(Event::Renamed { from: text(a.name), to: text(b.name) });
        }
        if a.file != b.file {
            events.push(Event::Moved { from: text(a.file), to: text(b.file) });
        }
        if a.signature != b.signature {
            events.push(Event::Signature);
        }
        let states = &self.chains[chain.index()].state;
        if states.at(old.0) != states.at(new.0) {
            events.extend(self.content_change(chain, old, new));
        }
        events
    }

    fn content_change(&self, chain: ChainId, old: VersionId, new: VersionId) -> Option<Event> {
        let (mut added, mut removed, mut meaning, mut edges) = (0, 0, 0, 0);
        for &node in self.chain_nodes(chain) {
            match (self.node_in(node, old), self.node_in(node, new)) {
                (true, false) => removed += 1,
                (false, true) => added += 1,
                (true, true) => meaning += usize::from(self.payload(node, old) != self.payload(node, new)),
                (false, false) => {}
            }
        }
        for edge in self.chain_edges(chain) {
            edges += usize::from(self.edge_in(edge, old) != self.edge_in(edge, new));
        }
        (added + removed + meaning + edges > 0).then_some(Event::Changed { added, removed, meaning, edges })
    }
}
