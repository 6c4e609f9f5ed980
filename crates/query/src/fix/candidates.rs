//! A fix without a named bug: which statements is it about?

use crate::judge::Question;
use crate::walk::{Analyst, Frame};
use hydrogen_evidence::{Class, Finding, Ruling, Verdict};
use hydrogen_graph::{ChainId, Fix, Graph, NodeId, VersionId, VersionSet};
use hydrogen_ir::Role;
use hydrogen_library::Trait;
use std::collections::{BTreeMap, VecDeque};
use std::time::Instant;

/// How many statements are compared.
const MOST_COMPARED: usize = 24;
/// How many are told.
const MOST_TOLD: usize = 3;

/// The statements that a fix takes states away from.
#[derive(Debug, Clone, Default)]
pub struct Candidates {
    /// The nearest to the change first.
    pub findings: Vec<Finding>,
    /// How many statements behind the change were not compared.
    pub left: usize,
}

impl Analyst<'_> {
    /// The verdicts by the fix, if it describes a fault of the statement at all: the version before it must have the fault by this measure.
    pub fn judge_by_own_fix(&mut self, question: &Question<'_>, fix: Fix) -> Option<Finding> {
        self.if_it_describes(question, fix, |one, question| one.judge_by_fix(question, fix))
    }

    fn if_it_describes(
        &mut self,
        question: &Question<'_>,
        fix: Fix,
        judge: impl FnOnce(&mut Self, &Question<'_>) -> Option<Finding>,
    ) -> Option<Finding> {
        let asked = question.versions;
        let versions = asked.union(&VersionSet::one(fix.before));
        let started = Instant::now();
        let found = judge(self, &Question { versions: &versions, ..*question });
        // What the fix was compared with are states of any size; who looks for an input behind it wants small ones.
        self.engine.forget_models();
        self.counters.milliseconds += started.elapsed().as_millis() as u64;
        self.counters.functions = self.functions.len();
        let mut found = found?;
        let has = |ruling: &Ruling| ruling.id == fix.before.0 && ruling.verdict == Verdict::Present;
        if !found.verdicts.iter().any(has) {
            return None;
        }
        found.verdicts.retain(|ruling| asked.contains(VersionId(ruling.id)));
        let mut seen = false;
        for ruling in &mut found.verdicts {
            seen |= ruling.verdict == Verdict::Present;
            if ruling.verdict == Verdict::Fixed && !seen {
                ruling.verdict = Verdict::Absent;
            }
        }
        Some(found)
    }

    /// The statements whose reach or operands the fix changed, with their verdicts: those that can go wrong before those that only do
    /// something, these before those that only compute, and then the nearest to the change first.
    pub fn candidates(&mut self, fix: Fix, kind: Option<Class>, versions: &VersionSet) -> Candidates {
        let statements = self.behind_the_change(fix, kind);
        let mut found = Candidates::default();
        for (at, &node) in statements.iter().enumerate() {
            if at == MOST_COMPARED || found.findings.len() == MOST_TOLD || self.spent() {
                found.left = statements.len() - at;
                break;
            }
            let question = Question { node, at: fix.before, kind, versions, inside: false };
            let by_operands = |one: &mut Self, question: &Question<'_>| one.judge_by_operands(question, fix);
            found.findings.extend(self.if_it_describes(&question, fix, by_operands));
        }
        found
    }

    /// How likely a fix is about a statement behind its change; none if it cannot be: a text for the user, a number of a version.
    fn rank(&mut self, node: NodeId, kind: Option<Class>, fix: Fix) -> Option<Rank> {
        let points = self.points(&[node], fix.before, kind);
        if points.is_empty() {
            return None;
        }
        // What was written anew may do the same: that is no reason to call it a fix.
        let graph = self.subject.program.graph;
        let stands = self.follow(node, fix.before, fix.after);
        if !stands.into_iter().any(|one| graph.text(one) == graph.text(node)) {
            return None;
        }
        let frame = Frame::of(self.subject.program.graph.chain(node));
        let sites = self.sites(&frame, node, fix.before);
        if sites.iter().any(|site| site.unsure.is_none() && kind.is_none_or(|kind| kind == site.kind)) {
            return Some(Rank::Fails);
        }
        let says = |name: &str| {
            let called = name.strip_prefix("call ");
            called.is_some_and(|name| {
                self.subject.library.is(name, Trait::Output) || self.subject.library.is(name, Trait::Prints)
            })
        };
        let computes = |name: &str| matches!(name, "set" | "Add" | "Sub" | "Mul" | "And" | "Or" | "Xor");
        let is_all = |what: &dyn Fn(&str) -> bool| points.iter().all(|(_, point)| what(&point.key.0));
        // That what is said or computed is another says nothing; that a call or a store is gone, may be the fix.
        let graph = self.subject.program.graph;
        let other = !graph.node_in(node, fix.after)
            || graph.payload(node, fix.before) != graph.payload(node, fix.after);
        if is_all(&says) || is_all(&computes) && other {
            return None;
        }
        // That a result is given back in fewer states is what every rewriting of tests does.
        let calls = |name: &str| name.starts_with("call ");
        let has_call = points.iter().any(|(_, point)| calls(&point.key.0));
        match is_all(&computes) {
            true => Some(Rank::Computes),
            false => has_call.then_some(Rank::Acts),
        }
    }

    /// The statements that can be reached from what the fix changed, in the functions that it changed, best candidates first.
    fn behind_the_change(&mut self, fix: Fix, kind: Option<Class>) -> Vec<NodeId> {
        let graph = self.subject.program.graph;
        let mut ranked: Vec<(Rank, usize, NodeId)> = Vec::new();
        let changed =
            |chain: &ChainId| graph.chain_in(*chain, fix.before) && graph.chain_in(*chain, fix.after);
        for chain in graph.chains().filter(changed) {
            for (node, distance) in distances(graph, chain, fix) {
                if matches!(graph.role(node), Role::Entry | Role::Exit) {
                    continue;
                }
                if let Some(rank) = self.rank(node, kind, fix) {
                    ranked.push((rank, distance, node));
                }
            }
        }
        ranked.sort_unstable();
        ranked.into_iter().map(|(_, _, node)| node).collect()
    }
}

/// What a fix is rather about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// What can go wrong.
    Fails,
    /// What is seen outside of the function.
    Acts,
    /// What only computes.
    Computes,
}

/// How many edges of the version before the fix lie between a change and each statement behind one.
fn distances(graph: &Graph, chain: ChainId, fix: Fix) -> BTreeMap<NodeId, usize> {
    let there = |node: NodeId, version: VersionId| graph.node_in(node, version);
    let other = |node: NodeId| {
        !there(node, fix.after) || graph.payload(node, fix.before) != graph.payload(node, fix.after)
    };
    let nodes = graph.chain_nodes(chain).iter().copied().filter(|&node| there(node, fix.before));
    let mut found: BTreeMap<NodeId, usize> =
        nodes.filter(|&node| other(node)).map(|node| (node, 0)).collect();
    let turned = graph
        .chain_edges(chain)
        .filter(|&edge| graph.edge_in(edge, fix.before) != graph.edge_in(edge, fix.after));
    let ends = turned.map(|edge| graph.ends(edge).1).filter(|&node| there(node, fix.before));
    found.extend(ends.map(|node| (node, 0)));
    let mut open: VecDeque<NodeId> = found.keys().copied().collect();
    while let Some(node) = open.pop_front() {
        let next = found[&node] + 1;
        for edge in graph.outgoing(node).filter(|&edge| graph.edge_in(edge, fix.before)) {
            let (_, to) = graph.ends(edge);
            if let std::collections::btree_map::Entry::Vacant(place) = found.entry(to) {
                place.insert(next);
                open.push_back(to);
            }
        }
    }
    found
}
