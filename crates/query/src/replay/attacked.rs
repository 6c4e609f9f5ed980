//! Who is asked to contradict a proof: what calls and usual starts show of a statement that every path to was refuted.

use super::{Entrance, Ran};
use crate::walk::{Analyst, Frame};
use hydrogen_evidence::{Class, Entry, Evidence, Finding, Replay, Verdict, mark_fixed};
use hydrogen_graph::{ChainId, NodeId, VersionId, VersionSet};
use std::collections::BTreeMap;

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
        statements: &[NodeId],
    ) -> Option<(NodeId, Ran)> {
        self.first_that_fails(kind, version, statements, |one, attempt, node| {
            let entrances = one.entrances(one.subject.program.graph.chain(node), version);
            one.confirm.as_ref()?.attacked(attempt, &entrances, true)
        })
    }

    /// The functions that lead to one and that anyone may call, as they are called.
    fn entrances(&mut self, chain: ChainId, version: VersionId) -> Vec<Entrance> {
        let graph = self.subject.program.graph;
        let roots = self.roots_above(chain, version).into_iter();
        let entrance = |chain: ChainId| Entrance {
            function: graph.name(chain, version).to_owned(),
            file: graph.location(chain, version).0.to_owned(),
        };
        roots.map(entrance).collect()
    }
}
