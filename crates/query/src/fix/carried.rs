//! Fixes of other functions: a size, a limit or a state that the statement uses and that a function elsewhere sets. The states are compared
//! in the function that the fix changed, and carried to the statement along calls, global variables and members of structures.

use crate::fix::cut::Cut;
use crate::fix::delta::{Delta, Reading};
use crate::fix::gifts::Gift;
use crate::fix::points::Point;
use crate::judge::Question;
use crate::meaning::effect::Effect;
use crate::run::Mode;
use crate::walk::{Analyst, Frame};
use hydrogen_evidence::{Entry, Finding, Verdict};
use hydrogen_graph::{ChainId, Fix, VersionId};
use hydrogen_term::{Sort, Term};
use std::collections::BTreeSet;

/// How many things that functions give are compared.
const MOST_COMPARED: usize = 24;
/// Outcomes of calls that are gone through.
const MOST_OUTCOMES: usize = 5;

/// What a function of a version gives.
type Given<'p> = &'p [(Frame, Point)];

/// Something that a function gives otherwise since the fix.
struct Carried {
    giver: ChainId,
    gift: Gift,
    /// What a reader calls it.
    name: String,
    /// None where it may be otherwise, and nobody knows for which states.
    delta: Option<Delta>,
}

impl Analyst<'_> {
    /// The verdicts by what functions elsewhere give to the statement since the fix.
    pub(crate) fn judge_carried(&mut self, question: &Question<'_>, fix: Fix) -> Option<Finding> {
        let mut changed = self.concerned(question.node, fix);
        let own = self.subject.program.graph.chain(question.node);
        changed.remove(&own);
        if changed.is_empty() {
            return None;
        }
        self.begin();
        let carried = self.carried(question, &changed, fix);
        let first = carried.iter().find(|one| one.delta.is_some())?;
        let (giver, name) =
            (self.subject.program.graph.name(first.giver, fix.before).to_owned(), first.name.clone());
        if self.read_carried(question, fix, &carried, fix.before).verdict != Verdict::Present {
            return None;
        }
        let concerned = self.concerned(question.node, fix);
        let mut readings = Vec::new();
        for version in question.versions.iter() {
            self.begin();
            let mut reading = if version == fix.after {
                Reading::of(Verdict::Absent, Entry::TheFixItself)
            } else if self.is_same(&concerned, version, fix.after) {
                Reading::of(Verdict::Absent, Entry::SameAsFixed)
            } else if self.is_same(&concerned, version, fix.before) && version != fix.before {
                Reading::of(Verdict::Present, Entry::SameAsBefore)
            } else {
                self.read_carried(question, fix, &carried, version)
            };
            reading.ledger.insert(Entry::Carried { name: name.clone(), function: giver.clone() });
            readings.push((version, reading));
        }
        Some(self.by_the_fix(
            question,
            format!("the fix changes what the statement gets: {name}, from {giver}()"),
            readings,
        ))
    }

    /// What the changed functions give otherwise since the fix.
    fn carried(&mut self, question: &Question<'_>, changed: &BTreeSet<ChainId>, fix: Fix) -> Vec<Carried> {
        let gifts = self.gifts(question, changed, fix);
        let mut found = Vec::new();
        let mut compared = 0;
        for &giver in changed {
            for (gift, name) in &gifts {
                let Some(before) = self.given_by(giver, gift, fix.before) else { continue };
                compared += 1;
                let known = compared <= MOST_COMPARED && !self.spent() && self.is_comparable(gift, fix.after);
                let after = self.given_by(giver, gift, fix.after).unwrap_or_default();
                let frame = Frame::of(giver);
                let key = ("given".to_owned(), 0);
                let ends = match gift {
                    Gift::Arguments { .. } => Some(self.terms.pool.bool(true)),
                    _ => self.ends(giver, &after, fix),
                };
                let mut delta = None;
                if let Some(ends) = ends.filter(|_| known) {
                    if self.gives_the_same(giver, (&before, &after), ends, fix) {
                        continue;
                    }
                    delta = self.delta_of_gift(&frame, &key, &before, &after, fix);
                    delta = delta.and_then(|delta| self.where_it_ends(delta, ends));
                }
                found.push(Carried { giver, gift: gift.clone(), name: name.clone(), delta });
            }
        }
        found
    }

    /// The states in which the function gave something before the fix and does not since, however its own calls turn out.
    fn delta_of_gift(
        &mut self,
        frame: &Frame,
        key: &(String, usize),
        before: &[(Frame, Point)],
        after: &[(Frame, Point)],
        fix: Fix,
    ) -> Option<Delta> {
        let cut = Cut::Entry(frame.chain);
        let surely = self.reach(before, fix.before, cut, Mode::Find)?;
        let maybe = self.reach(before, fix.before, cut, Mode::Prove)?;
        let still = self.reach(after, fix.after, cut, Mode::Prove)?;
        let surely_still = self.reach(after, fix.after, cut, Mode::Find)?;
        let known = [surely, maybe];
        let still = self.however_calls_end(still, &known);
        let surely_still = self.however_calls_end(surely_still, &known);
        self.delta_of(cut, frame, key, [surely, maybe, still, surely_still], fix)
    }

    /// A condition for any outcome of those calls that other conditions do not speak of: whether memory was given to a call that another
    /// version does not make says nothing about that version.
    fn however_calls_end(&mut self, mut term: Term, known: &[Term]) -> Term {
        let known: BTreeSet<Term> = self.terms.pool.variables(known).into_iter().collect();
        let own = self.terms.pool.variables(&[term]).into_iter().filter(|one| !known.contains(one));
        let outcome = |one: &Term| {
            self.terms.pool.sort(*one) == Sort::Bool && self.terms.event_of_variable(*one).is_some()
        };
        let outcomes: Vec<Term> = own.filter(outcome).take(MOST_OUTCOMES).collect();
        for one in outcomes {
            let [yes, no] = [true, false].map(|value| {
                let value = self.terms.pool.bool(value);
                self.terms.before(term, &Effect { assign: vec![(one, value)], ..Effect::default() })
            });
            term = self.terms.pool.or(yes, no);
        }
        term
    }

    /// The states from which a function comes to an end since the fix, whatever it gives: where it does not, it gives nothing to compare.
    fn ends(&mut self, giver: ChainId, after: &[(Frame, Point)], fix: Fix) -> Option<Term> {
        let all = self.reach(after, fix.after, Cut::Entry(giver), Mode::Prove)?;
        Some(self.whatever_was_given(all))
    }

    fn where_it_ends(&mut self, mut delta: Delta, ends: Term) -> Option<Delta> {
        delta.taken = self.terms.pool.and(delta.taken, ends);
        delta.all = self.terms.pool.and(delta.all, ends);
        (self.is_possible(delta.taken) == Some(true)).then_some(delta)
    }

    /// Whether whatever is given before the fix is given after it as well.
    fn gives_the_same(
        &mut self,
        giver: ChainId,
        (before, after): (Given<'_>, Given<'_>),
        ends: Term,
        fix: Fix,
    ) -> bool {
        let old = self.reach(before, fix.before, Cut::Entry(giver), Mode::Prove);
        let new = self.reach(after, fix.after, Cut::Entry(giver), Mode::Find);
        let (Some(old), Some(new)) = (old, new) else { return false };
        let new = self.however_calls_end(new, &[old]);
        let gone = self.terms.pool.not(new);
        let states = self.terms.pool.and_all([old, gone, ends]);
        self.is_possible(states) == Some(false)
    }

    /// A version has the bug if one of the functions gives what it gave before the fix; it has it not if all give what they give since.
    fn read_carried(
        &mut self,
        question: &Question<'_>,
        fix: Fix,
        carried: &[Carried],
        version: VersionId,
    ) -> Reading {
        let graph = self.subject.program.graph;
        let node = question.node;
        if self.follow(node, fix.before, version).is_empty() {
            return match graph.versions()[version.index()].missing.is_empty() {
                true => Reading::of(Verdict::NotApplicable, Entry::StatementGone),
                false => Reading::of(Verdict::Unknown, Entry::PartsUnread),
            };
        }
        let (mut worst, mut shown): (Option<Reading>, Option<Reading>) = (None, None);
        for one in carried {
            let reading = match &one.delta {
                None if self.is_same(&BTreeSet::from([one.giver]), version, fix.after) => continue,
                None => Reading::of(Verdict::Unknown, Entry::WayNotFollowed),
                Some(_) if !graph.chain_in(one.giver, version) => Reading::of(Verdict::Unknown, Entry::NoCut),
                Some(delta) => self.read_gift(one, delta, version, fix),
            };
            match reading.verdict {
                Verdict::Present => shown = shown.or(Some(reading)),
                Verdict::Unknown => worst = worst.or(Some(reading)),
                _ => worst = worst.filter(|one| one.verdict == Verdict::Unknown).or(Some(reading)),
            }
        }
        let Some(present) = shown else {
            return worst.unwrap_or_else(|| Reading::of(Verdict::Unknown, Entry::FixSilent));
        };
        // What it gets is as before; what it does with it must be, too.
        let mut ways: BTreeSet<ChainId> = self.concerned(node, fix);
        ways.insert(graph.chain(node));
        let as_before = graph.node_in(node, version)
            && graph.payload(node, version) == graph.payload(node, fix.before)
            && !self.tests_more(&ways, version, fix.before);
        if as_before {
            return present;
        }
        let line = graph.line(node, fix.before).unwrap_or(0);
        let version = graph.versions()[fix.before.index()].name.clone();
        Reading::of(Verdict::Unknown, Entry::OtherConditions { line, version })
    }

    /// What a version's function gives in the states that the fix is about.
    fn read_gift(&mut self, carried: &Carried, delta: &Delta, version: VersionId, fix: Fix) -> Reading {
        let frame = Frame::of(carried.giver);
        let Some(points) = self.given_by(carried.giver, &carried.gift, version) else {
            return Reading::of(Verdict::Unknown, Entry::NoCut);
        };
        let reading = self.meet(&frame, &points, delta, version, fix);
        if reading.verdict != Verdict::Absent || version == fix.after {
            return reading;
        }
        // Another value than before the fix is not yet that of the fix.
        match self.gives_as_fixed(carried, &points, delta, version, fix) {
            true => reading,
            false => Reading::of(Verdict::Unknown, Entry::FixBounded),
        }
    }

    /// Whether all that a version gives in the states of a delta is given since the fix, too.
    fn gives_as_fixed(
        &mut self,
        carried: &Carried,
        points: &[(Frame, Point)],
        delta: &Delta,
        version: VersionId,
        fix: Fix,
    ) -> bool {
        let Some(fixed) = self.given_by(carried.giver, &carried.gift, fix.after) else { return false };
        let cut = Cut::Entry(carried.giver);
        let own = self.reach(points, version, cut, Mode::Prove);
        let fixed = self.reach(&fixed, fix.after, cut, Mode::Find);
        let (Some(own), Some(fixed)) = (own, fixed) else { return false };
        let fixed = self.however_calls_end(fixed, &[own]);
        let states = self.whatever_was_given(delta.all);
        let not_fixed = self.terms.pool.not(fixed);
        let other = self.terms.pool.and_all([states, own, not_fixed]);
        self.is_possible(other) == Some(false)
    }

    /// The states of a delta, with names of their own for what was given in them.
    fn whatever_was_given(&mut self, term: Term) -> Term {
        let mut renamed = Effect::default();
        for variable in self.terms.pool.variables(&[term]) {
            let name = self.terms.pool.as_var(variable).unwrap_or_default();
            if name.starts_with("the statement's gift") {
                let (name, sort) = (format!("{name} before"), self.terms.pool.sort(variable));
                renamed.put(variable, self.terms.pool.var(&name, sort));
            }
        }
        self.terms.before(term, &renamed)
    }
}
