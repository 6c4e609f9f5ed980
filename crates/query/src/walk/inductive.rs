//! What every round of a loop keeps: bounds that are guessed, and of which one round shows that they stay.
//!
//! A guess is a comparison that the loop makes, or that the condition asks about. One that holds after a round if it held before it holds
//! at the head in every round, provided that it held when the loop was entered; that is left to the way in. Each is shown by itself, or beside
//! the strides of counters: guesses may contradict each other, and together they would show anything. What one round does is what the walk
//! says of it, so that inner loops, calls and several ways out count as everywhere else.

use crate::meaning::effect::Effect;
use crate::meaning::eval::Eval;
use crate::meaning::shape::{Shape, Spot, StepId};
use crate::meaning::state::Value;
use crate::run::Mode;
use crate::walk::mods::{Step, counters};
use crate::walk::{Analyst, Frame, Start, Stop};
use hydrogen_evidence::Entry;
use hydrogen_graph::{VersionId, VersionSet};
use hydrogen_ir::{Op as Code, Operand};
use hydrogen_term::{Op as TermOp, Sort, Term};
use std::collections::BTreeSet;

/// Guesses that are tried for one loop and one condition.
const MOST: usize = 16;
/// Numbers that are guessed not to be negative.
const MOST_SIGNS: usize = 4;
/// Comparisons of the condition that guesses are made of.
const MOST_ASKED: usize = 6;

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
        for (beside, kept) in self.inductive(frame, head, version, term) {
            // If it held when the loop was entered, it holds in every round.
            let first = self.terms.pool.and(beside, kept);
            let later = self.terms.before(kept, &plain);
            let fact = self.terms.pool.implies(first, later);
            effect.guard = Some(match effect.guard {
                Some(guard) => self.terms.pool.and(guard, fact),
                None => fact,
            });
        }
        effect
    }

    /// Comparisons that one round keeps, each with what must hold beside it.
    fn inductive(&mut self, frame: &Frame, head: Spot, version: VersionId, term: Term) -> Vec<(Term, Term)> {
        let (strides, guesses) = self.guesses(frame, head, version, term);
        if guesses.is_empty() || self.is_over() {
            return Vec::new();
        }
        let key = (frame.prefix.clone(), frame.chain, version, head, guesses.clone());
        if let Some(known) = self.store.inductive.get(&key) {
            return known.clone();
        }
        let Some(broken) = self.broken_by_a_round(frame, head, version, &guesses) else { return Vec::new() };
        let mut kept = Vec::new();
        let mut beside = self.terms.pool.bool(true);
        for (guess, broken) in guesses.into_iter().zip(broken) {
            let first = self.terms.pool.and(beside, guess);
            let still = self.terms.pool.and(first, broken);
            if self.is_refuted_with_little(still) {
                kept.push((beside, guess));
                // Strides come first, and do not contradict each other.
                if strides.contains(&guess) {
                    beside = first;
                }
            }
        }
        tracing::trace!(kept = kept.len(), "what the rounds of a loop keep");
        self.store.inductive.insert(key, kept.clone());
        kept
    }

    /// For each guess, the states at the head from which a round may lead to one at the head without it; none if not all rounds were seen.
    fn broken_by_a_round(
        &mut self,
        frame: &Frame,
        head: Spot,
        version: VersionId,
        guesses: &[Term],
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
        let one = VersionSet::one(version);
        let start = vec![Start::Around(head, any, one)];
        let reached = self.in_mode(Mode::Prove, |analyst| analyst.walk(frame, start, Stop::Before(head)));
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

    /// That counters keep to their strides; the same, and comparisons of what the loop moves: those of the condition and of the loop itself.
    fn guesses(
        &mut self,
        frame: &Frame,
        head: Spot,
        version: VersionId,
        term: Term,
    ) -> (Vec<Term>, Vec<Term>) {
        let none = (Vec::new(), Vec::new());
        let Some((shape, step)) = self.step(frame, head, version) else { return none };
        let Some(found) = shape.loops.all().iter().find(|one| one.header == step).cloned() else {
            return none;
        };
        let mut moved: BTreeSet<Term> = BTreeSet::new();
        let (mut strides, mut signs) = (Vec::new(), Vec::new());
        for (slot, how) in counters(&shape, &found.body) {
            match Eval::new(&mut self.terms, &shape, &frame.prefix, 0).slot(slot) {
                Some(Value::Int(variable)) => {
                    moved.insert(variable);
                    strides.extend(how.and_then(|how| self.stride(variable, how)));
                    let zero = self.terms.pool.bits(self.terms.pool.width(variable), 0);
                    signs.push(self.terms.pool.sle(zero, variable));
                }
                Some(Value::Pointer(_, offset)) => drop(moved.insert(offset)),
                _ => {}
            }
        }
        if moved.is_empty() {
            return none;
        }
        let mut guesses = strides.clone();
        for asked in self.comparisons(term, &moved).into_iter().take(MOST_ASKED) {
            self.guess(asked, true, &mut guesses);
        }
        for made in self.made_by_the_loop(frame, &shape, &found.body) {
            for compared in self.comparisons(made, &moved) {
                self.guess(compared, false, &mut guesses);
            }
        }
        // That a number is not negative is rarely said.
        guesses.truncate(MOST);
        guesses.extend(signs.into_iter().take(MOST_SIGNS));
        (strides, guesses)
    }

    /// That a number which moves by a power of two stays a multiple of it.
    fn stride(&mut self, variable: Term, how: Step) -> Option<Term> {
        let low = how.amount.trailing_zeros();
        if !how.amount.is_power_of_two() || low == 0 || low >= self.terms.pool.width(variable) {
            return None;
        }
        let bits = self.terms.pool.extract(variable, low - 1, 0);
        let zero = self.terms.pool.bits(low, 0);
        Some(self.terms.pool.eq(bits, zero))
    }

    /// What a comparison suggests: itself, its opposite, and both with the bound included. A number that the loop compares with another
    /// may come as far as that; one that it is asked about should not.
    fn guess(&mut self, comparison: Term, asked: bool, guesses: &mut Vec<Term>) {
        let pool = &mut self.terms.pool;
        let &[left, right] = pool.args(comparison) else { return };
        let suggested = match pool.op(comparison) {
            TermOp::Slt => vec![comparison, pool.sle(left, right), pool.sle(right, left)],
            TermOp::Ult => vec![comparison, pool.ule(left, right), pool.ule(right, left)],
            TermOp::Eq if !matches!(pool.sort(left), Sort::Bits(width) if width > 1) => return,
            TermOp::Eq if asked => {
                let (low, high) = (pool.slt(left, right), pool.slt(right, left));
                vec![low, high, pool.ult(left, right), pool.ult(right, left)]
            }
            TermOp::Eq => {
                let (low, high) = (pool.sle(left, right), pool.sle(right, left));
                vec![low, high, pool.ule(left, right), pool.ule(right, left)]
            }
            _ => return,
        };
        for one in suggested {
            if pool.as_bool(one).is_none() && !guesses.contains(&one) {
                guesses.push(one);
            }
        }
    }

    /// The comparisons in a term of what the loop moves: of the number itself, not of what lies where it leads.
    fn comparisons(&self, term: Term, moved: &BTreeSet<Term>) -> Vec<Term> {
        let pool = &self.terms.pool;
        let compares = |one: &Term| {
            matches!(pool.op(*one), TermOp::Slt | TermOp::Ult | TermOp::Eq)
                && self.is_of(*one, moved)
                && !self.is_left_by_a_round(*one)
        };
        pool.postorder(&[term]).into_iter().filter(compares).collect()
    }

    /// Whether a term speaks of what a loop or a call left. Inside of a loop that is something else in every round, under the same name: a
    /// guess that speaks of it would mean one round and be shown for another.
    fn is_left_by_a_round(&self, term: Term) -> bool {
        let pool = &self.terms.pool;
        pool.postorder(&[term]).into_iter().any(|one| match pool.op(one) {
            TermOp::Var(_) => self.terms.event_of_variable(one).is_some(),
            TermOp::Apply(function) => self.terms.event_of(function).is_some(),
            _ => false,
        })
    }

    /// Whether a term is computed of one of these, without a look into memory.
    fn is_of(&self, term: Term, moved: &BTreeSet<Term>) -> bool {
        let pool = &self.terms.pool;
        let (mut open, mut seen) = (vec![term], BTreeSet::new());
        while let Some(one) = open.pop() {
            if moved.contains(&one) {
                return true;
            }
            if !matches!(pool.op(one), TermOp::Apply(_)) && seen.insert(one) {
                open.extend(pool.args(one));
            }
        }
        false
    }

    /// What the loop compares, as the run sees it that does.
    fn made_by_the_loop(&mut self, frame: &Frame, shape: &Shape, body: &[StepId]) -> Vec<Term> {
        let mut found = Vec::new();
        for &step in body {
            for &id in &shape.steps[step].instructions {
                let Code::IntCompare { .. } = shape.op(id) else { continue };
                let mut eval = Eval::new(&mut self.terms, shape, &frame.prefix, 0);
                let Value::Int(bit) = eval.operand(&Operand::Instruction(id)) else { continue };
                let holds = self.terms.pool.bits_to_bool(bit);
                let run = Eval::new(&mut self.terms, shape, &frame.prefix, 0).run(step);
                let holds = self.terms.before(holds, &Effect { guard: None, ..run });
                if !found.contains(&holds) {
                    found.push(holds);
                }
            }
        }
        found
    }
}
