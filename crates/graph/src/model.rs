//! What a graph stores.

use crate::input::{Digest, Item, ItemKind, VersionInfo};
use crate::pointers::PointerCall;
use crate::tables::{Runs, Table, Texts};
use crate::{ChainId, EdgeId, NameId, NodeId, SetId, TextId, VersionId, VersionSet};
use hashbrown::HashMap;
use hydrogen_ir::{Callee, Fingerprint, Role};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Many versions of a program in one graph.
///
/// Ids follow the order of construction and versions are added one after the other, so a graph does not depend on
/// whether it was built at once or extended after loading (INV-6, INV-19).
#[derive(Debug, Clone, Default)]
pub struct Graph {
    pub(crate) versions: Vec<VersionInfo>,
    pub(crate) names: Table<String>,
    pub(crate) texts: Texts,
    pub(crate) sets: Table<VersionSet>,
    pub(crate) payloads: Table<Digest>,
    /// The lists of callees that nodes have; entry 0 of a node's facts means none.
    pub(crate) calls: Table<Vec<Callee>>,
    pub(crate) chains: Vec<Chain>,
    pub(crate) nodes: Vec<Node>,
    pub(crate) edges: Vec<Edge>,
    /// Lists of whom calls through pointers may reach; entry 0 of `pointers` means that nothing is known.
    pub(crate) pointer_lists: Table<Vec<PointerCall>>,
    pub(crate) pointers: BTreeMap<NodeId, Runs<u32>>,
    /// The versions of which calls through pointers are known.
    pub(crate) followed: VersionSet,
    pub(crate) items: BTreeMap<ItemKey, Runs<Option<Digest>>>,
    /// Derived: the list of items that the newest version came with, if it was added just now.
    pub(crate) entered: Option<Arc<[Item]>>,
    /// Derived: edges by node.
    pub(crate) links: Links,
    /// Derived: the functions of the newest version.
    pub(crate) current: HashMap<Key, ChainId>,
    /// Derived: per version that was added since the graph was loaded, the functions that began, ended or got another key.
    pub(crate) turned: Vec<Option<Vec<ChainId>>>,
    /// Derived: the functions that a version with missing files may have, by the key they had when last seen.
    pub(crate) hidden: BTreeMap<VersionId, HashMap<Key, ChainId>>,
    /// Derived: every chain that ever had a name.
    pub(crate) named: HashMap<NameId, Vec<ChainId>>,
}

/// A function over the versions that have it: its MVCFG.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Chain {
    pub(crate) versions: SetId,
    /// All nodes in an order that agrees with the order of pieces in every version: the pieces of a version are
    /// the nodes that it has, in this order.
    pub(crate) order: Vec<NodeId>,
    pub(crate) places: Runs<Place>,
    /// The different contents that the function had.
    pub(crate) states: Vec<State>,
    /// Which of them it has in a version.
    pub(crate) state: Runs<u32>,
}

/// Where a function stands in a version, and under which name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Place {
    pub(crate) name: NameId,
    pub(crate) file: NameId,
    /// Whether the file is part of the key.
    pub(crate) keyed: bool,
    pub(crate) ordinal: u32,
    pub(crate) internal: bool,
    pub(crate) line: u32,
    pub(crate) signature: NameId,
}

/// A function's key with interned names.
pub(crate) type Key = (NameId, Option<NameId>, u32);

impl Place {
    pub(crate) fn key(&self) -> Key {
        (self.name, self.keyed.then_some(self.file), self.ordinal)
    }
}

/// A content of a function, and a version that had it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct State {
    pub(crate) print: Fingerprint,
    pub(crate) version: u32,
}

/// A statement piece over the versions that have it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Node {
    pub(crate) chain: ChainId,
    pub(crate) symbol: Symbol,
    pub(crate) versions: SetId,
    pub(crate) facts: Runs<Facts>,
}

/// What pieces are matched by (INV-9).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Symbol {
    pub(crate) role: Role,
    pub(crate) part: u32,
    pub(crate) text: TextId,
}

/// What a node has in one version beside its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Facts {
    /// Lines from the piece before it that has a line (from the function's first line for the first such piece).
    /// Relative, so that an insertion changes the facts of its neighbour and no others.
    pub(crate) gap: Option<i32>,
    /// 0 or the number of its payload plus 1.
    pub(crate) payload: u32,
    /// 0 or the number of its list of callees plus 1.
    pub(crate) calls: u32,
}

/// The outcome under which an edge is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum Kind {
    Next,
    True,
    False,
    Case(TextId),
    Default,
    Indirect,
    Config(TextId),
}

/// Control flow over the versions that have it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Edge {
    pub(crate) from: NodeId,
    pub(crate) to: NodeId,
    pub(crate) kind: Kind,
    /// `None` where both ends decide: every version that has both has the edge (spec 2.7). Explicit exactly when
    /// that would be wrong.
    pub(crate) versions: Option<SetId>,
}

/// The identity of an item.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ItemKey {
    /// What it is.
    pub kind: ItemKind,
    /// Its name.
    pub name: String,
    /// The file that alone sees it.
    pub file: Option<String>,
}

/// Edges by node, as lists threaded through the edges.
#[derive(Debug, Clone, Default)]
pub(crate) struct Links {
    /// Per node: first and last outgoing, first and last incoming edge.
    ends: Vec<[u32; 4]>,
    /// Per edge: the next of the same source, the next of the same target.
    next: Vec<[u32; 2]>,
}

const NONE: u32 = u32::MAX;

impl Links {
    pub(crate) fn of(nodes: usize, edges: &[Edge]) -> Self {
        let mut links = Self { ends: vec![[NONE; 4]; nodes], next: Vec::with_capacity(edges.len()) };
        for edge in edges {
            links.edge(edge.from, edge.to);
        }
        links
    }

    pub(crate) fn node(&mut self) {
        self.ends.push([NONE; 4]);
    }

    /// Registers the next edge.
    pub(crate) fn edge(&mut self, from: NodeId, to: NodeId) {
        let id = EdgeId::at(self.next.len()).0;
        self.next.push([NONE; 2]);
        for (direction, node) in [from, to].into_iter().enumerate() {
            let [first, last] = [2 * direction, 2 * direction + 1];
            let ends = &mut self.ends[node.index()];
            if ends[first] == NONE {
                ends[first] = id;
            } else {
                self.next[ends[last] as usize][direction] = id;
            }
            ends[last] = id;
        }
    }

    fn walk(&self, node: NodeId, direction: usize) -> impl Iterator<Item = EdgeId> + '_ {
        let first = self.ends[node.index()][2 * direction];
        let some = |id: u32| (id != NONE).then_some(EdgeId(id));
        std::iter::successors(some(first), move |edge| some(self.next[edge.index()][direction]))
    }

    pub(crate) fn out(&self, node: NodeId) -> impl Iterator<Item = EdgeId> + '_ {
        self.walk(node, 0)
    }

    pub(crate) fn incoming(&self, node: NodeId) -> impl Iterator<Item = EdgeId> + '_ {
        self.walk(node, 1)
    }
}
