//! Adding a version: the work follows the functions that changed (spec 3.5, F33).

use crate::input::{AddError, FunctionInput, VersionInput};
use crate::model::{Chain, Graph, ItemKey, Key, Place, State};
use crate::shape::{Loaded, Shape};
use crate::step::Scope;
use crate::tables::Runs;
use crate::{ChainId, NodeId, VersionId, VersionInfo, VersionSet, version_set::OPEN};
use hydrogen_align::{Plan, Weave};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::Arc;

impl Graph {
    /// A graph without versions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Builds a graph from versions in an order in which parents come before children.
    pub fn build<'a>(versions: impl IntoIterator<Item = VersionInput<'a>>) -> Result<Self, AddError> {
        let mut graph = Self::new();
        for version in versions {
            graph.add(version)?;
        }
        Ok(graph)
    }

    /// Adds a version. Membership in earlier versions never changes (INV-6). On error nothing is added.
    pub fn add(&mut self, input: VersionInput<'_>) -> Result<VersionId, AddError> {
        let VersionInput { info, functions, items } = input;
        let version = self.enter(info, functions, &Scope::Whole)?;
        self.set_items(items, version.0);
        Ok(version)
    }

    /// Adds a version's functions: all of them, or those that are not as in the newest version.
    pub(crate) fn enter(
        &mut self,
        info: VersionInfo,
        mut functions: Vec<FunctionInput<'_>>,
        scope: &Scope,
    ) -> Result<VersionId, AddError> {
        let version = VersionId::at(self.versions.len());
        if let Some(parent) = info.parents.iter().find(|parent| **parent >= version) {
            return Err(AddError::Parent { version: info.name, parent: parent.0 });
        }
        Self::sort_functions(&mut functions, &info.name)?;

        let keys: Vec<Option<Key>> = functions.iter().map(|function| self.known_key(function)).collect();
        let known: Vec<Key> = keys.iter().map(|key| key.unwrap_or(UNKNOWN)).collect();
        let mut chains = match scope {
            Scope::Whole => self.same_key(&known, &info.parents),
            Scope::Step(_) => self.same_key_by_name(&known, &info.parents),
        };
        let mut touched: Vec<usize> = Vec::new();
        let mut restored: BTreeMap<usize, u32> = BTreeMap::new();
        for (at, function) in functions.iter().enumerate() {
            match chains[at].map(|chain| self.content(chain, function)) {
                Some(Content::Unchanged) => {}
                Some(Content::Old(state)) => drop(restored.insert(at, state)),
                Some(Content::New) | None => touched.push(at),
            }
        }
        // Everything that can fail comes before the first change.
        let loaded: Vec<Loaded<'_>> = touched
            .par_iter()
            .map(|&at| Loaded::load(&functions[at], &info.name))
            .collect::<Result<_, _>>()?;

        let keys: Vec<Key> = keys
            .into_iter()
            .zip(&functions)
            .map(|(key, function)| key.unwrap_or_else(|| self.intern_key(function)))
            .collect();
        let shapes: BTreeMap<usize, Shape> =
            touched.iter().zip(loaded).map(|(&at, loaded)| (at, self.shape(loaded))).collect();
        let near = match scope {
            Scope::Whole => None,
            Scope::Step(removed) => Some(self.near(&keys, removed, &info.parents)),
        };
        self.follow_renames(&keys, &functions, &shapes, &info, near.as_deref(), &mut chains);
        let plans: Vec<Plan<NodeId>> = touched
            .par_iter()
            .map(|at| self.plan(chains[*at], &functions[*at], &shapes[at], &info.parents))
            .collect();

        let mut assigned: Vec<(Key, ChainId)> = Vec::with_capacity(keys.len());
        let mut plans = plans.into_iter();
        for (at, function) in functions.iter().enumerate() {
            let chain = match chains[at].filter(|&chain| self.stays(chain, keys[at], function)) {
                Some(chain) => chain,
                None => {
                    let place = self.place(function, keys[at]);
                    self.continue_chain(chains[at], place, version)
                }
            };
            if let Some(shape) = shapes.get(&at) {
                let plan = plans.next().expect("one plan per shape");
                self.weave_in(chain, version.0, shape, plan, function.line);
                self.enter_state(chain, version.0, function);
            } else if let Some(&state) = restored.get(&at) {
                self.restore(chain, version.0, self.chains[chain.index()].states[state as usize].version);
                self.chains[chain.index()].state.set(version.0, state);
            }
            assigned.push((keys[at], chain));
        }
        let turned = self.turn(&assigned, scope, version.0);
        self.turned.push(Some(turned));
        self.versions.push(info);
        self.enter_hidden(version);
        Ok(version)
    }

    fn known_key(&self, function: &FunctionInput<'_>) -> Option<Key> {
        let name = crate::NameId(self.names.find(function.key.name.as_str())?);
        let file = match &function.key.file {
            Some(file) => Some(crate::NameId(self.names.find(file.as_str())?)),
            None => None,
        };
        Some((name, file, function.key.ordinal))
    }

    fn intern_key(&mut self, function: &FunctionInput<'_>) -> Key {
        let name = self.names.name(&function.key.name);
        let file = function.key.file.as_ref().map(|file| self.names.name(file));
        (name, file, function.key.ordinal)
    }

    fn place(&mut self, function: &FunctionInput<'_>, key: Key) -> Place {
        Place {
            name: key.0,
            file: key.1.unwrap_or_else(|| self.names.name(function.file)),
            keyed: key.1.is_some(),
            ordinal: key.2,
            internal: function.internal,
            line: function.line,
            signature: self.names.name(function.signature),
        }
    }

    /// Whether the newest version has the chain at the same place. Most functions of most versions end here, so no
    /// name is looked up.
    fn stays(&self, chain: ChainId, key: Key, function: &FunctionInput<'_>) -> bool {
        let chain = &self.chains[chain.index()];
        let place = chain.places.last();
        self.sets.get(chain.versions.0).is_open()
            && place.key() == key
            && (place.line, place.internal) == (function.line, function.internal)
            && self.name_of(place.file) == function.file
            && self.name_of(place.signature) == function.signature
    }

    /// What is known about a function's content without looking at it.
    fn content(&self, chain: ChainId, function: &FunctionInput<'_>) -> Content {
        let chain = &self.chains[chain.index()];
        let known = |state: u32| chain.states[state as usize].print == function.print;
        if self.sets.get(chain.versions.0).is_open() && known(*chain.state.last()) {
            return Content::Unchanged;
        }
        (0..chain.states.len() as u32).find(|&state| known(state)).map_or(Content::New, Content::Old)
    }

    /// How a function's content is woven into its chain, if it has one.
    fn plan(
        &self,
        chain: Option<ChainId>,
        function: &FunctionInput<'_>,
        shape: &Shape,
        parents: &[VersionId],
    ) -> Plan<NodeId> {
        let Some(id) = chain else { return Plan::fresh(shape.symbols.len()) };
        let chain = &self.chains[id.index()];
        let symbol = |node: &NodeId| self.nodes[node.index()].symbol;
        // A content that the function had before costs nothing, wherever in the history it was.
        for state in chain.states.iter().rev().filter(|state| state.print.text == function.print.text) {
            let nodes = self.pieces(id, VersionId(state.version));
            if nodes.iter().map(symbol).eq(shape.symbols.iter().copied()) {
                return Plan::known(&nodes, &chain.order);
            }
        }
        let parents: Vec<VersionId> =
            parents.iter().copied().filter(|&parent| self.chain_in(id, parent)).take(200).collect();
        let stage = |node: &NodeId| {
            let has = |parent: &VersionId| self.node_in(*node, *parent);
            parents.iter().position(has).unwrap_or(parents.len()) as u8
        };
        Weave {
            symbols: chain.order.iter().map(symbol).collect(),
            stage: chain.order.iter().map(stage).collect(),
            order: chain.order.clone(),
        }
        .plan(&shape.symbols, parents.len() as u8)
    }

    /// The chain in the new version: continued, or a new one.
    fn continue_chain(&mut self, chain: Option<ChainId>, place: Place, version: VersionId) -> ChainId {
        if let Some(id) = chain {
            let chain = &mut self.chains[id.index()];
            if chain.places.last() != &place {
                if !chain.places.values().any(|old| old.name == place.name) {
                    self.named.entry(place.name).or_default().push(id);
                }
                chain.places.set(version.0, place);
            }
            let versions = self.sets.get(chain.versions.0);
            if !versions.is_open() {
                let versions = versions.opened(version.0);
                chain.versions = self.sets.set(&versions);
            }
            return id;
        }
        let id = ChainId::at(self.chains.len());
        self.named.entry(place.name).or_default().push(id);
        let versions = self.sets.set(&VersionSet::span(version.0, OPEN));
        self.chains.push(Chain {
            versions,
            order: Vec::new(),
            places: Runs::new(place),
            states: Vec::new(),
            state: Runs::new(0),
        });
        id
    }

    fn enter_state(&mut self, chain: ChainId, version: u32, function: &FunctionInput<'_>) {
        let chain = &mut self.chains[chain.index()];
        let known = chain.states.iter().position(|state| state.print == function.print);
        let state = known.unwrap_or_else(|| {
            chain.states.push(State { print: function.print, version });
            chain.states.len() - 1
        });
        chain.state.set(version, state as u32);
    }

    pub(crate) fn set_items(&mut self, items: Arc<[crate::Item]>, version: u32) {
        if self.entered.as_ref().is_some_and(|entered| Arc::ptr_eq(entered, &items)) {
            return;
        }
        let mut now: BTreeMap<ItemKey, crate::Digest> = BTreeMap::new();
        for item in items.iter() {
            let (kind, name, file) = (item.kind, item.name.clone(), item.file.clone());
            now.insert(ItemKey { kind, name, file }, item.hash);
        }
        self.entered = Some(items);
        for (key, runs) in &mut self.items {
            runs.set(version, now.remove(key));
        }
        for (key, hash) in now {
            let mut runs = Runs::new(None);
            runs.set(version, Some(hash));
            self.items.insert(key, runs);
        }
    }
}

/// How a function's content relates to what the graph has.
enum Content {
    /// The newest version has it.
    Unchanged,
    /// An older version, or one on another branch, has it: this state of the chain.
    Old(u32),
    /// It must be looked at.
    New,
}

/// Stands for a name that the graph has never seen.
const UNKNOWN: Key = (crate::NameId(u32::MAX), None, u32::MAX);
