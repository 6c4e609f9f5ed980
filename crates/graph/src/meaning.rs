//! Since when a statement that kept its text means something else.

use crate::ItemKind;
use crate::model::{Graph, ItemKey};
use crate::{NodeId, TextId, VersionId};
use hashbrown::HashMap;
use hydrogen_ir::{Mention, mentions_in};
use std::collections::{BTreeMap, BTreeSet};

impl Graph {
    /// The versions in which a node means other instructions than in a parent, or mentions an item that changed, by node.
    pub fn meaning_changes(&self) -> BTreeMap<NodeId, Vec<VersionId>> {
        let mut out: BTreeMap<NodeId, BTreeSet<VersionId>> = BTreeMap::new();
        for node in self.nodes().filter(|node| self.nodes[node.index()].facts.starts().next().is_some()) {
            out.entry(node).or_default().extend(self.node_history(node).changed);
        }
        let mut index: Option<MentionIndex> = None;
        for (at, info) in self.versions.iter().enumerate() {
            let version = VersionId::at(at);
            for &parent in &info.parents {
                for item in self.changed_items(parent, version) {
                    let index = index.get_or_insert_with(|| MentionIndex::of(self));
                    let nodes = index.nodes(&item);
                    let both = |node: &NodeId| self.node_in(*node, version) && self.node_in(*node, parent);
                    // Where the compiled code is known, it says what macros and types have come to mean.
                    let compiled = |node: &NodeId| {
                        [parent, version].iter().all(|version| self.payload(*node, *version).is_some())
                    };
                    let matters = |node: &NodeId| item.kind == ItemKind::Global || !compiled(node);
                    for node in
                        nodes.filter(both).filter(matters).filter(|node| self.sees(*node, version, &item))
                    {
                        out.entry(node).or_default().insert(version);
                    }
                }
            }
        }
        out.retain(|_, versions| !versions.is_empty());
        out.into_iter().map(|(node, versions)| (node, versions.into_iter().collect())).collect()
    }

    /// Whether a node's file sees an item.
    fn sees(&self, node: NodeId, version: VersionId, item: &ItemKey) -> bool {
        item.file.as_deref().is_none_or(|file| file == self.location(self.chain(node), version).0)
    }
}

/// Nodes by the names in their text; members have a dot in front.
struct MentionIndex(HashMap<String, Vec<(NodeId, bool)>>);

impl MentionIndex {
    fn of(graph: &Graph) -> Self {
        let items: BTreeSet<&str> = graph.items.keys().map(|item| item.name.as_str()).collect();
        let mut texts: HashMap<TextId, Vec<NodeId>> = HashMap::new();
        for node in graph.nodes() {
            texts.entry(graph.nodes[node.index()].symbol.text).or_default().push(node);
        }
        let mut index: HashMap<String, Vec<(NodeId, bool)>> = HashMap::new();
        for (text, nodes) in &texts {
            // A name that stands without a `*` behind it once is seen whole.
            let mut names: BTreeMap<String, bool> = BTreeMap::new();
            for mention in mentions_in(graph.texts.get(*text)) {
                let (name, pointed) = match mention {
                    Mention::Name(name) => (name.to_owned(), false),
                    Mention::Pointed(name) => (name.to_owned(), true),
                    Mention::Member(name) => (format!(".{name}"), false),
                };
                if items.contains(name.as_str()) {
                    *names.entry(name).or_insert(true) &= pointed;
                }
            }
            for (name, pointed) in names {
                index.entry(name).or_default().extend(nodes.iter().map(|node| (*node, pointed)));
            }
        }
        Self(index)
    }

    /// The nodes that can see a change of an item.
    fn nodes(&self, item: &ItemKey) -> impl Iterator<Item = NodeId> + '_ {
        let whole = item.kind == ItemKind::Type;
        let nodes = self.0.get(&item.name).map(Vec::as_slice).unwrap_or_default();
        nodes.iter().filter(move |(_, pointed)| !(whole && *pointed)).map(|(node, _)| *node)
    }
}
