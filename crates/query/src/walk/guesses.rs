//! What may be kept by every round of a loop: comparisons that the code makes, or that the condition asks about.

use crate::meaning::effect::Effect;
use crate::meaning::eval::Eval;
use crate::meaning::shape::{Shape, Spot, StepId};
use crate::meaning::state::{Cell, LARGEST, Role, Value};
use crate::walk::mods::{Step, counters};
use crate::walk::{Analyst, Frame};
use hydrogen_graph::VersionId;
use hydrogen_ir::{InstructionId, Op as Code, Operand};
use hydrogen_term::{Op as TermOp, Sort, Term};
use std::collections::BTreeSet;

/// Comparisons of one kind that are tried for one loop and one condition.
const MOST: usize = 16;
/// Numbers that are guessed not to be negative.
const MOST_SIGNS: usize = 4;
/// Comparisons of the condition that guesses are made of.
const MOST_ASKED: usize = 6;
/// Cells of memory that are guessed to stay as they are.
const MOST_CELLS: usize = 6;
/// Pointers that are compared with each other.
const MOST_POINTERS: usize = 3;
/// Guesses from comparisons that were made on the way to the loop.
const MOST_BEFORE: usize = 12;

/// Something that may hold at the head of a loop in every round.
#[derive(Debug, Clone)]
pub(crate) struct Guess {
    pub holds: Term,
    /// A variable in it that stands for what a measure was when the loop was entered, and the measure.
    pub since: Option<(Term, Term)>,
    /// Whether it says by which steps a counter moves.
    pub is_stride: bool,
    /// Whether it says that the measure is what it was when the loop was entered.
    pub is_unchanged: bool,
}

impl Guess {
    pub fn of(holds: Term) -> Self {
        Self { holds, since: None, is_stride: false, is_unchanged: false }
    }
}

/// What guesses about a loop may speak of.
struct Subject {
    /// Numbers that the loop changes: variables, and cells of memory whose place it leaves alone.
    moved: BTreeSet<Term>,
    /// What the loop's own runs compute: something else in every round, under the same name.
    computed: BTreeSet<Term>,
}

impl Analyst<'_> {
    /// That counters keep to their strides; comparisons of what the loop changes, those of the condition, of the loop and of the way to
    /// it; and what moves together.
    pub(super) fn guesses(
        &mut self,
        frame: &Frame,
        head: Spot,
        version: VersionId,
        term: Term,
        plain: &Effect,
    ) -> Vec<Guess> {
        let Some((shape, step)) = self.step(frame, head, version) else { return Vec::new() };
        let Some(found) = shape.loops.all().iter().find(|one| one.header == step).cloned() else {
            return Vec::new();
        };
        let mut subject =
            Subject { moved: BTreeSet::new(), computed: self.computed_in(frame, &shape, &found.body) };
        let (mut strides, mut signs, mut ways) = (Vec::new(), Vec::new(), Vec::new());
        for (slot, how) in counters(&shape, &found.body) {
            match Eval::new(&mut self.terms, &shape, &frame.prefix, 0).slot(slot) {
                Some(Value::Int(variable)) => {
                    subject.moved.insert(variable);
                    strides.extend(how.and_then(|how| self.stride(variable, how)));
                    let zero = self.terms.pool.bits(self.terms.pool.width(variable), 0);
                    signs.push(self.terms.pool.sle(zero, variable));
                }
                Some(Value::Pointer(_, offset)) => drop(subject.moved.insert(offset)),
                _ => {}
            }
            ways.extend(self.way_of(frame, &shape, slot, how));
        }
        let made = self.compared_in(frame, &shape, &found.body);
        let roots: Vec<Term> = made.iter().copied().chain([term]).collect();
        let cells = self.cells_changed(&roots, plain);
        subject.moved.extend(&cells);
        if subject.moved.is_empty() {
            return Vec::new();
        }
        let mut compared = Vec::new();
        let mut asked = self.comparisons(term, &subject);
        asked.truncate(MOST_ASKED);
        for &one in &asked {
            self.suggest(one, true, &mut compared);
        }
        let mut made_of = Vec::new();
        for made in made {
            for one in self.comparisons(made, &subject) {
                made_of.push(one);
                self.suggest(one, false, &mut compared);
                self.suggest_a_step_later(one, &ways, &mut compared);
            }
        }
        compared.truncate(MOST);
        compared.extend(self.with_bounds_in_place(&asked, &made_of, &subject));
        // That a number is not negative is rarely said.
        compared.extend(signs.into_iter().take(MOST_SIGNS));
        for &cell in cells.iter().take(MOST_SIGNS) {
            let zero = self.terms.pool.bits(self.terms.pool.width(cell), 0);
            compared.push(self.terms.pool.sle(zero, cell));
        }
        let mut together = self.moving_together(frame, head, &shape, &found.body);
        together.extend(self.unchanged(frame, head, &cells));
        together.extend(self.pointers(frame, &shape, &found.body, &cells));
        // What the way to the loop has shown only helps to show something else.
        let ahead: Vec<StepId> = shape
            .dominators
            .dominators_of(step)
            .filter(|one| found.body.binary_search(one).is_err())
            .collect();
        let mut before = Vec::new();
        for made in self.compared_in(frame, &shape, &ahead) {
            for one in self.fixed_comparisons(made, &subject) {
                self.suggest(one, false, &mut before);
            }
        }
        before.truncate(MOST_BEFORE);
        let mut guesses: Vec<Guess> =
            strides.into_iter().map(|holds| Guess { is_stride: true, ..Guess::of(holds) }).collect();
        guesses.extend(compared.into_iter().map(Guess::of));
        guesses.extend(together);
        guesses.extend(before.into_iter().map(Guess::of));
        let mut seen = BTreeSet::new();
        guesses.retain(|guess| seen.insert(guess.holds));
        guesses
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

    /// What a comparison suggests: itself, its opposite, and both with the bound included. A number that the code compares with another
    /// may come as far as that; one that it is asked about should not.
    fn suggest(&mut self, comparison: Term, asked: bool, guesses: &mut Vec<Term>) {
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

    /// What a variable is before a step, where it moves by a constant.
    fn way_of(
        &mut self,
        frame: &Frame,
        shape: &Shape,
        slot: InstructionId,
        how: Option<Step>,
    ) -> Option<(Term, Term)> {
        let how = how.filter(|how| how.amount > 1)?;
        let Value::Int(variable) = Eval::new(&mut self.terms, shape, &frame.prefix, 0).slot(slot)? else {
            return None;
        };
        let amount = self.terms.pool.bits(self.terms.pool.width(variable), how.amount.into());
        let before = match how.up {
            true => self.terms.pool.sub(variable, amount),
            false => self.terms.pool.add(variable, amount),
        };
        Some((variable, before))
    }

    /// What a comparison that lets a round begin says when the round has moved its number by more than one.
    fn suggest_a_step_later(&mut self, comparison: Term, ways: &[(Term, Term)], guesses: &mut Vec<Term>) {
        for &way in ways {
            let before = Effect { assign: vec![way], ..Effect::default() };
            let later = self.terms.before(comparison, &before);
            if later != comparison {
                self.suggest(later, false, guesses);
            }
        }
    }

    /// What is asked of a number, of the bound that the loop compares it with instead: there is room for as many as are let in. And that
    /// such bounds are no larger than the number of things that an object can hold, so that no product of them wraps.
    fn with_bounds_in_place(&mut self, asked: &[Term], made: &[Term], subject: &Subject) -> Vec<Term> {
        let mut guesses = Vec::new();
        for &comparison in made {
            let &[left, right] = self.terms.pool.args(comparison) else { continue };
            for (number, bound) in [(left, right), (right, left)] {
                if !subject.moved.contains(&number) || self.terms.pool.as_bits(bound).is_some() {
                    continue;
                }
                let in_place = Effect { assign: vec![(number, bound)], ..Effect::default() };
                for &one in asked {
                    let instead = self.terms.before(one, &in_place);
                    if instead != one {
                        self.suggest(instead, false, &mut guesses);
                    }
                }
                if self.terms.pool.width(bound) == 64 {
                    let most = self.terms.pool.bits(64, LARGEST >> 2);
                    guesses.push(self.terms.pool.ule(bound, most));
                }
            }
        }
        guesses.truncate(MOST_BEFORE);
        guesses
    }

    /// That cells of memory which the loop may reach are as they were when it was entered.
    fn unchanged(&mut self, frame: &Frame, head: Spot, cells: &[Term]) -> Vec<Guess> {
        let place = Self::place(frame, head, 0);
        let mut guesses = Vec::new();
        for (at, &cell) in cells.iter().take(MOST_CELLS).enumerate() {
            let sort = self.terms.pool.sort(cell);
            let measured = self.terms.pool.var(&format!("{place} held {at}"), sort);
            let holds = self.terms.pool.eq(cell, measured);
            guesses.push(Guess { since: Some((measured, cell)), is_unchanged: true, ..Guess::of(holds) });
        }
        guesses
    }

    /// That pointers of the loop lead into the same object, one not behind the other, and not before its beginning.
    fn pointers(&mut self, frame: &Frame, shape: &Shape, body: &[StepId], cells: &[Term]) -> Vec<Guess> {
        let mut used = BTreeSet::new();
        for &id in body.iter().flat_map(|&step| &shape.steps[step].instructions) {
            if let Code::Load { pointer: Operand::Instruction(slot), .. } = shape.op(id)
                && let Some(Value::Pointer(object, offset)) =
                    Eval::new(&mut self.terms, shape, &frame.prefix, 0).slot(*slot)
            {
                used.insert((object, offset));
            }
        }
        for &cell in cells {
            let TermOp::Apply(function) = self.terms.pool.op(cell) else { continue };
            if let (Role::Memory(Cell::Pointer, _), &[object, offset]) =
                (self.terms.role(function), self.terms.pool.args(cell))
                && let Value::Pointer(to, at) = self.terms.memory(Cell::Pointer, object, offset, None)
            {
                used.insert((to, at));
            }
        }
        let used: Vec<(Term, Term)> = used.into_iter().take(MOST_POINTERS).collect();
        let mut guesses = Vec::new();
        for (at, &(object, offset)) in used.iter().enumerate() {
            let zero = self.terms.word(0);
            guesses.push(Guess::of(self.terms.pool.sle(zero, offset)));
            for &(other, behind) in &used[at + 1..] {
                let pool = &mut self.terms.pool;
                guesses.push(Guess::of(pool.eq(object, other)));
                guesses.push(Guess::of(pool.sle(offset, behind)));
                guesses.push(Guess::of(pool.sle(behind, offset)));
            }
        }
        guesses
    }

    /// The comparisons in a term of what the loop moves: of the number itself, not of what lies where it leads.
    fn comparisons(&self, term: Term, subject: &Subject) -> Vec<Term> {
        let pool = &self.terms.pool;
        let compares = |one: &Term| {
            matches!(pool.op(*one), TermOp::Slt | TermOp::Ult | TermOp::Eq)
                && self.is_of(*one, &subject.moved)
                && self.is_the_same_thing(*one, subject)
        };
        pool.postorder(&[term]).into_iter().filter(compares).collect()
    }

    /// The comparisons in a term of what means the same in every round, whether the loop changes it or not.
    fn fixed_comparisons(&self, term: Term, subject: &Subject) -> Vec<Term> {
        let pool = &self.terms.pool;
        let compares = |one: &Term| {
            matches!(pool.op(*one), TermOp::Slt | TermOp::Ult) && self.is_the_same_thing(*one, subject)
        };
        pool.postorder(&[term]).into_iter().filter(compares).collect()
    }

    /// Whether a term means the same in every round. What a loop or a call left inside of a loop does not, nor does what the loop's own
    /// runs compute: a guess that speaks of it would mean one round and be shown for another.
    fn is_the_same_thing(&self, term: Term, subject: &Subject) -> bool {
        let pool = &self.terms.pool;
        pool.postorder(&[term]).into_iter().all(|one| match pool.op(one) {
            TermOp::Var(_) => self.terms.event_of_variable(one).is_none() && !subject.computed.contains(&one),
            TermOp::Apply(function) => self.terms.event_of(function).is_none(),
            _ => true,
        })
    }

    /// Whether a term is computed of one of these, without a look into other memory.
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

    /// Numbers in memory that these terms speak of and that the loop may change, where it leaves the places alone.
    fn cells_changed(&mut self, terms: &[Term], plain: &Effect) -> Vec<Term> {
        let mut found = Vec::new();
        for one in self.terms.pool.postorder(terms) {
            let TermOp::Apply(function) = self.terms.pool.op(one) else { continue };
            if !matches!(self.terms.role(function), Role::Memory(..)) {
                continue;
            }
            let place: Vec<Term> = self.terms.pool.args(one).to_vec();
            let stays = |terms: &mut crate::meaning::state::Terms, one: Term| terms.before(one, plain) == one;
            if place.iter().all(|&part| stays(&mut self.terms, part)) && !stays(&mut self.terms, one) {
                found.push(one);
            }
        }
        found
    }

    /// What runs compute.
    fn computed_in(&mut self, frame: &Frame, shape: &Shape, body: &[StepId]) -> BTreeSet<Term> {
        let mut found = BTreeSet::new();
        for &id in body.iter().flat_map(|&step| &shape.steps[step].instructions) {
            match Eval::new(&mut self.terms, shape, &frame.prefix, 0).register(id) {
                Value::Int(one) => drop(found.insert(one)),
                Value::Pointer(object, offset) => found.extend([object, offset]),
                Value::Opaque => {}
            }
        }
        found
    }

    /// What runs compare, as the run sees it that does.
    fn compared_in(&mut self, frame: &Frame, shape: &Shape, steps: &[StepId]) -> Vec<Term> {
        let mut found = Vec::new();
        for &step in steps {
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
