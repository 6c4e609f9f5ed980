//! Where local variables live: as values of the state if nobody takes their address, else as objects with bytes.

use crate::{Obstacle, code::Code};
use hydrogen_ir::{Body, Const, InstructionId, Module, Op, Operand, Reference, Type, TypeId};
use rustc_hash::FxHashMap;

/// The home of a local variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// A value of the state.
    Slot(u32),
    /// An object with bytes.
    Object(u32),
}

/// A local variable without an address.
pub struct Slot {
    /// What the source calls it.
    pub name: String,
    /// Its bits.
    pub width: u32,
}

/// A local variable with an address.
pub struct Object {
    /// What the source calls it.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// Whether a pointer to it may be anywhere: in memory, in another variable, in a callee.
    pub escapes: bool,
}

/// The homes of all local variables, opened callees' included.
#[derive(Default)]
pub struct Homes {
    /// The variables that are values.
    pub slots: Vec<Slot>,
    /// The variables that are objects.
    pub objects: Vec<Object>,
    homes: FxHashMap<(u32, InstructionId), Home>,
}

impl Homes {
    /// Finds the home of every local variable.
    pub fn of(code: &Code, has_bytes: &dyn Fn(InstructionId) -> bool) -> Result<Self, Obstacle> {
        let mut homes = Self::default();
        for (frame, one) in (0..).zip(&code.frames) {
            let uses = uses(one.body);
            for (index, instruction) in one.body.instructions.iter().enumerate() {
                let id = InstructionId::at(index);
                let Op::Alloca { ty, count, .. } = &instruction.op else { continue };
                let name = name_of(one.body, id);
                let count = match count {
                    Operand::Const(id) => match code.module.constant(*id) {
                        Const::Int { bits, .. } => u64::try_from(*bits).ok(),
                        _ => None,
                    },
                    _ => None,
                };
                let layout = code.module.types.layout(*ty);
                let (Some(count), Some(layout)) = (count, layout) else {
                    return Err(Obstacle::new(format!("the local array `{name}` has no fixed size")));
                };
                let home = match scalar_width(code.module, *ty) {
                    Some(width)
                        if count == 1
                            && !(frame == 0 && has_bytes(id))
                            && is_plain(code.module, one.body, &uses[index], id, width) =>
                    {
                        homes.slots.push(Slot { name, width });
                        Home::Slot(u32::try_from(homes.slots.len() - 1).expect("slots are few"))
                    }
                    _ => {
                        let bytes = layout.alloc_bytes.saturating_mul(count);
                        let escapes = escapes(code.module, one.body, &uses, id);
                        homes.objects.push(Object { name, bytes, escapes });
                        Home::Object(u32::try_from(homes.objects.len() - 1).expect("objects are few"))
                    }
                };
                homes.homes.insert((frame, id), home);
            }
        }
        Ok(homes)
    }

    /// The home of the variable that an instruction makes.
    pub fn get(&self, frame: u32, slot: InstructionId) -> Option<Home> {
        self.homes.get(&(frame, slot)).copied()
    }

    /// The slot that an operand is the address of.
    pub fn slot(&self, frame: u32, pointer: &Operand) -> Option<u32> {
        match pointer {
            Operand::Instruction(id) => match self.get(frame, *id)? {
                Home::Slot(slot) => Some(slot),
                Home::Object(_) => None,
            },
            _ => None,
        }
    }
}

/// Whether all local variables of a function are values.
pub fn have_no_address(module: &Module, body: &Body) -> bool {
    let uses = uses(body);
    body.instructions.iter().enumerate().all(|(index, instruction)| {
        let Op::Alloca { ty, .. } = &instruction.op else { return true };
        scalar_width(module, *ty)
            .is_some_and(|width| is_plain(module, body, &uses[index], InstructionId::at(index), width))
    })
}

/// The bits of a value that fits into one term.
pub fn scalar_width(module: &Module, ty: TypeId) -> Option<u32> {
    match module.types.get(ty) {
        Type::Int(width @ 1..=128) => Some(*width),
        Type::Float(_) => u32::try_from(module.types.layout(ty)?.size_bits).ok().filter(|bits| *bits <= 128),
        Type::Pointer(0) => Some(64),
        _ => None,
    }
}

fn name_of(body: &Body, slot: InstructionId) -> String {
    let variable = body.variables.iter().find(|variable| variable.slot == Some(slot));
    variable.map_or_else(String::new, |variable| variable.name.clone())
}

/// Who uses each instruction.
fn uses(body: &Body) -> Vec<Vec<InstructionId>> {
    let mut uses = vec![Vec::new(); body.instructions.len()];
    for (index, instruction) in body.instructions.iter().enumerate() {
        instruction.op.references(|reference| {
            if let Reference::Operand(Operand::Instruction(id)) = reference {
                uses[id.index()].push(InstructionId::at(index));
            }
        });
    }
    uses
}

fn is_plain(module: &Module, body: &Body, uses: &[InstructionId], slot: InstructionId, width: u32) -> bool {
    let this = Operand::Instruction(slot);
    uses.iter().all(|&id| {
        let instruction = body.instruction(id);
        match &instruction.op {
            Op::Load { access, .. } => {
                !access.volatile && scalar_width(module, instruction.ty) == Some(width)
            }
            Op::Store { value, access, .. } => {
                *value != this && !access.volatile && operand_width(module, body, value) == Some(width)
            }
            op => is_marker(module, op),
        }
    })
}

/// The width of an operand where it is easily known; parameters are as wide as what they are stored to.
fn operand_width(module: &Module, body: &Body, operand: &Operand) -> Option<u32> {
    match operand {
        Operand::Instruction(id) => scalar_width(module, body.instruction(*id).ty),
        Operand::Const(id) => match module.constant(*id).ty() {
            Some(ty) => scalar_width(module, ty),
            None => Some(64),
        },
        Operand::Parameter(n) => {
            let owner = module
                .functions
                .iter()
                .find(|function| function.body.as_ref().is_some_and(|other| std::ptr::eq(other, body)))?;
            scalar_width(module, owner.parameters.get(*n as usize)?.ty?)
        }
        Operand::Metadata(_) => None,
    }
}

/// Intrinsics that only mark: debug information and life times.
pub fn is_marker(module: &Module, op: &Op) -> bool {
    let Op::Call { callee: Operand::Const(id), .. } = op else { return false };
    let Const::Function(function) = module.constant(*id) else { return false };
    let name = module.function(*function).name.as_str();
    name.starts_with("llvm.dbg.") || name.starts_with("llvm.lifetime.")
}

/// Whether a pointer into the object leaves the places where it can be followed.
fn escapes(module: &Module, body: &Body, uses: &[Vec<InstructionId>], slot: InstructionId) -> bool {
    let mut open = vec![slot];
    while let Some(pointer) = open.pop() {
        let this = Operand::Instruction(pointer);
        for &id in &uses[pointer.index()] {
            match &body.instruction(id).op {
                Op::Load { .. } => {}
                Op::Store { value, .. } if *value != this => {}
                Op::ElementAddress { base, indices, .. } if *base == this && !indices.contains(&this) => {
                    open.push(id);
                }
                op if is_marker(module, op) || is_copy(module, op) => {}
                _ => return true,
            }
        }
    }
    false
}

/// Intrinsics that move bytes and keep no pointer.
fn is_copy(module: &Module, op: &Op) -> bool {
    let Op::Call { callee: Operand::Const(id), .. } = op else { return false };
    let Const::Function(function) = module.constant(*id) else { return false };
    let name = module.function(*function).name.as_str();
    ["llvm.memcpy.", "llvm.memmove.", "llvm.memset."].iter().any(|prefix| name.starts_with(prefix))
}
