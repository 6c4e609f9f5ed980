//! What became of a statement in a version that does not have it.

use crate::meaning::shape::Shape;
use crate::walk::Analyst;
use hydrogen_graph::{ChainId, NodeId, Target, VersionId};
use hydrogen_ir::{Const, Op, Operand, Role};
use std::collections::BTreeSet;

impl Analyst<'_> {
    /// The statements of a version that stand for a node of version `at`: itself; else those that took its place (new ones between the
    /// same neighbours, and the same statement elsewhere if it was moved); and the statements of functions that these call and that are new as well.
    pub(crate) fn follow(&mut self, node: NodeId, at: VersionId, version: VersionId) -> Vec<NodeId> {
        let graph = self.subject.program.graph;
        if graph.node_in(node, version) {
            return vec![node];
        }
        let chain = graph.chain(node);
        if !graph.node_in(node, at) {
            return Vec::new();
        }
        if !graph.chain_in(chain, version) {
            return self.under_another_name(node, at, version);
        }
        let old = graph.pieces(chain, at);
        let new = graph.pieces(chain, version);
        let synthetic = |node: NodeId| matches!(graph.role(node), Role::Entry | Role::Exit);
        let Some(place) = old.iter().position(|&one| one == node) else { return Vec::new() };
        let kept = |one: &&NodeId| graph.node_in(**one, version) && !synthetic(**one);
        let before = old[..place].iter().rev().find(kept);
        let behind = old[place + 1..].iter().find(kept);
        let from = before.and_then(|one| new.iter().position(|other| other == one)).map_or(0, |at| at + 1);
        let to = behind.and_then(|one| new.iter().position(|other| other == one)).unwrap_or(new.len());
        let inserted = |one: &&NodeId| !graph.node_in(**one, at) && !synthetic(**one);
        let mut found: Vec<NodeId> =
            new.get(from..to.max(from)).unwrap_or_default().iter().filter(inserted).copied().collect();
        // The same statement may have been moved; it comes first then, and what took its place counts all the same.
        let same = |one: &&NodeId| {
            inserted(one) && graph.text(**one) == graph.text(node) && graph.role(**one) == graph.role(node)
        };
        if let [&moved] = new.iter().filter(same).collect::<Vec<_>>()[..] {
            found.retain(|&one| one != moved);
            found.insert(0, moved);
        }
        // What does the same to the same object took over as well, wherever it stands.
        let deeds = self.deeds(node, at);
        for &one in new.iter().filter(inserted) {
            if !found.contains(&one) && !deeds.is_disjoint(&self.deeds(one, version)) {
                found.push(one);
            }
        }
        let mut seen: Vec<ChainId> = vec![chain];
        let mut open = found.clone();
        while let Some(one) = open.pop() {
            for target in graph.targets(one, version) {
                let Target::Chain(callee) = target else { continue };
                if seen.contains(&callee) || graph.chain_in(callee, at) {
                    continue;
                }
                seen.push(callee);
                let inner = graph.pieces(callee, version).into_iter().filter(|&one| !synthetic(one));
                for one in inner {
                    found.push(one);
                    open.push(one);
                }
            }
        }
        found
    }

    /// The statements of a version that read as a node of a function that it has not, in functions that the other version has not: a function
    /// that was renamed, or lost on the way and found again. The function of the same name counts alone, where there is one.
    fn under_another_name(&mut self, node: NodeId, at: VersionId, version: VersionId) -> Vec<NodeId> {
        let graph = self.subject.program.graph;
        let name = graph.name(graph.chain(node), at);
        let is_new = |chain: &ChainId| graph.chain_in(*chain, version) && !graph.chain_in(*chain, at);
        let reads_the_same =
            |one: &NodeId| graph.text(*one) == graph.text(node) && graph.role(*one) == graph.role(node);
        let (same, others): (Vec<ChainId>, Vec<ChainId>) =
            graph.chains().filter(is_new).partition(|&chain| graph.name(chain, version) == name);
        let within = |chains: Vec<ChainId>| -> Vec<NodeId> {
            let pieces = chains.into_iter().flat_map(|chain| graph.pieces(chain, version));
            pieces.filter(reads_the_same).collect()
        };
        let found = within(same);
        if found.is_empty() { within(others) } else { found }
    }

    /// As [`Analyst::follow`], without tests that do a part of what the statement did where another statement does all of it: a test before
    /// the statement reads what it reads, and did not take its place.
    pub(crate) fn follow_but_tests(
        &mut self,
        node: NodeId,
        at: VersionId,
        version: VersionId,
    ) -> Vec<NodeId> {
        let mut found = self.follow(node, at, version);
        let graph = self.subject.program.graph;
        let deeds = self.deeds(node, at);
        let is_test = |node: NodeId| {
            matches!(graph.role(node), Role::If | Role::While | Role::DoWhile | Role::For | Role::Switch)
        };
        if deeds.is_empty() || is_test(node) {
            return found;
        }
        let does_all: Vec<bool> =
            found.iter().map(|&one| self.deeds(one, version).is_superset(&deeds)).collect();
        if does_all.contains(&true) {
            let mut all = does_all.into_iter();
            found.retain(|&one| all.next() == Some(true) || !is_test(one));
        }
        found
    }

    /// What a statement does to which object that has a name: reads and writes through pointers, and calls that get them.
    fn deeds(&mut self, node: NodeId, version: VersionId) -> BTreeSet<(Does, String)> {
        let mut found = BTreeSet::new();
        let Some(shape) = self.shape(self.subject.program.graph.chain(node), version) else { return found };
        let instructions = shape.steps.iter().filter(|step| step.spot.node == node);
        for &id in instructions.flat_map(|step| &step.instructions) {
            let plain = |pointer: &Operand| matches!(pointer, Operand::Instruction(slot) if shape.plain.contains_key(slot));
            match shape.op(id) {
                Op::Load { pointer, .. } if !plain(pointer) => {
                    found.extend(root(&shape, pointer).map(|name| (Does::Read, name)));
                }
                Op::Store { pointer, .. } if !plain(pointer) => {
                    found.extend(root(&shape, pointer).map(|name| (Does::Write, name)));
                }
                Op::Call { arguments, .. } => {
                    let names = arguments.iter().filter_map(|argument| root(&shape, argument));
                    found.extend(names.map(|name| (Does::Give, name)));
                }
                _ => {}
            }
        }
        found
    }
}

/// What is done to an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Does {
    Read,
    Write,
    Give,
}

/// The variable that an address is made from.
pub(crate) fn root(shape: &Shape, operand: &Operand) -> Option<String> {
    let mut current = operand;
    for _ in 0..16 {
        let Operand::Instruction(id) = current else { break };
        current = match shape.op(*id) {
            Op::ElementAddress { base, .. } => base,
            Op::Cast { value, .. } => value,
            Op::Load { pointer, .. } => pointer,
            _ => return shape.plain.get(id).or_else(|| shape.objects.get(id).map(|(name, _)| name)).cloned(),
        };
    }
    match current {
        Operand::Const(id) => match shape.module.constant(*id) {
            Const::Global(global) => Some(shape.module.global(*global).name.clone()),
            _ => None,
        },
        _ => None,
    }
}
