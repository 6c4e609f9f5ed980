//! Where pointers to functions are kept, and what a program stores there.

use crate::meaning::operand::global_name;
use hydrogen_ir::{
    Body, CType, Const, ConstExpr, ConstId, Function, Linkage, Module, Op, Operand, Reference, Type, TypeId,
};
use std::collections::{BTreeMap, BTreeSet};

/// Where a pointer to a function is kept.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Slot {
    /// A global variable, as conditions name it.
    Variable(String),
    /// A member of all structures of a tag: how far it lies from the beginning.
    Member(String, u64),
}

impl Slot {
    /// What a person calls it: the variable, or `structure.member`.
    pub fn called(&self, module: &Module) -> Option<String> {
        match self {
            Slot::Variable(name) => Some(name.rsplit(':').next().unwrap_or(name).to_owned()),
            Slot::Member(tag, at) => Some(format!("{tag}.{}", member_name(module, tag, *at)?)),
        }
    }
}

/// What a program stores in a slot.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Stored {
    pub functions: BTreeSet<Stands>,
    /// Something else is stored there as well, or others may store there.
    pub other: bool,
}

/// A function that a constant stands for: the file of its definition if the unit has that, and its name.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stands {
    pub defined_in: Option<String>,
    pub name: String,
}

impl Stands {
    fn of(module: &Module, function: &Function) -> Self {
        let file = function.file().filter(|_| function.is_defined());
        Self { defined_in: file.map(|file| module.file(file).to_owned()), name: function.name.clone() }
    }
}

/// All slots of a version.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Slots {
    found: BTreeMap<Slot, Stored>,
    /// Functions that are stored where it is not seen: in any slot, perhaps.
    anywhere: BTreeSet<Stands>,
}

impl Slots {
    /// The only function that a slot ever holds.
    pub fn only(&self, slot: &Slot) -> Option<&Stands> {
        let stored = self.found.get(slot).filter(|stored| !stored.other)?;
        let mut all = stored.functions.union(&self.anywhere);
        all.next().filter(|_| all.next().is_none())
    }

    /// Adds what a unit stores. Of a whole program all is seen; the users of a library may store what they want, but for its own variables.
    pub fn collect(&mut self, module: &Module, whole: bool) {
        for global in &module.globals {
            match module.types.get(global.ty) {
                Type::Pointer { .. } => {
                    let stored = self.found.entry(Slot::Variable(global_name(module, global))).or_default();
                    stored.other |= !whole && !matches!(global.linkage, Linkage::Internal);
                    if let Some(initializer) = global.initializer {
                        note(module, stored, initializer);
                    }
                }
                _ => {
                    if let Some(initializer) = global.initializer {
                        self.initial(module, initializer);
                    }
                }
            }
        }
        for body in module.functions.iter().filter_map(|function| function.body.as_ref()) {
            for instruction in &body.instructions {
                self.instruction(module, body, &instruction.op, whole);
            }
        }
    }

    /// Pointers to functions in the initial value of a structure, or of an array.
    fn initial(&mut self, module: &Module, id: ConstId) {
        match module.constant(id) {
            Const::Aggregate { ty, elements } => {
                for (at, &element) in elements.iter().enumerate() {
                    match member(module, *ty, at) {
                        Some(slot) if !matches!(module.constant(element), Const::Aggregate { .. }) => {
                            note(module, self.found.entry(slot).or_default(), element);
                        }
                        _ => self.initial(module, element),
                    }
                }
            }
            Const::Function(function) => {
                self.anywhere.insert(Stands::of(module, module.function(*function)));
            }
            _ => {}
        }
    }

    fn instruction(&mut self, module: &Module, body: &Body, op: &Op, whole: bool) {
        match op {
            Op::Load { .. } => {}
            Op::Store { value, pointer, .. } => match (slot_of(module, body, pointer), value) {
                (Some(slot), Operand::Const(id)) => note(module, self.found.entry(slot).or_default(), *id),
                (Some(slot), value) => {
                    let copied = loaded_from(module, body, value).is_some_and(|from| from == slot);
                    self.found.entry(slot).or_default().other |= !copied;
                }
                (None, Operand::Const(id)) if !is_local(body, pointer) => {
                    if let Const::Function(function) = module.constant(*id) {
                        self.anywhere.insert(Stands::of(module, module.function(*function)));
                    }
                }
                _ => {}
            },
            // Of a library's structures its users may make their own.
            Op::ElementAddress { source, indices, .. } if !whole => {
                if let [_, Operand::Const(field)] = &indices[..]
                    && let Some(slot) = number(module, *field).and_then(|at| member(module, *source, at))
                {
                    self.found.entry(slot).or_default().other = true;
                }
            }
            Op::ElementAddress { .. } => {}
            // Whoever has the address of a slot may store there.
            op => op.references(|reference| {
                if let Reference::Operand(operand) = reference
                    && let Some(slot) = slot_of(module, body, operand)
                {
                    self.found.entry(slot).or_default().other = true;
                }
            }),
        }
    }
}

/// Adds a constant that is stored in a slot.
fn note(module: &Module, stored: &mut Stored, value: ConstId) {
    match module.constant(value) {
        Const::Function(function) => {
            stored.functions.insert(Stands::of(module, module.function(*function)));
        }
        // A call of what is null is a fault of its own.
        Const::Zero(_) => {}
        _ => stored.other = true,
    }
}

fn is_local(body: &Body, pointer: &Operand) -> bool {
    matches!(pointer, Operand::Instruction(id) if matches!(body.instruction(*id).op, Op::Alloca { .. }))
}

/// The slot that a pointer was loaded from.
pub(crate) fn loaded_from(module: &Module, body: &Body, pointer: &Operand) -> Option<Slot> {
    let Operand::Instruction(id) = pointer else { return None };
    match &body.instruction(*id).op {
        Op::Load { pointer, .. } => slot_of(module, body, pointer),
        _ => None,
    }
}

/// The slot that an address is of.
fn slot_of(module: &Module, body: &Body, address: &Operand) -> Option<Slot> {
    match address {
        Operand::Const(id) => match module.constant(*id) {
            Const::Global(global) => {
                let global = module.global(*global);
                match module.types.get(global.ty) {
                    Type::Struct(_) => member(module, global.ty, 0),
                    Type::Pointer { .. } => Some(Slot::Variable(global_name(module, global))),
                    _ => None,
                }
            }
            Const::Expr { expr: ConstExpr::ElementAddress { source, indices, .. }, .. } => {
                match indices[..] {
                    [_, field] => member(module, *source, number(module, field)?),
                    _ => None,
                }
            }
            _ => None,
        },
        Operand::Instruction(id) => match &body.instruction(*id).op {
            Op::ElementAddress { source, indices, .. } => match &indices[..] {
                [_, Operand::Const(field)] => member(module, *source, number(module, *field)?),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}

fn number(module: &Module, id: ConstId) -> Option<usize> {
    match module.constant(id) {
        Const::Int { bits, .. } => usize::try_from(*bits).ok(),
        _ => None,
    }
}

/// A member of a structure that is a pointer.
fn member(module: &Module, ty: TypeId, at: usize) -> Option<Slot> {
    let Type::Struct(record) = module.types.get(ty) else { return None };
    let field = *record.fields.as_ref()?.get(at)?;
    if !matches!(module.types.get(field), Type::Pointer { .. }) {
        return None;
    }
    let tag = record.name.as_deref()?.strip_prefix("struct.")?;
    Some(Slot::Member(tag.to_owned(), *module.types.layout(ty)?.field_offsets.get(at)?))
}

/// The name of a member by its place.
fn member_name(module: &Module, tag: &str, at: u64) -> Option<String> {
    let record = module.ctypes.iter().find_map(|ctype| match ctype {
        CType::Record { name: Some(name), members, .. } if name == tag => Some(members),
        CType::Typedef { name, target } if name == tag => match module.ctype(*target) {
            CType::Record { members, .. } => Some(members),
            _ => None,
        },
        _ => None,
    })?;
    record.iter().find(|member| member.offset_bits == at * 8).map(|member| member.name.clone())
}
