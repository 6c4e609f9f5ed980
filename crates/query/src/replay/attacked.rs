//! Who is asked to contradict a proof: what calls and usual starts show of a statement that every path to was refuted.

use super::{Attempt, Entrance, Ran};
use crate::walk::{Analyst, Frame};
use hydrogen_evidence::{Class, Entry, Evidence, Finding, Replay, Verdict, mark_fixed};
use hydrogen_graph::{ChainId, NodeId, VersionId, VersionSet};
use hydrogen_ir::{Body, Const, ConstId, Op, Operand};
use std::collections::{BTreeMap, BTreeSet};

/// Functions that are called, and how many calls above the statement they are looked for.
const MOST: usize = 6;
const DEEPEST: usize = 3;

impl Analyst<'_> {
    /// Attacks what was proved of all that a statement does: where a run fails there all the same, no version is said to be without the fault.
    pub(crate) fn attack_proofs(
        &mut self,
        kind: Class,
        findings: &mut [Finding],
        followed: &BTreeMap<VersionId, Vec<NodeId>>,
        can_fail: &VersionSet,
    ) {
        let is_alone = findings.len() == 1;
        for version in can_fail.iter() {
            let is_proved = |finding: &Finding| {
                let mut rulings = finding.verdicts.iter().filter(|ruling| ruling.id == version.0);
                rulings.any(|ruling| matches!(ruling.verdict, Verdict::Absent | Verdict::Fixed))
            };
            // Which operation it is that fails, a run does not tell.
            if findings.is_empty() || !findings.iter().all(is_proved) {
                continue;
            }
            let statement = followed.get(&version).map_or(&[][..], Vec::as_slice);
            let Some((node, ran)) = self.contradicted(kind, version, statement) else { continue };
            let is_shown =
                is_alone && ran.replay == Replay::Confirmed && !self.shares_line(kind, version, node);
            let evidence = Evidence {
                path: vec![self.spot(node, version)],
                input: Some(ran.input),
                replay: Some(ran.replay),
                ..Evidence::default()
            };
            let rulings = findings.iter_mut().flat_map(|finding| &mut finding.verdicts);
            for ruling in rulings.filter(|ruling| ruling.id == version.0) {
                (ruling.verdict, ruling.ledger) = match is_shown {
                    true => (Verdict::Present, vec![Entry::AnyInput]),
                    false => (Verdict::Unknown, vec![Entry::Contradicted]),
                };
                ruling.evidence = evidence.clone();
            }
        }
        for finding in findings {
            mark_fixed(&mut finding.verdicts);
        }
    }

    /// Whether another statement on the lines of one can fail in the same way: a run tells lines alone.
    fn shares_line(&mut self, kind: Class, version: VersionId, node: NodeId) -> bool {
        let graph = self.subject.program.graph;
        let (chain, lines) = (graph.chain(node), self.lines(node, version));
        graph.pieces(chain, version).into_iter().filter(|&other| other != node).any(|other| {
            graph.line(other, version).is_some_and(|line| lines.contains(&line))
                && self.sites(&Frame::of(chain), other, version).iter().any(|site| site.kind == kind)
        })
    }

    /// A run that fails at one of some statements, or in what they call.
    fn contradicted(
        &mut self,
        kind: Class,
        version: VersionId,
        statement: &[NodeId],
    ) -> Option<(NodeId, Ran)> {
        self.confirm.as_ref()?;
        for &node in statement {
            let lines = self.lines(node, version);
            let attempt = Attempt { lines, ..self.attempt_at(kind, version, node) };
            let entrances = self.entrances(self.subject.program.graph.chain(node), version);
            if let Some(ran) = self.confirm.as_ref()?.attacked(&attempt, &entrances, true) {
                return Some((node, ran));
            }
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
