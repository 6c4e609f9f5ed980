//! Adding a version by what differs from the newest one: the work follows the difference, not the size of the version.
//!
//! The result is the same graph, byte for byte, that adding the whole version gives. A function that is as in the newest version
//! need not be looked at if the newest version and all parents of the new one have the same chain under its key: then that
//! chain goes on. Where they may have different ones is known from what began, ended or was renamed between the parents and
//! the newest version.

use crate::input::{AddError, Digest, FunctionInput, FunctionKey};
use crate::model::{Graph, ItemKey, Key};
use crate::tables::Runs;
use crate::{ChainId, VersionId, VersionInfo};
use hashbrown::{HashMap, HashSet};

/// Looks up a function of the new version.
pub type Find<'a> = Box<dyn Fn(&FunctionKey) -> Option<FunctionInput<'a>> + 'a>;

/// A version, by what differs from the newest one of the graph.
pub struct VersionStep<'a> {
    /// What is known about it.
    pub info: VersionInfo,
    /// The functions that are new, or are not at the same place, of the same form and content.
    pub changed: Vec<FunctionInput<'a>>,
    /// The keys that are gone.
    pub removed: Vec<FunctionKey>,
    /// Any function of the version.
    pub find: Find<'a>,
    /// Items outside functions that differ, each once; nothing for those that are gone.
    pub items: Vec<(ItemKey, Option<Digest>)>,
}

/// Which functions of a version are given.
pub(crate) enum Scope {
    /// All.
    Whole,
    /// Those that may not be as in the newest version; these keys are gone.
    Step(Vec<Key>),
}

impl Graph {
    /// Whether a version can be added by what differs from the newest one.
    pub fn can_step(&self, info: &VersionInfo) -> bool {
        let Some(oldest) = info.parents.iter().min() else { return false };
        let whole = |parent: &VersionId| {
            self.versions.get(parent.index()).is_some_and(|parent| parent.missing.is_empty())
        };
        info.missing.is_empty()
            && info.parents.iter().all(whole)
            && self.turned[oldest.index() + 1..].iter().all(Option::is_some)
    }

    /// Adds a version by what differs from the newest one, if [`Graph::can_step`] says so.
    pub fn add_step(&mut self, step: VersionStep<'_>) -> Result<VersionId, AddError> {
        let VersionStep { info, changed, removed, find, items } = step;
        let mut functions = changed;
        let mut known: HashSet<FunctionKey> = functions.iter().map(|function| function.key.clone()).collect();
        let removed: Vec<Key> = removed.iter().filter_map(|key| self.interned(key)).collect();
        let gone: HashSet<Key> = removed.iter().copied().collect();
        for chain in self.turned_since(&info.parents) {
            let Some(key) = self.newest_key(chain).filter(|key| !gone.contains(key)) else { continue };
            let key = self.function_key(key);
            if known.insert(key.clone()) {
                functions.extend(find(&key));
            }
        }
        let version = self.enter(info, functions, &Scope::Step(removed))?;
        for (key, hash) in items {
            let runs = self.items.entry(key).or_insert_with(|| Runs::new(None));
            runs.set(version.0, hash);
        }
        self.entered = None;
        Ok(version)
    }

    /// The chains that are not alike in the newest version and in all of these: they began, ended or got another key in
    /// between. In order.
    fn turned_since(&self, parents: &[VersionId]) -> Vec<ChainId> {
        let oldest = parents.iter().min().map_or(0, |oldest| oldest.index() + 1);
        let turned = self.turned[oldest..].iter().flatten().flatten();
        // Lists of versions go through lines of history that end: most of what turned has turned back.
        let mut all: Vec<ChainId> = turned.filter(|chain| !self.alike(**chain, parents)).copied().collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether a chain has the same key in the newest version and in all of these, or is in none.
    fn alike(&self, chain: ChainId, parents: &[VersionId]) -> bool {
        let places = &self.chains[chain.index()].places;
        let key_in = |parent: &VersionId| self.chain_in(chain, *parent).then(|| places.at(parent.0).key());
        let newest = self.newest_key(chain);
        parents.iter().all(|parent| key_in(parent) == newest)
    }

    /// The key of a chain in the newest version, if it is there.
    fn newest_key(&self, chain: ChainId) -> Option<Key> {
        let stored = &self.chains[chain.index()];
        self.sets.get(stored.versions.0).is_open().then(|| stored.places.last().key())
    }

    fn interned(&self, key: &FunctionKey) -> Option<Key> {
        let find = |name: &str| self.names.find(name).map(crate::NameId);
        let file = match &key.file {
            Some(file) => Some(find(file)?),
            None => None,
        };
        Some((find(&key.name)?, file, key.ordinal))
    }

    fn function_key(&self, key: Key) -> FunctionKey {
        let text = |id| self.name_of(id).to_owned();
        FunctionKey { name: text(key.0), file: key.1.map(text), ordinal: key.2 }
    }

    /// As `same_key`, for few functions.
    pub(crate) fn same_key_by_name(&self, keys: &[Key], parents: &[VersionId]) -> Vec<Option<ChainId>> {
        let mut found: Vec<Option<ChainId>> = vec![None; keys.len()];
        let mut used: HashSet<ChainId> = HashSet::new();
        for &parent in parents {
            for (at, key) in keys.iter().enumerate() {
                let here = |chain: &&ChainId| {
                    let stored = &self.chains[chain.index()];
                    self.chain_in(**chain, parent) && stored.places.at(parent.0).key() == *key
                };
                if found[at].is_none()
                    && let Some(&chain) = self.named.get(&key.0).and_then(|chains| chains.iter().find(here))
                    && used.insert(chain)
                {
                    found[at] = Some(chain);
                }
            }
        }
        found
    }

    /// The chains that the parents may have and the new version may not, in order.
    pub(crate) fn near(&self, keys: &[Key], removed: &[Key], parents: &[VersionId]) -> Vec<ChainId> {
        let mut all = self.turned_since(parents);
        all.extend(keys.iter().chain(removed).filter_map(|key| self.current.get(key)));
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Makes the version the newest one: ends the chains that it has not. Gives the chains that began, ended or got another key.
    pub(crate) fn turn(&mut self, assigned: &[(Key, ChainId)], scope: &Scope, version: u32) -> Vec<ChainId> {
        let kept: HashSet<ChainId> = assigned.iter().map(|(_, chain)| *chain).collect();
        let mut turned: Vec<ChainId> = Vec::new();
        let mut ended: Vec<ChainId> = Vec::new();
        match scope {
            Scope::Whole => {
                let next: HashMap<Key, ChainId> = assigned.iter().copied().collect();
                let other = |(key, chain): &&(Key, ChainId)| self.current.get(key) != Some(chain);
                turned.extend(assigned.iter().filter(other).map(|(_, chain)| *chain));
                ended.extend(self.current.values().copied().filter(|chain| !kept.contains(chain)));
                self.current = next;
            }
            Scope::Step(removed) => {
                let mut before: Vec<ChainId> =
                    removed.iter().filter_map(|key| self.current.remove(key)).collect();
                for &(key, chain) in assigned {
                    match self.current.insert(key, chain) {
                        Some(old) if old == chain => {}
                        old => {
                            turned.push(chain);
                            before.extend(old);
                        }
                    }
                }
                ended.extend(before.into_iter().filter(|chain| !kept.contains(chain)));
            }
        }
        ended.sort_unstable();
        ended.dedup();
        self.end(&ended, version);
        turned.extend(ended);
        turned.sort_unstable();
        turned.dedup();
        turned
    }
}
