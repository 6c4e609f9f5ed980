//! Instructions.

use super::{Generator, Value};
use crate::points_to::address::Move;
use crate::points_to::memory::ObjectState;
use crate::points_to::object::ObjectKind;
use crate::points_to::shape::{Offset, Shape};
use crate::points_to::solver::{Complex, ESCAPED, FOREIGN};
use crate::{Flow, reverse_post_order};
use hydrogen_ir::{
    BinaryOp, Body, CastOp, Const, FunctionId, Instruction, InstructionId, Op, Operand, RmwOp, TypeId,
};
use std::sync::Arc;

impl Generator<'_> {
    /// Generates the constraints of a body. Blocks that the entry does not reach never run and have none.
    pub(super) fn generate_body(&mut self, id: FunctionId) {
        let module = self.module;
        let Some(body) = &module.function(id).body else { return };
        self.values[id.index()] = vec![Value::Nothing; body.instructions.len()];
        let flow = Flow::of_blocks(module, body);
        let mut phis = Vec::new();
        // In this order operands come before their uses, except in phis.
        for block in reverse_post_order(&flow.graph, [flow.entry]) {
            for at in body.instructions_of(hydrogen_ir::BlockId::at(block)) {
                let instruction = body.instruction(at);
                self.values[id.index()][at.index()] = match &instruction.op {
                    Op::Phi { incoming } if !self.leaves(instruction.ty).is_empty() => {
                        let var = self.solver.fresh();
                        phis.push((var, incoming));
                        Value::Var(var)
                    }
                    _ => self.instruction(id, body, at, instruction),
                };
            }
        }
        for (var, incoming) in phis {
            for (_, operand) in incoming {
                let value = self.operand(id, operand);
                self.flow(value, var);
            }
        }
    }

    /// What an operand can point to.
    pub fn operand(&mut self, function: FunctionId, operand: &Operand) -> Value {
        match operand {
            Operand::Instruction(id) => self.values[function.index()][id.index()],
            Operand::Parameter(index) => {
                self.parameters[function.index()].get(*index as usize).copied().unwrap_or_default()
            }
            Operand::Const(id) => self.constant(*id),
            Operand::Metadata(_) => Value::Nothing,
        }
    }

    /// Where a value of an operand's type can hold pointers.
    fn operand_leaves(&mut self, function: FunctionId, body: &Body, operand: &Operand) -> Arc<[u32]> {
        let module = self.module;
        let ty = match operand {
            Operand::Instruction(id) => Some(body.instruction(*id).ty),
            Operand::Parameter(index) => {
                module.function(function).parameters.get(*index as usize).and_then(|parameter| parameter.ty)
            }
            Operand::Const(id) => match module.constant(*id) {
                Const::Aggregate { ty, .. } | Const::Expr { ty, .. } => Some(*ty),
                _ => None,
            },
            Operand::Metadata(_) => None,
        };
        // All other constants that can point are addresses.
        ty.map_or_else(|| [0].into(), |ty| self.leaves(ty))
    }

    fn instruction(
        &mut self,
        f: FunctionId,
        body: &Body,
        at: InstructionId,
        instruction: &Instruction,
    ) -> Value {
        let ty = instruction.ty;
        match &instruction.op {
            Op::Alloca { ty, count, .. } => self.alloca(f, at, *ty, count),
            Op::Load { pointer, .. } => {
                let pointer = self.operand(f, pointer);
                self.load(pointer, ty)
            }
            Op::Store { value, pointer, .. } => {
                let leaves = self.operand_leaves(f, body, value);
                let (value, pointer) = (self.operand(f, value), self.operand(f, pointer));
                self.store(value, pointer, &leaves);
                Value::Nothing
            }
            Op::ElementAddress { source, base, indices, inbounds } => {
                let indices: Vec<_> = indices
                    .iter()
                    .map(|index| if let Operand::Const(id) = index { self.integer(*id) } else { None })
                    .collect();
                let by = Move::element(&self.module.types, *source, &indices, *inbounds);
                let base = self.operand(f, base);
                self.displaced(base, by)
            }
            Op::Select { then, otherwise, .. } => self.mix(f, [then, otherwise]),
            Op::InsertValue { aggregate: left, value: right, .. }
            | Op::InsertElement { vector: left, value: right, .. }
            | Op::ShuffleVector { left, right, .. } => self.mix(f, [left, right]),
            Op::ExtractValue { aggregate: value, .. }
            | Op::ExtractElement { vector: value, .. }
            | Op::Freeze { value } => self.if_tracked(f, value, ty),
            Op::Cast { op, value, .. } => self.cast(f, *op, value, ty),
            Op::Binary { op, left, right, flags, .. } => {
                // Pointer differences are numbers: C divides them (exactly) by the size of what is between.
                let number = matches!(op, BinaryOp::SDiv if flags.exact)
                    || matches!(op, BinaryOp::Sub if is_address(body, left) && is_address(body, right));
                if number || self.leaves(ty).is_empty() {
                    return Value::Nothing;
                }
                let either = self.mix(f, [left, right]);
                self.displaced(either, Move::Smear)
            }
            Op::Call { callee, arguments, .. } => self.call(f, at, ty, callee, arguments),
            Op::VaArg { list } => {
                let list = self.operand(f, list);
                let anywhere = self.displaced(list, Move::Smear);
                let area = self.fetch(anywhere, &[0]);
                self.load(area, ty)
            }
            Op::CompareExchange { pointer, new, .. } => {
                let leaves = self.operand_leaves(f, body, new);
                let (pointer, new) = (self.operand(f, pointer), self.operand(f, new));
                self.store(new, pointer, &leaves);
                self.fetch(pointer, &leaves)
            }
            Op::AtomicRmw { op, pointer, value, .. } => {
                let leaves = self.operand_leaves(f, body, value);
                let (pointer, value) = (self.operand(f, pointer), self.operand(f, value));
                let old = self.load(pointer, ty);
                let new = match op {
                    RmwOp::Xchg => value,
                    _ => {
                        let either = self.any_of(&[old, value]);
                        self.displaced(either, Move::Smear)
                    }
                };
                self.store(new, pointer, &leaves);
                old
            }
            Op::Return { value: Some(value) } => {
                let value = self.operand(f, value);
                let target = self.solver.targets.get(&self.functions[f.index()]);
                if let Some(crate::points_to::calls::Target::Defined { result: Some(result), .. }) = target {
                    let result = *result;
                    self.flow(value, result);
                }
                Value::Nothing
            }
            Op::Asm { arguments, .. }
            | Op::AsmBranch { arguments, .. }
            | Op::Opaque { operands: arguments, .. }
            | Op::OpaqueTerminator { operands: arguments, .. } => {
                for argument in arguments {
                    let value = self.operand(f, argument);
                    self.flow(value, ESCAPED);
                }
                if self.leaves(ty).is_empty() { Value::Nothing } else { Value::Var(FOREIGN) }
            }
            _ => Value::Nothing,
        }
    }

    fn alloca(
        &mut self,
        function: FunctionId,
        instruction: InstructionId,
        ty: TypeId,
        count: &Operand,
    ) -> Value {
        let one = matches!(count, Operand::Const(id) if self.integer(*id) == Some(1));
        let shape = if one { self.shape(ty) } else { Shape::array_of(&self.module.types, ty).map(Arc::new) };
        let kind = ObjectKind::Stack { function, instruction };
        let object = self.object(kind, ObjectState { shape, ..Default::default() });
        Value::Loc(self.solver.locate(object, Offset::At(0)))
    }

    /// One of several operands, whole.
    fn mix(&mut self, f: FunctionId, operands: [&Operand; 2]) -> Value {
        let values = operands.map(|operand| self.operand(f, operand));
        self.any_of(&values)
    }

    fn if_tracked(&mut self, f: FunctionId, value: &Operand, ty: TypeId) -> Value {
        if self.leaves(ty).is_empty() { Value::Nothing } else { self.operand(f, value) }
    }

    fn cast(&mut self, f: FunctionId, op: CastOp, value: &Operand, ty: TypeId) -> Value {
        let from = self.operand(f, value);
        match op {
            _ if from == Value::Nothing && op != CastOp::IntToPtr => Value::Nothing,
            CastOp::IntToPtr => match value {
                Operand::Const(_) => from,
                // The number can have come from anywhere.
                _ => self.any_of(&[from, Value::Var(FOREIGN)]),
            },
            // Parts of an address are hashes and the like; whether they are followed is `Options::narrow`.
            _ if self.leaves(ty).is_empty() => Value::Nothing,
            _ => from,
        }
    }

    fn load(&mut self, pointer: Value, ty: TypeId) -> Value {
        let leaves = self.leaves(ty);
        self.fetch(pointer, &leaves)
    }

    /// What is stored at some distances behind a pointer.
    pub(super) fn fetch(&mut self, pointer: Value, leaves: &[u32]) -> Value {
        match pointer {
            Value::Nothing => Value::Nothing,
            Value::Loc(loc) => {
                let mut contents = Vec::new();
                for &leaf in leaves {
                    for place in self.solver.behind(loc, leaf) {
                        contents.push(Value::Var(self.solver.locations[place as usize].out));
                    }
                }
                self.any_of(&contents)
            }
            Value::Var(var) => {
                if leaves.is_empty() {
                    return Value::Nothing;
                }
                let to = self.solver.fresh();
                for &at in leaves {
                    self.solver.when(var, Complex::Load { to, at });
                }
                Value::Var(to)
            }
        }
    }

    pub(super) fn store(&mut self, value: Value, pointer: Value, leaves: &[u32]) {
        let Some(value) = self.var(value) else { return };
        match pointer {
            Value::Nothing => {}
            Value::Loc(loc) => {
                let only = crate::points_to::set::Set::from_iter([loc]);
                for &leaf in leaves {
                    self.solver.store(&only, leaf, value);
                }
            }
            Value::Var(var) => {
                for &at in leaves {
                    self.solver.when(var, Complex::Store { value, at });
                }
            }
        }
    }
}

fn is_address(body: &Body, operand: &Operand) -> bool {
    matches!(operand, Operand::Instruction(id)
        if matches!(body.instruction(*id).op, Op::Cast { op: CastOp::PtrToInt, .. }))
}
