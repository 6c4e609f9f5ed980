//! Since when a statement that kept its text means something else.

use crate::ItemKind;
use crate::model::{Graph, ItemKey};
use crate::tables::Runs;
use crate::{Digest, NodeId, TextId, VersionId};
use hashbrown::HashMap;
use hydrogen_ir::{Mention, mentions_in};
use std::collections::{BTreeMap, BTreeSet};

impl Graph {
    /// The versions in which a node means other instructions than in its parents, or mentions an item that changed, by node.
    pub fn meaning_changes(&self) -> BTreeMap<NodeId, Vec<VersionId>> {
        let mut out: BTreeMap<NodeId, BTreeSet<VersionId>> = BTreeMap::new();
        for node in self.nodes().filter(|node| self.nodes[node.index()].facts.starts().next().is_some()) {
            out.entry(node).or_default().extend(self.other_code(node));
        }
        let seen = Seen::of(self, self.nodes());
        for (at, info) in self.versions.iter().enumerate() {
            let version = VersionId::at(at);
            for node in seen.changed(&info.parents, version).into_keys() {
                out.entry(node).or_default().insert(version);
            }
        }
        out.retain(|_, versions| !versions.is_empty());
        out.into_iter().map(|(node, versions)| (node, versions.into_iter().collect())).collect()
    }

    /// Whether an item that a node mentions differs between two versions. What belongs to the node's file moves with it.
    pub(crate) fn item_differs_for(
        &self,
        node: NodeId,
        item: &ItemKey,
        old: VersionId,
        new: VersionId,
    ) -> bool {
        let file = |version| self.location(self.chain(node), version).0;
        let in_file = |file: &str| match item.file {
            Some(_) => self.items.get(&ItemKey { file: Some(file.to_owned()), ..item.clone() }),
            None => self.items.get(item),
        };
        let was = in_file(file(old)).and_then(|runs| *runs.at(old.0));
        let is = in_file(file(new)).and_then(|runs| *runs.at(new.0));
        let whole = |version: VersionId| self.versions[version.index()].missing.is_empty();
        // An item that a version has not may be in a file that could not be read.
        was != is && ((was.is_some() && is.is_some()) || (whole(old) && whole(new)))
    }

    /// Whether a node's file sees an item.
    fn sees(&self, node: NodeId, version: VersionId, item: &ItemKey) -> bool {
        item.file.as_deref().is_none_or(|file| file == self.location(self.chain(node), version).0)
    }
}

/// An item, what it was in each version, and the nodes that can see it.
type SeenItem<'a> = (&'a ItemKey, &'a Runs<Option<Digest>>, Vec<NodeId>);

/// Items, and the nodes whose text mentions them.
pub(crate) struct Seen<'a> {
    graph: &'a Graph,
    items: Vec<SeenItem<'a>>,
}

impl<'a> Seen<'a> {
    /// Of some nodes. Items that never change are left out.
    pub fn of(graph: &'a Graph, nodes: impl Iterator<Item = NodeId>) -> Self {
        let changing: Vec<_> =
            graph.items.iter().filter(|(_, runs)| runs.values().nth(1).is_some()).collect();
        if changing.is_empty() {
            return Self { graph, items: Vec::new() };
        }
        let names: BTreeSet<&str> = changing.iter().map(|(item, _)| item.name.as_str()).collect();
        let mut texts: HashMap<TextId, Vec<NodeId>> = HashMap::new();
        for node in nodes {
            texts.entry(graph.nodes[node.index()].symbol.text).or_default().push(node);
        }
        // Nodes by the names in their text; members have a dot in front.
        let mut mentioning: HashMap<String, Vec<(NodeId, bool)>> = HashMap::new();
        for (text, nodes) in &texts {
            // A name that stands without a `*` behind it once is seen whole.
            let mut found: BTreeMap<String, bool> = BTreeMap::new();
            for mention in mentions_in(graph.texts.get(*text)) {
                let (name, pointed) = match mention {
                    Mention::Name(name) => (name.to_owned(), false),
                    Mention::Pointed(name) => (name.to_owned(), true),
                    Mention::Member(name) => (format!(".{name}"), false),
                };
                if names.contains(name.as_str()) {
                    *found.entry(name).or_insert(true) &= pointed;
                }
            }
            for (name, pointed) in found {
                mentioning.entry(name).or_default().extend(nodes.iter().map(|node| (*node, pointed)));
            }
        }
        let seen = |(item, runs): (&'a ItemKey, &'a Runs<Option<Digest>>)| {
            let nodes = mentioning.get(&item.name)?.iter();
            let whole = item.kind == ItemKind::Type;
            let nodes = nodes.filter(|(_, pointed)| !(whole && *pointed)).map(|(node, _)| *node);
            Some((item, runs, nodes.collect()))
        };
        Self { graph, items: changing.into_iter().filter_map(seen).collect() }
    }

    /// The nodes that a version shares with parents, and that mention something which is another than in each of these.
    pub fn changed(&self, parents: &[VersionId], version: VersionId) -> BTreeMap<NodeId, Vec<&'a ItemKey>> {
        let graph = self.graph;
        let mut out: BTreeMap<NodeId, Vec<&ItemKey>> = BTreeMap::new();
        for (item, runs, nodes) in &self.items {
            if parents.iter().all(|&parent| runs.at(parent.0) == runs.at(version.0)) {
                continue;
            }
            for &node in nodes.iter().filter(|node| graph.node_in(**node, version)) {
                // Where the compiled code is known, it says what macros and types have come to mean.
                let compiled = |parent: VersionId| {
                    [parent, version].iter().all(|version| graph.payload(node, *version).is_some())
                };
                let matters = |parent: VersionId| item.kind == ItemKind::Global || !compiled(parent);
                let mut having =
                    parents.iter().copied().filter(|&parent| graph.node_in(node, parent)).peekable();
                let some = having.peek().is_some();
                if some
                    && having
                        .all(|parent| matters(parent) && graph.item_differs_for(node, item, parent, version))
                    && graph.sees(node, version, item)
                {
                    out.entry(node).or_default().push(item);
                }
            }
        }
        out
    }
}
