//! Faults of a statement that happen where it hands something on: a callee that has no fault of its own has one for what it is given here.

use crate::judge::Question;
use crate::judge::check::{Check, is_told};
use crate::walk::Analyst;
use hydrogen_evidence::{Class, Finding, Verdict};
use hydrogen_graph::{NodeId, Target, VersionId, VersionSet};

/// The kinds that what is given to a function can be the cause of.
const KINDS: [Class; 9] = [
    Class::Null,
    Class::Overflow,
    Class::UseAfterFree,
    Class::DoubleFree,
    Class::Division,
    Class::SizeOverflow,
    Class::Sign,
    Class::SignedOverflow,
    Class::Shift,
];

impl Analyst<'_> {
    /// What a change did to the calls of a statement: only what is new or gone.
    pub(super) fn passed_on(
        &mut self,
        check: &Check<'_>,
        (node, at): (NodeId, VersionId),
        known: &[(usize, Finding)],
    ) -> Vec<Finding> {
        let graph = self.subject.program.graph;
        if !graph.targets(node, at).iter().any(|target| matches!(target, Target::Chain(_))) {
            return Vec::new();
        }
        let both = VersionSet::one(check.old).union(&VersionSet::one(check.new));
        let asking = check.asking(self.asking);
        let mut out = Vec::new();
        for kind in KINDS.into_iter().filter(|kind| check.kinds.contains(kind)) {
            let told = |(_, one): &(usize, Finding)| one.kind == kind && is_told(one) && one.node == node.0;
            if self.spent() || known.iter().any(told) {
                continue;
            }
            let question = Question { node, at, kind: Some(kind), versions: &both, inside: true };
            let found = self.with(asking, |one| one.judge(&question));
            out.extend(
                found.into_iter().map(|finding| self.stands(check, &question, finding)).filter(is_told),
            );
        }
        out
    }
}

/// All findings, without those that are told of the callee already.
pub(super) fn with_passed_on(
    mut findings: Vec<(usize, Finding)>,
    passed: Vec<(usize, Finding)>,
) -> Vec<(usize, Finding)> {
    for (place, finding) in passed {
        let is_known = |(_, one): &(usize, Finding)| {
            one.kind == finding.kind && is_told(one) && happens_at(&finding, one)
        };
        if !findings.iter().any(is_known) {
            findings.push((place, finding));
        }
    }
    findings
}

/// Whether the path of a finding ends at the statement of another one.
fn happens_at(finding: &Finding, other: &Finding) -> bool {
    let present = finding.verdicts.iter().filter(|one| one.verdict == Verdict::Present);
    present
        .filter_map(|one| one.evidence.path.last())
        .any(|last| (last.file.as_str(), last.line) == (other.location.file.as_str(), other.location.line))
}
