//! What the statements of a graph mean to a rule.

use super::rule::Rule;
use hydrogen_evidence::Entry;
use hydrogen_graph::{Call, ChainId, Graph, NodeId, Target, VersionId, VersionSet};
use hydrogen_ir::Role;
use hydrogen_library::{Library, Trait};
use std::collections::{BTreeMap, BTreeSet};

/// Whether a call is one of a rule's two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Is {
    Sure,
    Perhaps,
    No,
}

/// A call, as the rule sees it.
#[derive(Debug)]
pub(super) struct Act {
    pub first: Is,
    pub second: Is,
    /// Functions of the program that it may enter.
    pub chains: Vec<ChainId>,
    /// Functions whose bodies the version has not.
    pub externals: Vec<String>,
    /// Whether only one of the targets is entered, nobody knows which. (Where several programs define a name, each
    /// program enters its own.)
    pub either: bool,
    /// Why nobody knows what it does.
    pub opaque: Option<Entry>,
    /// It never comes back.
    pub ends: bool,
    /// It goes on somewhere else.
    pub jumps: bool,
}

/// The calls of a node in versions in which they are the same.
#[derive(Debug)]
pub(super) struct Run {
    pub versions: VersionSet,
    pub acts: Vec<Act>,
}

/// A place of a call: which of a node's runs, and which call of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub node: NodeId,
    pub run: usize,
    pub at: usize,
}

/// A graph, prepared for a rule.
pub(super) struct Program<'a> {
    pub graph: &'a Graph,
    pub rule: &'a Rule,
    runs: BTreeMap<NodeId, Vec<Run>>,
    /// Per function, the calls that may enter it, and whether such a call surely does.
    callers: BTreeMap<ChainId, Vec<(Place, bool)>>,
    /// The versions with calls that may enter any function.
    pub unknown_calls: VersionSet,
    exits: BTreeMap<ChainId, NodeId>,
}

impl<'a> Program<'a> {
    pub fn new(graph: &'a Graph, rule: &'a Rule) -> Self {
        let mut program = Self {
            graph,
            rule,
            runs: BTreeMap::new(),
            callers: BTreeMap::new(),
            unknown_calls: VersionSet::empty(),
            exits: BTreeMap::new(),
        };
        for node in graph.nodes() {
            let runs = program.runs_of(node);
            for (run, of) in runs.iter().enumerate() {
                for (at, act) in of.acts.iter().enumerate() {
                    for &chain in &act.chains {
                        let place = Place { node, run, at };
                        program.callers.entry(chain).or_default().push((place, !act.either));
                    }
                    if act.opaque.is_some() {
                        program.unknown_calls = program.unknown_calls.union(&of.versions);
                    }
                }
            }
            if !runs.is_empty() {
                program.runs.insert(node, runs);
            }
        }
        for chain in graph.chains() {
            program.exits.extend(graph.exit(chain).map(|exit| (chain, exit)));
        }
        program
    }

    /// The calls of a node; nothing where it never calls.
    pub fn runs(&self, node: NodeId) -> &[Run] {
        self.runs.get(&node).map_or(&[], Vec::as_slice)
    }

    /// The calls of a node in a version.
    pub fn acts(&self, node: NodeId, version: VersionId) -> &[Act] {
        let run = self.runs(node).iter().find(|run| run.versions.contains(version));
        run.map_or(&[], |run| run.acts.as_slice())
    }

    /// The calls that may enter a function, and whether they surely do.
    pub fn callers(&self, chain: ChainId) -> &[(Place, bool)] {
        self.callers.get(&chain).map_or(&[], Vec::as_slice)
    }

    pub fn run_at(&self, place: Place) -> &Run {
        &self.runs(place.node)[place.run]
    }

    pub fn exit(&self, chain: ChainId) -> Option<NodeId> {
        self.exits.get(&chain).copied()
    }

    /// The nodes that call the rule's first function in some version.
    pub fn sites(&self) -> BTreeSet<NodeId> {
        let raises = |run: &Run| run.acts.iter().any(|act| act.first != Is::No);
        self.runs.iter().filter(|(_, runs)| runs.iter().any(raises)).map(|(node, _)| *node).collect()
    }

    fn runs_of(&self, node: NodeId) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for (versions, calls) in self.graph.call_runs(node) {
            let first = versions.first().expect("a run has a version");
            let acts = calls.iter().map(|call| self.act(call, first)).collect();
            runs.push(Run { versions, acts });
        }
        if self.graph.role(node) == Role::Opaque {
            let text = self.graph.text(node).chars().take(40).collect::<String>();
            let unread = || Act::opaque(Entry::CodeUnread { text: text.clone() });
            if runs.is_empty() {
                runs.push(Run { versions: self.graph.node_versions(node), acts: Vec::new() });
            }
            runs.iter_mut().for_each(|run| run.acts.push(unread()));
        }
        runs
    }

    fn act(&self, call: &Call, version: VersionId) -> Act {
        let name = |target: &Target| match target {
            Target::Chain(chain) | Target::Unread(chain) => self.graph.name(*chain, version).to_owned(),
            Target::External(name) => name.clone(),
            Target::Unknown(_) => String::new(),
        };
        let names: Vec<String> = match &call.name {
            Some(name) => vec![name.clone()],
            None => call.targets.iter().map(name).collect(),
        };
        let is = |wanted: &str| match names.iter().filter(|name| *name == wanted).count() {
            0 => Is::No,
            count if count == names.len() => Is::Sure,
            _ => Is::Perhaps,
        };
        let opaque = call.targets.iter().find_map(|target| match target {
            Target::Unknown(text) => Some(Entry::AnyTarget { text: text.clone() }),
            Target::Unread(_) => Some(Entry::BodyUnread { function: name(target) }),
            Target::Chain(_) | Target::External(_) => None,
        });
        let chains = call.targets.iter().filter_map(|target| match target {
            Target::Chain(chain) => Some(*chain),
            _ => None,
        });
        let externals = call.targets.iter().filter_map(|target| match target {
            Target::External(name) => Some(name.clone()),
            _ => None,
        });
        let library = Library::standard();
        let all = |what: Trait| names.iter().all(|name| library.is(name, what));
        let defined = call.targets.iter().any(|target| matches!(target, Target::Chain(_)));
        Act {
            first: is(&self.rule.first),
            second: is(&self.rule.second),
            chains: chains.collect(),
            externals: externals.collect(),
            either: call.name.is_none() && call.targets.len() > 1,
            opaque,
            ends: all(Trait::Ends) && !defined,
            jumps: all(Trait::Jumps) && !defined,
        }
    }
}

impl Act {
    fn opaque(why: Entry) -> Self {
        Self {
            first: Is::No,
            second: Is::No,
            chains: Vec::new(),
            externals: Vec::new(),
            either: false,
            opaque: Some(why),
            ends: false,
            jumps: false,
        }
    }
}
