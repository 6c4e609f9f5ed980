//! The patch as specification: the states that reach a statement before a fix, and after it no longer, or no longer with the same operands.
//!
//! States are those at a *cut*: a run that all ways to the statement pass, in both versions of the fix. A release has the bug iff its own
//! statement is reached, with those operands, from a state of the delta at its own cut.

use crate::fix::points::Point;
use crate::judge::Question;
use crate::judge::resolve::{Beginning, Outcome};
use crate::meaning::approximate::Toward;
use crate::meaning::layouts::Layouts;
use crate::meaning::shape::Spot as Run;
use crate::run::Mode;
use crate::walk::{Analyst, Frame, Start, Stop};
use hydrogen_evidence::{Basis, Class, Entry, Evidence, Finding, Ruling, Verdict, mark_fixed};
use hydrogen_graph::{Fix, NodeId, VersionId, VersionSet};
use hydrogen_term::{Answer, Term};
use std::collections::{BTreeMap, BTreeSet};

/// The states at a cut that a fix took away from an action of the statement.
#[derive(Debug, Clone)]
struct Delta {
    cut: Run,
    key: (String, usize),
    /// States that are certainly taken away, with the operands they had.
    taken: Term,
    /// All states that may be.
    all: Term,
    /// As `taken`, without the operands, for the reader; the whole where only operands changed.
    shown: Term,
}

/// How many cuts above the statement are tried.
const MOST_CUTS: usize = 24;

/// A version's answer before it is a ruling.
struct Reading {
    verdict: Verdict,
    evidence: Evidence,
    ledger: BTreeSet<Entry>,
}

impl Reading {
    fn of(verdict: Verdict, why: Entry) -> Self {
        Self { verdict, evidence: Evidence::default(), ledger: BTreeSet::from([why]) }
    }
}

impl Analyst<'_> {
    /// The verdicts by the fix; none if the fix changes nothing for the statement that can be seen.
    pub fn judge_by_fix(&mut self, question: &Question<'_>, fix: Fix) -> Option<Finding> {
        self.terms.layouts = Some(Layouts::default());
        let finding = self.compare_with_fix(question, fix);
        self.terms.layouts = None;
        finding
    }

    fn compare_with_fix(&mut self, question: &Question<'_>, fix: Fix) -> Option<Finding> {
        self.begin();
        if self.deltas(question.node, fix, question.kind, fix.before).is_empty() {
            return None;
        }
        let mut verdicts = Vec::new();
        for version in question.versions.iter() {
            self.begin();
            let deltas = self.deltas(question.node, fix, question.kind, version);
            let mut reading = self.read_by_fix(question, fix, &deltas, version);
            if version == fix.after {
                reading.ledger.insert(Entry::TheFixItself);
                if reading.verdict != Verdict::NotApplicable {
                    reading.verdict = Verdict::Absent;
                }
            }
            verdicts.push(Ruling {
                id: version.0,
                version: self.program.graph.versions()[version.index()].name.clone(),
                verdict: reading.verdict,
                basis: Basis::Patch,
                evidence: reading.evidence,
                ledger: reading.ledger.into_iter().collect(),
            });
        }
        mark_fixed(&mut verdicts);
        Some(Finding {
            kind: question.kind.unwrap_or(Class::Change),
            message: "the fix takes states away from the statement".into(),
            location: self.spot(question.node, question.at),
            at_version: self.program.graph.versions()[question.at.index()].name.clone(),
            node: question.node.0,
            status: None,
            verdicts,
        })
    }

    /// The deltas at the nearest cut that shows any and that the version has.
    fn deltas(&mut self, node: NodeId, fix: Fix, kind: Option<Class>, version: VersionId) -> Vec<Delta> {
        let old = self.points(&[node], fix.before, kind);
        let instead = self.follow(node, fix.before, fix.after);
        let new = self.points(&instead, fix.after, kind);
        let mut out: Vec<Delta> = Vec::new();
        for cut in self.cuts(node, fix, &new) {
            if !self.program.graph.node_in(cut.node, version) {
                continue;
            }
            for (frame, point) in &old {
                if self.out_of_time() {
                    return out;
                }
                let same: Vec<&(Frame, Point)> =
                    new.iter().filter(|(_, other)| other.key == point.key).collect();
                let other = match same[..] {
                    [] => None,
                    [one] => Some(one),
                    _ => continue,
                };
                out.extend(self.delta(cut, frame, point, other, fix));
            }
            if !out.is_empty() {
                break;
            }
        }
        out
    }

    fn delta(
        &mut self,
        cut: Run,
        frame: &Frame,
        point: &Point,
        other: Option<&(Frame, Point)>,
        fix: Fix,
    ) -> Option<Delta> {
        let surely = self.reach(frame, point, fix.before, cut, Mode::Find)?;
        let maybe = self.reach(frame, point, fix.before, cut, Mode::Prove)?;
        let (still, surely_still) = match other {
            Some((frame, other)) => (
                self.reach(frame, other, fix.after, cut, Mode::Prove)?,
                self.reach(frame, other, fix.after, cut, Mode::Find)?,
            ),
            None => {
                let no = self.terms.pool.bool(false);
                (no, no)
            }
        };
        let surely = self.terms.approximate(surely, Toward::Stronger);
        let still = self.terms.approximate(still, Toward::Weaker);
        let surely_still = self.terms.approximate(surely_still, Toward::Stronger);
        let (gone, maybe_gone) = (self.terms.pool.not(still), self.terms.pool.not(surely_still));
        let taken = self.terms.pool.and(surely, gone);
        let taken = self.whatever_is_unrelated(frame, taken, fix)?;
        if self.is_possible(taken) != Some(true) {
            return None;
        }
        let all = self.terms.pool.and(maybe, maybe_gone);
        let shown = self.without_operands(cut, frame, point, other, fix).unwrap_or(taken);
        Some(Delta { cut, key: point.key.clone(), taken, all, shown })
    }

    /// The states that do not come to the statement any more, if there are any.
    fn without_operands(
        &mut self,
        cut: Run,
        frame: &Frame,
        point: &Point,
        other: Option<&(Frame, Point)>,
        fix: Fix,
    ) -> Option<Term> {
        let yes = self.terms.pool.bool(true);
        let plain = |point: &Point| Point { operands: yes, ..point.clone() };
        let before = self.reach(frame, &plain(point), fix.before, cut, Mode::Find)?;
        let after = match other {
            Some((frame, other)) => self.reach(frame, &plain(other), fix.after, cut, Mode::Prove)?,
            None => self.terms.pool.bool(false),
        };
        let before = self.terms.approximate(before, Toward::Stronger);
        let after = self.terms.approximate(after, Toward::Weaker);
        let gone = self.terms.pool.not(after);
        let states = self.terms.pool.and(before, gone);
        (self.is_possible(states) == Some(true)).then_some(states)
    }

    /// Runs that every way to the statement passes, before and after the fix, the nearest first.
    fn cuts(&mut self, node: NodeId, fix: Fix, new: &[(Frame, Point)]) -> Vec<Run> {
        let graph = self.program.graph;
        let chain = graph.chain(node);
        let (Some(old), Some(after)) = (self.shape(chain, fix.before), self.shape(chain, fix.after)) else {
            return Vec::new();
        };
        let Some(first) = old.steps.iter().position(|step| step.spot.node == node) else { return Vec::new() };
        let targets: Vec<usize> =
            new.iter().filter_map(|(_, point)| after.by_spot.get(&point.spot).copied()).collect();
        let dominating: Vec<usize> = old.dominators.dominators_of(first).collect();
        let passes = |run: &Run| {
            let Some(&there) = after.by_spot.get(run) else { return false };
            run.ordinal == 0 && targets.iter().all(|&target| after.dominators.dominates(there, target))
        };
        dominating.into_iter().map(|step| old.steps[step].spot).filter(passes).take(MOST_CUTS).collect()
    }

    /// The states at a cut from which an action is reached with the named operands; none if not all ways could be followed.
    fn reach(
        &mut self,
        frame: &Frame,
        point: &Point,
        version: VersionId,
        cut: Run,
        mode: Mode,
    ) -> Option<Term> {
        let one = VersionSet::one(version);
        let lost = std::mem::take(&mut self.run.lost);
        let start = Start::Before(point.spot, point.operands, one);
        let found = self.in_mode(mode, |one| one.walk(frame, vec![start], Stop::Before(cut)));
        let incomplete = !std::mem::replace(&mut self.run.lost, lost).is_empty();
        // What is found is found, whatever else there is.
        if incomplete && mode == Mode::Prove {
            return None;
        }
        let no = self.terms.pool.bool(false);
        Some(found.0.first().map_or(no, |(term, _)| *term))
    }

    /// Whether a condition on a state can hold; none if that is not known.
    fn is_possible(&mut self, term: Term) -> Option<bool> {
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
    ) -> Reading {
        let graph = self.program.graph;
        let instead = self.follow(question.node, fix.before, version);
        if instead.is_empty() {
            return match graph.versions()[version.index()].missing.is_empty() {
                true => Reading::of(Verdict::NotApplicable, Entry::StatementGone),
                false => Reading::of(Verdict::Unknown, Entry::PartsUnread),
            };
        }
        let points = self.points(&instead, version, question.kind);
        let Some(shape) = self.shape(graph.chain(question.node), version) else {
            return Reading::of(Verdict::Unknown, Entry::NotCompiled);
        };
        let mut readings: BTreeMap<(String, usize), Reading> = BTreeMap::new();
        for delta in deltas {
            // The nearest cut that the version has decides.
            if readings.get(&delta.key).is_some_and(|reading| reading.verdict != Verdict::Unknown) {
                continue;
            }
            let same: Vec<&(Frame, Point)> =
                points.iter().filter(|(_, point)| point.key == delta.key).collect();
            let reading = match (same[..].split_first(), shape.by_spot.get(&delta.cut)) {
                (None, _) => {
                    let operation = delta.key.0.clone();
                    match self.can_fail_elsewhere(&instead, version, question.kind) {
                        true => Reading::of(Verdict::Unknown, Entry::OperationReplaced { operation }),
                        false => Reading::of(Verdict::Absent, Entry::OperationGone { operation }),
                    }
                }
                (_, None) => Reading::of(Verdict::Unknown, Entry::NoCut),
                (Some(((frame, point), [])), Some(&cut)) => {
                    let passed =
                        shape.by_spot.get(&point.spot).is_some_and(|&at| shape.dominators.dominates(cut, at));
                    if passed {
                        self.meet(frame, point, delta, version, fix)
                    } else {
                        Reading::of(Verdict::Unknown, Entry::AroundCut)
                    }
                }
                _ => Reading::of(Verdict::Unknown, Entry::LookAlike),
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

    /// Whether statements can fail in the way asked about, or touch memory wrongly where no way is named.
    fn can_fail_elsewhere(&mut self, nodes: &[NodeId], version: VersionId, kind: Option<Class>) -> bool {
        let memory = [Class::Overflow, Class::Null, Class::UseAfterFree, Class::DoubleFree];
        nodes.iter().any(|&node| {
            let frame = Frame::of(self.program.graph.chain(node));
            let sites = self.sites(&frame, node, version);
            sites.iter().any(|site| kind.map_or(memory.contains(&site.kind), |kind| kind == site.kind))
        })
    }

    /// Whether a version's action meets the delta.
    fn meet(&mut self, frame: &Frame, point: &Point, delta: &Delta, version: VersionId, fix: Fix) -> Reading {
        let one = VersionSet::one(version);
        let cut = self.spot(delta.cut.node, version);
        let Some(maybe) = self.reach(frame, point, version, delta.cut, Mode::Prove) else {
            return Reading::of(Verdict::Unknown, Entry::WayNotFollowed);
        };
        let met = self.terms.pool.and(maybe, delta.all);
        let strictly = self.is_possible(met);
        let met = self.terms.pool.and(maybe, delta.taken);
        match (strictly, self.is_possible(met)) {
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
        let Some(surely) = self.reach(frame, point, version, delta.cut, Mode::Find) else {
            return Reading::of(Verdict::Unknown, Entry::WayNotFollowed);
        };
        let surely = self.terms.approximate(surely, Toward::Stronger);
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
        let (_, model) = self.in_words(frame, version, delta.shown, &model);
        let (constraint, _) = self.in_words(frame, fix.before, delta.shown, &hydrogen_term::Model::new());
        let statement = self.spot(point.spot.node, version);
        let evidence =
            Evidence { path: vec![cut.clone(), statement], constraint, model, ..Evidence::default() };
        let beginning = Beginning { spot: delta.cut, behind: false, term: states, versions: one.clone() };
        match self.question(frame, std::slice::from_ref(&beginning), &one).remove(&version) {
            Some(Outcome::Refuted) => {
                let why = Entry::StatesExcluded { line: cut.line };
                Reading {
                    verdict: Verdict::Absent,
                    evidence: Evidence::default(),
                    ledger: BTreeSet::from([why]),
                }
            }
            Some(Outcome::Witness(witness)) => {
                let mut ledger = witness.assumed.clone();
                ledger.insert(Entry::AnyInput);
                Reading { verdict: Verdict::Present, evidence, ledger }
            }
            _ if version != fix.before && self.guards_above(frame, delta.cut, version, fix) => Reading::of(
                Verdict::Unknown,
                Entry::OtherConditions { line: cut.line, version: self.version_name(fix.before) },
            ),
            _ => {
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
        self.program.graph.versions()[version.index()].name.clone()
    }
}
