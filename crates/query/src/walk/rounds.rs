//! Loops that count: what any number of whole rounds does, exactly.

use crate::meaning::effect::Effect;
use crate::meaning::eval::Eval;
use crate::meaning::shape::{Shape, Spot, StepId};
use crate::meaning::state::Value;
use crate::walk::mods::{Mods, Step, counters};
use crate::walk::{Analyst, Frame};
use hydrogen_graph::{VersionId, VersionSet};
use hydrogen_ir::{InstructionId, Op, Operand};
use hydrogen_term::{Op as TermOp, Sort, Term};

/// What the variable is called that says how often a loop is gone through; its place follows.
pub(crate) const ROUNDS: &str = "rounds of the loop ";

impl Analyst<'_> {
    /// The condition before a loop that counts to a bound, for a witness after any number of whole rounds.
    ///
    /// Only for loops that are left at the head alone, whose head compares a counter with something the loop does not
    /// change, and for conditions that of all the loop changes read the counter alone: then `n` rounds move the counter by `n` steps,
    /// and the bound of the last round holds for those before it.
    pub(crate) fn many_rounds(
        &mut self,
        frame: &Frame,
        head: Spot,
        term: Term,
        versions: &VersionSet,
    ) -> Vec<(Term, VersionSet)> {
        let mut out = Vec::new();
        for version in versions.iter() {
            if let Some(found) = self.counted(frame, head, term, version) {
                out.push((found, VersionSet::one(version)));
            }
        }
        out
    }

    pub(crate) fn counted(
        &mut self,
        frame: &Frame,
        head: Spot,
        term: Term,
        version: VersionId,
    ) -> Option<Term> {
        let (shape, step) = self.step(frame, head, version)?;
        let found = shape.loops.all().iter().find(|one| one.header == step)?.clone();
        let inside = |step: StepId| found.body.binary_search(&step).is_ok();
        // The branch that leaves: the only way out.
        let mut exits = Vec::new();
        for (to, one) in shape.steps.iter().enumerate().filter(|(to, _)| !inside(*to)) {
            exits.extend(
                one.entering.iter().filter(|entering| inside(entering.from)).map(|entering| (*entering, to)),
            );
        }
        let [(exit, _)] = exits[..] else { return None };
        if shape.steps[exit.from].block != shape.steps[step].block
            || found.body.iter().any(|&one| shape.returned(one).is_some() || shape.call(one).is_some())
        {
            return None;
        }
        let mods = self.mods_in(&shape, &found.body);
        let moved = counters(&shape, &found.body);
        // Every round must move the counter exactly once.
        let every = |slot: InstructionId| {
            let stores: Vec<StepId> = found
                .body
                .iter()
                .copied()
                .filter(|&one| {
                    shape.steps[one].instructions.iter().any(|&id| {
                        matches!(shape.op(id), Op::Store { pointer, .. } if *pointer == Operand::Instruction(slot))
                    })
                })
                .collect();
            matches!(stores[..], [only] if found.latches.iter().all(|&latch| shape.dominators.dominates(only, latch))
                && !shape.loops.all().iter().any(|inner| inner.header != step && inner.body.contains(&only) && inside(inner.header)))
        };
        let used = self.terms.pool.variables(&[term]);
        let mut counter = None;
        for (slot, how) in moved {
            let old = Eval::new(&mut self.terms, &shape, &frame.prefix, 0).slot(slot)?;
            let parts: Vec<Term> = match old {
                Value::Int(term) => vec![term],
                Value::Pointer(object, offset) => vec![object, offset],
                Value::Opaque => vec![],
            };
            if !parts.iter().any(|part| used.contains(part)) {
                continue;
            }
            match (old, how) {
                (Value::Int(variable), Some(how)) if counter.is_none() && how.amount == 1 && every(slot) => {
                    counter = Some((variable, how));
                }
                _ => return None,
            }
        }
        if self.matters(term, &mods) {
            return None;
        }
        let (variable, how) = counter?;
        let width = self.terms.pool.width(variable);
        let place = Self::place(frame, head, 0);
        let rounds = self.terms.pool.var(&format!("{ROUNDS}{place}"), Sort::Bits(width));
        let last = {
            let one = self.terms.pool.bits(width, 1);
            let before = self.terms.pool.sub(rounds, one);
            if how.up { self.terms.pool.add(variable, before) } else { self.terms.pool.sub(variable, before) }
        };
        let end = if how.up {
            self.terms.pool.add(variable, rounds)
        } else {
            self.terms.pool.sub(variable, rounds)
        };
        // The head stays inside in the last of the rounds, and in the first; between them by the bound's shape.
        let exit_effect =
            Eval::new(&mut self.terms, &shape, &frame.prefix, 0).guard_of(exit.from, exit.successor?)?;
        let head_effect = Eval::new(&mut self.terms, &shape, &frame.prefix, 0).run(exit.from);
        let leaves = self.terms.before(exit_effect, &head_effect);
        if !self.is_bound(leaves, variable, how)
            || self.reads_changed(leaves, variable, &shape, frame, &found.body, &mods)
        {
            return None;
        }
        let stays = self.terms.pool.not(leaves);
        let at = |one: &mut Self, value: Term, term: Term| {
            one.terms.before(term, &Effect { assign: vec![(variable, value)], ..Effect::default() })
        };
        let stays_last = at(self, last, stays);
        let after = at(self, end, term);
        let zero = self.terms.pool.bits(width, 0);
        // No wrap on the way: the counter's way is as long as its numbers.
        let no_wrap = match (how.signed, how.up) {
            (true, true) => self.terms.pool.sle(variable, last),
            (true, false) => self.terms.pool.sle(last, variable),
            (false, true) => self.terms.pool.ule(variable, last),
            (false, false) => self.terms.pool.ule(last, variable),
        };
        let some =
            if how.signed { self.terms.pool.slt(zero, rounds) } else { self.terms.pool.ult(zero, rounds) };
        Some(self.terms.pool.and_all([some, no_wrap, stays_last, after]))
    }

    /// Whether leaving means that a counter has passed a bound, so that staying in a round means staying in all before.
    pub(crate) fn is_bound(&mut self, leaves: Term, variable: Term, how: Step) -> bool {
        let negated = self.terms.pool.not(leaves);
        let compares =
            |one: &Self, term: Term, up: bool| match (one.terms.pool.op(term), one.terms.pool.args(term)) {
                // Staying means `counter < bound` when it goes up, `bound < counter` when it goes down.
                (TermOp::Slt | TermOp::Ult, &[left, right]) => {
                    let side = if up { left } else { right };
                    let other = if up { right } else { left };
                    one.terms.pool.variables(&[side]).contains(&variable)
                        && !one.terms.pool.variables(&[other]).contains(&variable)
                        && side == variable
                }
                _ => false,
            };
        // `a <= b` is the negation of `b < a`.
        let reversed = match (self.terms.pool.op(leaves), self.terms.pool.args(leaves)) {
            (TermOp::Slt | TermOp::Ult, &[left, right]) => {
                let side = if how.up { right } else { left };
                side == variable
            }
            _ => false,
        };
        compares(self, negated, how.up) || reversed
    }

    pub(crate) fn reads_changed(
        &mut self,
        term: Term,
        counter: Term,
        shape: &Shape,
        frame: &Frame,
        body: &[StepId],
        mods: &Mods,
    ) -> bool {
        if self.matters(term, mods) {
            return true;
        }
        let used = self.terms.pool.variables(&[term]);
        counters(shape, body).keys().any(|&slot| {
            let old = Eval::new(&mut self.terms, shape, &frame.prefix, 0).slot(slot);
            match old {
                Some(Value::Int(one)) => one != counter && used.contains(&one),
                Some(Value::Pointer(object, offset)) => used.contains(&object) || used.contains(&offset),
                _ => false,
            }
        })
    }
}
