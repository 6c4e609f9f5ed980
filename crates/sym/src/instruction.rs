//! What single instructions do to a state.

use crate::{
    Obstacle,
    check::Asks,
    code::Var,
    homes::{Home, scalar_width},
    meaning,
    segment::{Did, Evaluation},
    state::{Origin, Value, choose},
};
use hydrogen_ir::{
    CastOp, Const, ConstExpr, ConstId, InstructionId, IntPredicate, Module, Op, Operand, Type, TypeId,
    UnaryOp,
};
use hydrogen_semantics::Kind;
use hydrogen_term::Term;

impl<'m> Evaluation<'_, '_, 'm> {
    pub(crate) fn module(&self) -> &'m Module {
        self.runner.code.module
    }

    pub(crate) fn instruction(&mut self, id: InstructionId) -> Result<(), Obstacle> {
        let code = self.runner.code;
        let instruction = code.frames[self.frame as usize].body.instruction(id);
        self.at = id;
        let ty = instruction.ty;
        self.check(|| Asks::Runs);
        let value = match &instruction.op {
            Op::Phi { .. } => return Ok(()),
            Op::Alloca { .. } => {
                self.allocate(id);
                return Ok(());
            }
            Op::Load { access, .. } | Op::Store { access, .. }
                if access.ordering != hydrogen_ir::AtomicOrdering::NotAtomic =>
            {
                return Err(Obstacle::new("an atomic access"));
            }
            Op::Load { pointer, access } if access.volatile => {
                let pointer = self.operand(pointer)?;
                self.accessible(&pointer, ty, false)?;
                self.volatile("read", vec![pointer], ty)?
            }
            Op::Store { value, pointer, access } if access.volatile => {
                let (stored, pointer) = (self.operand(value)?, self.operand(pointer)?);
                if let Some(ty) = self.type_of(value) {
                    self.accessible(&pointer, ty, true)?;
                }
                self.volatile("write", vec![pointer, stored], ty)?;
                return Ok(());
            }
            Op::Load { pointer, .. } => match code.homes.slot(self.frame, pointer) {
                Some(slot) => self.read(Var::Slot(slot), self.width(ty)?),
                None => {
                    let pointer = self.operand(pointer)?;
                    self.load(&pointer, ty)?
                }
            },
            Op::Store { value, pointer, .. } => {
                let stored = self.operand(value)?;
                match code.homes.slot(self.frame, pointer) {
                    Some(slot) => drop(self.state.values.insert(Var::Slot(slot), stored)),
                    None => {
                        let pointer = self.operand(pointer)?;
                        let ty = self.type_of(value);
                        self.store(&pointer, &stored, ty)?;
                    }
                }
                return Ok(());
            }
            Op::Binary { op, left, right, flags, .. } => {
                let (a, b) = (self.scalar(left)?, self.scalar(right)?);
                let kind = meaning::kind_of(self.module(), ty);
                let (value, faults) = meaning::binary(self.context, *op, *flags, kind, a, b)?;
                for (class, condition) in faults {
                    self.fault(class, condition);
                }
                Value::Bits(value, None)
            }
            Op::Unary { op: UnaryOp::FNeg, value, .. } => {
                let value = self.scalar(value)?;
                Value::Bits(hydrogen_semantics::float_negated(&mut self.context.pool, value), None)
            }
            Op::IntCompare { predicate, left, right } => {
                let is_order = !matches!(predicate, IntPredicate::Eq | IntPredicate::Ne);
                if self.context.checks && is_order && (self.is_address(left) || self.is_address(right)) {
                    let both = vec![self.operand(left)?, self.operand(right)?];
                    self.check(|| Asks::Places(both));
                }
                let (a, b) = (self.scalar(left)?, self.scalar(right)?);
                Value::Bits(meaning::int_compare(self.context, *predicate, a, b), None)
            }
            Op::FloatCompare { predicate, left, right, .. } => {
                let kind = self.kind(left);
                let (a, b) = (self.scalar(left)?, self.scalar(right)?);
                Value::Bits(meaning::float_compare(self.context, *predicate, kind, a, b), None)
            }
            Op::Cast { op, value, .. } => {
                let Value::Bits(term, object) = self.operand(value)? else {
                    return Err(Obstacle::new("a conversion of a structure"));
                };
                if *op == CastOp::PtrToInt {
                    self.check(|| Asks::Places(vec![Value::Bits(term, object)]));
                }
                let (from, to) = (self.kind(value), meaning::kind_of(self.module(), ty));
                let kept = object.filter(|_| self.width(ty) == Ok(64) && self.context.pool.width(term) == 64);
                Value::Bits(meaning::cast(self.context, *op, from, to, term)?, kept)
            }
            Op::ElementAddress { source, base, indices, inbounds } => {
                let base = self.operand(base)?;
                let indices =
                    indices.iter().map(|index| self.scalar(index)).collect::<Result<Vec<_>, _>>()?;
                self.element(base, *source, &indices, *inbounds)?
            }
            Op::Select { condition, then, otherwise, .. } => {
                let condition = self.scalar(condition)?;
                let condition = self.context.pool.bits_to_bool(condition);
                let (then, otherwise) = (self.operand(then)?, self.operand(otherwise)?);
                choose(self.context, condition, &then, &otherwise)
                    .ok_or_else(|| Obstacle::new("a choice between values of different shapes"))?
            }
            Op::ExtractValue { aggregate, indices } => {
                let mut value = self.operand(aggregate)?;
                for &index in indices {
                    let Value::Parts(parts) = value else { return Err(Obstacle::new("a part of a number")) };
                    value = parts
                        .into_iter()
                        .nth(index as usize)
                        .ok_or_else(|| Obstacle::new("a part that is not there"))?;
                }
                value
            }
            Op::InsertValue { aggregate, value, indices } => {
                let mut whole = self.operand(aggregate)?;
                let new = self.operand(value)?;
                let mut place = &mut whole;
                for &index in indices {
                    let Value::Parts(parts) = place else { return Err(Obstacle::new("a part of a number")) };
                    place = parts
                        .get_mut(index as usize)
                        .ok_or_else(|| Obstacle::new("a part that is not there"))?;
                }
                *place = new;
                whole
            }
            Op::Freeze { value } => self.operand(value)?,
            Op::Call { callee, .. } => match self.call(id, callee)? {
                Some(value) => value,
                None => return Ok(()),
            },
            Op::Asm { .. } => return Err(Obstacle::new("inline assembly")),
            Op::VaArg { .. } => return Err(Obstacle::new("a function with variable arguments")),
            Op::ExtractElement { .. } | Op::InsertElement { .. } | Op::ShuffleVector { .. } => {
                return Err(Obstacle::new("vector instructions"));
            }
            _ => return Err(Obstacle::new("an atomic or unusual instruction")),
        };
        if let Value::Bits(term, _) = value {
            self.note(|| Did::Gives(term));
        }
        self.check(|| Asks::Gives(value.clone()));
        self.state.values.insert(Var::Register(self.frame, id), value);
        Ok(())
    }

    /// The arguments of a call.
    pub(crate) fn arguments(&mut self, call: InstructionId) -> Result<Vec<Value>, Obstacle> {
        let Op::Call { arguments, .. } = self.runner.code.op(self.frame, call) else {
            return Err(Obstacle::new("no call"));
        };
        arguments.iter().map(|argument| self.operand(argument)).collect()
    }

    pub(crate) fn width(&self, ty: TypeId) -> Result<u32, Obstacle> {
        scalar_width(self.module(), ty).ok_or_else(|| Obstacle::new("a value that is no number"))
    }

    fn read(&mut self, var: Var, width: u32) -> Value {
        match self.state.values.get(&var) {
            Some(value) => value.clone(),
            None => {
                let value = self.undefined(width);
                self.state.values.insert(var, value.clone());
                value
            }
        }
    }

    pub(crate) fn scalar(&mut self, operand: &Operand) -> Result<Term, Obstacle> {
        match self.operand(operand)? {
            Value::Bits(term, _) => Ok(term),
            Value::Parts(_) => Err(Obstacle::new("a structure where a number is expected")),
        }
    }

    pub(crate) fn operand(&mut self, operand: &Operand) -> Result<Value, Obstacle> {
        match operand {
            Operand::Instruction(id) => match self.runner.code.homes.get(self.frame, *id) {
                Some(Home::Object(object)) => {
                    let address = self.runner.addresses[object as usize];
                    Ok(Value::Bits(self.context.word(address), Some(Origin::Local(object))))
                }
                Some(Home::Slot(_)) => Err(Obstacle::new("the address of a variable that has none")),
                None => match self.state.values.get(&Var::Register(self.frame, *id)) {
                    Some(value) => Ok(value.clone()),
                    None => {
                        let ty = self.runner.code.frames[self.frame as usize].body.instruction(*id).ty;
                        let width = self.width(ty)?;
                        Ok(self.read(Var::Register(self.frame, *id), width))
                    }
                },
            },
            Operand::Parameter(n) => {
                let value = self.state.values.get(&Var::Parameter(self.frame, *n));
                value.cloned().ok_or_else(|| Obstacle::new("a parameter that is not there"))
            }
            Operand::Const(id) => self.constant(*id),
            Operand::Metadata(_) => Err(Obstacle::new("metadata where a value is expected")),
        }
    }

    pub(crate) fn constant_scalar(&mut self, id: ConstId) -> Result<Term, Obstacle> {
        match self.constant(id)? {
            Value::Bits(term, _) => Ok(term),
            Value::Parts(_) => Err(Obstacle::new("a structure where a number is expected")),
        }
    }

    pub(crate) fn constant(&mut self, id: ConstId) -> Result<Value, Obstacle> {
        let module = self.module();
        let bits = |value: Term| Ok(Value::Bits(value, None));
        match module.constant(id) {
            Const::Int { ty, bits: value } | Const::Float { ty, bits: value } => {
                let width = self.width(*ty)?;
                bits(self.context.pool.bits(width, *value))
            }
            Const::Zero(ty) => self.filled(*ty, true),
            Const::Undef(ty) => self.filled(*ty, false),
            // What is left of an operation on constants that is undefined, such as a division by zero: the operation itself is gone.
            Const::Poison(ty) if scalar_width(module, *ty).is_some() => {
                Err(Obstacle::new("an operation on constants that is undefined"))
            }
            Const::Poison(ty) => self.filled(*ty, false),
            Const::Global(global) => {
                let address = self.context.global_address(self.runner.side, module, *global)?;
                let table = self.context.table(module, *global, address);
                Ok(Value::Bits(self.context.word(address), table.map(Origin::Table)))
            }
            Const::Function(function) => {
                let address = self.context.function_address(self.runner.side, module, *function);
                bits(self.context.word(address))
            }
            Const::Aggregate { elements, .. } => {
                let parts = elements.iter().map(|&element| self.constant(element));
                Ok(Value::Parts(parts.collect::<Result<_, _>>()?))
            }
            Const::Expr { ty, expr } => match expr {
                ConstExpr::ElementAddress { source, base, indices, .. } => {
                    let base = self.constant(*base)?;
                    let indices = indices.iter().map(|&index| self.constant_scalar(index)).collect::<Result<
                        Vec<_>,
                        _,
                    >>(
                    )?;
                    self.element(base, *source, &indices, false)
                }
                ConstExpr::Cast(op, value) => {
                    let from = module.constant(*value).ty().and_then(|ty| meaning::kind_of(module, ty));
                    // What has no type of its own, a function or a variable, is an address.
                    let (from, to) = (from.or(Some(Kind::Int(64))), meaning::kind_of(module, *ty));
                    let value = self.constant_scalar(*value)?;
                    bits(meaning::cast(self.context, *op, from, to, value)?)
                }
                ConstExpr::Binary(op, left, right) => {
                    let (a, b) = (self.constant_scalar(*left)?, self.constant_scalar(*right)?);
                    let kind = meaning::kind_of(module, *ty);
                    bits(meaning::binary(self.context, *op, Default::default(), kind, a, b)?.0)
                }
                ConstExpr::Other(..) => Err(Obstacle::new("a constant computed in an unusual way")),
            },
            Const::WideInt { .. } | Const::Bytes { .. } | Const::BlockAddress { .. } => {
                Err(Obstacle::new("a constant that is no number"))
            }
        }
    }

    /// A value of a type that is zero or undefined everywhere.
    fn filled(&mut self, ty: TypeId, zero: bool) -> Result<Value, Obstacle> {
        let module = self.module();
        if let Some(width) = scalar_width(module, ty) {
            return Ok(match zero {
                true => Value::Bits(self.context.pool.bits(width, 0), None),
                false => self.undefined(width),
            });
        }
        let parts = match module.types.get(ty) {
            Type::Struct(body) => body.fields.clone().unwrap_or_default(),
            Type::Array { element, len } if *len <= 64 => vec![*element; *len as usize],
            _ => return Err(Obstacle::new("a large constant as a value")),
        };
        Ok(Value::Parts(parts.into_iter().map(|part| self.filled(part, zero)).collect::<Result<_, _>>()?))
    }

    /// What an operand is to operators.
    pub(crate) fn kind(&self, operand: &Operand) -> Option<Kind> {
        match self.type_of(operand) {
            Some(ty) => meaning::kind_of(self.module(), ty),
            // Functions and variables are addresses.
            None => Some(Kind::Int(64)),
        }
    }

    fn is_address(&self, operand: &Operand) -> bool {
        let ty = self.type_of(operand);
        ty.is_none_or(|ty| matches!(self.module().types.get(ty), Type::Pointer(_)))
    }

    fn type_of(&self, operand: &Operand) -> Option<TypeId> {
        match operand {
            Operand::Instruction(id) => {
                Some(self.runner.code.frames[self.frame as usize].body.instruction(*id).ty)
            }
            Operand::Const(id) => self.module().constant(*id).ty(),
            Operand::Parameter(n) => {
                let function = self.runner.code.frames[self.frame as usize].function;
                self.module().function(function).parameters.get(*n as usize)?.ty
            }
            Operand::Metadata(_) => None,
        }
    }
}
