//! The path of one version that breaks a rule: the shortest one that does not decide a condition two ways.

use super::conditions::{Facts, Repeated};
use super::effect::{Effects, Way};
use super::program::{Act, Is};
use super::rule::Order;
use hydrogen_graph::{ChainId, EdgeId, NodeId, VersionId};
use hydrogen_ir::EdgeKind;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// So many states are looked at before the search is given up.
const STATES: usize = 20_000;

/// How a path goes on from a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Onward {
    /// Along an edge.
    Edge(EdgeId),
    /// From a function's end to behind its call, and on along an edge.
    Return(NodeId, EdgeId),
    /// Into a function that is called.
    Enter,
    /// This is where the rule is broken.
    Broken,
}

/// A node of the path, and how it goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Step {
    pub node: NodeId,
    /// Whether the obligation is open when the path comes here.
    pub open: bool,
    pub onward: Onward,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    /// From the entry of the function that raises the obligation to where the rule is broken.
    Path(Vec<Step>),
    /// Every path decides some condition two ways.
    Contradictory,
    /// There are too many states.
    TooMany,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct State {
    node: NodeId,
    open: bool,
    /// Inside of a function that was entered from a path: its end leads nowhere, since calls are stepped over too.
    inside: bool,
    facts: Facts,
}

struct Search<'a> {
    effects: Effects<'a>,
    version: VersionId,
    site: NodeId,
    states: Vec<(State, Option<(usize, Onward)>)>,
    seen: BTreeSet<State>,
    queue: VecDeque<usize>,
    repeated: BTreeMap<ChainId, Repeated>,
}

/// Looks for a path on which the obligation of a node is surely broken.
pub(super) fn witness(effects: Effects<'_>, site: NodeId, version: VersionId) -> Found {
    let graph = effects.program.graph;
    let mut search = Search {
        effects,
        version,
        site,
        states: Vec::new(),
        seen: BTreeSet::new(),
        queue: VecDeque::new(),
        repeated: BTreeMap::new(),
    };
    if let Some(entry) = graph.entry(graph.chain(site)) {
        search.push(State { node: entry, open: false, inside: false, facts: Facts::new() }, None);
    }
    while let Some(at) = search.queue.pop_front() {
        if search.states.len() > STATES {
            return Found::TooMany;
        }
        if search.expand(at) {
            return Found::Path(search.path(at));
        }
    }
    Found::Contradictory
}

impl Search<'_> {
    fn push(&mut self, state: State, from: Option<(usize, Onward)>) {
        if self.seen.insert(state.clone()) {
            self.queue.push_back(self.states.len());
            self.states.push((state, from));
        }
    }

    /// Goes on from a state; whether the rule is broken here.
    fn expand(&mut self, at: usize) -> bool {
        let Effects { program, .. } = self.effects;
        let state = self.states[at].0.clone();
        let chain = program.graph.chain(state.node);
        if program.exit(chain) == Some(state.node) {
            return state.open && !state.inside && self.end(at, chain);
        }
        let acts = program.acts(state.node, self.version);
        if state.open {
            return self.perform(at, acts, None);
        }
        if acts.iter().all(|act| self.passes(act, Way::Returns)) {
            self.leave(at, state.node, false, None);
        }
        if state.node == self.site {
            for (place, act) in acts.iter().enumerate() {
                if act.first == Is::Sure && self.perform(at, &acts[place + 1..], None) {
                    return true;
                }
            }
        }
        false
    }

    fn passes(&self, act: &Act, way: Way) -> bool {
        self.effects.behind(act, way).sure.contains(self.version)
    }

    /// Performs calls with the obligation open, and leaves the node; whether the rule is broken here.
    fn perform(&mut self, at: usize, acts: &[Act], behind: Option<NodeId>) -> bool {
        let Effects { program, summaries } = self.effects;
        for act in acts {
            if program.rule.order == Order::Never {
                if act.second == Is::Sure {
                    return true;
                }
                for &chain in &act.chains {
                    let hits = summaries.get(chain).hit.sure.contains(self.version);
                    let entry = program.graph.entry(chain).filter(|_| hits && !act.either);
                    if let Some(node) = entry {
                        let state = State { node, open: true, inside: true, facts: Facts::new() };
                        self.push(state, Some((at, Onward::Enter)));
                    }
                }
            }
            if !self.passes(act, Way::Rule) {
                return false;
            }
        }
        self.leave(at, behind.unwrap_or(self.states[at].0.node), true, behind);
        false
    }

    /// Goes along the edges of a node: the state's own, or that of a call which the state's function returns to.
    fn leave(&mut self, at: usize, node: NodeId, open: bool, returning: Option<NodeId>) {
        let graph = self.effects.program.graph;
        let state = self.states[at].0.clone();
        let chain = graph.chain(node);
        let version = self.version;
        let edges: Vec<EdgeId> = graph.outgoing(node).filter(|&edge| graph.edge_in(edge, version)).collect();
        for edge in edges {
            let kind: EdgeKind = graph.edge_kind(edge);
            let facts = if returning.is_some() { Facts::new() } else { state.facts.clone() };
            let repeated = self.repeated.entry(chain).or_insert_with(|| Repeated::of(graph, chain, version));
            let Some(facts) = repeated.behind(graph, node, &kind, &facts) else { continue };
            let next = State { node: graph.ends(edge).1, open, inside: state.inside, facts };
            let onward = returning.map_or(Onward::Edge(edge), |call| Onward::Return(call, edge));
            self.push(next, Some((at, onward)));
        }
    }

    /// The end of a function with the obligation open: goes on in its callers, or the rule is broken.
    fn end(&mut self, at: usize, chain: ChainId) -> bool {
        let program = self.effects.program;
        let mut called = false;
        for &(place, sure) in program.callers(chain) {
            let run = program.run_at(place);
            if !run.versions.contains(self.version) {
                continue;
            }
            called = true;
            if sure && self.perform(at, &run.acts[place.at + 1..], Some(place.node)) {
                return true;
            }
        }
        let info = &program.graph.versions()[self.version.index()];
        let hidden = program.graph.is_internal(chain, self.version) || !info.missing.is_empty();
        program.rule.order == Order::Follows && !called && !hidden
    }

    fn path(&self, end: usize) -> Vec<Step> {
        let mut path = Vec::new();
        let (mut at, mut onward) = (end, Onward::Broken);
        loop {
            let (state, from) = &self.states[at];
            path.push(Step { node: state.node, open: state.open, onward });
            match from {
                Some((before, how)) => (at, onward) = (*before, *how),
                None => break,
            }
        }
        path.reverse();
        path
    }
}
