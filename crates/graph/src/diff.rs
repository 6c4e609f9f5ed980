//! What two versions share and where they differ (F22), by statement and by meaning.

use crate::ItemKind;
use crate::model::{Graph, ItemKey};
use crate::{ChainId, EdgeId, NodeId, Target, TextId, VersionId, VersionSet};
use hashbrown::HashMap;
use hydrogen_ir::{Mention, mentions_in};
use std::collections::BTreeMap;

/// The difference of two versions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diff {
    /// Functions, nodes and edges that only the old version has.
    pub removed: Part,
    /// Functions, nodes and edges that only the new version has.
    pub added: Part,
    /// Functions, nodes and edges of both.
    pub common: Part,
    /// Functions and their nodes that one version has and the other may have: its file could not be read there.
    pub unread: Part,
    /// Common functions with another name, file or signature.
    pub renamed: Vec<ChainId>,
    /// Common nodes that kept their text and changed what they mean, with the reasons.
    pub changed: Vec<(NodeId, Vec<Reason>)>,
    /// Items outside functions that differ.
    pub items: Vec<ItemKey>,
}

/// A part of a graph.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Part {
    /// Functions.
    pub chains: Vec<ChainId>,
    /// Nodes.
    pub nodes: Vec<NodeId>,
    /// Edges.
    pub edges: Vec<EdgeId>,
}

/// Why a statement means something else although its text is the same.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// It is compiled to other instructions: a macro, a type or a layout changed.
    Payload,
    /// It calls another function, or one that was not defined before, or is no more.
    Target,
    /// It mentions an item that changed (ERR-12).
    Item(ItemKey),
}

impl std::fmt::Display for Reason {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Reason::Payload => write!(out, "compiles to other code"),
            Reason::Target => write!(out, "reaches another function"),
            Reason::Item(item) => write!(out, "{} changed", item.name),
        }
    }
}

impl Graph {
    /// Compares any two versions.
    pub fn diff(&self, old: VersionId, new: VersionId) -> Diff {
        let mut diff = Diff { items: self.changed_items(old, new), ..Diff::default() };
        let unread = self.unread_in_one(old, new);
        for chain in self.chains() {
            match (self.chain_in(chain, old), self.chain_in(chain, new)) {
                _ if unread[chain.index()] => diff.unread.chains.push(chain),
                (true, false) => diff.removed.chains.push(chain),
                (false, true) => diff.added.chains.push(chain),
                (true, true) => {
                    diff.common.chains.push(chain);
                    let (a, b) = (self.place_at(chain, old), self.place_at(chain, new));
                    if (a.name, a.file, a.signature) != (b.name, b.file, b.signature) {
                        diff.renamed.push(chain);
                    }
                }
                (false, false) => {}
            }
        }
        let mut mentions = Mentions::new(self, &diff.items);
        for node in self.nodes() {
            match (self.node_in(node, old), self.node_in(node, new)) {
                (true, false) | (false, true) if unread[self.chain(node).index()] => {
                    diff.unread.nodes.push(node);
                }
                (true, false) => diff.removed.nodes.push(node),
                (false, true) => diff.added.nodes.push(node),
                (true, true) => {
                    diff.common.nodes.push(node);
                    let reasons = self.reasons(node, old, new, &mut mentions);
                    if !reasons.is_empty() {
                        diff.changed.push((node, reasons));
                    }
                }
                (false, false) => {}
            }
        }
        for edge in self.edges() {
            match (self.edge_in(edge, old), self.edge_in(edge, new)) {
                (true, false) | (false, true) if unread[self.chain(self.ends(edge).0).index()] => {
                    diff.unread.edges.push(edge);
                }
                (true, false) => diff.removed.edges.push(edge),
                (false, true) => diff.added.edges.push(edge),
                (true, true) => diff.common.edges.push(edge),
                (false, false) => {}
            }
        }
        diff
    }

    /// What all the versions share.
    pub fn commonality(&self, versions: &VersionSet) -> Part {
        Part {
            chains: self.chains().filter(|&chain| versions.is_subset(&self.chain_versions(chain))).collect(),
            nodes: self.nodes().filter(|&node| versions.is_subset(&self.node_versions(node))).collect(),
            edges: self.edges().filter(|&edge| versions.is_subset(&self.edge_versions(edge))).collect(),
        }
    }

    /// The items that differ between two versions, those of one alone included.
    pub fn changed_items(&self, old: VersionId, new: VersionId) -> Vec<ItemKey> {
        let whole = |version: VersionId| self.versions[version.index()].missing.is_empty();
        let whole = whole(old) && whole(new);
        let changed = self.items.iter().filter(|(_, runs)| {
            let (before, now) = (runs.at(old.0), runs.at(new.0));
            // An item that a version has not may be in a file that could not be read.
            before != now && (whole || (before.is_some() && now.is_some()))
        });
        changed.map(|(key, _)| key.clone()).collect()
    }

    fn reasons(
        &self,
        node: NodeId,
        old: VersionId,
        new: VersionId,
        mentions: &mut Mentions<'_>,
    ) -> Vec<Reason> {
        let mut reasons = Vec::new();
        let facts = &self.nodes[node.index()].facts;
        let (a, b) = (facts.at(old.0), facts.at(new.0));
        if a.payload != b.payload {
            reasons.push(Reason::Payload);
        }
        if a.calls != 0 || b.calls != 0 {
            let (before, now) = (self.targets(node, old), self.targets(node, new));
            let unread = |target: &Target| matches!(target, Target::Unread(_));
            // Whom a call reaches is no difference while nobody knows whom it reaches.
            if before != now && !before.iter().chain(&now).any(unread) {
                reasons.push(Reason::Target);
            }
        }
        // Where the compiled code is known, it says what macros and types have come to mean.
        let compiled = a.payload != 0 && b.payload != 0;
        let matters = |item: &ItemKey| {
            (!compiled || item.kind == ItemKind::Global) && self.item_differs_for(node, item, old, new)
        };
        let mut items: Vec<ItemKey> = mentions.of_node(node, old, new);
        items.retain(matters);
        // Of a file that moved, an item is there under both paths.
        items.dedup_by(|one, other| (one.kind, &one.name) == (other.kind, &other.name));
        reasons.extend(items.into_iter().map(Reason::Item));
        reasons
    }
}

/// Which texts mention which items.
pub(crate) struct Mentions<'a> {
    graph: &'a Graph,
    items: BTreeMap<&'a str, Vec<&'a ItemKey>>,
    /// Members by name; as items they have a dot in front.
    members: BTreeMap<&'a str, Vec<&'a ItemKey>>,
    known: HashMap<TextId, Vec<&'a ItemKey>>,
}

impl<'a> Mentions<'a> {
    pub(crate) fn new(graph: &'a Graph, items: &[ItemKey]) -> Self {
        let mut by_name: BTreeMap<&str, Vec<&ItemKey>> = BTreeMap::new();
        let mut members: BTreeMap<&str, Vec<&ItemKey>> = BTreeMap::new();
        for item in items {
            if let Some((key, _)) = graph.items.get_key_value(item) {
                match key.name.strip_prefix('.') {
                    Some(member) => members.entry(member).or_default().push(key),
                    None => by_name.entry(&key.name).or_default().push(key),
                }
            }
        }
        Self { graph, items: by_name, members, known: HashMap::new() }
    }

    /// The items that a text mentions.
    pub(crate) fn of(&self, text: &str) -> Vec<&'a ItemKey> {
        let mut found: Vec<&ItemKey> = Vec::new();
        for mention in mentions_in(text) {
            match mention {
                Mention::Name(name) => found.extend(self.items.get(name).into_iter().flatten()),
                Mention::Pointed(name) => {
                    let items = self.items.get(name).into_iter().flatten();
                    found.extend(items.filter(|item| item.kind != ItemKind::Type));
                }
                Mention::Member(name) => found.extend(self.members.get(name).into_iter().flatten()),
            }
        }
        found.sort();
        found.dedup();
        found
    }

    /// The items that a node mentions and that its file sees in one of the versions.
    pub(crate) fn of_node(&mut self, node: NodeId, old: VersionId, new: VersionId) -> Vec<ItemKey> {
        if self.items.is_empty() && self.members.is_empty() {
            return Vec::new();
        }
        let text = self.graph.nodes[node.index()].symbol.text;
        if !self.known.contains_key(&text) {
            let found = self.of(self.graph.texts.get(text));
            self.known.insert(text, found);
        }
        let chain = self.graph.chain(node);
        let file = |version| self.graph.location(chain, version).0;
        let sees =
            |item: &&&ItemKey| item.file.as_deref().is_none_or(|only| only == file(old) || only == file(new));
        self.known[&text].iter().filter(sees).map(|item| (**item).clone()).collect()
    }
}
