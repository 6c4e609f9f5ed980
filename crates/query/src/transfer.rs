//! What an instruction or a branch means for a query behind it.

use crate::program::Place;
use crate::state::{
    Condition, HEAP_OBJECTS, OWN_OBJECTS, Value, assign, forget_strings, length, named, size, unknown,
};
use hydrogen_ir::{BinaryOp, CastOp, Const, InstructionId, IntPredicate, Op, Operand, PieceId, Type, TypeId};
use hydrogen_term::{Pool, Sort, Substitution, Term};

/// Numbers of stack objects by name, the same in all versions.
pub(crate) type Objects = std::collections::BTreeMap<String, u64>;

pub(crate) struct Transfer<'a, 'p> {
    pub place: Place<'a>,
    pub pool: &'p mut Pool,
    pub objects: &'p mut Objects,
    /// Facts about objects that operands named.
    pub facts: Vec<Term>,
}

impl Transfer<'_, '_> {
    /// The width of a number; none for a pointer. Other types are not understood.
    fn width(&self, ty: TypeId) -> Option<Option<u32>> {
        match self.place.module.types.get(ty) {
            Type::Int(width @ 1..=64) => Some(Some(*width)),
            Type::Pointer(0) => Some(None),
            _ => None,
        }
    }

    fn register(&mut self, id: InstructionId) -> Option<Value> {
        let width = self.width(self.place.body.instruction(id).ty)?;
        Some(named(self.pool, &format!("%{}", id.0), width))
    }

    pub fn operand(&mut self, operand: &Operand) -> Option<Value> {
        let zero = self.pool.bits(64, 0);
        match operand {
            Operand::Instruction(id) => match self.place.body.instruction(*id).op {
                Op::Alloca { ty, .. } => {
                    let next = OWN_OBJECTS + self.objects.len() as u64;
                    let number = *self.objects.entry(self.place.slot_name(*id)).or_insert(next);
                    let object = self.pool.bits(64, number.into());
                    let layout = self.place.module.types.layout(ty).filter(|_| self.is_single(*id));
                    let bytes = match layout {
                        Some(layout) => self.pool.bits(64, layout.alloc_bytes.into()),
                        None => self.pool.fresh("?the size of a stack object", Sort::Bits(64)),
                    };
                    let found = size(self.pool, object);
                    let fact = self.pool.eq(found, bytes);
                    self.facts.push(fact);
                    Some(Value::Pointer { object, offset: zero })
                }
                _ => self.register(*id),
            },
            Operand::Parameter(n) => {
                let parameter = self.place.function.parameters.get(*n as usize)?;
                let width = self.width(parameter.ty?)?;
                let name =
                    if parameter.name.is_empty() { format!("argument {n}") } else { parameter.name.clone() };
                Some(named(self.pool, &name, width))
            }
            Operand::Const(id) => match self.place.module.constant(*id) {
                Const::Int { ty, bits } => {
                    let width = self.width(*ty)??;
                    Some(Value::Int(self.pool.bits(width, *bits)))
                }
                Const::Zero(ty) => match self.width(*ty)? {
                    Some(width) => Some(Value::Int(self.pool.bits(width, 0))),
                    None => Some(Value::Pointer { object: zero, offset: zero }),
                },
                _ => None,
            },
            Operand::Metadata(_) => None,
        }
    }

    fn is_single(&self, slot: InstructionId) -> bool {
        let Op::Alloca { count: Operand::Const(count), .. } = &self.place.body.instruction(slot).op else {
            return false;
        };
        matches!(self.place.module.constant(*count), Const::Int { bits: 1, .. })
    }

    fn int(&mut self, operand: &Operand) -> Option<Term> {
        match self.operand(operand)? {
            Value::Int(term) => Some(term),
            Value::Pointer { .. } => None,
        }
    }

    /// The query before an instruction, from the one behind it.
    pub fn back(&mut self, id: InstructionId, condition: &mut Condition) {
        let instruction = self.place.body.instruction(id);
        match &instruction.op {
            Op::Store { value, pointer, .. } => match self.place.scalar_slot(pointer) {
                Some(slot) => {
                    let width = self.place.operand_type(value).and_then(|ty| self.width(ty));
                    let width = width.expect("a scalar slot holds a number or a pointer");
                    let target = self.slot(slot, width);
                    let new = self.operand(value).unwrap_or_else(|| unknown(self.pool, "a value", width));
                    self.set(condition, target, new);
                }
                None => forget_strings(self.pool, condition, "memory written through a pointer", false),
            },
            Op::Call { callee, arguments, .. } => self.call(id, callee, arguments, condition),
            op if op.is_terminator() => {}
            Op::Fence { .. } | Op::Alloca { .. } => {}
            Op::Asm { .. }
            | Op::Opaque { .. }
            | Op::CompareExchange { .. }
            | Op::AtomicRmw { .. }
            | Op::VaArg { .. } => {
                forget_strings(self.pool, condition, "an instruction that is not understood", false);
                self.define(id, None, condition);
            }
            _ => {
                let value = self.compute(id);
                self.define(id, value, condition);
            }
        }
        for fact in std::mem::take(&mut self.facts) {
            condition.require(self.pool, fact);
        }
    }

    fn slot(&mut self, slot: InstructionId, width: Option<u32>) -> Value {
        let name = format!("variable {}", self.place.slot_name(slot));
        named(self.pool, &name, width)
    }

    fn set(&mut self, condition: &mut Condition, target: Value, value: Value) {
        let mut with = Substitution::default();
        if assign(&mut with, target, value) {
            condition.substitute(self.pool, &with);
        }
    }

    fn define(&mut self, id: InstructionId, value: Option<Value>, condition: &mut Condition) {
        let Some(target) = self.register(id) else { return };
        let width = match target {
            Value::Int(term) => Some(self.pool.width(term)),
            Value::Pointer { .. } => None,
        };
        let value = value.unwrap_or_else(|| unknown(self.pool, "a value that is not followed", width));
        self.set(condition, target, value);
    }

    /// The value of an instruction without effects; none if it is not understood.
    fn compute(&mut self, id: InstructionId) -> Option<Value> {
        let instruction = self.place.body.instruction(id);
        let width = self.width(instruction.ty)?;
        Some(match &instruction.op {
            Op::Load { pointer, .. } => {
                let slot = self.place.scalar_slot(pointer)?;
                self.slot(slot, width)
            }
            Op::Binary { op, left, right, .. } => {
                let (left, right) = (self.int(left)?, self.int(right)?);
                let pool = &mut self.pool;
                Value::Int(match op {
                    BinaryOp::Add => pool.add(left, right),
                    BinaryOp::Sub => pool.sub(left, right),
                    BinaryOp::Mul => pool.mul(left, right),
                    BinaryOp::And => pool.bitand(left, right),
                    BinaryOp::Or => pool.bitor(left, right),
                    BinaryOp::Xor => pool.bitxor(left, right),
                    // Division by zero and wide shifts are faults of their own and undefined here.
                    _ => return None,
                })
            }
            Op::Cast { op, value, .. } => {
                let (value, width) = (self.int(value)?, width?);
                Value::Int(match op {
                    CastOp::Trunc => self.pool.truncate(value, width),
                    CastOp::ZExt => self.pool.zext(value, width),
                    CastOp::SExt => self.pool.sext(value, width),
                    _ => return None,
                })
            }
            Op::IntCompare { predicate, left, right } => {
                let (left, right) = (self.operand(left)?, self.operand(right)?);
                let holds = self.compare(*predicate, left, right)?;
                Value::Int(self.pool.bool_to_bits(holds, 1))
            }
            Op::Select { condition, then, otherwise, .. } => {
                let (condition, then, otherwise) =
                    (self.int(condition)?, self.int(then)?, self.int(otherwise)?);
                let holds = self.pool.bits_to_bool(condition);
                Value::Int(self.pool.ite(holds, then, otherwise))
            }
            Op::ElementAddress { source, base, indices, .. } => {
                let Value::Pointer { object, offset } = self.operand(base)? else { return None };
                let moved = self.walk(*source, indices)?;
                Value::Pointer { object, offset: self.pool.add(offset, moved) }
            }
            _ => return None,
        })
    }

    fn compare(&mut self, predicate: IntPredicate, left: Value, right: Value) -> Option<Term> {
        let (left, right) = match (left, right) {
            (Value::Int(left), Value::Int(right)) => (left, right),
            (Value::Pointer { object, .. }, Value::Pointer { object: other, .. })
                if matches!(predicate, IntPredicate::Eq | IntPredicate::Ne) =>
            {
                // Only comparisons with null: other objects may lie anywhere.
                let null = [object, other].into_iter().position(|one| self.pool.as_bits(one) == Some(0))?;
                let (value, zero) = ([other, object][null], self.pool.bits(64, 0));
                (value, zero)
            }
            _ => return None,
        };
        let pool = &mut self.pool;
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
    fn walk(&mut self, source: TypeId, indices: &[Operand]) -> Option<Term> {
        let (mut ty, mut sum) = (source, self.pool.bits(64, 0));
        for (at, index) in indices.iter().enumerate() {
            let index = self.int(index)?;
            let types = &self.place.module.types;
            let step = if at == 0 {
                types.layout(ty)?.alloc_bytes
            } else {
                match types.get(ty) {
                    Type::Array { element, .. } => {
                        ty = *element;
                        types.layout(ty)?.alloc_bytes
                    }
                    Type::Struct(body) => {
                        let field = usize::try_from(self.pool.as_bits(index)?).ok()?;
                        let offset = *types.layout(ty)?.field_offsets.get(field)?;
                        ty = *body.fields.as_ref()?.get(field)?;
                        let offset = self.pool.bits(64, offset.into());
                        sum = self.pool.add(sum, offset);
                        continue;
                    }
                    _ => return None,
                }
            };
            let (index, step) = (self.pool.resize_signed(index, 64), self.pool.bits(64, step.into()));
            let moved = self.pool.mul(index, step);
            sum = self.pool.add(sum, moved);
        }
        Some(sum)
    }

    fn call(
        &mut self,
        id: InstructionId,
        callee: &Operand,
        arguments: &[Operand],
        condition: &mut Condition,
    ) {
        let callee = self.place.callee(callee).filter(|callee| !callee.is_defined());
        let name = callee.map_or("", |callee| callee.name.as_str());
        match (name, arguments) {
            ("malloc", [bytes]) => {
                let object = self.pool.bits(64, (HEAP_OBJECTS + u64::from(condition.heap)).into());
                let fails = self.pool.var(&format!("malloc {} fails", condition.heap), Sort::Bool);
                condition.heap += 1;
                let zero = self.pool.bits(64, 0);
                let got = self.pool.ite(fails, zero, object);
                self.define(id, Some(Value::Pointer { object: got, offset: zero }), condition);
                let known = self.int(bytes).filter(|&bytes| self.pool.width(bytes) == 64);
                let bytes =
                    known.unwrap_or_else(|| self.pool.fresh("?the size of a heap object", Sort::Bits(64)));
                let whole = size(self.pool, object);
                // Where it fails there is no object, and nothing follows for the size asked for.
                let sized = self.pool.eq(whole, bytes);
                let fact = self.pool.or(fails, sized);
                condition.require(self.pool, fact);
            }
            ("strlen", [string]) => {
                let value = match self.operand(string) {
                    Some(Value::Pointer { object, offset }) => {
                        Some(Value::Int(length(self.pool, object, offset)))
                    }
                    _ => None,
                };
                self.define(id, value, condition);
            }
            _ if name.starts_with("llvm.dbg.") || name.starts_with("llvm.lifetime.") => {}
            _ => {
                // A body that exists is not entered; only what has none may be assumed to keep its hands off.
                let keeps = callee.is_some() && !arguments.iter().any(|one| self.is_pointer(one));
                forget_strings(self.pool, condition, &format!("what {name}() leaves behind"), keeps);
                self.define(id, None, condition);
            }
        }
    }

    fn is_pointer(&self, operand: &Operand) -> bool {
        !matches!(self.place.operand_type(operand).and_then(|ty| self.width(ty)), Some(Some(_)))
    }

    /// Under which condition control goes from this piece, whose last instruction is given, to another.
    pub fn branch(&mut self, last: InstructionId, to: PieceId, condition: &mut Condition) {
        let body = self.place.body;
        let place = self.place;
        let leads = |block| place.arrival(block) == to;
        let guard = match &body.instruction(last).op {
            Op::Branch { condition, then, otherwise } => match (leads(*then), leads(*otherwise)) {
                (true, true) => return,
                (true, false) => self.int(condition).map(|term| self.pool.bits_to_bool(term)),
                (false, true) => {
                    let term = self.int(condition);
                    term.map(|term| {
                        let holds = self.pool.bits_to_bool(term);
                        self.pool.not(holds)
                    })
                }
                (false, false) => None,
            },
            op if op.successors().len() <= 1 => return,
            _ => None,
        };
        match guard {
            Some(guard) => condition.require(self.pool, guard),
            None => {
                // Any outcome in the wide reading; in the narrow one, a mark.
                let open = self.pool.fresh("?a branch that is not understood", Sort::Bool);
                condition.narrow = self.pool.and(condition.narrow, open);
            }
        }
        for fact in std::mem::take(&mut self.facts) {
            condition.require(self.pool, fact);
        }
    }
}
