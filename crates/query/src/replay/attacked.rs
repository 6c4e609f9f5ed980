//! Who is asked to contradict a proof: what calls and usual starts show of a statement that every path to was refuted.

use super::{Attempt, Entrance};
use crate::walk::Analyst;
use hydrogen_evidence::{Class, Entry, Evidence, Replay, Verdict};
use hydrogen_graph::{ChainId, NodeId, VersionId};
use hydrogen_ir::{Body, Const, ConstId, Op, Operand};
use std::collections::BTreeSet;

/// Functions that are called, and how many calls above the statement they are looked for.
const MOST: usize = 6;
const DEEPEST: usize = 3;

impl Analyst<'_> {
    /// What is said of a version whose proof a run contradicts, with that run: it has the fault if the call is one that anybody may write.
    pub(crate) fn contradicted(
        &mut self,
        kind: Class,
        version: VersionId,
        statement: &[NodeId],
    ) -> Option<(Verdict, Evidence, Entry)> {
        self.confirm.as_ref()?;
        for &node in statement {
            let lines = self.lines(node, version);
            let attempt = Attempt { lines, ..self.attempt_at(kind, version, node) };
            let entrances = self.entrances(self.subject.program.graph.chain(node), version);
            let Some(ran) = self.confirm.as_ref()?.attacked(&attempt, &entrances, true) else { continue };
            let (verdict, why) = match ran.replay {
                Replay::Confirmed => (Verdict::Present, Entry::AnyInput),
                _ => (Verdict::Unknown, Entry::Contradicted),
            };
            let (path, input, replay) = (vec![self.spot(node, version)], Some(ran.input), Some(ran.replay));
            return Some((verdict, Evidence { path, input, replay, ..Evidence::default() }, why));
        }
        None
    }

    /// As they are called.
    fn entrances(&mut self, chain: ChainId, version: VersionId) -> Vec<Entrance> {
        let graph = self.subject.program.graph;
        let roots = self.roots_above(chain, version).into_iter();
        let entrance = |chain: ChainId| Entrance {
            function: graph.name(chain, version).to_owned(),
            file: graph.location(chain, version).0.to_owned(),
        };
        roots.map(entrance).collect()
    }

    /// The functions that anyone may call and that lead to one, itself among them, the nearest first.
    pub(crate) fn roots_above(&mut self, chain: ChainId, version: VersionId) -> Vec<ChainId> {
        let graph = self.subject.program.graph;
        let (mut found, mut seen) = (Vec::new(), BTreeSet::from([chain]));
        let mut level = vec![chain];
        for _ in 0..=DEEPEST {
            let mut next = Vec::new();
            for one in level {
                if self.is_root(one, version) && !self.is_called_back(one, version) {
                    found.push(one);
                    if found.len() == MOST {
                        return found;
                    }
                }
                let callers = self.callers_of(one).into_iter();
                let callers = callers.filter(|(_, versions)| versions.contains(version));
                let mut all: Vec<ChainId> = callers.map(|(node, _)| graph.chain(node)).collect();
                all.extend(self.takers_of(one, version));
                next.extend(all.into_iter().filter(|&one| seen.insert(one)));
            }
            level = next;
        }
        found
    }

    /// The functions of a unit that take the address of one of its own functions: it is called back on their behalf.
    fn takers_of(&mut self, chain: ChainId, version: VersionId) -> Vec<ChainId> {
        let graph = self.subject.program.graph;
        if !graph.is_internal(chain, version) {
            return Vec::new();
        }
        let Some(shape) = self.shape(chain, version) else { return Vec::new() };
        let (module, own) = (&shape.module, shape.id);
        let takes = |body: &Body| {
            let is_own = |id: &ConstId| matches!(module.constant(*id), Const::Function(one) if *one == own);
            body.instructions.iter().any(|instruction| match &instruction.op {
                Op::Call { arguments, .. } => {
                    arguments.iter().any(|one| matches!(one, Operand::Const(id) if is_own(id)))
                }
                Op::Store { value: Operand::Const(id), .. } => is_own(id),
                _ => false,
            })
        };
        let takers = module.functions.iter().filter(|one| one.body.as_ref().is_some_and(takes));
        let named = takers.flat_map(|taker| graph.chains_named(&taker.name));
        named.filter(|&taker| graph.chain_in(taker, version) && taker != chain).collect()
    }
}
