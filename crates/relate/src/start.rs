//! The states that a step begins with: the input, or two states of which only the relation is known.

use crate::{
    Obstacle,
    code::Var,
    context::Side,
    entry::{incoming, initial},
    prove::Prover,
    relation::{Cell, Places, Relation, Spilled},
    segment::{RESULT, Runner, Target},
    state::{State, Value},
    variables,
};
use hydrogen_ir::{Const, Op, Operand};
use hydrogen_term::{Sort, Term};
use std::collections::{BTreeMap, BTreeSet};

/// Claims about variables that are kept elsewhere.
const MOST_SPILLED: usize = 8;

/// Both states at a pair of places, with what is known of them.
pub(crate) struct Start {
    pub old: State,
    pub new: State,
    pub premises: Vec<Term>,
}

impl Prover<'_, '_, '_> {
    /// Two states of which only the relation is known.
    pub fn start(&mut self, places: Places, relation: &Relation) -> Start {
        let mut premises = Vec::new();
        if places == (Target::Entry, Target::Entry) {
            let (old, new) = (self.initial(Side::Old), self.initial(Side::New));
            let premises = incoming(self.context, &self.old, &old);
            return Start { old, new, premises };
        }
        let mut old = self.shared_state(Side::Old, places);
        for (var, width) in variables::variables(self.old.code, places.0) {
            let kept = self.kept(relation, Side::Old, var, width);
            let name = format!("old {var:?} at {places:?}");
            let term = kept.unwrap_or_else(|| self.context.pool.var(&name, Sort::Bits(width)));
            old.values.insert(var, Value::Bits(term, None));
        }
        let mut new = self.shared_state(Side::New, places);
        for (var, width) in variables::variables(self.new.code, places.1) {
            let forms = relation.forms.get(&var).map_or(&[][..], Vec::as_slice);
            let kept = self.kept(relation, Side::New, var, width);
            let values = forms.iter().filter_map(|form| form.value(self.context, &old, width));
            let mut values = kept.into_iter().chain(values);
            let term = match values.next() {
                Some(term) => term,
                None => {
                    drop(values);
                    let name = format!("new {var:?} at {places:?}");
                    new.values
                        .insert(var, Value::Bits(self.context.pool.var(&name, Sort::Bits(width)), None));
                    continue;
                }
            };
            let others: Vec<Term> = values.collect();
            for other in others {
                premises.push(self.context.pool.eq(term, other));
            }
            new.values.insert(var, Value::Bits(term, None));
        }
        for fact in &relation.facts {
            if let Some(truth) = fact.truth(self.context, &old, &new) {
                premises.push(truth);
            }
        }
        for sum in &relation.sums {
            if let Some(value) = sum.value(self.context, &old, &new) {
                let zero = self.context.pool.bits(sum.width, 0);
                premises.push(self.context.pool.eq(value, zero));
            }
        }
        premises.extend(crate::recursion::premises(self, relation, &new));
        for (at, &address) in self.old.addresses.iter().enumerate() {
            let side = if relation.objects.contains(&address) { "both" } else { "old" };
            old.objects[at] =
                self.context.pool.var(&format!("{side} bytes at {address:x} at {places:?}"), Sort::MEMORY);
        }
        for (at, &address) in self.new.addresses.iter().enumerate() {
            let side = if relation.objects.contains(&address) { "both" } else { "new" };
            new.objects[at] =
                self.context.pool.var(&format!("{side} bytes at {address:x} at {places:?}"), Sort::MEMORY);
        }
        for one in &relation.spilled {
            // The one version's memory holds what the other has in a variable; of two variables for one cell, both do.
            let other = if one.side == Side::Old { &new } else { &old };
            let Some(value) = crate::variables::number(other, one.var) else { continue };
            if self.context.pool.width(value) != one.bytes * 8 {
                continue;
            }
            let address = one.cell.address(self.context);
            let state = if one.side == Side::Old { &mut old } else { &mut new };
            let before = self.context.pool.read_le(state.public, address, one.bytes);
            let is_second = relation.spilled.iter().any(|first| {
                (first.side, first.cell, first.bytes) == (one.side, one.cell, one.bytes) && first < one
            });
            if is_second {
                premises.push(self.context.pool.eq(before, value));
            } else {
                state.public = self.context.pool.write_le(state.public, address, value);
            }
        }
        premises.retain(|&one| self.context.pool.as_bool(one) != Some(true));
        Start { old, new, premises }
    }

    /// Global variables that one version may have in memory while the other keeps them in a local variable that nothing explains.
    pub fn spillable(&mut self, places: Places, relation: &Relation) -> BTreeSet<Spilled> {
        let mut found = BTreeSet::new();
        let cells = self.stored_cells();
        let explains = |var: &Var| {
            let is_it = |form: &crate::relation::Form| *form == crate::relation::Form::same(*var);
            relation.forms.values().flatten().any(is_it)
        };
        let news = variables::variables(self.new.code, places.1);
        let is_plain =
            |form: &crate::relation::Form| form.constant == 0 && matches!(form.terms.as_slice(), [(1, _, _)]);
        let explained = |var: &Var| relation.forms.get(var).is_some_and(|forms| forms.iter().any(is_plain));
        let news = news.into_iter().filter(|(var, _)| !explained(var));
        let olds =
            variables::variables(self.old.code, places.0).into_iter().filter(|(var, _)| !explains(var));
        let both = news.map(|one| (Side::Old, one)).chain(olds.map(|one| (Side::New, one)));
        for (side, (var, width)) in both {
            for &(cell, bytes) in &cells {
                if width == bytes * 8 && matches!(var, Var::Slot(_)) && found.len() < MOST_SPILLED {
                    found.insert(Spilled { side, cell, bytes, var });
                }
            }
        }
        found
    }

    /// Global variables, and what parameters point to, that either version writes as a whole.
    fn stored_cells(&mut self) -> BTreeSet<(Cell, u32)> {
        let mut found = BTreeSet::new();
        for runner in [&self.old, &self.new] {
            let module = runner.code.module;
            for (n, bytes) in behind_parameters(runner) {
                found.insert((Cell::Behind(n), bytes));
            }
            for frame in &runner.code.frames {
                for instruction in &frame.body.instructions {
                    let Op::Store { pointer: Operand::Const(pointer), .. } = &instruction.op else {
                        continue;
                    };
                    let Const::Global(global) = module.constant(*pointer) else { continue };
                    let width = crate::homes::scalar_width(module, module.global(*global).ty);
                    let address = self.context.global_address(runner.side, module, *global);
                    if let (Some(width), Ok(address)) = (width.filter(|width| width % 8 == 0), address) {
                        found.insert((Cell::Global(address), width / 8));
                    }
                }
            }
        }
        found
    }

    /// The value of a variable that is claimed to be the one of the first arrival.
    fn kept(&self, relation: &Relation, side: Side, var: Var, width: u32) -> Option<Term> {
        let first = *self.first.get(&(side, var)).filter(|_| relation.kept.contains(&(side, var)))?;
        (self.context.pool.sort(first) == Sort::Bits(width)).then_some(first)
    }

    /// What the variables hold when the first loops are reached; nothing of those that depend on which loop that is.
    pub fn first_values(&mut self) -> Result<BTreeMap<(Side, Var), Term>, Obstacle> {
        let mut found: BTreeMap<(Side, Var), Option<Term>> = BTreeMap::new();
        for side in [Side::Old, Side::New] {
            let start = self.initial(side);
            for (&var, value) in &start.values {
                found.insert((side, var), value.term());
            }
            let runner = if side == Side::Old { &self.old } else { &self.new };
            for end in runner.advance(self.context, Target::Entry, start, 1)?.ends {
                let is_known = |var: &&Var| **var != RESULT || runner.code.heads.is_empty();
                for &var in end.state.values.keys().filter(is_known) {
                    let value = crate::variables::number(&end.state, var);
                    found
                        .entry((side, var))
                        .and_modify(|one| *one = one.filter(|_| *one == value))
                        .or_insert(value);
                }
            }
        }
        Ok(found.into_iter().filter_map(|(key, term)| Some((key, term?))).collect())
    }

    fn shared_state(&mut self, side: Side, places: Places) -> State {
        let runner = match side {
            Side::Old => &self.old,
            Side::New => &self.new,
        };
        let pool = &mut self.context.pool;
        let public = pool.var(&format!("memory at {places:?}"), Sort::MEMORY);
        let world = pool.var(&format!("world at {places:?}"), Sort::Bits(64));
        let epoch = pool.var(&format!("epoch at {places:?}"), Sort::Bits(64));
        let objects = vec![public; runner.addresses.len()];
        State { values: BTreeMap::new(), public, objects, world, epoch }
    }

    /// The state at the beginning: the same input for both.
    pub fn initial(&mut self, side: Side) -> State {
        let runner = match side {
            Side::Old => &self.old,
            Side::New => &self.new,
        };
        initial(self.context, runner)
    }
}

/// What the function itself writes at the very place that a parameter points to: the parameter's number, and how many bytes.
fn behind_parameters(runner: &Runner) -> BTreeSet<(u32, u32)> {
    let (code, body) = (runner.code, runner.code.frames[0].body);
    let mut found = BTreeSet::new();
    for instruction in &body.instructions {
        let Op::Store { value, pointer: Operand::Instruction(pointer), .. } = &instruction.op else {
            continue;
        };
        let Op::Load { pointer: Operand::Instruction(slot), .. } = &body.instruction(*pointer).op else {
            continue;
        };
        let stored = body.instructions.iter().filter_map(|one| match &one.op {
            Op::Store { value, pointer: Operand::Instruction(to), .. } if to == slot => Some(value),
            _ => None,
        });
        let stored: Vec<&Operand> = stored.collect();
        let width = match value {
            Operand::Instruction(id) => crate::homes::scalar_width(code.module, body.instruction(*id).ty),
            Operand::Const(id) => {
                code.module.constant(*id).ty().and_then(|ty| crate::homes::scalar_width(code.module, ty))
            }
            _ => None,
        };
        if let ([Operand::Parameter(n)], Some(width)) =
            (stored.as_slice(), width.filter(|width| width % 8 == 0))
        {
            found.insert((*n, width / 8));
        }
    }
    found
}
