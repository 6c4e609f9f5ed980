//! The fix by its code alone, where no measure shows what it does for the statement: a version with all that the fix changed as it is behind
//! the fix has the fix, and one with all of it as it was has not.

use crate::fix::delta::Reading;
use crate::judge::Question;
use crate::walk::Analyst;
use hydrogen_evidence::{Entry, Finding, Verdict};
use hydrogen_graph::{ChainId, Fix, VersionId};
use std::collections::BTreeSet;

impl Analyst<'_> {
    /// The verdicts by the code of a fix; none if it changes no function near the statement.
    ///
    /// That the version before the fix has the fault is the word of whoever named the fix, and the ledger says so. Who asks whether a change
    /// fixes a fault must not be answered with that.
    pub fn judge_by_code(&mut self, question: &Question<'_>, fix: Fix) -> Option<Finding> {
        let own = self.subject.program.graph.chain(question.node);
        let concerned = self.concerned(question.node, fix);
        let near = self.near(own, fix.before);
        let is_near = |chain: &ChainId| {
            near.contains(chain) && !self.is_same(&BTreeSet::from([*chain]), fix.before, fix.after)
        };
        if !concerned.iter().any(is_near) {
            return None;
        }
        self.terms.layouts = Some(self.common_layouts(question.versions, fix));
        let mut readings = Vec::new();
        for version in question.versions.iter() {
            let reading = self.read_by_code(question, &concerned, version, fix);
            readings.push((version, reading));
        }
        self.terms.layouts = None;
        Some(self.by_the_fix(question, "the fix changes the code around the statement".into(), readings))
    }

    fn read_by_code(
        &mut self,
        question: &Question<'_>,
        concerned: &BTreeSet<ChainId>,
        version: VersionId,
        fix: Fix,
    ) -> Reading {
        let trusted = |verdict: Verdict, why: Entry| {
            let mut reading = Reading::of(verdict, why);
            reading.ledger.insert(Entry::TakenAsFix);
            reading
        };
        if version == fix.after {
            return trusted(Verdict::Absent, Entry::TheFixItself);
        }
        if version == fix.before {
            return Reading::of(Verdict::Present, Entry::TakenAsFix);
        }
        if self.has_code_of(concerned, version, fix.after) {
            return trusted(Verdict::Absent, Entry::SameAsFixed);
        }
        if self.has_code_of(concerned, version, fix.before) {
            return trusted(Verdict::Present, Entry::SameAsBefore);
        }
        if self.follow(question.node, fix.before, version).is_empty()
            && self.subject.program.graph.versions()[version.index()].missing.is_empty()
        {
            return Reading::of(Verdict::NotApplicable, Entry::StatementGone);
        }
        Reading::of(Verdict::Unknown, self.parts_of_fix(concerned, version, fix))
    }

    /// Whether functions are in one version as they are in another one, wherever members of structures lie.
    fn has_code_of(&mut self, chains: &BTreeSet<ChainId>, one: VersionId, other: VersionId) -> bool {
        chains.iter().all(|&chain| {
            self.is_same(&BTreeSet::from([chain]), one, other) || self.is_alike(chain, one, other)
        })
    }

    /// How much of the fix a version has, statement by statement. That decides nothing: where they stand counts as well.
    fn parts_of_fix(&self, concerned: &BTreeSet<ChainId>, version: VersionId, fix: Fix) -> Entry {
        let graph = self.subject.program.graph;
        let nodes = || concerned.iter().flat_map(|&chain| graph.chain_nodes(chain)).copied();
        let only = |one: VersionId, other: VersionId| {
            let all = nodes().filter(move |&node| graph.node_in(node, one) && !graph.node_in(node, other));
            let (mut count, mut here) = (0, 0);
            for node in all {
                count += 1;
                here += usize::from(graph.node_in(node, version));
            }
            (here, count)
        };
        let (here, brought) = only(fix.after, fix.before);
        let (left, removed) = only(fix.before, fix.after);
        Entry::PartsOfFix { here, brought, left, removed }
    }
}
