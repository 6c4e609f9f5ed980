//! The patch as specification: the states that reach a statement before a fix, and after it no longer, or no longer with the same operands.
//!
//! States are those at a *cut*: a run that all ways to the statement pass, in both versions of the fix. A release has the bug iff its own
//! statement is reached, with those operands, from a state of the delta at its own cut.

use crate::fix::cut::{Cut, come_round_alike};
use crate::fix::measure::{Actions, Measure};
use crate::fix::points::Point;
use crate::judge::Question;
use crate::judge::resolve::{Beginning, Outcome};
use crate::meaning::approximate::Toward;
use crate::meaning::shape::{Shape, StepId};
use crate::run::{Asking, Mode};
use crate::walk::{Analyst, Frame};
use hydrogen_evidence::{Basis, Class, Entry, Evidence, Finding, Ruling, Verdict, mark_fixed};
use hydrogen_graph::{Fix, NodeId, VersionId, VersionSet};
use hydrogen_term::{Answer, Term};
use rustc_hash::FxHashSet;
use std::collections::{BTreeMap, BTreeSet};

/// The states at a cut that a fix took away from an action of the statement.
#[derive(Debug, Clone)]
pub(super) struct Delta {
    cut: Cut,
    key: (String, usize),
    /// States that are certainly taken away, with the operands they had.
    pub(super) taken: Term,
    /// All states that may be.
    pub(super) all: Term,
    /// As `taken`, without the operands, for the reader; the whole where only operands changed.
    shown: Term,
    /// What unknown calls decide in it that are the same wherever they occur.
    same: FxHashSet<Term>,
    /// Those of them that the version before the fix makes.
    before: FxHashSet<Term>,
}

/// A version's answer before it is a ruling.
pub(super) struct Reading {
    pub verdict: Verdict,
    pub evidence: Evidence,
    pub ledger: BTreeSet<Entry>,
}

impl Reading {
    pub(super) fn of(verdict: Verdict, why: Entry) -> Self {
        Self { verdict, evidence: Evidence::default(), ledger: BTreeSet::from([why]) }
    }
}

impl Analyst<'_> {
    /// The verdicts by the fix; none if the fix changes nothing for the statement that can be seen. What is compared is, in this order:
    /// with which operands the statement is reached, for which states it fails, and which states the fix turns away elsewhere.
    pub fn judge_by_fix(&mut self, question: &Question<'_>, fix: Fix) -> Option<Finding> {
        self.terms.layouts = Some(self.common_layouts(question.versions, fix));
        let asking = Asking { reference: Some(fix), ..self.asking };
        let found = self.with(asking, |one| {
            let found = one.compare_in_turn(question, fix);
            let found = found.or_else(|| one.judge_elsewhere(question, fix));
            found.or_else(|| one.judge_carried(question, fix))
        });
        self.terms.layouts = None;
        found
    }

    /// The verdicts by what the fix changes for the statement.
    pub(crate) fn compare_at_statement(&mut self, question: &Question<'_>, fix: Fix) -> Option<Finding> {
        let found = self.compare_with_fix(question, fix, Measure::Operands);
        match question.kind {
            Some(kind) if found.is_none() => self.compare_with_fix(question, fix, Measure::Fault(kind)),
            _ => found,
        }
    }

    /// The verdicts by what the fix changes at the statement itself.
    pub(crate) fn judge_by_operands(&mut self, question: &Question<'_>, fix: Fix) -> Option<Finding> {
        self.terms.layouts = Some(self.common_layouts(question.versions, fix));
        let found = self.compare_with_fix(question, fix, Measure::Operands);
        self.terms.layouts = None;
        found
    }

    /// The verdicts of one measure.
    pub(crate) fn compare_with_fix(
        &mut self,
        question: &Question<'_>,
        fix: Fix,
        measure: Measure,
    ) -> Option<Finding> {
        self.begin();
        let deltas = self.deltas(question, fix, measure, fix.before);
        if deltas.is_empty() {
            return None;
        }
        let has = self.read_by_fix(question, fix, &deltas, fix.before, measure).verdict == Verdict::Present;
        let concerned = self.concerned(question.node, fix);
        let mut readings = Vec::new();
        for version in question.versions.iter() {
            self.begin();
            let mut reading = if version != fix.after && self.is_same(&concerned, version, fix.after) {
                Reading::of(Verdict::Absent, Entry::SameAsFixed)
            } else {
                let deltas = self.deltas(question, fix, measure, version);
                self.read_by_fix(question, fix, &deltas, version, measure)
            };
            let open = reading.verdict == Verdict::Unknown && version != fix.before;
            if open && has && self.is_same(&concerned, version, fix.before) {
                reading = Reading::of(Verdict::Present, Entry::SameAsBefore);
            }
            if version == fix.after {
                reading.ledger.insert(Entry::TheFixItself);
                if reading.verdict != Verdict::NotApplicable {
                    reading.verdict = Verdict::Absent;
                }
            }
            if reading.verdict == Verdict::Absent
                && let Some(why) = self.wraps_for(question, version, fix)
            {
                reading = Reading::of(Verdict::Unknown, why);
            }
            readings.push((version, reading));
        }
        Some(self.by_the_fix(question, "the fix takes states away from the statement".into(), readings))
    }

    /// What is told of readings by a fix.
    pub(super) fn by_the_fix(
        &self,
        question: &Question<'_>,
        message: String,
        readings: Vec<(VersionId, Reading)>,
    ) -> Finding {
        let name = |version: VersionId| self.subject.program.graph.versions()[version.index()].name.clone();
        let ruling = |(version, reading): (VersionId, Reading)| Ruling {
            id: version.0,
            version: name(version),
            verdict: reading.verdict,
            basis: Basis::Patch,
            evidence: reading.evidence,
            ledger: reading.ledger.into_iter().collect(),
        };
        let mut verdicts: Vec<Ruling> = readings.into_iter().map(ruling).collect();
        mark_fixed(&mut verdicts);
        Finding {
            kind: question.kind.unwrap_or(Class::Change),
            message,
            location: self.spot(question.node, question.at),
            at_version: name(question.at),
            node: question.node.0,
            status: None,
            verdicts,
        }
    }

    /// The deltas at the nearest cut that shows any and that the version has.
    fn deltas(
        &mut self,
        question: &Question<'_>,
        fix: Fix,
        measure: Measure,
        version: VersionId,
    ) -> Vec<Delta> {
        let node = question.node;
        let old = self.measured(&[node], fix.before, question.kind, measure);
        let instead = self.follow_but_tests(node, fix.before, fix.after);
        let new = self.measured(&instead, fix.after, question.kind, measure);
        let frame = Frame::of(self.subject.program.graph.chain(node));
        let mut out: Vec<Delta> = Vec::new();
        for cut in self.cuts(node, fix, &new) {
            if self.cut_in(cut, frame.chain, version).is_none() {
                continue;
            }
            for (key, points) in &old {
                if self.is_over() {
                    return out;
                }
                let same = self.actions_for(key, &old, &new, measure).points;
                // Where something else that can fail is in its place, nobody says that it is right.
                if same.is_empty() && self.can_fail_elsewhere(&instead, fix.after, question.kind) {
                    continue;
                }
                out.extend(self.delta(cut, &frame, (key, points.as_slice()), &same, fix));
            }
            if !out.is_empty() {
                break;
            }
        }
        out
    }

    pub(super) fn delta(
        &mut self,
        cut: Cut,
        frame: &Frame,
        (key, points): (&(String, usize), &[(Frame, Point)]),
        others: &[(Frame, Point)],
        fix: Fix,
    ) -> Option<Delta> {
        let surely = self.reach(points, fix.before, cut, Mode::Find)?;
        let maybe = self.reach(points, fix.before, cut, Mode::Prove)?;
        let still = self.reach(others, fix.after, cut, Mode::Prove)?;
        let surely_still = self.reach(others, fix.after, cut, Mode::Find)?;
        let reached = [surely, maybe, still, surely_still];
        let mut delta = self.delta_of(cut, frame, key, reached, fix)?;
        if let Some(shown) = self.without_operands(cut, points, others, fix) {
            delta.shown = shown;
        }
        Some(delta)
    }

    /// The delta of what is reached before a fix, surely and perhaps, and after it, perhaps and surely.
    pub(super) fn delta_of(
        &mut self,
        cut: Cut,
        frame: &Frame,
        key: &(String, usize),
        [surely, maybe, still, surely_still]: [Term; 4],
        fix: Fix,
    ) -> Option<Delta> {
        let (before, same) = self.same_unknowns(&[surely, maybe], &[still, surely_still]);
        let surely = self.terms.approximate_but(surely, Toward::Stronger, &same);
        let still = self.terms.approximate_but(still, Toward::Weaker, &same);
        let surely_still = self.terms.approximate_but(surely_still, Toward::Stronger, &same);
        let (gone, maybe_gone) = (self.terms.pool.not(still), self.terms.pool.not(surely_still));
        let taken = self.terms.pool.and(surely, gone);
        let taken = self.whatever_is_unrelated(frame, taken, fix)?;
        let taken = self.without_null(taken, frame.chain, fix);
        if self.is_possible(taken) != Some(true) {
            return None;
        }
        let all = self.terms.pool.and(maybe, maybe_gone);
        Some(Delta { cut, key: key.clone(), taken, all, shown: taken, same, before })
    }

    /// The states that do not come to the statement any more, if there are any.
    fn without_operands(
        &mut self,
        cut: Cut,
        points: &[(Frame, Point)],
        others: &[(Frame, Point)],
        fix: Fix,
    ) -> Option<Term> {
        let yes = self.terms.pool.bool(true);
        let plain = |all: &[(Frame, Point)]| -> Vec<(Frame, Point)> {
            all.iter().map(|(frame, one)| (frame.clone(), Point { operands: yes, ..one.clone() })).collect()
        };
        let before = self.reach(&plain(points), fix.before, cut, Mode::Find)?;
        let after = self.reach(&plain(others), fix.after, cut, Mode::Prove)?;
        let before = self.terms.approximate(before, Toward::Stronger);
        let after = self.terms.approximate(after, Toward::Weaker);
        let gone = self.terms.pool.not(after);
        let states = self.terms.pool.and(before, gone);
        (self.is_possible(states) == Some(true)).then_some(states)
    }

    /// Whether a condition on a state can hold; none if that is not known.
    pub(super) fn is_possible(&mut self, term: Term) -> Option<bool> {
        let constraints = self.with_axioms(term);
        match self.engine.check(&mut self.terms.pool, &constraints) {
            Answer::Sat(_) => Some(true),
            Answer::Unsat => Some(false),
            Answer::Unknown(_) => None,
        }
    }

    fn read_by_fix(
        &mut self,
        question: &Question<'_>,
        fix: Fix,
        deltas: &[Delta],
        version: VersionId,
        measure: Measure,
    ) -> Reading {
        let graph = self.subject.program.graph;
        let instead = self.follow_but_tests(question.node, fix.before, version);
        if instead.is_empty() {
            return match graph.versions()[version.index()].missing.is_empty() {
                true => Reading::of(Verdict::NotApplicable, Entry::StatementGone),
                false => Reading::of(Verdict::Unknown, Entry::PartsUnread),
            };
        }
        let old = self.measured(&[question.node], fix.before, question.kind, measure);
        let points = self.measured(&instead, version, question.kind, measure);
        let frame = Frame::of(graph.chain(question.node));
        let Some(shape) = self.shape(graph.chain(question.node), version) else {
            return Reading::of(Verdict::Unknown, Entry::NotCompiled);
        };
        let mut readings: BTreeMap<(String, usize), Reading> = BTreeMap::new();
        for delta in deltas {
            // The nearest cut that the version has decides.
            if readings.get(&delta.key).is_some_and(|reading| reading.verdict != Verdict::Unknown) {
                continue;
            }
            let Actions { points: same, are_sure } = self.actions_for(&delta.key, &old, &points, measure);
            let cut = self.cut_in(delta.cut, frame.chain, version).and_then(|spot| shape.by_spot.get(&spot));
            let reading = match (&same[..], cut) {
                ([], _) => {
                    let operation = delta.key.0.clone();
                    match self.can_fail_elsewhere(&instead, version, question.kind) {
                        true => Reading::of(Verdict::Unknown, Entry::OperationReplaced { operation }),
                        false => Reading::of(Verdict::Absent, Entry::OperationGone { operation }),
                    }
                }
                (_, None) => Reading::of(Verdict::Unknown, Entry::NoCut),
                (same, Some(&cut)) => {
                    let passed = |(_, point): &(Frame, Point)| {
                        shape.by_spot.get(&point.spot).is_some_and(|&at| shape.dominators.dominates(cut, at))
                    };
                    match same.iter().all(passed)
                        && self.comes_round_as_before(question.node, delta.cut, (&shape, cut, same), fix)
                    {
                        true => self.meet(&frame, same, delta, version, fix),
                        false => Reading::of(Verdict::Unknown, Entry::AroundCut),
                    }
                }
            };
            // Something that looks like it is not it.
            let reading = match reading.verdict {
                Verdict::Present if !are_sure => Reading::of(Verdict::Unknown, Entry::LookAlike),
                _ => reading,
            };
            readings.insert(delta.key.clone(), reading);
        }
        let worst = |reading: &Reading| match reading.verdict {
            Verdict::Present => 0,
            Verdict::Unknown => 1,
            _ => 2,
        };
        let found = readings.into_values().min_by_key(worst);
        found.unwrap_or_else(|| Reading::of(Verdict::Unknown, Entry::FixSilent))
    }

    /// Whether a version comes back to the cut as the one before the fix does.
    fn comes_round_as_before(
        &mut self,
        node: NodeId,
        cut: Cut,
        (shape, there, same): (&Shape, StepId, &[(Frame, Point)]),
        fix: Fix,
    ) -> bool {
        let chain = self.subject.program.graph.chain(node);
        let Some(old) = self.shape(chain, fix.before) else { return false };
        let here = self.cut_in(cut, chain, fix.before).and_then(|spot| old.by_spot.get(&spot).copied());
        let first = old.steps.iter().position(|step| step.spot.node == node);
        let (Some(here), Some(first)) = (here, first) else { return false };
        let targets: Vec<StepId> =
            same.iter().filter_map(|(_, point)| shape.by_spot.get(&point.spot).copied()).collect();
        come_round_alike((&old, here, &[first]), (shape, there, &targets))
    }

    /// Whether statements can fail in the way asked about, or touch memory wrongly where no way is named.
    fn can_fail_elsewhere(&mut self, nodes: &[NodeId], version: VersionId, kind: Option<Class>) -> bool {
        let memory = [Class::Overflow, Class::Null, Class::UseAfterFree, Class::DoubleFree];
        nodes.iter().any(|&node| {
            let frame = Frame::of(self.subject.program.graph.chain(node));
            let sites = self.sites(&frame, node, version);
            sites.iter().any(|site| {
                kind.map_or(site.unsure.is_none() && memory.contains(&site.kind), |kind| kind == site.kind)
            })
        })
    }

    /// Whether a version's action meets the delta.
    pub(super) fn meet(
        &mut self,
        frame: &Frame,
        points: &[(Frame, Point)],
        delta: &Delta,
        version: VersionId,
        fix: Fix,
    ) -> Reading {
        let one = VersionSet::one(version);
        let Some(run) = self.cut_in(delta.cut, frame.chain, version) else {
            return Reading::of(Verdict::Unknown, Entry::NoCut);
        };
        let cut = self.spot(run.node, version);
        let Some(maybe) = self.reach(points, version, delta.cut, Mode::Prove) else {
            return Reading::of(Verdict::Unknown, Entry::WayNotFollowed);
        };
        let met = self.terms.pool.and(maybe, delta.all);
        let strictly = self.is_possible(met);
        let met = self.terms.pool.and(maybe, delta.taken);
        match (strictly, self.is_possible(met)) {
            (Some(false), _) if version != fix.after && self.rests_on_unknowns(maybe, delta.all) => {
                return Reading::of(
                    Verdict::Unknown,
                    Entry::OtherUnknowns { version: self.version_name(fix.before) },
                );
            }
            (Some(false), _) => {
                let why = Entry::ComparedFrom { line: cut.line };
                let evidence = self.states_in_words(frame, delta, fix, cut);
                return Reading { verdict: Verdict::Absent, evidence, ledger: BTreeSet::from([why]) };
            }
            // What is certainly about the fix is excluded; what only may be, is not.
            (_, Some(false)) => {
                return Reading::of(Verdict::Unknown, Entry::FixBounded);
            }
            (_, None) => return Reading::of(Verdict::Unknown, Entry::NoAnswer),
            (_, Some(true)) => {}
        }
        let Some(surely) = self.reach(points, version, delta.cut, Mode::Find) else {
            return Reading::of(Verdict::Unknown, Entry::WayNotFollowed);
        };
        if !self.makes_the_calls(&delta.before, delta.taken, &[maybe, surely]) {
            return Reading::of(Verdict::Unknown, Entry::WayNotFollowed);
        }
        let surely = self.terms.approximate_but(surely, Toward::Stronger, &delta.same);
        let states = self.terms.pool.and(surely, delta.taken);
        let constraints = self.with_axioms(states);
        let model = match self.engine.check(&mut self.terms.pool, &constraints) {
            Answer::Sat(model) => model,
            _ => return Reading::of(Verdict::Unknown, Entry::WayNotFollowed),
        };
        if let Some(missing) = self.unrelated(frame, states, version, fix) {
            return Reading::of(
                Verdict::Unknown,
                Entry::NoCounterpart { name: missing, version: self.version_name(fix.before) },
            );
        }
        let (_, model) = self.in_words(frame, fix.before, delta.shown, &model);
        let (constraint, _) = self.in_words(frame, fix.before, delta.shown, &hydrogen_term::Model::new());
        let statement = points.first().map(|(_, point)| self.spot(point.spot.node, version));
        let path = std::iter::once(cut.clone()).chain(statement).collect();
        let evidence = Evidence { path, constraint, model, ..Evidence::default() };
        let own = self.in_own_names(frame.chain, version, states);
        let beginning = Beginning { spot: run, behind: false, term: own, versions: one.clone() };
        let excluded = self.terms.pool.not(maybe);
        let excluded = self.terms.pool.and(delta.taken, excluded);
        let partly = version != fix.before && self.is_possible(excluded) != Some(false);
        let patient = Asking { rounds: self.budget.rounds, ..self.asking };
        let way_in = self.with(patient, |one_by_one| {
            one_by_one.question(frame, std::slice::from_ref(&beginning), &one).remove(&version)
        });
        match way_in {
            Some(Outcome::Refuted) => {
                let why = Entry::StatesExcluded { line: cut.line };
                Reading {
                    verdict: Verdict::Absent,
                    evidence: Evidence::default(),
                    ledger: BTreeSet::from([why]),
                }
            }
            // A version that takes some of the states away has another test there: what it leaves must have a way in that is followed, and
            // rest on nothing in memory that nobody is seen to put there. Its test may be right for all that there can be.
            Some(Outcome::Witness(witness))
                if version == fix.before
                    || !partly
                    || !witness.weak && !witness.assumed.iter().any(Entry::may_do_anything) =>
            {
                let mut ledger = witness.assumed.clone();
                ledger.insert(Entry::AnyInput);
                Reading { verdict: Verdict::Present, evidence, ledger }
            }
            _ if version != fix.before && (partly || self.guards_above(frame, delta.cut, version, fix)) => {
                Reading::of(
                    Verdict::Unknown,
                    Entry::OtherConditions { line: cut.line, version: self.version_name(fix.before) },
                )
            }
            _ => {
                if let Some(end) = self.ends_before(own, version) {
                    return Reading::of(
                        Verdict::Unknown,
                        Entry::EndsBefore { file: end.file, line: end.line },
                    );
                }
                let why = Entry::StatesPossible { line: cut.line };
                Reading { verdict: Verdict::Present, evidence, ledger: BTreeSet::from([why]) }
            }
        }
    }

    /// The states that the fix is about, for a version that no longer lets them through.
    fn states_in_words(
        &mut self,
        frame: &Frame,
        delta: &Delta,
        fix: Fix,
        cut: hydrogen_evidence::Spot,
    ) -> Evidence {
        let (constraint, _) = self.in_words(frame, fix.before, delta.shown, &hydrogen_term::Model::new());
        Evidence { path: vec![cut], constraint, ..Evidence::default() }
    }

    fn version_name(&self, version: VersionId) -> String {
        self.subject.program.graph.versions()[version.index()].name.clone()
    }
}
