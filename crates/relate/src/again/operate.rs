//! What an instruction gives, and what operands stand for. Operators mean what the table says.

use super::walk::Turn;
use crate::{
    Obstacle,
    code::Var,
    homes::{Home, scalar_width},
    meaning,
    state::{Origin, Value, choose},
};
use hydrogen_ir::{
    AtomicOrdering, Const, ConstExpr, ConstId, InstructionId, Module, Op, Operand, Type, TypeId, UnaryOp,
};
use hydrogen_semantics::Kind;
use hydrogen_term::{Sort, Term};

impl<'m> Turn<'_, '_, '_, 'm> {
    pub fn module(&self) -> &'m Module {
        self.runner.code.module
    }

    /// Executes one instruction.
    pub fn execute(&mut self, id: InstructionId) -> Result<(), Obstacle> {
        let code = self.runner.code;
        let instruction = code.frames[self.frame as usize].body.instruction(id);
        let ty = instruction.ty;
        let plain = |term: Term| Value::Bits(term, None);
        let value = match &instruction.op {
            Op::Phi { .. } => return Ok(()),
            Op::Alloca { .. } => {
                if let Some(Home::Slot(slot)) = code.homes.get(self.frame, id) {
                    let nothing = self.anything(code.homes.slots[slot as usize].width);
                    self.lane.state.values.insert(Var::Slot(slot), nothing);
                }
                return Ok(());
            }
            Op::Load { access, .. } | Op::Store { access, .. }
                if access.ordering != AtomicOrdering::NotAtomic =>
            {
                return Err(Obstacle::new("an atomic access"));
            }
            Op::Load { pointer, access } if access.volatile => {
                let pointer = self.value(pointer)?;
                let bytes = self.bytes_of(ty)?;
                self.may_access(&pointer, bytes, false)?;
                self.watched("read", &[pointer], ty)?
            }
            Op::Store { value, pointer, access } if access.volatile => {
                let (stored, pointer) = (self.value(value)?, self.value(pointer)?);
                if let Some(ty) = self.type_of(value) {
                    let bytes = self.bytes_of(ty)?;
                    self.may_access(&pointer, bytes, true)?;
                }
                self.watched("write", &[pointer, stored], ty)?;
                return Ok(());
            }
            Op::Load { pointer, .. } => match code.homes.slot(self.frame, pointer) {
                Some(slot) => self.variable(Var::Slot(slot), ty)?,
                None => {
                    let pointer = self.value(pointer)?;
                    let bytes = self.bytes_of(ty)?;
                    self.may_access(&pointer, bytes, false)?;
                    self.loaded(&pointer, ty)?
                }
            },
            Op::Store { value, pointer, .. } => {
                let stored = self.value(value)?;
                if let Some(slot) = code.homes.slot(self.frame, pointer) {
                    self.lane.state.values.insert(Var::Slot(slot), stored);
                    return Ok(());
                }
                let pointer = self.value(pointer)?;
                let ty = self.type_of(value);
                let bytes = ty.map_or(Ok(8), |ty| self.bytes_of(ty))?;
                self.may_access(&pointer, bytes, true)?;
                return self.stored(&pointer, &stored, ty);
            }
            Op::Binary { op, left, right, flags, .. } => {
                let (a, b) = (self.number(left)?, self.number(right)?);
                let kind = meaning::kind_of(self.module(), ty);
                let (value, faults) = meaning::binary(self.context, *op, *flags, kind, a, b)?;
                faults.into_iter().for_each(|(class, when)| self.goes_wrong(class, when));
                plain(value)
            }
            Op::Unary { op: UnaryOp::FNeg, value, .. } => {
                let value = self.number(value)?;
                plain(hydrogen_semantics::float_negated(&mut self.context.pool, value))
            }
            Op::IntCompare { predicate, left, right } => {
                let (a, b) = (self.number(left)?, self.number(right)?);
                plain(meaning::int_compare(self.context, *predicate, a, b))
            }
            Op::FloatCompare { predicate, left, right, .. } => {
                let (a, b) = (self.number(left)?, self.number(right)?);
                let kind = self.kind(left);
                plain(meaning::float_compare(self.context, *predicate, kind, a, b))
            }
            Op::Cast { op, value, .. } => {
                let Value::Bits(term, origin) = self.value(value)? else {
                    return Err(Obstacle::new("a conversion of several parts"));
                };
                let to = meaning::kind_of(self.module(), ty);
                let cast = meaning::cast(self.context, *op, self.kind(value), to, term)?;
                // An address that stays as wide as it is leads where it led.
                let wide = Sort::Bits(64);
                let stays = [term, cast].into_iter().all(|one| self.context.pool.sort(one) == wide);
                Value::Bits(cast, origin.filter(|_| stays))
            }
            Op::ElementAddress { source, base, indices, inbounds } => {
                let base = self.value(base)?;
                let indices: Result<Vec<Term>, _> = indices.iter().map(|one| self.number(one)).collect();
                self.element_of(base, *source, &indices?, *inbounds)?
            }
            Op::Select { condition, then, otherwise, .. } => {
                let bit = self.number(condition)?;
                let condition = self.context.pool.bits_to_bool(bit);
                let (then, otherwise) = (self.value(then)?, self.value(otherwise)?);
                choose(self.context, condition, &then, &otherwise).ok_or_else(mixed)?
            }
            Op::ExtractValue { aggregate, indices } => {
                let mut whole = self.value(aggregate)?;
                Self::part(&mut whole, indices)?.clone()
            }
            Op::InsertValue { aggregate, value, indices } => {
                let (mut whole, part) = (self.value(aggregate)?, self.value(value)?);
                *Self::part(&mut whole, indices)? = part;
                whole
            }
            Op::Freeze { value } => self.value(value)?,
            Op::Call { callee, .. } => match self.call(id, callee)? {
                Some(value) => value,
                None => return Ok(()),
            },
            _ => return Err(Obstacle::new("an instruction that the checker does not know")),
        };
        self.lane.state.values.insert(Var::Register(self.frame, id), value);
        Ok(())
    }

    fn part<'v>(whole: &'v mut Value, indices: &[u32]) -> Result<&'v mut Value, Obstacle> {
        indices.iter().try_fold(whole, |whole, &index| match whole {
            Value::Parts(parts) => parts.get_mut(index as usize).ok_or_else(mixed),
            Value::Bits(..) => Err(mixed()),
        })
    }

    /// The arguments of a call.
    pub fn given(&mut self, call: InstructionId) -> Result<Vec<Value>, Obstacle> {
        match self.runner.code.op(self.frame, call) {
            Op::Call { arguments, .. } => arguments.iter().map(|one| self.value(one)).collect(),
            _ => Err(Obstacle::new("no call")),
        }
    }

    /// A value that nothing is known of.
    fn anything(&mut self, width: u32) -> Value {
        Value::Bits(self.context.pool.fresh("undefined", Sort::Bits(width)), None)
    }

    /// What a variable holds; anything, and that from then on, if it was not set.
    fn variable(&mut self, var: Var, ty: TypeId) -> Result<Value, Obstacle> {
        if !self.lane.state.values.contains_key(&var) {
            let value = self.anything(self.bits_of(ty)?);
            self.lane.state.values.insert(var, value);
        }
        Ok(self.lane.state.values[&var].clone())
    }

    pub fn bits_of(&self, ty: TypeId) -> Result<u32, Obstacle> {
        scalar_width(self.module(), ty).ok_or_else(mixed)
    }

    pub fn number(&mut self, operand: &Operand) -> Result<Term, Obstacle> {
        self.value(operand)?.term().ok_or_else(mixed)
    }

    pub fn value(&mut self, operand: &Operand) -> Result<Value, Obstacle> {
        let code = self.runner.code;
        match operand {
            Operand::Parameter(n) => {
                let value = self.lane.state.values.get(&Var::Parameter(self.frame, *n)).cloned();
                value.ok_or_else(|| Obstacle::new("a parameter that nobody passed"))
            }
            Operand::Const(id) => self.constant(*id),
            Operand::Metadata(_) => Err(mixed()),
            Operand::Instruction(id) => match code.homes.get(self.frame, *id) {
                Some(Home::Object(object)) => {
                    let address = self.context.word(self.runner.addresses[object as usize]);
                    Ok(Value::Bits(address, Some(Origin::Local(object))))
                }
                Some(Home::Slot(_)) => Err(Obstacle::new("the address of what has none")),
                None => {
                    let ty = code.frames[self.frame as usize].body.instruction(*id).ty;
                    let register = Var::Register(self.frame, *id);
                    match self.lane.state.values.get(&register) {
                        Some(value) => Ok(value.clone()),
                        None => self.variable(register, ty),
                    }
                }
            },
        }
    }

    pub fn known(&mut self, id: ConstId) -> Result<Term, Obstacle> {
        self.constant(id)?.term().ok_or_else(mixed)
    }

    fn constant(&mut self, id: ConstId) -> Result<Value, Obstacle> {
        let module = self.module();
        Ok(match module.constant(id) {
            Const::Int { ty, bits } | Const::Float { ty, bits } => {
                let width = self.bits_of(*ty)?;
                Value::Bits(self.context.pool.bits(width, *bits), None)
            }
            Const::Zero(ty) => self.throughout(*ty, Some(0))?,
            Const::Undef(ty) => self.throughout(*ty, None)?,
            Const::Poison(ty) if scalar_width(module, *ty).is_none() => self.throughout(*ty, None)?,
            Const::Aggregate { elements, .. } => {
                let parts: Result<_, _> = elements.iter().map(|&one| self.constant(one)).collect();
                Value::Parts(parts?)
            }
            Const::Global(global) => {
                let address = self.context.global_address(self.runner.side, module, *global)?;
                let table = self.context.table(module, *global, address);
                Value::Bits(self.context.word(address), table.map(Origin::Table))
            }
            Const::Function(function) => {
                let address = self.context.function_address(self.runner.side, module, *function);
                Value::Bits(self.context.word(address), None)
            }
            Const::Expr { ty, expr } => return self.computed(*ty, expr),
            _ => return Err(Obstacle::new("a constant that the checker does not know")),
        })
    }

    fn computed(&mut self, ty: TypeId, expr: &ConstExpr) -> Result<Value, Obstacle> {
        let module = self.module();
        let kind = meaning::kind_of(module, ty);
        match expr {
            ConstExpr::ElementAddress { source, base, indices, .. } => {
                let base = self.constant(*base)?;
                let indices: Result<Vec<Term>, _> = indices.iter().map(|&one| self.known(one)).collect();
                self.element_of(base, *source, &indices?, false)
            }
            ConstExpr::Cast(op, value) => {
                // Functions and variables have no type here; they are addresses.
                let of = module.constant(*value).ty();
                let from = of.map_or(Some(Kind::Int(64)), |ty| meaning::kind_of(module, ty));
                let value = self.known(*value)?;
                Ok(Value::Bits(
                    meaning::cast(self.context, *op, from.or(Some(Kind::Int(64))), kind, value)?,
                    None,
                ))
            }
            ConstExpr::Binary(op, left, right) => {
                let (a, b) = (self.known(*left)?, self.known(*right)?);
                let (value, _) = meaning::binary(self.context, *op, Default::default(), kind, a, b)?;
                Ok(Value::Bits(value, None))
            }
            ConstExpr::Other(..) => Err(Obstacle::new("a constant that the checker does not know")),
        }
    }

    /// A value with the same number in all its parts, or anything.
    fn throughout(&mut self, ty: TypeId, number: Option<u128>) -> Result<Value, Obstacle> {
        if let Some(width) = scalar_width(self.module(), ty) {
            return Ok(match number {
                Some(number) => Value::Bits(self.context.pool.bits(width, number), None),
                None => self.anything(width),
            });
        }
        let parts: Result<_, _> =
            self.parts_of(ty)?.into_iter().map(|(part, _)| self.throughout(part, number)).collect();
        Ok(Value::Parts(parts?))
    }

    pub fn kind(&self, operand: &Operand) -> Option<Kind> {
        self.type_of(operand).map_or(Some(Kind::Int(64)), |ty| meaning::kind_of(self.module(), ty))
    }

    pub fn type_of(&self, operand: &Operand) -> Option<TypeId> {
        let frame = &self.runner.code.frames[self.frame as usize];
        match operand {
            Operand::Instruction(id) => Some(frame.body.instruction(*id).ty),
            Operand::Const(id) => self.module().constant(*id).ty(),
            Operand::Parameter(n) => self.module().function(frame.function).parameters.get(*n as usize)?.ty,
            Operand::Metadata(_) => None,
        }
    }

    /// The parts of a structure or a short array, with their offsets.
    pub fn parts_of(&self, ty: TypeId) -> Result<Vec<(TypeId, u64)>, Obstacle> {
        let types = &self.module().types;
        let layout = types.layout(ty).ok_or_else(mixed)?;
        match types.get(ty) {
            Type::Struct(body) => {
                let fields = body.fields.iter().flatten().copied();
                Ok(fields.zip(layout.field_offsets.iter().copied()).collect())
            }
            Type::Array { element, len } if *len <= 64 => {
                let step = types.layout(*element).ok_or_else(mixed)?.alloc_bytes;
                Ok((0..*len).map(|n| (*element, n * step)).collect())
            }
            _ => Err(mixed()),
        }
    }
}

pub(super) fn mixed() -> Obstacle {
    Obstacle::new("a value of another shape than expected")
}
