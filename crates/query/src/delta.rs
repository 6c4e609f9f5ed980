//! The patch as specification: the states that reach a statement before a fix, and after it no longer, or no longer with the same operands.
//!
//! States are those at a *cut*: a run that all ways to the statement pass, in both versions of the fix. A release has the bug iff its own
//! statement is reached, with those operands, from a state of the delta at its own cut.

use crate::judge::{Question, mark_fixed};
use crate::points::Point;
use crate::resolve::{Beginning, Outcome};
use crate::shape::Spot as Run;
use crate::walk::{Analyst, Frame, Start, Stop};
use crate::{Basis, Evidence, Finding, Kind, Ruling, Verdict};
use hydrogen_graph::{NodeId, VersionId, VersionSet};
use hydrogen_ir::Role;
use hydrogen_term::{Answer, Op, Term};
use std::collections::{BTreeMap, BTreeSet};

/// A fix: the versions before and after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fix {
    /// With the bug.
    pub before: VersionId,
    /// Without.
    pub after: VersionId,
}

/// The states at a cut that a fix took away from an action of the statement.
#[derive(Debug, Clone)]
struct Delta {
    cut: Run,
    key: (String, usize),
    states: Term,
}

/// How many cuts above the statement are tried.
const MOST_CUTS: usize = 24;

/// A version's answer before it is a ruling.
struct Reading {
    verdict: Verdict,
    evidence: Evidence,
    ledger: BTreeSet<String>,
}

impl Reading {
    fn of(verdict: Verdict, why: impl Into<String>) -> Self {
        Self { verdict, evidence: Evidence::default(), ledger: BTreeSet::from([why.into()]) }
    }
}

impl Analyst<'_> {
    /// The verdicts by the fix; none if the fix changes nothing for the statement that can be seen.
    pub fn judge_by_fix(&mut self, question: &Question<'_>, fix: Fix) -> Option<Finding> {
        self.begin();
        let deltas = self.deltas(question.node, fix, question.kind);
        if deltas.is_empty() {
            return None;
        }
        let mut verdicts = Vec::new();
        for version in question.versions.iter() {
            let reading = self.read_by_fix(question, fix, &deltas, version);
            verdicts.push(Ruling {
                id: version,
                version: self.program.graph.versions()[version.index()].name.clone(),
                verdict: reading.verdict,
                basis: Basis::Patch,
                evidence: reading.evidence,
                ledger: reading.ledger.into_iter().collect(),
            });
        }
        mark_fixed(&mut verdicts);
        Some(Finding {
            kind: question.kind.unwrap_or(Kind::Change),
            message: "the fix takes states away from the statement".into(),
            location: self.spot(question.node, question.at),
            at_version: self.program.graph.versions()[question.at.index()].name.clone(),
            node: question.node,
            status: None,
            verdicts,
        })
    }

    /// The statements that a fix concerns: those that some states reach before it, and not after it or with other operands.
    pub fn concerned(&mut self, fix: Fix, most: usize) -> Vec<NodeId> {
        let graph = self.program.graph;
        let both = VersionSet::one(fix.before).union(&VersionSet::one(fix.after));
        let mut found = Vec::new();
        for chain in graph.chains() {
            if !both.is_subset(&graph.chain_versions(chain)) {
                continue;
            }
            let changed = graph.chain_nodes(chain).iter().any(|&node| {
                let (old, new) = (graph.node_in(node, fix.before), graph.node_in(node, fix.after));
                old != new || old && graph.payload(node, fix.before) != graph.payload(node, fix.after)
            });
            if !changed {
                continue;
            }
            for node in graph.pieces(chain, fix.before) {
                if found.len() >= most || self.out_of_time() {
                    return found;
                }
                if matches!(graph.role(node), Role::Entry | Role::Exit) {
                    continue;
                }
                self.begin();
                if !self.deltas(node, fix, Some(Kind::Overflow)).is_empty() {
                    found.push(node);
                }
            }
        }
        found
    }

    /// The deltas at the nearest cut that shows any, and at all cuts above it that do.
    fn deltas(&mut self, node: NodeId, fix: Fix, kind: Option<Kind>) -> Vec<Delta> {
        let old = self.points(&[node], fix.before, kind);
        let instead = self.follow(node, fix.before, fix.after);
        let new = self.points(&instead, fix.after, kind);
        let mut out: Vec<Delta> = Vec::new();
        for cut in self.cuts(node, fix, &new) {
            for (frame, point) in &old {
                if out.len() >= 12 || self.out_of_time() {
                    return out;
                }
                let before = self.reach(frame, point, fix.before, cut);
                let same: Vec<&(Frame, Point)> = new.iter().filter(|(_, other)| other.key == point.key).collect();
                let no = self.terms.pool.bool(false);
                let after = match same[..] {
                    [(frame, other)] => self.reach(frame, other, fix.after, cut),
                    [] => Some(no),
                    _ => None,
                };
                let (Some(before), Some(after)) = (before, after) else { continue };
                let kept = self.terms.pool.not(after);
                let states = self.terms.pool.and(before, kept);
                if self.is_exact(states) && self.is_possible(states) == Some(true) {
                    out.push(Delta { cut, key: point.key.clone(), states });
                }
            }
        }
        out
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

    /// The states at a cut from which an action is reached with the named operands.
    fn reach(&mut self, frame: &Frame, point: &Point, version: VersionId, cut: Run) -> Option<Term> {
        let one = VersionSet::one(version);
        let lost = std::mem::take(&mut self.lost);
        let start = Start::Before(point.spot, point.operands, one);
        let found = self.walk(frame, vec![start], Stop::Before(cut));
        let incomplete = !std::mem::replace(&mut self.lost, lost).is_empty();
        if incomplete {
            return None;
        }
        let no = self.terms.pool.bool(false);
        Some(found.0.first().map_or(no, |(term, _)| *term))
    }

    /// Whether a condition is made of the state and inputs alone.
    fn is_exact(&self, term: Term) -> bool {
        self.terms.pool.postorder(&[term]).into_iter().all(|one| match self.terms.pool.op(one) {
            Op::Var(_) => {
                self.terms.event_of_variable(one).is_none_or(|event| self.terms.event_by_number(event).input)
            }
            Op::Apply(function) => self.terms.event_of(function).is_none_or(|(_, event)| event.input),
            _ => true,
        })
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

    fn read_by_fix(&mut self, question: &Question<'_>, fix: Fix, deltas: &[Delta], version: VersionId) -> Reading {
        let graph = self.program.graph;
        let instead = self.follow(question.node, fix.before, version);
        if instead.is_empty() {
            return match graph.versions()[version.index()].missing.is_empty() {
                true => Reading::of(Verdict::NotApplicable, "the statement is not in this version"),
                false => Reading::of(Verdict::Unknown, "parts of this version could not be read"),
            };
        }
        let points = self.points(&instead, version, question.kind);
        let Some(shape) = self.shape(graph.chain(question.node), version) else {
            return Reading::of(Verdict::Unknown, "the function is not compiled in this version");
        };
        let mut readings: BTreeMap<(String, usize), Reading> = BTreeMap::new();
        for delta in deltas {
            // The nearest cut that the version has decides.
            if readings.get(&delta.key).is_some_and(|reading| reading.verdict != Verdict::Unknown) {
                continue;
            }
            let same: Vec<&(Frame, Point)> = points.iter().filter(|(_, point)| point.key == delta.key).collect();
            let reading = match (same[..].split_first(), shape.by_spot.get(&delta.cut)) {
                (None, _) => Reading::of(Verdict::Absent, format!("the statement does no {} any more", delta.key.0)),
                (_, None) => Reading::of(Verdict::Unknown, "no cut point of the fix is in this version"),
                (Some(((frame, point), [])), Some(&cut)) => {
                    let passed = shape.by_spot.get(&point.spot).is_some_and(|&at| shape.dominators.dominates(cut, at));
                    if passed {
                        self.meet(frame, point, delta, version, fix)
                    } else {
                        Reading::of(Verdict::Unknown, "the statement can be reached around the cut point")
                    }
                }
                _ => Reading::of(Verdict::Unknown, "several actions of the statement look alike"),
            };
            readings.insert(delta.key.clone(), reading);
        }
        let worst = |reading: &Reading| match reading.verdict {
            Verdict::Present => 0,
            Verdict::Unknown => 1,
            _ => 2,
        };
        let found = readings.into_values().min_by_key(worst);
        found.unwrap_or_else(|| Reading::of(Verdict::Unknown, "the fix says nothing about this version"))
    }

    /// Whether a version's action meets the delta.
    fn meet(&mut self, frame: &Frame, point: &Point, delta: &Delta, version: VersionId, fix: Fix) -> Reading {
        let one = VersionSet::one(version);
        let Some(reached) = self.reach(frame, point, version, delta.cut) else {
            return Reading::of(Verdict::Unknown, "the way from the cut point to the statement is not fully followed");
        };
        let states = self.terms.pool.and(reached, delta.states);
        match self.is_possible(states) {
            Some(false) => {
                let cut = self.spot(delta.cut.node, version);
                let (constraint, _) = self.in_words(frame, fix.before, delta.states, &hydrogen_term::Model::new());
                let evidence = Evidence { path: vec![cut], constraint, model: Vec::new() };
                let ledger = if self.is_exact(reached) {
                    BTreeSet::new()
                } else {
                    BTreeSet::from(["values that are not followed were taken as any".to_owned()])
                };
                return Reading { verdict: Verdict::Absent, evidence, ledger };
            }
            None => return Reading::of(Verdict::Unknown, "no answer from the solver"),
            Some(true) => {}
        }
        if !self.is_exact(reached) {
            return Reading::of(Verdict::Unknown, "the way from the cut point to the statement is not fully followed");
        }
        if let Some(missing) = self.unrelated(frame, states, version, fix) {
            return Reading::of(Verdict::Unknown, format!("{missing} has no counterpart in {}", self.version_name(fix.before)));
        }
        let beginning = Beginning { spot: delta.cut, term: states, versions: one.clone() };
        let outcome = self.question(frame, std::slice::from_ref(&beginning), &one).remove(&version);
        let cut = self.spot(delta.cut.node, version);
        let statement = self.spot(point.spot.node, version);
        let Answer::Sat(model) = ({
            let constraints = self.with_axioms(states);
            self.engine.check(&mut self.terms.pool, &constraints)
        }) else {
            return Reading::of(Verdict::Unknown, "no answer from the solver");
        };
        let (constraint, model) = self.in_words(frame, version, states, &model);
        let evidence = Evidence { path: vec![cut.clone(), statement], constraint, model };
        match outcome {
            Some(Outcome::Refuted) => {
                let why = format!("no state that the fix is about comes to line {}", cut.line);
                Reading { verdict: Verdict::Absent, evidence: Evidence::default(), ledger: BTreeSet::from([why]) }
            }
            Some(Outcome::Witness(witness)) => {
                let mut ledger = witness.assumed.clone();
                ledger.insert("the inputs of the outermost function are taken as any valid values".into());
                Reading { verdict: Verdict::Present, evidence, ledger }
            }
            _ if version != fix.before && self.guards_above(frame, delta.cut, version, fix) => {
                Reading::of(Verdict::Unknown, format!("conditions above line {} are not those of the fixed version", cut.line))
            }
            _ => {
                let why = format!("the states at line {} are taken as possible", cut.line);
                Reading { verdict: Verdict::Present, evidence, ledger: BTreeSet::from([why]) }
            }
        }
    }

    fn version_name(&self, version: VersionId) -> String {
        self.program.graph.versions()[version.index()].name.clone()
    }

    /// A variable of the condition that one of the two versions does not have.
    fn unrelated(&mut self, frame: &Frame, term: Term, version: VersionId, fix: Fix) -> Option<String> {
        let (one, other) = (self.shape(frame.chain, version)?, self.shape(frame.chain, fix.before)?);
        let known = |shape: &crate::shape::Shape, name: &str| {
            shape.plain.values().any(|found| found == name)
                || shape.objects.values().any(|(found, _)| found == name)
                || shape.function().parameters.iter().any(|parameter| parameter.name == name)
        };
        for variable in self.terms.pool.variables(&[term]) {
            let name = self.terms.pool.as_var(variable)?.to_owned();
            let stem = name.strip_suffix(".object").or_else(|| name.strip_suffix(".offset")).unwrap_or(&name);
            if stem.starts_with(['?', '!', '%']) || stem.starts_with("the statement's") || stem.starts_with("argument ") {
                continue;
            }
            if !known(&one, stem) || !known(&other, stem) {
                return Some(stem.to_owned());
            }
        }
        None
    }

    /// Whether a version tests something on the way to a cut that the fix's own version does not.
    fn guards_above(&mut self, frame: &Frame, cut: Run, version: VersionId, fix: Fix) -> bool {
        let graph = self.program.graph;
        let Some(shape) = self.shape(frame.chain, version) else { return true };
        let Some(&at) = shape.by_spot.get(&cut) else { return true };
        shape.dominators.dominators_of(at).any(|step| {
            let node = shape.steps[step].spot.node;
            let tests = matches!(graph.role(node), Role::If | Role::Switch | Role::Condition);
            tests && !graph.node_in(node, fix.before)
        })
    }
}
