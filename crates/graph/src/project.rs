//! Projection: the graph of some of the versions (F3, F21, INV-17).

use crate::input::VersionInfo;
use crate::model::{Chain, Edge, Facts, Graph, Kind, Links, Node, Place, State, Symbol};
use crate::tables::{Runs, Table};
use crate::version_set::Interval;
use crate::{ChainId, NameId, NodeId, SetId, TextId, VersionId, VersionSet};
use hashbrown::HashMap;

impl Graph {
    /// The graph of a subset of the versions: nodes, edges and functions of the others are gone, and versions are
    /// numbered anew. The parents of a version are its nearest ancestors that stay.
    #[must_use]
    pub fn project(&self, subset: &VersionSet) -> Graph {
        let subset = subset.intersection(&VersionSet::all(self.versions.len()));
        let mut projection = Projection::new(self, &subset);
        projection.versions();
        projection.chains();
        projection.edges();
        projection.items();
        projection.pointers();
        projection.out.derive();
        projection.out
    }

    /// Computes what is not stored.
    pub(crate) fn derive(&mut self) {
        self.links = Links::of(self.nodes.len(), &self.edges);
        self.named = HashMap::new();
        for (at, chain) in self.chains.iter().enumerate() {
            for place in chain.places.values() {
                let named = self.named.entry(place.name).or_default();
                if named.last() != Some(&ChainId::at(at)) {
                    named.push(ChainId::at(at));
                }
            }
        }
        self.current = self.newest().map_or_else(HashMap::new, |newest| self.keys_at(newest));
        self.turned = vec![None; self.versions.len()];
        self.hidden.clear();
        (0..self.versions.len()).map(VersionId::at).for_each(|version| self.enter_hidden(version));
    }
}

struct Projection<'a> {
    from: &'a Graph,
    out: Graph,
    /// The old number of each new version.
    old: Vec<u32>,
    /// How many of the versions that stay are older than a version.
    rank: Vec<u32>,
    nodes: HashMap<NodeId, NodeId>,
    chains: HashMap<ChainId, ChainId>,
}

impl<'a> Projection<'a> {
    fn new(from: &'a Graph, subset: &VersionSet) -> Self {
        let old: Vec<u32> = subset.iter().map(|version| version.0).collect();
        let mut rank = Vec::with_capacity(from.versions.len() + 1);
        let mut count = 0;
        for version in 0..=from.versions.len() {
            rank.push(count);
            count += u32::from(subset.contains(VersionId::at(version)));
        }
        let (nodes, chains) = (HashMap::new(), HashMap::new());
        Self { from, out: Graph::new(), old, rank, nodes, chains }
    }

    /// A set in the new numbers.
    fn set(&self, set: &VersionSet) -> VersionSet {
        let mut out = VersionSet::empty();
        for Interval { first, last } in set.intervals() {
            let (first, behind) = (self.rank[first.index()], self.rank[last.index() + 1]);
            if first < behind {
                out = out.union(&VersionSet::span(first, behind - 1));
            }
        }
        out
    }

    fn intern(&mut self, set: &VersionSet) -> SetId {
        self.out.sets.set(&set.stored(self.old.len()))
    }

    fn name(&mut self, name: NameId) -> NameId {
        self.out.names.name(self.from.names.get(name.0))
    }

    fn text(&mut self, text: TextId) -> TextId {
        let shown = self.from.texts.get(text);
        self.out.texts.insert(&hydrogen_ir::canonical(shown), shown)
    }

    /// The values at the versions of the owner that stay, `set` being those in new numbers.
    fn runs<T: Clone + PartialEq, U: Clone + PartialEq>(
        &mut self,
        runs: &Runs<T>,
        set: &VersionSet,
        mut convert: impl FnMut(&mut Self, &T) -> U,
    ) -> Runs<U> {
        let starts: Vec<u32> = runs.starts().map(|start| self.rank[start as usize]).collect();
        let mut out: Option<Runs<U>> = None;
        for Interval { first, last } in set.intervals() {
            let inside = starts.iter().copied().filter(|start| (first.0 + 1..=last.0).contains(start));
            for version in std::iter::once(first.0).chain(inside) {
                let value = convert(self, runs.at(self.old[version as usize]));
                match &mut out {
                    None => out = Some(Runs::new(value)),
                    Some(runs) => runs.set(version, value),
                }
            }
        }
        out.expect("the owner has a version that stays")
    }

    fn versions(&mut self) {
        let mut fronts: Vec<Vec<VersionId>> = Vec::with_capacity(self.from.versions.len());
        for (version, info) in self.from.versions.iter().enumerate() {
            let mut front: Vec<VersionId> = Vec::new();
            for parent in &info.parents {
                let stays = self.rank[parent.index()] < self.rank[parent.index() + 1];
                let own = [VersionId(self.rank[parent.index()])];
                for &near in if stays { &own[..] } else { &fronts[parent.index()][..] } {
                    if !front.contains(&near) {
                        front.push(near);
                    }
                }
            }
            if self.rank[version] < self.rank[version + 1] {
                self.out.versions.push(VersionInfo { parents: front.clone(), ..info.clone() });
            }
            fronts.push(front);
        }
    }

    fn chains(&mut self) {
        for id in self.from.chains() {
            let versions = self.set(&self.from.chain_versions(id));
            if versions.is_empty() {
                continue;
            }
            let chain = &self.from.chains[id.index()];
            self.chains.insert(id, ChainId::at(self.out.chains.len()));
            let places = self.runs(&chain.places, &versions, |this, place| Place {
                name: this.name(place.name),
                file: this.name(place.file),
                signature: this.name(place.signature),
                ..*place
            });
            let mut seen: HashMap<u32, u32> = HashMap::new();
            let state = self.runs(&chain.state, &versions, |_, state| {
                let next = seen.len() as u32;
                *seen.entry(*state).or_insert(next)
            });
            let mut states: Vec<(u32, u32)> = seen.into_iter().map(|(old, new)| (new, old)).collect();
            states.sort_unstable();
            let mut states: Vec<State> = states.iter().map(|(_, old)| chain.states[*old as usize]).collect();
            let mut first = vec![None; states.len()];
            for version in versions.iter().map(|version| version.0) {
                first[*state.at(version) as usize].get_or_insert(version);
            }
            for (state, version) in states.iter_mut().zip(first) {
                state.version = version.expect("every state is some version's");
            }
            let versions = self.intern(&versions);
            self.out.chains.push(Chain { versions, order: Vec::new(), places, states, state });
        }
        self.nodes();
        for (old, new) in &self.chains {
            let order = self.from.chain_nodes(*old).iter().filter_map(|node| self.nodes.get(node).copied());
            self.out.chains[new.index()].order = order.collect();
        }
    }

    fn nodes(&mut self) {
        for id in self.from.nodes() {
            let versions = self.set(&self.from.node_versions(id));
            if versions.is_empty() {
                continue;
            }
            let node = &self.from.nodes[id.index()];
            self.nodes.insert(id, NodeId::at(self.out.nodes.len()));
            let facts = self.runs(&node.facts, &versions, |this, facts| Facts {
                gap: facts.gap,
                payload: carry(&mut this.out.payloads, &this.from.payloads, facts.payload),
                calls: carry(&mut this.out.calls, &this.from.calls, facts.calls),
            });
            let symbol = Symbol { text: self.text(node.symbol.text), ..node.symbol };
            let versions = self.intern(&versions);
            let chain = self.chains[&node.chain];
            self.out.nodes.push(Node { chain, symbol, versions, facts });
        }
    }

    fn edges(&mut self) {
        for id in self.from.edges() {
            let versions = self.set(&self.from.edge_versions(id));
            if versions.is_empty() {
                continue;
            }
            let edge = &self.from.edges[id.index()];
            let (from, to) = (self.nodes[&edge.from], self.nodes[&edge.to]);
            let kind = match edge.kind {
                Kind::Case(label) => Kind::Case(self.text(label)),
                Kind::Config(text) => Kind::Config(self.text(text)),
                other => other,
            };
            let of = |node: NodeId| self.out.node_versions(node);
            let implied = of(from).intersection(&of(to)) == versions;
            let versions = (!implied).then(|| self.intern(&versions));
            self.out.edges.push(Edge { from, to, kind, versions });
        }
    }

    fn pointers(&mut self) {
        self.out.followed = self.set(&self.from.followed);
        for (node, runs) in &self.from.pointers {
            let Some(&to) = self.nodes.get(node) else { continue };
            let mut out = Runs::new(0);
            for (new, old) in self.old.iter().enumerate() {
                let list = runs.at(*old).checked_sub(1).map_or(0, |list| {
                    let mut calls = self.from.pointer_lists.get(list).clone();
                    for call in &mut calls {
                        call.functions = call
                            .functions
                            .iter()
                            .filter_map(|chain| self.chains.get(chain).copied())
                            .collect();
                        call.functions.sort_unstable();
                    }
                    self.out.pointer_lists.insert(&calls) + 1
                });
                out.set(new as u32, list);
            }
            self.out.pointers.insert(to, out);
        }
    }

    fn items(&mut self) {
        for (key, runs) in &self.from.items {
            let mut out = Runs::new(None);
            for (new, old) in self.old.iter().enumerate() {
                out.set(new as u32, *runs.at(*old));
            }
            if out.values().any(Option::is_some) {
                self.out.items.insert(key.clone(), out);
            }
        }
    }
}

/// Takes a value over into another table; numbers are one more than the place, 0 means none.
fn carry<T: Clone + Eq + std::hash::Hash>(to: &mut Table<T>, from: &Table<T>, id: u32) -> u32 {
    id.checked_sub(1).map_or(0, |id| to.insert(from.get(id)) + 1)
}
