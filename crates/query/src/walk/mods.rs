//! What loops and functions may change, without looking at paths.

use crate::meaning::effect::{Effect, Write};
use crate::meaning::eval::{Eval, cell_of};
use crate::meaning::program::Callee;
use crate::meaning::raw::{Raw, raw};
use crate::meaning::shape::{Shape, Spot, StepId, may_do_anything};
use crate::meaning::state::{Cell, Role, Value};
use crate::run::Mode;
use crate::walk::steady::stays_within;
use crate::walk::whom::Whom;
use crate::walk::{Analyst, Frame};
use hydrogen_evidence::Entry;
use hydrogen_graph::{ChainId, VersionId};
use hydrogen_ir::layout::{parameter_type, pointee, size_of};
use hydrogen_ir::{BinaryOp, Const, InstructionId, Op, Operand};
use hydrogen_library::Clause;
use hydrogen_term::{Op as TermOp, Term};
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
    /// Objects may be made.
    pub makes: bool,
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
        self.makes |= other.makes;
        self.stops |= other.stops;
    }

    /// Whether anything that others see may be written.
    pub fn writes(&self) -> bool {
        self.any || self.frees || self.makes || !self.cells.is_empty()
    }

    /// Bytes are written that are a part of something else.
    fn hit<'a>(&mut self, shape: &Shape, raw: impl Iterator<Item = &'a Raw>) {
        for one in raw {
            match one {
                Raw::Own(slot) if shape.plain.contains_key(slot) => {}
                Raw::Own(slot) => drop(self.own.insert(*slot)),
                Raw::Anything => self.any = true,
            }
        }
    }

    fn everything() -> Self {
        Self { any: true, frees: true, makes: true, ..Self::default() }
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
        self.kept.mods(chain, version);
        // An unknown call that is the same everywhere has its effects for witnesses, too.
        if self.terms.shared.is_some() && self.asking.mode == Mode::Find {
            return self.in_mode(Mode::Prove, |one| one.mods_of(chain, version));
        }
        let key = (chain, version, self.asking.mode);
        if let Some(found) = self.store.mods.get(&key) {
            return Arc::clone(found);
        }
        // A function that calls itself may change anything until it is known better.
        self.store.mods.insert(key, Arc::new(Mods::everything()));
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
        self.store.mods.insert(key, Arc::clone(&mods));
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
                let entered = step == crate::meaning::shape::ENTRY
                    || shape.steps[step].entering.iter().any(|one| reached[one.from] && !stuck[one.from]);
                changed |= entered && !std::mem::replace(&mut reached[step], true);
            }
            if !changed {
                break;
            }
        }
        !order.iter().any(|&step| reached[step] && !stuck[step] && shape.returned(step).is_some())
    }

    /// Whether a run is a call that does not come back.
    pub(crate) fn is_stuck(&mut self, shape: &Shape, step: StepId) -> bool {
        let Some(Op::Call { callee, .. }) = shape.call(step).map(|id| shape.op(id)) else { return false };
        let Some(Whom { name, callee, .. }) = self.whom(shape, callee) else { return false };
        match callee {
            Callee::Chain(chain) => self.mods_of(chain, shape.version).stuck,
            Callee::External => self
                .subject
                .library
                .contract(&name)
                .is_some_and(|contract| contract.clauses.contains(&Clause::Stops)),
            Callee::Unclear => false,
        }
    }

    pub(crate) fn mods_in(&mut self, shape: &Shape, steps: &[StepId]) -> Mods {
        let mut mods = Mods::default();
        for &step in steps {
            for &id in &shape.steps[step].instructions {
                match shape.op(id) {
                    Op::Store { value, pointer, .. } => match root(shape, pointer) {
                        Some(slot) if shape.plain.contains_key(&slot) => {}
                        Some(slot) => drop(mods.own.insert(slot)),
                        None => {
                            mods.hit(shape, shape.raw.get(&id).into_iter().flatten());
                            let ty = shape.operand_type(value);
                            match ty.map_or(Some(Cell::Pointer), |ty| cell_of(shape, ty)) {
                                Some(cell) => drop(mods.cells.insert(cell)),
                                None => mods.any = true,
                            }
                        }
                    },
                    Op::Call { callee, arguments, .. } => self.call_mods(shape, callee, arguments, &mut mods),
                    op if may_do_anything(op) => mods.add(&Mods::everything()),
                    _ => {}
                }
            }
        }
        mods
    }

    fn call_mods(&mut self, shape: &Shape, callee: &Operand, arguments: &[Operand], mods: &mut Mods) {
        // An object whose address is given away may be written; what else the callee can reach is in its own sets.
        let whom = self.whom(shape, callee);
        let contract = whom.as_ref().filter(|whom| whom.callee == Callee::External);
        let contract = contract.and_then(|whom| self.subject.library.contract(&whom.name));
        let written = |at: usize| contract.is_none_or(|contract| contract.writes_to(at));
        let given = arguments.iter().enumerate().filter(|(at, _)| written(*at));
        let given = given.filter_map(|(_, one)| root(shape, one));
        mods.own.extend(given.filter(|slot| !shape.plain.contains_key(slot)));
        let Some(Whom { name, callee, .. }) = whom else {
            return mods.add(&Mods::everything());
        };
        match callee {
            Callee::Chain(chain) => {
                let theirs = self.mods_of(chain, shape.version);
                mods.add(&theirs);
                mods.hit(shape, self.bytewise(shape, chain, arguments).iter().map(|(_, raw)| raw));
            }
            Callee::Unclear => mods.add(&Mods::everything()),
            Callee::External => match self.subject.library.contract(&name) {
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
                            Clause::New { .. } => {
                                mods.makes = true;
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
                None if self.asking.mode == Mode::Prove => mods.add(&Mods::everything()),
                None => {}
            },
        }
    }

    /// The arguments of a call of this function that it takes for pointers to bytes, stores bytes through, and that lead to something else.
    pub(super) fn bytewise(
        &mut self,
        shape: &Shape,
        chain: ChainId,
        arguments: &[Operand],
    ) -> Vec<(usize, Raw)> {
        if !self.mods_of(chain, shape.version).cells.contains(&Cell::Int(8)) {
            return Vec::new();
        }
        let Some(callee) = self.shape(chain, shape.version) else { return Vec::new() };
        let takes_bytes = |at: usize| {
            let target = parameter_type(&callee.module, callee.function(), at)
                .and_then(|ctype| pointee(&callee.module, ctype));
            target.and_then(|target| size_of(&callee.module, target)) == Some(1)
        };
        let given = arguments.iter().enumerate().filter(|(at, _)| takes_bytes(*at));
        given.flat_map(|(at, given)| raw(shape, given).into_iter().map(move |raw| (at, raw))).collect()
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
                Role::Unset => mods.any || !mods.cells.is_empty(),
                Role::Freed => mods.frees,
                Role::Escaped | Role::Elsewhere => true,
                Role::Made => false,
                Role::Size
                | Role::Rooted
                | Role::Address
                | Role::Whole(_)
                | Role::OfNumber(_)
                | Role::Fixed => false,
            }
        })
    }

    /// What any number of rounds of a loop may do to the state at its head.
    pub(crate) fn loop_effect(&mut self, frame: &Frame, head: Spot, version: VersionId) -> Option<Effect> {
        let (shape, step) = self.step(frame, head, version)?;
        let found = shape.loops.all().iter().find(|one| one.header == step)?;
        Some(self.rounds_effect(frame, &shape, head, &found.body))
    }

    /// What any number of rounds through these runs may do to the state at one of them.
    pub(super) fn rounds_effect(
        &mut self,
        frame: &Frame,
        shape: &Shape,
        head: Spot,
        body: &[StepId],
    ) -> Effect {
        let event = self.terms.event(Entry::LoopLeaves, false, &Self::place(frame, head, 0));
        let mods = self.mods_in(shape, body);
        let steps = counters(shape, body);
        let mut effect = Effect { event, ..Effect::default() };
        for (slot, how) in steps {
            let mut eval = Eval::new(&mut self.terms, shape, &frame.prefix, event);
            let Some(old) = eval.slot(slot) else { continue };
            let name = format!("{}{}", frame.prefix, shape.plain[&slot]);
            let cell = match old {
                Value::Int(term) => Cell::Int(self.terms.pool.width(term)),
                Value::Pointer(..) => Cell::Pointer,
                Value::Opaque => continue,
            };
            let mut new = self.terms.changed(event, &name, cell);
            if let (Value::Pointer(object, _), Value::Pointer(_, offset)) = (old, new)
                && stays_within(shape, body, slot)
            {
                new = Value::Pointer(object, offset);
            }
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
            let mut eval = Eval::new(&mut self.terms, shape, &frame.prefix, event);
            if let Value::Pointer(object, offset) = eval.operand(&Operand::Instruction(*slot)) {
                effect.writes.push(Write::Region { object, offset, bytes: None, event });
            }
        }
        for fact in self.steady(frame, shape, body, event) {
            effect.guard = Some(match effect.guard {
                Some(guard) => self.terms.pool.and(guard, fact),
                None => fact,
            });
        }
        if mods.any || mods.frees || !mods.cells.is_empty() {
            let cells = (!mods.any).then(|| mods.cells.iter().copied().collect());
            effect.writes.push(Write::All { event, cells, frees: mods.frees });
        }
        self.terms.forget_memory(&mut effect, event);
        effect
    }

    /// What is known of a variable that a loop only moves one way: it does not wrap, for that is a fault of its own.
    pub(super) fn monotone(&mut self, old: Value, new: Value, how: Option<Step>) -> (Value, Option<Term>) {
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
}

/// How a loop moves a variable: by constants, one way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    pub up: bool,
    /// Whether a wrap would be undefined.
    pub signed: bool,
    /// How far; zero if that is not always the same.
    pub amount: u64,
}

impl Step {
    /// What is known of two steps, either of which may be made: the way, if it is the same, and the amount likewise.
    fn beside(self, other: Step) -> Option<Step> {
        let amount = if self.amount == other.amount { self.amount } else { 0 };
        (self.up == other.up).then_some(Step { amount, signed: self.signed && other.signed, ..self })
    }
}

/// The plain variables that a loop stores to, and how it moves them where that is always one way by a constant.
pub(crate) fn counters(shape: &Shape, body: &[StepId]) -> BTreeMap<InstructionId, Option<Step>> {
    let mut found: BTreeMap<InstructionId, Option<Step>> = BTreeMap::new();
    for &step in body {
        for &id in &shape.steps[step].instructions {
            let Op::Store { value, pointer: Operand::Instruction(slot), .. } = shape.op(id) else { continue };
            if !shape.plain.contains_key(slot) {
                continue;
            }
            let how = moved(shape, value, &Operand::Instruction(*slot));
            found
                .entry(*slot)
                .and_modify(|old| *old = old.zip(how).and_then(|(old, how)| old.beside(how)))
                .or_insert(how);
        }
    }
    found
}

/// How a stored value moves what lies at an address, where that is by a constant.
pub(crate) fn moved(shape: &Shape, value: &Operand, address: &Operand) -> Option<Step> {
    let Operand::Instruction(id) = value else { return None };
    let is_old = |operand: &Operand| {
        matches!(operand, Operand::Instruction(load) if matches!(shape.op(*load),
            Op::Load { pointer, .. } if pointer == address))
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
