//! What loops and functions may change, without looking at paths.

use crate::contract::Clause;
use crate::effect::{Effect, Write};
use crate::eval::{Eval, cell_of};
use crate::program::Callee;
use crate::shape::{Shape, Spot, StepId};
use crate::state::{Cell, Role, Value};
use crate::walk::{Analyst, Frame, Mode};
use hydrogen_graph::{ChainId, VersionId, VersionSet};
use hydrogen_ir::{BinaryOp, Const, InstructionId, Op, Operand};
use hydrogen_term::{Op as TermOp, Sort, Term};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What a piece of code may change in memory that is not its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Mods {
    /// Values of these kinds, anywhere.
    pub cells: BTreeSet<Cell>,
    /// Anything.
    pub any: bool,
    /// Objects may be freed.
    pub frees: bool,
    /// The program may end inside.
    pub stops: bool,
    /// Control never comes back, on no path.
    pub stuck: bool,
    /// Stack objects of the function at hand.
    pub own: BTreeSet<InstructionId>,
}

impl Mods {
    fn add(&mut self, other: &Mods) {
        self.cells.extend(&other.cells);
        self.any |= other.any;
        self.frees |= other.frees;
        self.stops |= other.stops;
    }

    fn everything() -> Self {
        Self { any: true, frees: true, ..Self::default() }
    }
}

/// The stack object that an address is made of.
fn root(shape: &Shape, pointer: &Operand) -> Option<InstructionId> {
    let mut current = pointer;
    loop {
        let Operand::Instruction(id) = current else { return None };
        match shape.op(*id) {
            Op::Alloca { .. } => return Some(*id),
            Op::ElementAddress { base, .. } => current = base,
            _ => return None,
        }
    }
}

impl Analyst<'_> {
    /// What a call of a function may change.
    pub(crate) fn mods_of(&mut self, chain: ChainId, version: VersionId) -> Arc<Mods> {
        if let Some(found) = self.mods.get(&(chain, version)) {
            return Arc::clone(found);
        }
        // A function that calls itself may change anything until it is known better.
        self.mods.insert((chain, version), Arc::new(Mods::everything()));
        let mods = match self.shape(chain, version) {
            Some(shape) => {
                let all: Vec<StepId> = (0..shape.steps.len()).collect();
                let mut mods = self.mods_in(&shape, &all);
                mods.stuck = mods.stops && self.never_returns(&shape);
                mods
            }
            None => Mods::everything(),
        };
        let mods = Arc::new(mods);
        self.mods.insert((chain, version), Arc::clone(&mods));
        mods
    }

    /// Whether every way to a return passes a call that does not come back.
    fn never_returns(&mut self, shape: &Shape) -> bool {
        let mut order: Vec<StepId> =
            (0..shape.steps.len()).filter(|&step| shape.order[step] != usize::MAX).collect();
        order.sort_by_key(|&step| shape.order[step]);
        let stuck: Vec<bool> = (0..shape.steps.len()).map(|step| self.is_stuck(shape, step)).collect();
        let mut reached = vec![false; shape.steps.len()];
        loop {
            let mut changed = false;
            for &step in &order {
                let entered = step == crate::shape::ENTRY
                    || shape.steps[step].entering.iter().any(|one| reached[one.from] && !stuck[one.from]);
                changed |= entered && !std::mem::replace(&mut reached[step], true);
            }
            if !changed {
                break;
            }
        }
        !order.iter().any(|&step| reached[step] && !stuck[step] && shape.returned(step).is_some())
    }

    fn is_stuck(&mut self, shape: &Shape, step: StepId) -> bool {
        let Some(Op::Call { callee, .. }) = shape.call(step).map(|id| shape.op(id)) else { return false };
        let Some(name) = shape.named(callee).map(|function| function.name.clone()) else { return false };
        match self.program.callee(shape.chain, shape.version, &name) {
            Callee::Chain(chain) => self.mods_of(chain, shape.version).stuck,
            Callee::External => {
                self.contracts.of(&name).is_some_and(|contract| contract.clauses.contains(&Clause::Stops))
            }
            Callee::Unclear => false,
        }
    }

    fn mods_in(&mut self, shape: &Shape, steps: &[StepId]) -> Mods {
        let mut mods = Mods::default();
        for &step in steps {
            for &id in &shape.steps[step].instructions {
                match shape.op(id) {
                    Op::Store { value, pointer, .. } => match root(shape, pointer) {
                        Some(slot) if shape.plain.contains_key(&slot) => {}
                        Some(slot) => drop(mods.own.insert(slot)),
                        None => {
                            let ty = shape.operand_type(value);
                            match ty.map_or(Some(Cell::Pointer), |ty| cell_of(shape, ty)) {
                                Some(cell) => drop(mods.cells.insert(cell)),
                                None => mods.any = true,
                            }
                        }
                    },
                    Op::Call { callee, arguments, .. } => self.call_mods(shape, callee, arguments, &mut mods),
                    Op::Asm { .. }
                    | Op::AsmBranch { .. }
                    | Op::Opaque { .. }
                    | Op::OpaqueTerminator { .. }
                    | Op::AtomicRmw { .. }
                    | Op::CompareExchange { .. }
                    | Op::VaArg { .. } => mods.add(&Mods::everything()),
                    _ => {}
                }
            }
        }
        mods
    }

    fn call_mods(&mut self, shape: &Shape, callee: &Operand, arguments: &[Operand], mods: &mut Mods) {
        // An object whose address is given away may be written; what else the callee can reach is in its own sets.
        let given: Vec<InstructionId> = arguments.iter().filter_map(|one| root(shape, one)).collect();
        mods.own.extend(given.iter().filter(|slot| !shape.plain.contains_key(slot)));
        let Some(name) = shape.named(callee).map(|function| function.name.clone()) else {
            return mods.add(&Mods::everything());
        };
        match self.program.callee(shape.chain, shape.version, &name) {
            Callee::Chain(chain) => {
                let theirs = self.mods_of(chain, shape.version);
                mods.add(&theirs);
            }
            Callee::Unclear => mods.add(&Mods::everything()),
            Callee::External => match self.contracts.of(&name) {
                Some(contract) => {
                    for clause in &contract.clauses {
                        let target = match clause {
                            Clause::Writes(at, _)
                            | Clause::Sets(at, _)
                            | Clause::Fills(at, _, _)
                            | Clause::Copies(at, _, _) => *at,
                            Clause::Frees(_) => {
                                mods.frees = true;
                                continue;
                            }
                            Clause::Stops => {
                                mods.stops = true;
                                continue;
                            }
                            _ => continue,
                        };
                        let known = arguments.get(target).is_some_and(|one| root(shape, one).is_some());
                        mods.any |= !known;
                    }
                }
                // What is not compiled may do anything; a witness may take it to do nothing.
                None if self.mode == Mode::Prove => mods.add(&Mods::everything()),
                None => {}
            },
        }
    }

    /// Whether code with these changes can make a difference to a condition.
    pub(crate) fn matters(&self, term: Term, mods: &Mods) -> bool {
        let pool = &self.terms.pool;
        pool.postorder(&[term]).into_iter().any(|one| {
            let TermOp::Apply(function) = pool.op(one) else { return false };
            let private = pool.args(one).first().is_some_and(|&object| self.terms.is_private(object));
            if private {
                // The object's own address may still be an argument of the call; see `before_call`.
                return false;
            }
            match self.terms.role(function) {
                Role::Memory(cell, _) => mods.any || mods.cells.contains(&cell),
                Role::Length => mods.any || mods.cells.contains(&Cell::Int(8)),
                Role::Freed => mods.frees,
                Role::Escaped => true,
                Role::Made => false,
                Role::Size | Role::Address | Role::Whole(_) | Role::Fixed => false,
            }
        })
    }

    /// What any number of rounds of a loop may do to the state at its head.
    pub(crate) fn loop_effect(&mut self, frame: &Frame, head: Spot, version: VersionId) -> Option<Effect> {
        let (shape, step) = self.step(frame, head, version)?;
        let found = shape.loops.all().iter().find(|one| one.header == step)?;
        let event = self.terms.event("a loop leaves any value", false, &Self::place(frame, head, 0));
        let mods = self.mods_in(&shape, &found.body);
        let steps = counters(&shape, &found.body);
        let mut effect = Effect { event, ..Effect::default() };
        for (slot, how) in steps {
            let mut eval = Eval::new(&mut self.terms, &shape, &frame.prefix, event);
            let Some(old) = eval.slot(slot) else { continue };
            let name = format!("{}{}", frame.prefix, shape.plain[&slot]);
            let cell = match old {
                Value::Int(term) => Cell::Int(self.terms.pool.width(term)),
                Value::Pointer(..) => Cell::Pointer,
                Value::Opaque => continue,
            };
            let new = self.terms.changed(event, &name, cell);
            let (new, fact) = self.monotone(old, new, how);
            effect.set(old, new);
            if let Some(fact) = fact {
                effect.guard = Some(match effect.guard {
                    Some(guard) => self.terms.pool.and(guard, fact),
                    None => fact,
                });
            }
        }
        for slot in &mods.own {
            let mut eval = Eval::new(&mut self.terms, &shape, &frame.prefix, event);
            if let Value::Pointer(object, offset) = eval.operand(&Operand::Instruction(*slot)) {
                effect.writes.push(Write::Region { object, offset, bytes: None, event });
            }
        }
        if mods.any || mods.frees || !mods.cells.is_empty() {
            let cells = (!mods.any).then(|| mods.cells.iter().copied().collect());
            effect.writes.push(Write::All { event, cells, frees: mods.frees });
        }
        Some(effect)
    }

    /// What is known of a variable that a loop only moves one way: it does not wrap, for that is a fault of its own.
    fn monotone(&mut self, old: Value, new: Value, how: Option<Step>) -> (Value, Option<Term>) {
        match (old, new, how) {
            (Value::Int(old), Value::Int(new_term), Some(Step { up, signed: true, .. })) => {
                let fact =
                    if up { self.terms.pool.sle(old, new_term) } else { self.terms.pool.sle(new_term, old) };
                (new, Some(fact))
            }
            (Value::Pointer(object, offset), Value::Pointer(_, new_offset), Some(Step { up, .. })) => {
                let (low, high) = if up { (offset, new_offset) } else { (new_offset, offset) };
                let fact = self.terms.pool.sle(low, high);
                (Value::Pointer(object, new_offset), Some(fact))
            }
            _ => (new, None),
        }
    }

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

    fn counted(&mut self, frame: &Frame, head: Spot, term: Term, version: VersionId) -> Option<Term> {
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
        let rounds = self.terms.pool.var(&format!("rounds of the loop {place}"), Sort::Bits(width));
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
    fn is_bound(&mut self, leaves: Term, variable: Term, how: Step) -> bool {
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

    fn reads_changed(
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

/// How a loop moves a variable: by a constant, one way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    up: bool,
    /// Whether a wrap would be undefined.
    signed: bool,
    amount: u64,
}

/// The plain variables that a loop stores to, and how it moves them where that is always by the same constant.
fn counters(shape: &Shape, body: &[StepId]) -> BTreeMap<InstructionId, Option<Step>> {
    let mut found: BTreeMap<InstructionId, Option<Step>> = BTreeMap::new();
    for &step in body {
        for &id in &shape.steps[step].instructions {
            let Op::Store { value, pointer: Operand::Instruction(slot), .. } = shape.op(id) else { continue };
            if !shape.plain.contains_key(slot) {
                continue;
            }
            let how = moved(shape, value, *slot);
            found
                .entry(*slot)
                .and_modify(|old| {
                    if *old != how {
                        *old = None
                    }
                })
                .or_insert(how);
        }
    }
    found
}

fn moved(shape: &Shape, value: &Operand, slot: InstructionId) -> Option<Step> {
    let Operand::Instruction(id) = value else { return None };
    let is_old = |operand: &Operand| {
        matches!(operand, Operand::Instruction(load) if matches!(shape.op(*load),
            Op::Load { pointer, .. } if *pointer == Operand::Instruction(slot)))
    };
    let constant = |operand: &Operand| {
        let Operand::Const(id) = operand else { return None };
        let Const::Int { ty, bits } = shape.module.constant(*id) else { return None };
        let hydrogen_ir::Type::Int(width @ 1..=64) = shape.module.types.get(*ty) else { return None };
        let shift = 128 - width;
        Some(((*bits as i128) << shift) >> shift)
    };
    let step = |by: i128, signed: bool| {
        (by != 0).then(|| Step {
            up: by > 0,
            signed,
            amount: u64::try_from(by.unsigned_abs()).unwrap_or(u64::MAX),
        })
    };
    match shape.op(*id) {
        Op::Binary { op: BinaryOp::Add, left, right, flags, .. } if is_old(left) => {
            step(constant(right)?, flags.nsw)
        }
        Op::Binary { op: BinaryOp::Sub, left, right, flags, .. } if is_old(left) => {
            step(-constant(right)?, flags.nsw)
        }
        Op::ElementAddress { base, indices, inbounds: true, .. } if is_old(base) && indices.len() == 1 => {
            step(constant(&indices[0])?, true)
        }
        _ => None,
    }
}
