//! Since when a statement that kept its text means something else.

use crate::model::{Graph, ItemKey};
use crate::{NodeId, TextId, VersionId};
use hashbrown::HashMap;
use hydrogen_ir::names_in;
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
                    let nodes = index.nodes(&item.name).iter().copied();
                    let both = |node: &NodeId| self.node_in(*node, version) && self.node_in(*node, parent);
                    for node in nodes.filter(both).filter(|node| self.sees(*node, version, &item)) {
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

/// Nodes by the words of their text.
struct MentionIndex(HashMap<String, Vec<NodeId>>);

impl MentionIndex {
    fn of(graph: &Graph) -> Self {
        let items: BTreeSet<&str> = graph.items.keys().map(|item| item.name.as_str()).collect();
        let mut texts: HashMap<TextId, Vec<NodeId>> = HashMap::new();
        for node in graph.nodes() {
            texts.entry(graph.nodes[node.index()].symbol.text).or_default().push(node);
        }
        let mut index: HashMap<String, Vec<NodeId>> = HashMap::new();
        for (text, nodes) in &texts {
            let words: BTreeSet<&str> = names_in(graph.texts.get(*text)).collect();
            for word in words.intersection(&items) {
                index.entry((*word).to_owned()).or_default().extend(nodes);
            }
        }
        Self(index)
    }

    fn nodes(&self, name: &str) -> &[NodeId] {
        self.0.get(name).map(Vec::as_slice).unwrap_or_default()
    }
}
