//! Refutations that rest on what every round of a loop keeps, and what rounds make of other objects.

use crate::judge::resolve::{Beginning, Outcome};
use crate::run::{Asking, Mode};
use crate::walk::{Analyst, Frame};
use hydrogen_evidence::Entry;
use hydrogen_graph::{NodeId, VersionId, VersionSet};
use std::collections::{BTreeMap, BTreeSet};

impl Analyst<'_> {
    /// Refutes what is open because of loops by what every round of them keeps, with half of what the question may still cost: the rest
    /// is for witnesses. What was cut short by that, per version.
    pub(super) fn ask_by_rounds(
        &mut self,
        frame: &Frame,
        beginnings: &[Beginning],
        outcomes: &mut BTreeMap<VersionId, Outcome>,
    ) -> BTreeMap<VersionId, BTreeSet<Entry>> {
        let by_loops =
            |outcome: &Outcome| matches!(outcome, Outcome::Open(why) if why.contains(&Entry::LoopLeaves));
        let open: Vec<VersionId> =
            outcomes.iter().filter(|(_, outcome)| by_loops(outcome)).map(|(version, _)| *version).collect();
        let mut cut = BTreeMap::new();
        if open.is_empty() || self.is_over() {
            return cut;
        }
        let rest = open.iter().fold(VersionSet::empty(), |all, one| all.union(&VersionSet::one(*one)));
        let before = std::mem::take(&mut self.run.lost);
        let mut again: BTreeMap<VersionId, Outcome> =
            open.iter().map(|version| (*version, Outcome::Refuted)).collect();
        let asking = Asking { mode: Mode::Prove, inductive: true, ..self.asking };
        let (question, kept_back) = (self.budget.question, self.run.steps_left / 2);
        let left = question.saturating_sub(self.worked());
        // Steps that are kept back look like steps that were made.
        self.run.steps_left -= kept_back;
        self.budget.question = self.worked() + left / 2;
        self.with(asking, |one| one.ask(frame, beginnings, &rest, &mut again));
        self.run.steps_left += kept_back;
        self.budget.question = question;
        let mut lost = std::mem::replace(&mut self.run.lost, before);
        for (version, outcome) in again {
            let lost = lost.remove(&version).unwrap_or_default();
            // Only that nothing is left counts: witnesses are looked for elsewhere.
            if matches!(outcome, Outcome::Refuted) && lost.is_empty() {
                self.run.lost.remove(&version);
                outcomes.insert(version, Outcome::Refuted);
            }
            cut.insert(version, lost.into_iter().filter(Entry::is_cut).collect());
        }
        cut
    }

    /// What is made in a loop is another object in every round, and only the last one was looked at.
    pub(super) fn not_of_earlier_rounds(
        &mut self,
        followed: &BTreeMap<VersionId, Vec<NodeId>>,
        outcomes: &mut BTreeMap<VersionId, (Outcome, usize)>,
    ) {
        for (version, (outcome, _)) in outcomes.iter_mut() {
            let nodes = followed.get(version).map_or(&[][..], Vec::as_slice);
            let in_loop = nodes.iter().any(|&node| {
                let chain = self.subject.program.graph.chain(node);
                let Some(shape) = self.shape(chain, *version) else { return false };
                let is_there = |step: &usize| shape.steps[*step].spot.node == node;
                shape.loops.all().iter().any(|one| one.body.iter().any(is_there))
            });
            if in_loop && matches!(outcome, Outcome::Refuted) {
                *outcome = Outcome::Open(BTreeSet::from([Entry::LoopLeaves]));
            }
        }
    }
}
