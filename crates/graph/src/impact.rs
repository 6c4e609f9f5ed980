//! What a change can touch beyond the statements that it edits.

use crate::diff::Mentions;
use crate::model::{Graph, ItemKey};
use crate::{ChainId, NodeId, Target, VersionId};
use std::collections::BTreeSet;

/// What depends on an item that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemImpact {
    /// The item.
    pub item: ItemKey,
    /// The statements of the new version that mention it.
    pub nodes: Vec<NodeId>,
    /// The functions of the new version with such a statement, or with the item in their head.
    pub chains: Vec<ChainId>,
}

impl Graph {
    /// The calls of a version through which a function can be reached (F37).
    pub fn calls_reaching(&self, chain: ChainId, version: VersionId) -> Vec<NodeId> {
        let above: BTreeSet<ChainId> = self.callers(chain, version).into_iter().collect();
        let reaches = |node: &NodeId| {
            let targets = self.targets(*node, version);
            targets.iter().any(|target| matches!(target, Target::Chain(callee) if above.contains(callee)))
        };
        let nodes = above.iter().flat_map(|&caller| self.pieces(caller, version));
        nodes.filter(reaches).collect()
    }

    /// For every item that differs between two versions, what depends on it in the new one (ERR-12).
    pub fn item_impact(&self, old: VersionId, new: VersionId) -> Vec<ItemImpact> {
        let changed = self.changed_items(old, new);
        if changed.is_empty() {
            return Vec::new();
        }
        let mut impacts: Vec<ItemImpact> = changed
            .iter()
            .map(|item| ItemImpact { item: item.clone(), nodes: Vec::new(), chains: Vec::new() })
            .collect();
        let mut mentions = Mentions::new(self, &changed);
        for chain in self.chains().filter(|&chain| self.chain_in(chain, new)) {
            let mut touch = |item: &ItemKey, node: Option<NodeId>| {
                let at = changed.binary_search(item).expect("only changed items are looked for");
                impacts[at].nodes.extend(node);
                if impacts[at].chains.last() != Some(&chain) {
                    impacts[at].chains.push(chain);
                }
            };
            for item in mentions.of(self.signature(chain, new)) {
                touch(item, None);
            }
            for node in self.pieces(chain, new) {
                for item in mentions.of_node(node, new, new) {
                    touch(&item, Some(node));
                }
            }
        }
        impacts
    }
}
