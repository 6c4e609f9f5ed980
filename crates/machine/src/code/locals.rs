//! Local variables: which need an object of their own, and where each lies in the frame's memory.
//!
//! At -O0 most instructions load and store variables whose address nobody takes. Such an access needs no check: its
//! place is known, inside its variable, for as long as the function runs.

use super::scalar;
use hydrogen_ir::{Body, Const, Function, InstructionId, Module, Op, Operand, Type, TypeId};

/// A variable of fixed size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    pub(super) origin: InstructionId,
    pub(super) offset: u32,
    pub(super) size: u32,
    pub(super) align: u32,
    /// Whether it is a number or a pointer, no array and no structure.
    pub(super) is_scalar: bool,
    /// Whether its address is used for anything but direct loads and stores.
    pub(super) escapes: bool,
}

/// What is known about the variables of a function.
#[derive(Debug, Clone, Default)]
pub(super) struct Locals {
    pub(super) slots: Vec<Slot>,
    pub(super) bytes: u32,
    /// By instruction: the variable it points into, and how far.
    pub(super) places: Vec<Option<(u32, u32)>>,
    /// By instruction with a place: whether its value is needed as an address.
    pub(super) needed: Vec<bool>,
}

/// A frame larger than this is made of objects that are allocated one by one.
const LARGEST: u64 = 1 << 28;

pub(super) fn analyse(module: &Module, function: &Function, body: &Body) -> Locals {
    let count = body.instructions.len();
    let mut locals = Locals { places: vec![None; count], needed: vec![false; count], ..Locals::default() };
    let mut total = 0u64;
    let entry = body.blocks.first().map_or(0, |block| block.count as usize);
    for (index, instruction) in body.instructions.iter().enumerate() {
        match &instruction.op {
            Op::Alloca { ty, count, align } if index < entry => {
                if let Some(size) = fixed_size(module, *ty, count)
                    && total + size < LARGEST
                {
                    total += size.next_multiple_of(16);
                    let align = (*align).max(1).next_power_of_two();
                    locals.places[index] = Some((locals.slots.len() as u32, 0));
                    let (origin, size) = (InstructionId::at(index), size as u32);
                    let is_scalar = is_scalar(module, *ty)
                        && u64::from(size) == module.types.layout(*ty).map_or(0, |one| one.alloc_bytes);
                    locals.slots.push(Slot { origin, offset: 0, size, align, is_scalar, escapes: false });
                }
            }
            Op::ElementAddress { source, base: Operand::Instruction(base), indices, .. } => {
                if let Some((slot, offset)) = locals.places[base.index()]
                    && let Some(more) = constant_offset(module, *source, indices)
                    && let Some(total) = i64::from(offset).checked_add(more)
                    && (0..=i64::from(locals.slots[slot as usize].size)).contains(&total)
                {
                    locals.places[index] = Some((slot, total as u32));
                }
            }
            _ => {}
        }
    }
    for index in 0..count {
        find_uses(module, function, body, index, &mut locals);
    }
    locals
}

/// Marks what the instruction uses as an address.
fn find_uses(module: &Module, function: &Function, body: &Body, index: usize, locals: &mut Locals) {
    let instruction = &body.instructions[index];
    let direct = match &instruction.op {
        Op::Load { pointer, .. } => locals.direct(module, pointer, instruction.ty).map(|_| pointer),
        Op::Store { pointer, value, .. } => {
            let ty = operand_type(module, function, body, value);
            ty.and_then(|ty| locals.direct(module, pointer, ty)).map(|_| pointer)
        }
        Op::ElementAddress { base, .. } if locals.places[index].is_some() => Some(base),
        _ => None,
    };
    let mut need = |operand: &Operand| {
        if let Operand::Instruction(id) = operand
            && let Some((slot, _)) = locals.places[id.index()]
        {
            locals.needed[id.index()] = true;
            locals.slots[slot as usize].escapes = true;
        }
    };
    super::operands::of_op(&instruction.op, &mut |operand| {
        if !direct.is_some_and(|direct| std::ptr::eq(direct, operand)) {
            need(operand);
        }
    });
}

pub(super) fn operand_type(
    module: &Module,
    function: &Function,
    body: &Body,
    operand: &Operand,
) -> Option<TypeId> {
    match operand {
        Operand::Instruction(id) => Some(body.instruction(*id).ty),
        Operand::Const(id) => crate::program::constant_type(module, *id),
        Operand::Parameter(index) => function.parameters.get(*index as usize)?.ty,
        Operand::Metadata(_) => None,
    }
}

impl Locals {
    /// Gives variables that need memory their places, without those that live in registers.
    pub(super) fn lay_out(&mut self, promoted: &[bool]) {
        self.bytes = 0;
        for (slot, promoted) in self.slots.iter_mut().zip(promoted) {
            if !promoted {
                let align = slot.align.clamp(1, 16);
                slot.offset = self.bytes.next_multiple_of(align);
                self.bytes = slot.offset + slot.size;
            }
        }
        self.bytes = self.bytes.next_multiple_of(16);
    }

    /// The place in the frame of an access that needs no check.
    pub(super) fn direct(&self, module: &Module, pointer: &Operand, ty: TypeId) -> Option<u32> {
        let bytes = match scalar::parts(&module.types, ty)?.as_slice() {
            [part] if is_plain(part.scalar) => part.scalar.bytes(),
            _ => return None,
        };
        self.direct_bytes(pointer, bytes)
    }

    pub(super) fn direct_bytes(&self, pointer: &Operand, bytes: u32) -> Option<u32> {
        let Operand::Instruction(id) = pointer else { return None };
        let (slot, offset) = self.places[id.index()]?;
        let slot = &self.slots[slot as usize];
        (offset + bytes <= slot.size).then_some(slot.offset + offset)
    }
}

/// Whether the scalar fills 1, 2, 4 or 8 bytes.
pub(super) fn is_plain(scalar: scalar::Scalar) -> bool {
    matches!(scalar.width(), 8 | 16 | 32 | 64)
}

fn is_scalar(module: &Module, ty: TypeId) -> bool {
    match module.types.get(ty) {
        Type::Int(width) => *width <= 128,
        Type::Pointer(_) | Type::Float(_) => true,
        _ => false,
    }
}

fn fixed_size(module: &Module, ty: TypeId, count: &Operand) -> Option<u64> {
    let Operand::Const(count) = count else { return None };
    let Const::Int { bits, .. } = module.constant(*count) else { return None };
    let size = module.types.layout(ty)?.alloc_bytes;
    u64::try_from(*bits).ok()?.checked_mul(size).filter(|size| *size < LARGEST)
}

/// The distance that constant indices walk.
pub(super) fn constant_offset(module: &Module, source: TypeId, indices: &[Operand]) -> Option<i64> {
    let mut total = 0i64;
    let mut ty = source;
    for (position, index) in indices.iter().enumerate() {
        let Operand::Const(id) = index else { return None };
        let value = crate::program::constant_int(module, *id)?;
        total = total.checked_add(step(module, &mut ty, position == 0, value)?)?;
    }
    Some(total)
}

/// The distance of one index, and the type it leads to.
pub(crate) fn step(module: &Module, ty: &mut TypeId, first: bool, index: i64) -> Option<i64> {
    if !first && let Type::Struct(body) = module.types.get(*ty) {
        let field = usize::try_from(index).ok()?;
        let offset = *module.types.layout(*ty)?.field_offsets.get(field)?;
        *ty = *body.fields.as_ref()?.get(field)?;
        return i64::try_from(offset).ok();
    }
    index.checked_mul(stride(module, ty, first)?)
}

/// The size of one step of an index, and the type it leads to.
pub(super) fn stride(module: &Module, ty: &mut TypeId, first: bool) -> Option<i64> {
    if !first {
        match module.types.get(*ty) {
            Type::Array { element, .. } => *ty = *element,
            Type::Vector { element, .. } => {
                *ty = *element;
                return i64::try_from(module.types.layout(*ty)?.size_bits / 8).ok();
            }
            _ => return None,
        }
    }
    i64::try_from(module.types.layout(*ty)?.alloc_bytes).ok()
}
