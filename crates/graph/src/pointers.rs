//! Calls through pointers: whom they may reach, as far as somebody found out.

use crate::model::Graph;
use crate::{ChainId, NodeId, Target};
use serde::{Deserialize, Serialize};

/// Whom a call through a pointer may reach in one version.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PointerCall {
    /// Functions of the program, ascending.
    pub functions: Vec<ChainId>,
    /// Functions that the version does not define, by name, sorted.
    pub externals: Vec<String>,
    /// Whether it may also reach code that nobody knows.
    pub unknown: bool,
}

impl PointerCall {
    /// The targets of a call of the expression `text`.
    pub(crate) fn targets(&self, text: &str) -> impl Iterator<Item = Target> {
        let functions = self.functions.iter().copied().map(Target::Chain);
        let externals = self.externals.iter().cloned().map(Target::External);
        functions.chain(externals).chain(self.unknown.then(|| Target::Unknown(text.to_owned())))
    }
}

impl Graph {
    /// Notes for the newest version whom the calls through pointers of its nodes may reach: one entry per such call, in
    /// their order. Nodes that are not named keep an unknown callee.
    pub fn enter_pointers(&mut self, calls: impl IntoIterator<Item = (NodeId, Vec<PointerCall>)>) {
        let Some(newest) = self.newest() else { return };
        let mut now: std::collections::BTreeMap<NodeId, u32> = std::collections::BTreeMap::new();
        for (node, calls) in calls {
            if self.node_in(node, newest) {
                now.insert(node, self.pointer_lists.insert(&calls) + 1);
            }
        }
        self.followed = self.followed.union(&crate::VersionSet::one(newest));
        for (node, runs) in &mut self.pointers {
            runs.set(newest.0, now.remove(node).unwrap_or(0));
        }
        for (node, list) in now {
            let mut runs = crate::tables::Runs::new(0);
            runs.set(newest.0, list);
            self.pointers.insert(node, runs);
        }
    }

    /// What is known about the calls through pointers of a node in a version.
    pub(crate) fn pointer_calls(&self, node: NodeId, version: u32) -> &[PointerCall] {
        let followed = self.followed.contains(crate::VersionId(version));
        let list =
            self.pointers.get(&node).filter(|_| followed).and_then(|runs| runs.at(version).checked_sub(1));
        list.map_or(&[], |list| self.pointer_lists.get(list))
    }
}
