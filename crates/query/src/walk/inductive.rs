//! What every round of a loop keeps: guesses of which one round shows that they stay.
//!
//! One that holds after a round if it held before it holds at the head in every round, provided that it held when the loop was entered;
//! that is left to the way in, so that nothing is taken for granted which only looks so. Guesses are shown in three ways: by themselves;
//! together, where one needs the other, if all of them hold whenever the loop is entered (guesses that contradict each other would show
//! anything, and say nothing); and beside those. What one round does is what the walk says of it, so that inner loops,
//! calls and several ways out count as everywhere else.

use crate::meaning::effect::Effect;
use crate::meaning::shape::Spot;
use crate::run::{Asking, Mode};
use crate::walk::guesses::Guess;
use crate::walk::{Analyst, Frame, Start, Stop};
use hydrogen_evidence::Entry;
use hydrogen_graph::{VersionId, VersionSet};
use hydrogen_term::{Op, Sort, Term};
use std::collections::BTreeSet;

/// A guess that one round keeps, and what must hold beside it.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    beside: Term,
    guess: Guess,
}

impl Analyst<'_> {
    /// The effect of any number of rounds, with what every round keeps of it.
    pub(super) fn kept_by_rounds(
        &mut self,
        frame: &Frame,
        head: Spot,
        version: VersionId,
        term: Term,
        mut effect: Effect,
    ) -> Effect {
        let plain = Effect { guard: None, ..effect.clone() };
        let mut kept = self.inductive(frame, head, version, term, &plain);
        // What the loop leaves alone is not only equal to what it was: it is that.
        let always = self.terms.pool.bool(true);
        kept.retain(|one| match one.guess.since.filter(|_| one.guess.is_unchanged && one.beside == always) {
            Some((_, measure)) => {
                effect.put(measure, measure);
                false
            }
            None => true,
        });
        let plain = Effect { guard: None, ..effect.clone() };
        for Kept { beside, guess } in self.that_matter(kept, term, &plain) {
            // If it held when the loop was entered, it holds in every round.
            let later = self.terms.before(guess.holds, &plain);
            let (first, later) = match guess.since {
                None => (self.terms.pool.and(beside, guess.holds), later),
                Some((measured, measure)) => {
                    let since = Effect { assign: vec![(measured, measure)], ..Effect::default() };
                    (beside, self.terms.before(later, &since))
                }
            };
            let fact = self.terms.pool.implies(first, later);
            effect.guard = Some(match effect.guard {
                Some(guard) => self.terms.pool.and(guard, fact),
                None => fact,
            });
        }
        effect
    }

    /// Those that speak of something which the loop changes and the condition speaks of, or of what such ones speak of: the others would
    /// only make the condition larger.
    fn that_matter(&mut self, kept: Vec<Kept>, term: Term, plain: &Effect) -> Vec<Kept> {
        let mut spoken_of = self.changed_in(term, plain);
        let mut open: Vec<(BTreeSet<Term>, Kept)> = Vec::new();
        for one in kept {
            let speaks_of = self.changed_in(one.guess.holds, plain);
            open.push((speaks_of, one));
        }
        let mut found = Vec::new();
        loop {
            let before = found.len();
            let (near, far): (Vec<_>, Vec<_>) =
                open.into_iter().partition(|(speaks_of, _)| !speaks_of.is_disjoint(&spoken_of));
            for (speaks_of, one) in near {
                spoken_of.extend(speaks_of);
                found.push(one);
            }
            open = far;
            if found.len() == before {
                return found;
            }
        }
    }

    /// The variables and cells of memory in a term that the loop may change.
    fn changed_in(&mut self, term: Term, plain: &Effect) -> BTreeSet<Term> {
        let all = self.terms.pool.postorder(&[term]);
        let unknown = |one: &Term| matches!(self.terms.pool.op(*one), Op::Var(_) | Op::Apply(_));
        let unknown: Vec<Term> = all.into_iter().filter(unknown).collect();
        unknown.into_iter().filter(|&one| self.terms.before(one, plain) != one).collect()
    }

    /// What one round keeps of the guesses about a loop.
    fn inductive(
        &mut self,
        frame: &Frame,
        head: Spot,
        version: VersionId,
        term: Term,
        plain: &Effect,
    ) -> Vec<Kept> {
        let guesses = self.guesses(frame, head, version, term, plain);
        if guesses.is_empty() || self.is_over() {
            return Vec::new();
        }
        let named: Vec<Term> = guesses.iter().map(|guess| guess.holds).collect();
        let key = (frame.prefix.clone(), frame.chain, version, head, self.run.in_rounds, named);
        if let Some(known) = self.store.inductive.get(&key) {
            return known.clone();
        }
        let Some(broken) = self.broken_by_a_round(frame, head, version, &guesses) else { return Vec::new() };
        let open: Vec<(Guess, Term)> = guesses.into_iter().zip(broken).collect();
        let (mut kept, open) = self.kept_alone(open);
        if !open.is_empty() && !self.run.in_rounds && !self.is_over() {
            kept = self.kept_together(frame, head, version, kept, open);
        }
        tracing::trace!(kept = kept.len(), "what the rounds of a loop keep");
        self.store.inductive.insert(key, kept.clone());
        kept
    }

    /// Guesses that a round keeps whatever the others do, and the rest. Strides come first: they do not contradict each other, and what
    /// follows may rest on them.
    fn kept_alone(&mut self, guesses: Vec<(Guess, Term)>) -> (Vec<Kept>, Vec<(Guess, Term)>) {
        let (mut kept, mut open) = (Vec::new(), Vec::new());
        let mut beside = self.terms.pool.bool(true);
        let nothing = beside;
        for (guess, broken) in guesses {
            if self.is_kept(nothing, &guess, broken) {
                if guess.is_stride {
                    beside = self.terms.pool.and(beside, guess.holds);
                }
                kept.push(Kept { beside: nothing, guess });
            } else if beside != nothing && self.is_kept(beside, &guess, broken) {
                kept.push(Kept { beside, guess });
            } else {
                open.push((guess, broken));
            }
        }
        (kept, open)
    }

    /// Whether a round that begins with a guess, and what is beside it, ends with it.
    fn is_kept(&mut self, beside: Term, guess: &Guess, broken: Term) -> bool {
        let first = self.terms.pool.and(beside, guess.holds);
        let still = self.terms.pool.and(first, broken);
        !self.is_over() && self.is_refuted_with_little(still)
    }

    /// Guesses that a round keeps together: all that hold whenever the loop is entered, less those that a round does not keep beside the
    /// others, until none is left to go. Then what a round keeps beside them.
    fn kept_together(
        &mut self,
        frame: &Frame,
        head: Spot,
        version: VersionId,
        mut kept: Vec<Kept>,
        open: Vec<(Guess, Term)>,
    ) -> Vec<Kept> {
        // What rests on something else rests on it for good only where that holds when the loop is entered, too.
        let nothing = self.terms.pool.bool(true);
        let by_itself = |one: &&Kept| one.guess.since.is_none() && one.beside == nothing;
        let plain: Vec<Term> = kept.iter().filter(by_itself).map(|one| one.guess.holds).collect();
        let asked: Vec<Term> =
            plain.iter().copied().chain(open.iter().map(|(guess, _)| guess.holds)).collect();
        let holds = self.hold_when_entered(frame, head, version, &asked);
        let sure: Vec<Term> =
            plain.iter().zip(&holds).filter(|(_, holds)| **holds).map(|(term, _)| *term).collect();
        let (mut together, mut rest) = (Vec::new(), Vec::new());
        for ((guess, broken), holds) in open.into_iter().zip(&holds[plain.len()..]) {
            let list = if *holds && guess.since.is_none() { &mut together } else { &mut rest };
            list.push((guess, broken));
        }
        let mut beside = self.all_of(&sure, &together);
        loop {
            let before = together.len();
            let mut at = 0;
            while at < together.len() {
                let (guess, broken) = together[at].clone();
                if self.is_kept(beside, &guess, broken) {
                    at += 1;
                } else {
                    rest.push(together.remove(at));
                    beside = self.all_of(&sure, &together);
                }
            }
            if together.len() == before || self.is_over() {
                break;
            }
        }
        if self.is_over() {
            return kept;
        }
        for (guess, _) in together {
            kept.push(Kept { beside, guess });
        }
        if self.terms.pool.as_bool(beside).is_none() {
            for (guess, broken) in rest {
                if self.is_kept(beside, &guess, broken) {
                    kept.push(Kept { beside, guess });
                }
            }
        }
        kept
    }

    fn all_of(&mut self, sure: &[Term], together: &[(Guess, Term)]) -> Term {
        let all: Vec<Term> =
            sure.iter().copied().chain(together.iter().map(|(guess, _)| guess.holds)).collect();
        self.terms.pool.and_all(all)
    }

    /// For each guess, the states at the head from which a round may lead to one at the head without it; none if not all rounds were seen.
    fn broken_by_a_round(
        &mut self,
        frame: &Frame,
        head: Spot,
        version: VersionId,
        guesses: &[Guess],
    ) -> Option<Vec<Term>> {
        let guesses: Vec<Term> = guesses.iter().map(|guess| guess.holds).collect();
        self.without(frame, version, &guesses, Stop::Before(head), |any, one| Start::Around(head, any, one))
    }

    /// Which guesses hold whenever the loop is entered, whatever comes into the function.
    fn hold_when_entered(
        &mut self,
        frame: &Frame,
        head: Spot,
        version: VersionId,
        guesses: &[Term],
    ) -> Vec<bool> {
        let start = |any, one| Start::Outside(head, any, one);
        let Some(broken) = self.without(frame, version, guesses, Stop::Entry, start) else {
            return vec![false; guesses.len()];
        };
        let mut holds = Vec::new();
        for one in broken {
            let one = self.at_entry(frame, one);
            holds.push(!self.is_over() && self.is_refuted_with_little(one));
        }
        holds
    }

    /// For each guess, the states at the stop from which a way may lead to a start without it; none if not all ways were seen.
    fn without(
        &mut self,
        frame: &Frame,
        version: VersionId,
        guesses: &[Term],
        stop: Stop,
        start: impl FnOnce(Term, VersionSet) -> Start,
    ) -> Option<Vec<Term>> {
        // One walk for all of them: a switch says which is meant.
        let switch = |one: &mut Self, at: usize| one.terms.pool.var(&format!("guess {at}"), Sort::Bool);
        let mut ways = Vec::new();
        for (at, &guess) in guesses.iter().enumerate() {
            let (on, broken) = (switch(self, at), self.terms.pool.not(guess));
            ways.push(self.terms.pool.and(on, broken));
        }
        let any = self.terms.pool.or_all(ways);
        let lost = std::mem::take(&mut self.run.lost);
        let around = std::mem::replace(&mut self.run.in_rounds, true);
        let start = vec![start(any, VersionSet::one(version))];
        let asking = Asking { mode: Mode::Prove, ..self.asking };
        let reached = self.with(asking, |analyst| analyst.walk(frame, start, stop));
        self.run.in_rounds = around;
        let not_seen = std::mem::replace(&mut self.run.lost, lost).remove(&version);
        if let Some(why) = not_seen {
            // That there was no time to look is a reason by itself.
            for cut in why.into_iter().filter(Entry::is_cut) {
                self.lose(&VersionSet::one(version), cut);
            }
            return None;
        }
        let any = self.terms.pool.or_all(reached.0.into_iter().map(|(term, _)| term));
        let broken = (0..guesses.len()).map(|at| {
            let assign = (0..guesses.len()).map(|other| {
                let on = self.terms.pool.bool(other == at);
                (switch(self, other), on)
            });
            let chosen = Effect { assign: assign.collect(), ..Effect::default() };
            self.terms.before(any, &chosen)
        });
        Some(broken.collect())
    }
}
