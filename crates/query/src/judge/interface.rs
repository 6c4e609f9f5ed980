//! Where changed functions meet code that did not change: the statements behind their calls (§3.7 b, E15), and the functions that they call.

use crate::judge::away::distances;
use crate::meaning::operand::global_name;
use crate::meaning::statics::{named_in, stored_in};
use crate::walk::{Analyst, Frame};
use hydrogen_evidence::Class;
use hydrogen_graph::{ChainId, NodeId, Target, VersionId};
use hydrogen_ir::Role;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// How many statements behind the calls of one changed function, or in one unchanged callee, are looked at.
const MOST_BEHIND: usize = 16;

/// How many functions that are called behind those calls, or that use what changed functions set.
const MOST_CALLED: usize = 16;

/// How many callers above each other are looked behind: what a function gives may be handed on before it is used.
const LEVELS: usize = 8;

/// What lies behind calls of changed functions.
struct Behind<'a> {
    new: VersionId,
    kinds: &'a [Class],
    found: Vec<(NodeId, VersionId)>,
    left: usize,
    /// The functions that are called there, the nearest first.
    called: Vec<ChainId>,
    seen: BTreeSet<NodeId>,
}

impl Behind<'_> {
    fn calls(&mut self, targets: impl IntoIterator<Item = Target>) {
        for target in targets {
            if let Target::Chain(callee) = target
                && !self.called.contains(&callee)
            {
                self.called.push(callee);
            }
        }
    }
}

impl Analyst<'_> {
    /// The statements that can fail behind calls of changed functions, and behind calls of those who call them, the nearest first; how many
    /// more there are; and the functions that are called there.
    pub(crate) fn behind_calls(
        &mut self,
        changed: &[ChainId],
        new: VersionId,
        kinds: &[Class],
        known: &BTreeSet<(NodeId, VersionId)>,
    ) -> (Vec<(NodeId, VersionId)>, usize, Vec<ChainId>) {
        let mut behind = Behind {
            new,
            kinds,
            found: Vec::new(),
            left: 0,
            called: Vec::new(),
            seen: known.iter().map(|(node, _)| *node).collect(),
        };
        let (mut level, mut above): (Vec<ChainId>, BTreeSet<ChainId>) =
            (changed.to_vec(), changed.iter().copied().collect());
        for _ in 0..LEVELS {
            let mut next = Vec::new();
            for chain in level {
                next.extend(self.behind_calls_of(chain, &mut behind));
            }
            next.retain(|chain| above.insert(*chain));
            level = next;
        }
        let called = behind.called.into_iter().filter(|chain| !changed.contains(chain));
        (behind.found, behind.left, called.take(MOST_CALLED).collect())
    }

    /// Looks behind the calls of one function; who makes them.
    fn behind_calls_of(&mut self, chain: ChainId, behind: &mut Behind<'_>) -> Vec<ChainId> {
        let (graph, new) = (self.subject.program.graph, behind.new);
        let calls = self.callers_of(chain);
        let calls = calls.iter().filter(|(_, versions)| versions.contains(new)).map(|(node, _)| *node);
        let mut open: VecDeque<NodeId> = calls.filter(|&node| graph.chain(node) != chain).collect();
        let callers = open.iter().map(|&node| graph.chain(node)).collect();
        // A call is behind itself only on a way that leads to it again.
        let first: BTreeSet<NodeId> = open.iter().copied().collect();
        let (mut seen, mut taken) = (first.clone(), 0);
        // What the function gives may go straight into another call of the same statement.
        behind.calls(first.iter().flat_map(|&node| graph.targets(node, new)));
        while let Some(node) = open.pop_front().filter(|_| !self.spent()) {
            if self.can_fail(node, new, behind.kinds) && behind.seen.insert(node) {
                match taken < MOST_BEHIND {
                    true => behind.found.push((node, new)),
                    false => behind.left += 1,
                }
                taken += 1;
            }
            for edge in graph.outgoing(node).filter(|&edge| graph.edge_in(edge, new)) {
                let (_, to) = graph.ends(edge);
                if !seen.contains(&to) || first.contains(&to) {
                    behind.calls(graph.targets(to, new));
                }
                if seen.insert(to) {
                    open.push_back(to);
                }
            }
        }
        callers
    }

    /// The functions that use a variable which a changed function sets, or did set.
    pub(crate) fn users_of_variables(
        &mut self,
        changed: &[ChainId],
        (old, new): (VersionId, VersionId),
    ) -> Vec<ChainId> {
        let mut set: BTreeSet<String> = BTreeSet::new();
        for (&chain, version) in changed.iter().flat_map(|chain| [(chain, old), (chain, new)]) {
            let Some(shape) = self.shape(chain, version) else { continue };
            set.extend(stored_in(&shape.module, shape.body()));
        }
        let graph = self.subject.program.graph;
        let mut users = Vec::new();
        if set.is_empty() {
            return users;
        }
        for chain in graph.chains().filter(|&chain| graph.chain_in(chain, new) && !changed.contains(&chain)) {
            let (file, name) = (self.subject.program.file(chain, new), graph.name(chain, new));
            let Some((module, id)) = self.subject.program.code.function(new, file, name) else { continue };
            let Some(body) = &module.function(id).body else { continue };
            let named = named_in(&module, body).into_iter().map(|id| global_name(&module, module.global(id)));
            if named.into_iter().any(|name| set.contains(&name)) {
                users.push(chain);
            }
        }
        users.truncate(MOST_CALLED);
        users
    }

    /// The statements that can fail in unchanged functions that are called behind a change, and how many more there are.
    pub(crate) fn within_callees(
        &mut self,
        called: &[ChainId],
        new: VersionId,
        kinds: &[Class],
        known: &BTreeSet<(NodeId, VersionId)>,
    ) -> (Vec<(NodeId, VersionId)>, usize) {
        let (mut found, mut left) = (Vec::new(), 0);
        for &chain in called {
            if self.spent() {
                break;
            }
            let mut taken = 0;
            for node in self.subject.program.graph.pieces(chain, new) {
                if known.contains(&(node, new)) || !self.can_fail(node, new, kinds) {
                    continue;
                }
                match taken < MOST_BEHIND {
                    true => found.push((node, new)),
                    false => left += 1,
                }
                taken += 1;
            }
        }
        (found, left)
    }

    /// The statements of changed functions, and of those who call them, that make memory before the change: whether it is lost may be the
    /// change's doing.
    pub(crate) fn made_before(
        &mut self,
        changed: &[ChainId],
        new: VersionId,
        away: &BTreeMap<NodeId, usize>,
        known: &BTreeSet<(NodeId, VersionId)>,
    ) -> Vec<(NodeId, VersionId)> {
        let graph = self.subject.program.graph;
        let mut found = Vec::new();
        let mut calls: BTreeSet<NodeId> = BTreeSet::new();
        for &chain in changed {
            let callers = self.callers_of(chain).into_iter();
            calls.extend(callers.filter(|(_, versions)| versions.contains(new)).map(|(node, _)| node));
        }
        let callers: BTreeSet<ChainId> = calls.iter().map(|&node| graph.chain(node)).collect();
        let chains = changed.iter().copied().chain(callers.into_iter().filter(|one| !changed.contains(one)));
        for node in chains.flat_map(|chain| graph.pieces(chain, new)) {
            if self.spent() {
                break;
            }
            if known.contains(&(node, new)) || !self.can_fail(node, new, &[Class::Leak]) {
                continue;
            }
            let behind = distances(graph, [node], new);
            if behind.keys().any(|one| away.get(one) == Some(&0) || calls.contains(one)) {
                found.push((node, new));
            }
        }
        found
    }

    fn can_fail(&mut self, node: NodeId, version: VersionId, kinds: &[Class]) -> bool {
        let graph = self.subject.program.graph;
        let frame = Frame::of(graph.chain(node));
        !matches!(graph.role(node), Role::Entry | Role::Exit)
            && self
                .sites(&frame, node, version)
                .iter()
                .any(|site| site.unsure.is_none() && kinds.contains(&site.kind))
    }
}
