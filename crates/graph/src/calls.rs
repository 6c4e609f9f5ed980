//! Calls: whom a node calls in which version.
//!
//! Targets are resolved by (symbol, version) when asked for and never stored, because a callee can be deleted and
//! come back as another chain while the calling statement stays as it is (ERR-5, INV-16).

use crate::model::Graph;
use crate::tables::Runs;
use crate::{ChainId, NodeId, VersionId, VersionSet};
use hydrogen_align::{Sight, is_included, reached};
use hydrogen_ir::Callee;
use std::collections::BTreeMap;

/// Whom a call reaches.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// A function of the program.
    Chain(ChainId),
    /// A function that the version does not define (ERR-10).
    External(String),
    /// A function that the version may define: its file could not be read.
    Unread(ChainId),
    /// A function that only the called expression names.
    Unknown(String),
}

/// One call that a node makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The function as the statement names it; none for a call through a pointer.
    pub name: Option<String>,
    /// Whom it may reach. Several for a pointer, or where several programs define the name.
    pub targets: Vec<Target>,
}

/// A call of one function by another over versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallLink {
    /// The caller.
    pub caller: ChainId,
    /// Whom it calls.
    pub target: Target,
    /// In which versions.
    pub versions: VersionSet,
}

impl Graph {
    /// Whom a node calls in a version that has it, in order of its calls.
    pub fn targets(&self, node: NodeId, version: VersionId) -> Vec<Target> {
        self.calls_at(node, version).into_iter().flat_map(|call| call.targets).collect()
    }

    /// The calls that a node makes in a version that has it, in their order.
    pub fn calls_at(&self, node: NodeId, version: VersionId) -> Vec<Call> {
        let mut pointers = self.pointer_calls(node, version.0).iter();
        let call = |callee: &Callee| match callee {
            Callee::Direct(name) => {
                Call { name: Some(name.clone()), targets: self.named_in(self.chain(node), version, name) }
            }
            Callee::Indirect(text) => {
                let unknown = || vec![Target::Unknown(text.clone())];
                Call {
                    name: None,
                    targets: pointers.next().map_or_else(unknown, |call| call.targets(text).collect()),
                }
            }
        };
        self.callees(node, version).iter().map(call).collect()
    }

    /// What a name means in a function of a version that has it; where several programs define the name, all of them
    /// are possible.
    pub fn named_in(&self, caller: ChainId, version: VersionId, name: &str) -> Vec<Target> {
        let caller_file = self.place_at(caller, version).file;
        let sight = |chain: &ChainId| {
            let place = self.place_at(*chain, version);
            match (place.file == caller_file, place.internal) {
                (true, _) => Sight::Own,
                (false, false) => Sight::Everywhere,
                (false, true) if is_included(self.location(*chain, version).0) => Sight::Everywhere,
                (false, true) => Sight::Hidden,
            }
        };
        let named = self.chains_named(name);
        let alive = |chain: &ChainId| self.chain_in(*chain, version) && self.name(*chain, version) == name;
        let found = reached(named.iter().copied().filter(alive), sight);
        if found.is_empty() {
            let hidden = |chain: &ChainId| self.is_unread(*chain, version) && sight(chain) != Sight::Hidden;
            let hidden = named.into_iter().find(hidden);
            return vec![hidden.map_or_else(|| Target::External(name.to_owned()), Target::Unread)];
        }
        found.into_iter().map(Target::Chain).collect()
    }

    /// The evolution of the call graph (F27): who calls whom in which versions, in order of caller and target.
    pub fn call_graph(&self) -> Vec<CallLink> {
        let mut links: BTreeMap<(ChainId, Target), VersionSet> = BTreeMap::new();
        for caller in self.chains() {
            for &node in self.chain_nodes(caller) {
                for (target, versions) in self.calls_of(node) {
                    let link = links.entry((caller, target)).or_default();
                    *link = link.union(&versions);
                }
            }
        }
        let link = |((caller, target), versions)| CallLink { caller, target, versions };
        links.into_iter().map(link).collect()
    }

    /// Whom a node calls in which versions.
    pub fn calls_of(&self, node: NodeId) -> BTreeMap<Target, VersionSet> {
        let mut links: BTreeMap<Target, VersionSet> = BTreeMap::new();
        for (versions, calls) in self.call_runs(node) {
            for target in calls.into_iter().flat_map(|call| call.targets) {
                let link = links.entry(target).or_default();
                *link = link.union(&versions);
            }
        }
        links
    }

    /// The calls that a node makes, in their order, for every run of versions in which they are the same. Nothing for a
    /// node that never calls; otherwise the runs cover the node's versions.
    pub fn call_runs(&self, node: NodeId) -> Vec<(VersionSet, Vec<Call>)> {
        let facts = &self.nodes[node.index()].facts;
        // Between two of these versions every name means the same at this node.
        let mut breaks: Vec<u32> = Vec::new();
        let mut calls = false;
        for callee in
            facts.values().filter_map(|facts| facts.calls.checked_sub(1)).flat_map(|id| self.calls.get(id))
        {
            calls = true;
            if let Callee::Direct(name) = callee {
                breaks.extend(self.chains_named(name).iter().flat_map(|&chain| self.identity_changes(chain)));
            }
        }
        if !calls {
            return Vec::new();
        }
        breaks.extend(self.identity_changes(self.chain(node)));
        breaks.extend(facts.starts());
        breaks.extend(self.gaps());
        breaks.extend(self.pointers.get(&node).into_iter().flat_map(Runs::starts));
        breaks.extend(self.followed.intervals().iter().flat_map(|run| [run.first.0, run.last.0 + 1]));
        let mut out = Vec::new();
        for run in self.node_versions(node).intervals() {
            let inside = breaks.iter().copied().filter(|at| (run.first.0 + 1..=run.last.0).contains(at));
            let mut starts: Vec<u32> = std::iter::once(run.first.0).chain(inside).collect();
            starts.sort_unstable();
            starts.dedup();
            let ends = starts.iter().skip(1).map(|next| next - 1).chain([run.last.0]);
            for (first, last) in starts.iter().copied().zip(ends) {
                out.push((VersionSet::span(first, last), self.calls_at(node, VersionId(first))));
            }
        }
        out
    }

    /// The versions with which the list of missing files changes.
    fn gaps(&self) -> impl Iterator<Item = u32> + '_ {
        let pairs = self.versions.windows(2).zip(1..);
        pairs.filter(|(pair, _)| pair[0].missing != pair[1].missing).map(|(_, at)| at)
    }

    /// The versions from which on a function exists, is gone, or has another name, file or visibility.
    fn identity_changes(&self, chain: ChainId) -> Vec<u32> {
        let mut out = Vec::new();
        for run in self.chain_versions(chain).intervals() {
            out.extend([run.first.0, run.last.0 + 1]);
        }
        let places = &self.chains[chain.index()].places;
        let identity = |version: u32| {
            let place = places.at(version);
            (place.name, place.file, place.internal)
        };
        out.extend(places.starts().filter(|&start| start == 0 || identity(start - 1) != identity(start)));
        out
    }

    /// The functions of a version that can reach a function by calls, itself included (F37).
    pub fn callers(&self, chain: ChainId, version: VersionId) -> Vec<ChainId> {
        let mut above: BTreeMap<ChainId, Vec<ChainId>> = BTreeMap::new();
        for caller in self.chains().filter(|&caller| self.chain_in(caller, version)) {
            for node in self.pieces(caller, version) {
                for target in self.targets(node, version) {
                    if let Target::Chain(callee) = target {
                        above.entry(callee).or_default().push(caller);
                    }
                }
            }
        }
        let mut found = std::collections::BTreeSet::from([chain]);
        let mut work = vec![chain];
        while let Some(callee) = work.pop() {
            for &caller in above.get(&callee).into_iter().flatten() {
                if found.insert(caller) {
                    work.push(caller);
                }
            }
        }
        found.into_iter().collect()
    }
}
