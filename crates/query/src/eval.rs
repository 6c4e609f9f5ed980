//! Straight code, read forwards: what a run does in terms of the state before it.

use crate::effect::{Effect, Write};
use crate::shape::{Entering, Shape, StepId};
use crate::state::{Cell, Object, Terms, Value};
use hydrogen_ir::{
    BinaryOp, CastOp, Const, ConstExpr, ConstId, FloatKind, InstructionId, IntPredicate, Op, Operand, Type,
    TypeId,
};
use hydrogen_term::{Sort, Term};
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
    env: FxHashMap<InstructionId, Value>,
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

    pub fn register(&mut self, id: InstructionId) -> Value {
        let Some(cell) = cell_of(self.shape, self.shape.body().instruction(id).ty) else {
            return Value::Opaque;
        };
        let (node, count) = self.shape.names[id.index()];
        self.terms.variable(&format!("{}%{}.{count}", self.prefix, node.0), cell)
    }

    fn slot_cell(&self, slot: InstructionId) -> Option<Cell> {
        match self.shape.op(slot) {
            Op::Alloca { ty, .. } => cell_of(self.shape, *ty),
            _ => None,
        }
    }

    /// The variable of a plain slot.
    pub fn slot(&mut self, slot: InstructionId) -> Option<Value> {
        let name = self.shape.plain.get(&slot)?;
        let cell = self.slot_cell(slot)?;
        Some(self.terms.variable(&format!("{}{name}", self.prefix), cell))
    }

    pub fn slot_set(&mut self, slot: InstructionId) -> Option<Term> {
        let name = self.shape.plain.get(&slot)?;
        Some(self.terms.pool.var(&format!("{}{name}{SET}", self.prefix), Sort::Bool))
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

    pub fn operand(&mut self, operand: &Operand) -> Value {
        match operand {
            Operand::Instruction(id) => match self.env.get(id) {
                Some(value) => *value,
                None => match self.shape.op(*id) {
                    Op::Alloca { .. } => self.stack(*id),
                    _ => self.register(*id),
                },
            },
            Operand::Parameter(n) => self.parameter(*n),
            Operand::Const(id) => self.constant(*id),
            Operand::Metadata(_) => Value::Opaque,
        }
    }

    pub fn parameter(&mut self, n: u32) -> Value {
        let Some(parameter) = self.shape.function().parameters.get(n as usize) else { return Value::Opaque };
        let Some(cell) = parameter.ty.and_then(|ty| cell_of(self.shape, ty)) else { return Value::Opaque };
        let name = match parameter.name.as_str() {
            "" => format!("{}argument {n}", self.prefix),
            name => format!("{}{name}", self.prefix),
        };
        self.terms.variable(&name, cell)
    }

    fn stack(&mut self, slot: InstructionId) -> Value {
        let (name, escapes) = match (self.shape.objects.get(&slot), self.shape.plain.get(&slot)) {
            (Some((name, escapes)), _) => (name.clone(), *escapes),
            (None, name) => (name.cloned().unwrap_or_default(), false),
        };
        let Op::Alloca { ty, count, .. } = self.shape.op(slot) else { return Value::Opaque };
        let single = matches!(count, Operand::Const(id) if matches!(self.shape.module.constant(*id), Const::Int { bits: 1, .. }));
        let layout = self.shape.module.types.layout(*ty).filter(|_| single);
        let bytes = layout.map(|layout| layout.alloc_bytes);
        let object = Object::Stack { name: format!("{}{name}", self.prefix), bytes, escapes };
        Value::Pointer(self.terms.object(object), self.terms.word(0))
    }

    pub fn constant(&mut self, id: ConstId) -> Value {
        let module = &self.shape.module;
        match module.constant(id) {
            Const::Int { ty, bits } => match cell_of(self.shape, *ty) {
                Some(Cell::Int(width)) => Value::Int(self.terms.pool.bits(width, *bits)),
                _ => Value::Opaque,
            },
            Const::Float { ty, bits } => match cell_of(self.shape, *ty) {
                Some(Cell::Int(width)) => Value::Int(self.terms.pool.bits(width, *bits)),
                _ => Value::Opaque,
            },
            Const::Zero(ty) => match cell_of(self.shape, *ty) {
                Some(Cell::Int(width)) => Value::Int(self.terms.pool.bits(width, 0)),
                Some(Cell::Pointer) => self.terms.null(),
                None => Value::Opaque,
            },
            Const::Global(global) => {
                let global = module.global(*global);
                let own = matches!(global.linkage, hydrogen_ir::Linkage::Internal);
                let name = if own || global.private {
                    format!("{}:{}", module.name, global.name)
                } else {
                    global.name.clone()
                };
                // What other units define may be larger than it looks here.
                let bytes = module.types.layout(global.ty).map(|layout| layout.alloc_bytes);
                let bytes = bytes.filter(|&bytes| global.initializer.is_some() || bytes > 0);
                Value::Pointer(self.terms.object(Object::Global { name, bytes }), self.terms.word(0))
            }
            Const::Function(function) => {
                let name = module.function(*function).name.clone();
                Value::Pointer(self.terms.object(Object::Function(name)), self.terms.word(0))
            }
            Const::Expr { ty, expr } => self.expression(*ty, expr),
            _ => Value::Opaque,
        }
    }

    fn expression(&mut self, ty: TypeId, expr: &ConstExpr) -> Value {
        match expr {
            ConstExpr::ElementAddress { source, base, indices, .. } => {
                let Value::Pointer(object, offset) = self.constant(*base) else { return Value::Opaque };
                let indices: Vec<Value> = indices.iter().map(|&index| self.constant(index)).collect();
                match self.walk(*source, &indices) {
                    Some(moved) => Value::Pointer(object, self.terms.pool.add(offset, moved)),
                    None => Value::Opaque,
                }
            }
            ConstExpr::Cast(op, value) => {
                let value = self.constant(*value);
                self.cast(*op, value, ty)
            }
            ConstExpr::Binary(op, left, right) => match (self.constant(*left), self.constant(*right)) {
                (Value::Int(left), Value::Int(right)) => self.binary(*op, left, right),
                _ => Value::Opaque,
            },
            ConstExpr::Other(..) => Value::Opaque,
        }
    }

    pub fn instruction(&mut self, id: InstructionId) {
        let instruction = self.shape.body().instruction(id);
        let value = match &instruction.op {
            Op::Store { value, pointer, .. } => return self.store(value, pointer),
            op if op.is_terminator() => return,
            Op::Phi { .. } => return,
            Op::Load { pointer, .. } => self.load(pointer, instruction.ty),
            Op::Binary { op, left, right, .. } => match (self.operand(left), self.operand(right)) {
                (Value::Int(left), Value::Int(right)) => self.binary(*op, left, right),
                _ => Value::Opaque,
            },
            Op::Unary { value, .. } => match self.operand(value) {
                Value::Int(value) => {
                    let sort = self.terms.pool.sort(value);
                    Value::Int(self.terms.opaque("fneg", &[value], sort))
                }
                _ => Value::Opaque,
            },
            Op::Cast { op, value, .. } => {
                let value = self.operand(value);
                self.cast(*op, value, instruction.ty)
            }
            Op::IntCompare { predicate, left, right } => {
                let (left, right) = (self.operand(left), self.operand(right));
                match self.compare(*predicate, left, right) {
                    Some(holds) => Value::Int(self.terms.pool.bool_to_bits(holds, 1)),
                    None => Value::Opaque,
                }
            }
            Op::FloatCompare { predicate, left, right, .. } => {
                match (self.operand(left), self.operand(right)) {
                    (Value::Int(left), Value::Int(right)) => {
                        let name = format!("fcmp{predicate:?}");
                        Value::Int(self.terms.opaque(&name, &[left, right], Sort::Bits(1)))
                    }
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
            Op::ElementAddress { source, base, indices, .. } => {
                let base = self.operand(base);
                let indices: Vec<Value> = indices.iter().map(|index| self.operand(index)).collect();
                match (base, self.walk(*source, &indices)) {
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

    fn store(&mut self, value: &Operand, pointer: &Operand) {
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
                    self.effect.writes.push(Write::Escape { object: stored });
                }
                self.effect.writes.push(Write::Cell { object, offset, cell, value });
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

    fn binary(&mut self, op: BinaryOp, left: Term, right: Term) -> Value {
        let pool = &mut self.terms.pool;
        if pool.sort(left) != pool.sort(right) {
            return Value::Opaque;
        }
        Value::Int(match op {
            BinaryOp::Add => pool.add(left, right),
            BinaryOp::Sub => pool.sub(left, right),
            BinaryOp::Mul => pool.mul(left, right),
            BinaryOp::UDiv => pool.udiv(left, right),
            BinaryOp::SDiv => pool.sdiv(left, right),
            BinaryOp::URem => pool.urem(left, right),
            BinaryOp::SRem => pool.srem(left, right),
            BinaryOp::Shl => pool.shl(left, right),
            BinaryOp::LShr => pool.lshr(left, right),
            BinaryOp::AShr => pool.ashr(left, right),
            BinaryOp::And => pool.bitand(left, right),
            BinaryOp::Or => pool.bitor(left, right),
            BinaryOp::Xor => pool.bitxor(left, right),
            BinaryOp::FAdd | BinaryOp::FSub | BinaryOp::FMul | BinaryOp::FDiv | BinaryOp::FRem => {
                let sort = pool.sort(left);
                self.terms.opaque(&format!("{op:?}"), &[left, right], sort)
            }
        })
    }

    fn cast(&mut self, op: CastOp, value: Value, ty: TypeId) -> Value {
        let to = cell_of(self.shape, ty);
        match (op, value, to) {
            (CastOp::Trunc, Value::Int(value), Some(Cell::Int(width))) => {
                Value::Int(self.terms.pool.truncate(value, width))
            }
            (CastOp::ZExt, Value::Int(value), Some(Cell::Int(width))) => {
                Value::Int(self.terms.pool.zext(value, width))
            }
            (CastOp::SExt, Value::Int(value), Some(Cell::Int(width))) => {
                Value::Int(self.terms.pool.sext(value, width))
            }
            (CastOp::PtrToInt, Value::Pointer(object, offset), Some(Cell::Int(width))) => {
                let address = self.terms.address(object, offset);
                Value::Int(self.terms.pool.resize_unsigned(address, width))
            }
            (CastOp::IntToPtr, Value::Int(number), Some(Cell::Pointer)) => {
                let number = self.terms.pool.resize_unsigned(number, 64);
                if self.terms.pool.as_bits(number) == Some(0) {
                    return self.terms.null();
                }
                let object = self.terms.opaque("object of a number", &[number], Sort::Bits(64));
                let offset = self.terms.opaque("offset of a number", &[number], Sort::Bits(64));
                Value::Pointer(object, offset)
            }
            (CastOp::BitCast, Value::Int(value), Some(Cell::Int(width)))
                if self.terms.pool.width(value) == width =>
            {
                Value::Int(value)
            }
            (CastOp::BitCast | CastOp::AddrSpaceCast, Value::Pointer(..), Some(Cell::Pointer)) => value,
            (
                CastOp::FpToUi
                | CastOp::FpToSi
                | CastOp::UiToFp
                | CastOp::SiToFp
                | CastOp::FpTrunc
                | CastOp::FpExt,
                Value::Int(value),
                Some(Cell::Int(width)),
            ) => Value::Int(self.terms.opaque(&format!("{op:?}{width}"), &[value], Sort::Bits(width))),
            _ => Value::Opaque,
        }
    }

    pub fn compare(&mut self, predicate: IntPredicate, left: Value, right: Value) -> Option<Term> {
        let (left, right) = match (left, right) {
            (Value::Int(left), Value::Int(right)) => (left, right),
            (Value::Pointer(object, offset), Value::Pointer(other, at)) => match predicate {
                IntPredicate::Eq => return self.terms.same(left, right),
                IntPredicate::Ne => {
                    let same = self.terms.same(left, right)?;
                    return Some(self.terms.pool.not(same));
                }
                _ if object == other => (offset, at),
                _ => (self.terms.address(object, offset), self.terms.address(other, at)),
            },
            _ => return None,
        };
        let pool = &mut self.terms.pool;
        if pool.sort(left) != pool.sort(right) {
            return None;
        }
        Some(match predicate {
            IntPredicate::Eq => pool.eq(left, right),
            IntPredicate::Ne => pool.ne(left, right),
            IntPredicate::Ugt => pool.ugt(left, right),
            IntPredicate::Uge => pool.uge(left, right),
            IntPredicate::Ult => pool.ult(left, right),
            IntPredicate::Ule => pool.ule(left, right),
            IntPredicate::Sgt => pool.sgt(left, right),
            IntPredicate::Sge => pool.sge(left, right),
            IntPredicate::Slt => pool.slt(left, right),
            IntPredicate::Sle => pool.sle(left, right),
        })
    }

    /// The distance that indices walk through a type.
    fn walk(&mut self, source: TypeId, indices: &[Value]) -> Option<Term> {
        let (mut ty, mut sum) = (source, self.terms.word(0));
        for (at, index) in indices.iter().enumerate() {
            let Value::Int(index) = *index else { return None };
            let types = &self.shape.module.types;
            let step = if at == 0 {
                types.layout(ty)?.alloc_bytes
            } else {
                match types.get(ty) {
                    Type::Array { element, .. } => {
                        ty = *element;
                        types.layout(ty)?.alloc_bytes
                    }
                    Type::Struct(body) => {
                        let field = usize::try_from(self.terms.pool.as_bits(index)?).ok()?;
                        let mut offset = *types.layout(ty)?.field_offsets.get(field)?;
                        if let Some(layouts) = &mut self.terms.layouts {
                            offset = layouts.common(&self.shape.module, ty, offset);
                        }
                        ty = *body.fields.as_ref()?.get(field)?;
                        let offset = self.terms.word(offset);
                        sum = self.terms.pool.add(sum, offset);
                        continue;
                    }
                    _ => return None,
                }
            };
            let pool = &mut self.terms.pool;
            let (index, step) = (pool.resize_signed(index, 64), pool.bits(64, step.into()));
            let moved = pool.mul(index, step);
            sum = pool.add(sum, moved);
        }
        Some(sum)
    }
}
