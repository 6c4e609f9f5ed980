//! Straight code, read forwards: what a run does in terms of the state before it.

use crate::meaning::effect::{Effect, Over, Write};
use crate::meaning::nowhere::may_be_of_member;
use crate::meaning::shape::{Entering, Shape, StepId};
use crate::meaning::state::{Cell, Terms, Value};
use crate::meaning::unions::is_union_member;
use hydrogen_ir::{FloatKind, InstructionId, Op, Operand, Type, TypeId};
use hydrogen_term::Term;
use rustc_hash::FxHashMap;

/// The mark of the variable that says whether another one has a value.
pub(crate) const SET: &str = "!set";

/// How a type lies in memory; none for what is not followed.
pub(crate) fn cell_of(shape: &Shape, ty: TypeId) -> Option<Cell> {
    Some(match shape.module.types.get(ty) {
        Type::Int(width @ 1..=128) => Cell::Int(*width),
        Type::Pointer(0) => Cell::Pointer,
        Type::Float(kind) => Cell::Int(match kind {
            FloatKind::Half | FloatKind::BFloat => 16,
            FloatKind::Float => 32,
            FloatKind::Double => 64,
            FloatKind::X86Fp80 => 80,
            _ => 128,
        }),
        _ => return None,
    })
}

/// A run in the making.
pub(crate) struct Eval<'a> {
    pub terms: &'a mut Terms,
    pub shape: &'a Shape,
    /// What the names of the function's variables begin with: tells activations apart.
    pub prefix: &'a str,
    pub(crate) env: FxHashMap<InstructionId, Value>,
    pub effect: Effect,
}

impl<'a> Eval<'a> {
    /// `event` stands for what the run does to memory in ways that are not followed.
    pub fn new(terms: &'a mut Terms, shape: &'a Shape, prefix: &'a str, event: u32) -> Self {
        Self {
            terms,
            shape,
            prefix,
            env: FxHashMap::default(),
            effect: Effect { event, ..Effect::default() },
        }
    }

    /// The effect of a run that is no call.
    pub fn run(mut self, step: StepId) -> Effect {
        for &id in &self.shape.steps[step].instructions {
            self.instruction(id);
        }
        self.effect
    }

    /// How control gets from one run to the next: the branch taken, and the values of the `φ`s there.
    pub fn enter(mut self, entering: Entering, to: StepId) -> Effect {
        let Some(successor) = entering.successor else { return self.effect };
        let (body, steps) = (self.shape.body(), &self.shape.steps);
        let from = steps[entering.from].block;
        for &id in &steps[to].instructions {
            let Op::Phi { incoming } = &body.instruction(id).op else { break };
            let Some((_, operand)) = incoming.iter().find(|(block, _)| *block == from) else { continue };
            let (operand, target) = (self.operand(operand), self.register(id));
            let value = self.known(operand, target, &format!("phi {}", id.0));
            self.effect.set(target, value);
        }
        self.effect.guard = self.guard(entering.from, successor);
        self.effect
    }

    /// The condition of a branch, over the state behind the run.
    pub fn guard_of(mut self, from: StepId, successor: usize) -> Option<Term> {
        self.guard(from, successor)
    }

    fn guard(&mut self, from: StepId, successor: usize) -> Option<Term> {
        let last = *self.shape.steps[from].instructions.last()?;
        match self.shape.op(last) {
            Op::Branch { condition, then, otherwise } if then != otherwise => {
                let Value::Int(bit) = self.operand(condition) else { return None };
                let holds = self.terms.pool.bits_to_bool(bit);
                Some(if successor == 0 { holds } else { self.terms.pool.not(holds) })
            }
            Op::Switch { value, cases, .. } => {
                let Value::Int(value) = self.operand(value) else { return None };
                let case = |one: &mut Self, case: &hydrogen_ir::Case| match one.constant(case.value) {
                    Value::Int(constant) => one.terms.pool.eq(value, constant),
                    _ => one.terms.pool.bool(false),
                };
                match successor.checked_sub(1) {
                    Some(at) => Some(case(self, &cases[at])),
                    None => {
                        let mut none = self.terms.pool.bool(true);
                        for one in cases {
                            let taken = case(self, one);
                            let not = self.terms.pool.not(taken);
                            none = self.terms.pool.and(none, not);
                        }
                        Some(none)
                    }
                }
            }
            // Computed jumps may go to any of their targets.
            _ => None,
        }
    }

    pub fn current(&self, variable: Term) -> Term {
        self.effect
            .assign
            .iter()
            .find(|(target, _)| *target == variable)
            .map_or(variable, |(_, value)| *value)
    }

    /// A value, or any value of the target's kind where it is not followed.
    fn known(&mut self, value: Value, target: Value, name: &str) -> Value {
        let fits = match (value, target) {
            (Value::Int(a), Value::Int(b)) => self.terms.pool.sort(a) == self.terms.pool.sort(b),
            (Value::Pointer(..), Value::Pointer(..)) => true,
            _ => false,
        };
        if fits {
            return value;
        }
        let name = format!("{}{name}", self.prefix);
        match target {
            Value::Int(term) => {
                let width = self.terms.pool.width(term);
                self.terms.changed(self.effect.event, &name, Cell::Int(width))
            }
            Value::Pointer(..) => self.terms.changed(self.effect.event, &name, Cell::Pointer),
            Value::Opaque => Value::Opaque,
        }
    }

    pub fn instruction(&mut self, id: InstructionId) {
        let instruction = self.shape.body().instruction(id);
        let value = match &instruction.op {
            Op::Store { value, pointer, .. } => return self.store(id, value, pointer),
            op if op.is_terminator() => return,
            Op::Phi { .. } => return,
            Op::Load { pointer, .. } => self.load(pointer, instruction.ty),
            Op::Binary { op, left, right, .. } => match (self.operand(left), self.operand(right)) {
                (Value::Int(left), Value::Int(right)) => self.binary(*op, instruction.ty, left, right),
                _ => Value::Opaque,
            },
            Op::Unary { value, .. } => match self.operand(value) {
                Value::Int(value) => self.negated(value),
                _ => Value::Opaque,
            },
            Op::Cast { op, value, .. } => {
                let from = self.shape.operand_type(value);
                let value = self.operand(value);
                self.cast(*op, value, from, instruction.ty)
            }
            Op::IntCompare { predicate, left, right } => {
                let of_member = [left, right].into_iter().any(|one| self.is_of_member(one));
                let (left, right) = (self.operand(left), self.operand(right));
                let same = if of_member { self.same_places(*predicate, left, right) } else { None };
                match same.or_else(|| self.compare(*predicate, left, right)) {
                    Some(holds) => Value::Int(self.terms.pool.bool_to_bits(holds, 1)),
                    None => Value::Opaque,
                }
            }
            Op::FloatCompare { predicate, left, right, .. } => {
                let ty = self.shape.operand_type(left);
                match (self.operand(left), self.operand(right)) {
                    (Value::Int(left), Value::Int(right)) => self.float_compare(*predicate, ty, left, right),
                    _ => Value::Opaque,
                }
            }
            Op::Select { condition, then, otherwise, .. } => {
                let (then, otherwise) = (self.operand(then), self.operand(otherwise));
                match self.operand(condition) {
                    Value::Int(bit) if self.terms.pool.width(bit) == 1 => {
                        let holds = self.terms.pool.bits_to_bool(bit);
                        self.terms.choose(holds, then, otherwise)
                    }
                    _ => Value::Opaque,
                }
            }
            Op::ElementAddress { source, base, indices, .. } => self.element(id, *source, base, indices),
            Op::Freeze { value } => self.operand(value),
            Op::AtomicRmw { pointer, .. }
            | Op::CompareExchange { pointer, .. }
            | Op::VaArg { list: pointer } => {
                if let Value::Pointer(object, offset) = self.operand(pointer) {
                    let event = self.effect.event;
                    self.effect.writes.push(Write::Region { object, offset, bytes: None, event });
                }
                Value::Opaque
            }
            Op::Asm { .. } | Op::Opaque { .. } => {
                let event = self.effect.event;
                self.effect.writes.push(Write::All { event, cells: None, frees: true });
                Value::Opaque
            }
            _ => Value::Opaque,
        };
        self.define(id, value);
    }

    fn is_of_member(&self, operand: &Operand) -> bool {
        let is_pointer = self.shape.operand_type(operand).map(|ty| self.shape.module.types.get(ty));
        matches!(is_pointer, Some(Type::Pointer(_)))
            && may_be_of_member(&self.shape.module, self.shape.body(), operand)
    }

    /// The address of an element.
    pub(crate) fn element(
        &mut self,
        id: InstructionId,
        source: TypeId,
        base: &Operand,
        indices: &[Operand],
    ) -> Value {
        let base = self.operand(base);
        let indices: Vec<Value> = indices.iter().map(|index| self.operand(index)).collect();
        match (base, self.walk(source, &indices)) {
            (Value::Pointer(object, offset), Some(moved)) => {
                Value::Pointer(object, self.terms.pool.add(offset, moved))
            }
            (Value::Pointer(object, _), None) => {
                let offset = self.any(id, Cell::Int(64));
                match offset {
                    Value::Int(offset) => Value::Pointer(object, offset),
                    _ => Value::Opaque,
                }
            }
            _ => Value::Opaque,
        }
    }

    /// Gives an instruction its value, for the run itself and for what follows.
    pub fn define(&mut self, id: InstructionId, value: Value) {
        let target = self.register(id);
        let value = match target {
            Value::Opaque => value,
            _ => self.known(value, target, &format!("%{}", self.shape.names[id.index()].1)),
        };
        self.env.insert(id, value);
        match (target, value) {
            (Value::Int(target), Value::Int(value)) => self.effect.assign.push((target, value)),
            (Value::Pointer(object, offset), Value::Pointer(to, at)) => {
                self.effect.assign.push((object, to));
                self.effect.assign.push((offset, at));
            }
            _ => {}
        }
    }

    fn any(&mut self, id: InstructionId, cell: Cell) -> Value {
        let (node, count) = self.shape.names[id.index()];
        let name = format!("{}%{}.{count}", self.prefix, node.0);
        self.terms.changed(self.effect.event, &name, cell)
    }

    fn load(&mut self, pointer: &Operand, ty: TypeId) -> Value {
        let Some(cell) = cell_of(self.shape, ty) else { return Value::Opaque };
        if let Operand::Instruction(slot) = pointer
            && let Some(variable) = self.slot(*slot)
        {
            return match variable {
                Value::Int(term) => Value::Int(self.current(term)),
                Value::Pointer(object, offset) => Value::Pointer(self.current(object), self.current(offset)),
                Value::Opaque => Value::Opaque,
            };
        }
        match self.operand(pointer) {
            Value::Pointer(object, offset) => {
                self.survives(object);
                self.terms.read(&self.effect.writes, self.effect.event, cell, object, offset)
            }
            _ => Value::Opaque,
        }
    }

    fn store(&mut self, id: InstructionId, value: &Operand, pointer: &Operand) {
        let ty = self.shape.operand_type(value);
        let new = self.operand(value);
        if let Operand::Instruction(slot) = pointer
            && let Some(variable) = self.slot(*slot)
        {
            let new = self.known(new, variable, &format!("stored {}", slot.0));
            self.effect.set(variable, new);
            if let Some(set) = self.slot_set(*slot) {
                let yes = self.terms.pool.bool(true);
                self.effect.put(set, yes);
            }
            return;
        }
        let cell = match ty {
            Some(ty) => cell_of(self.shape, ty),
            None => Some(Cell::Pointer),
        };
        let event = self.effect.event;
        match (self.operand(pointer), cell) {
            (Value::Pointer(object, offset), Some(cell)) => {
                self.survives(object);
                let target = self.terms.memory(cell, object, offset, None);
                let value = self.known(new, target, "stored");
                if let Value::Pointer(stored, _) = value
                    && !self.terms.is_private(object)
                {
                    self.effect.writes.push(Write::Escape { object: stored, into: Some(object) });
                }
                let over = match is_union_member(self.shape, pointer) {
                    true => Over::Union,
                    false if self.shape.raw.contains_key(&id) => Over::Anything,
                    false => Over::OwnType,
                };
                self.effect.writes.push(Write::Cell { object, offset, cell, value, over });
            }
            (Value::Pointer(object, offset), None) => {
                let bytes =
                    ty.and_then(|ty| self.shape.module.types.layout(ty)).map(|layout| layout.alloc_bytes);
                let bytes = bytes.map(|bytes| self.terms.word(bytes));
                self.effect.writes.push(Write::Region { object, offset, bytes, event });
            }
            _ => self.effect.writes.push(Write::All { event, cells: None, frees: false }),
        }
    }

    /// Control gets behind an access only if the pointer is not null.
    pub fn survives(&mut self, object: Term) {
        if !self.terms.is_const(object) {
            let zero = self.terms.word(0);
            let there = self.terms.pool.ne(object, zero);
            self.assume(there);
        }
    }

    /// Control gets behind only if this holds before.
    pub fn assume(&mut self, fact: Term) {
        self.effect.guard = Some(match self.effect.guard {
            Some(guard) => self.terms.pool.and(guard, fact),
            None => fact,
        });
    }
}
