//! What operands stand for: registers, variables, parameters, constants, addresses.

use crate::meaning::eval::{Eval, SET, cell_of};
use crate::meaning::state::{Cell, Contents, Object, Value};
use crate::meaning::statics::Stores;
use hydrogen_ir::{Const, ConstExpr, ConstId, InstructionId, Module, Op, Operand, Type, TypeId};
use hydrogen_term::{Sort, Term};

/// Constants of more bytes are not looked into.
const MOST_BYTES: u64 = 4096;

impl Eval<'_> {
    pub fn register(&mut self, id: InstructionId) -> Value {
        let Some(cell) = cell_of(self.shape, self.shape.body().instruction(id).ty) else {
            return Value::Opaque;
        };
        let (node, count) = self.shape.names[id.index()];
        self.terms.variable(&format!("{}%{}.{count}", self.prefix, node.0), cell)
    }

    pub(crate) fn slot_cell(&self, slot: InstructionId) -> Option<Cell> {
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

    pub fn operand(&mut self, operand: &Operand) -> Value {
        match operand {
            Operand::Instruction(id) => match self.env.get(id) {
                Some(value) => *value,
                None => match self.shape.op(*id) {
                    Op::Alloca { .. } => self.stack(*id),
                    // An address that an earlier run made is made again: a register would hide that it leads into an object of the
                    // function's own, which is taken to be apart from all that is not known.
                    Op::ElementAddress { source, base, indices, .. } => {
                        self.element(*id, *source, base, indices)
                    }
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

    pub(crate) fn stack(&mut self, slot: InstructionId) -> Value {
        let (name, escapes) = match (self.shape.objects.get(&slot), self.shape.plain.get(&slot)) {
            (Some((name, escapes)), _) => (name.clone(), *escapes),
            (None, name) => (name.cloned().unwrap_or_default(), false),
        };
        let Op::Alloca { ty, count, .. } = self.shape.op(slot) else { return Value::Opaque };
        let single = matches!(count, Operand::Const(id) if matches!(self.shape.module.constant(*id), Const::Int { bits: 1, .. }));
        let layout = self.shape.module.types.layout(*ty).filter(|_| single);
        let bytes = layout.map(|layout| layout.alloc_bytes);
        let (held, closed) = (self.shape.held.is_held(slot), self.shape.held.is_closed(slot));
        let object = Object::Stack { name: format!("{}{name}", self.prefix), bytes, escapes, held, closed };
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
            Const::Global(id) => {
                let global = module.global(*id);
                let moved = self.terms.layouts.as_ref().and_then(|layouts| layouts.file(module));
                let name = global_name_in(moved.unwrap_or(&module.name), global);
                if let Some((bytes, contents)) = self.shape.defined.get(global).cloned() {
                    let object = Object::Global { name, bytes: Some(bytes), contents };
                    return Value::Pointer(self.terms.object(object), self.terms.word(0));
                }
                // What other units define may be larger than it looks here.
                let bytes = module.types.layout(global.ty).map(|layout| layout.alloc_bytes);
                let bytes = bytes.filter(|&bytes| global.initializer.is_some() || bytes > 0);
                // What nobody ever writes is as good as a constant.
                let is_fixed = global.constant || self.shape.statics.get(*id).is_some_and(Stores::is_none);
                let contents = match global.initializer.filter(|_| is_fixed) {
                    None => Contents::Variable,
                    Some(value) => match bytes_of(module, value) {
                        Some(bytes) => Contents::Bytes(bytes.into()),
                        None => Contents::Constant { nulls: has_null(module, value) },
                    },
                };
                Value::Pointer(
                    self.terms.object(Object::Global { name, bytes, contents }),
                    self.terms.word(0),
                )
            }
            Const::Function(function) => {
                let name = module.function(*function).name.clone();
                Value::Pointer(self.terms.object(Object::Function(name)), self.terms.word(0))
            }
            Const::Expr { ty, expr } => self.expression(*ty, expr),
            _ => Value::Opaque,
        }
    }

    pub(crate) fn expression(&mut self, ty: TypeId, expr: &ConstExpr) -> Value {
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
                let from = self.shape.module.constant(*value).ty();
                let value = self.constant(*value);
                self.cast(*op, value, from, ty)
            }
            ConstExpr::Binary(op, left, right) => match (self.constant(*left), self.constant(*right)) {
                (Value::Int(left), Value::Int(right)) => self.binary(*op, ty, left, right),
                _ => Value::Opaque,
            },
            ConstExpr::Other(..) => Value::Opaque,
        }
    }
}

/// What a global variable is called in conditions: those that other units do not see are told apart by their unit.
pub(crate) fn global_name(module: &Module, global: &hydrogen_ir::Global) -> String {
    global_name_in(&module.name, global)
}

/// The name of a variable of this file.
fn global_name_in(file: &str, global: &hydrogen_ir::Global) -> String {
    let own = matches!(global.linkage, hydrogen_ir::Linkage::Internal);
    match own || global.private {
        true => format!("{file}:{}", global.name),
        false => global.name.clone(),
    }
}

/// A name without the file of a `static` one.
pub(crate) fn plain_name(name: &str) -> String {
    name.rsplit(':').next().unwrap_or(name).to_owned()
}

/// Whether some address in a constant is null.
pub(crate) fn has_null(module: &Module, id: ConstId) -> bool {
    match module.constant(id) {
        Const::Int { .. } | Const::Float { .. } | Const::Bytes { .. } => false,
        Const::Global(_) | Const::Function(_) => false,
        Const::Aggregate { elements, .. } => elements.iter().any(|&element| has_null(module, element)),
        Const::Expr { expr: ConstExpr::ElementAddress { .. }, .. } => false,
        // Zeros of any kind, and what is computed.
        _ => true,
    }
}

/// A constant as it lies in memory (the machine is little-endian); none if there are addresses in it.
pub(crate) fn bytes_of(module: &Module, id: ConstId) -> Option<Vec<u8>> {
    let constant = module.constant(id);
    let ty = constant.ty()?;
    let layout = module.types.layout(ty).filter(|layout| layout.alloc_bytes <= MOST_BYTES)?;
    let size = usize::try_from(layout.alloc_bytes).ok()?;
    let mut out = vec![0; size];
    match constant {
        Const::Int { bits, .. } | Const::Float { bits, .. } if size <= 16 => {
            out.copy_from_slice(&bits.to_le_bytes()[..size]);
        }
        Const::Zero(_) => {}
        Const::Bytes { data, .. } => out.get_mut(..data.len())?.copy_from_slice(data),
        Const::Aggregate { elements, .. } => {
            for (at, &element) in elements.iter().enumerate() {
                let inner = bytes_of(module, element)?;
                let begin = match module.types.get(ty) {
                    Type::Array { .. } => at * inner.len(),
                    _ => usize::try_from(*layout.field_offsets.get(at)?).ok()?,
                };
                out.get_mut(begin..begin + inner.len())?.copy_from_slice(&inner);
            }
        }
        _ => return None,
    }
    Some(out)
}
