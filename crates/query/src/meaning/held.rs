//! Objects of a function whose address nobody has: it is given to functions of the library that do not keep it, and to nobody else. What is
//! written through pointers is not written there.

use crate::judge::characters::is_closed_constant;
use crate::judge::own_texts::leaves_open;
use hydrogen_ir::{Body, Const, FunctionId, InstructionId, Module, Op, Operand, Reference, Type};
use hydrogen_library::{Effect, Library};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known of the objects of a function.
#[derive(Debug, Default)]
pub(crate) struct Held {
    /// Those whose address is somewhere.
    held: FxHashSet<InstructionId>,
    /// Those that something is written to that need not end.
    open: FxHashSet<InstructionId>,
}

impl Held {
    pub fn of(module: &Module, body: &Body, library: &Library) -> Self {
        let (roots, mut found) = (roots(body), Self::default());
        let used = used(body);
        let slot = |operand: &Operand| match operand {
            Operand::Instruction(id) => roots.get(id).copied(),
            _ => None,
        };
        for (at, instruction) in body.instructions.iter().enumerate() {
            match &instruction.op {
                Op::Load { .. } | Op::IntCompare { .. } | Op::ElementAddress { .. } => {}
                Op::Store { value, pointer, .. } => {
                    found.held.extend(slot(value));
                    found.open.extend(slot(pointer).filter(|_| !is_zero(module, value)));
                }
                Op::Call { callee, arguments, .. } => {
                    let is_used = used.contains(&InstructionId::at(at));
                    let given = arguments.iter().enumerate();
                    for (at, slot) in given.filter_map(|(at, one)| slot(one).map(|slot| (at, slot))) {
                        found.given(module, library, slot, (callee, arguments, at), is_used);
                    }
                }
                op => op.references(|reference| {
                    if let Reference::Operand(operand) = reference {
                        found.held.extend(slot(operand));
                    }
                }),
            }
        }
        found
    }

    /// Whether somebody else may have an object's address.
    pub fn is_held(&self, slot: InstructionId) -> bool {
        self.held.contains(&slot)
    }

    /// Whether a text in an object that ends at one time ends at every later one.
    pub fn is_closed(&self, slot: InstructionId) -> bool {
        !self.held.contains(&slot) && !self.open.contains(&slot)
    }

    /// An object's address is given to a function.
    fn given(
        &mut self,
        module: &Module,
        library: &Library,
        slot: InstructionId,
        (callee, arguments, at): (&Operand, &[Operand], usize),
        is_used: bool,
    ) {
        let Some(name) = called(module, callee).map(|function| &module.function(function).name) else {
            self.held.insert(slot);
            return;
        };
        if name.starts_with("llvm.dbg.") || name.starts_with("llvm.lifetime.") {
            return;
        }
        let (Some(contract), false) = (library.contract(name), is_defined(module, callee)) else {
            self.held.insert(slot);
            return;
        };
        let keeps = |effect: &Effect| match effect {
            Effect::Same(given) | Effect::Inside(given) => is_used && *given == at,
            Effect::Put { value, .. } => *value == at,
            Effect::Escape(given) => *given == at,
            Effect::Calls { .. } => true,
            _ => false,
        };
        let effects = library.effects(name);
        if effects.is_none_or(|effects| effects.iter().any(keeps)) && !name.starts_with("llvm.mem") {
            self.held.insert(slot);
        }
        // What a variable begins with is copied there from a constant.
        let begins =
            name.starts_with("llvm.memcpy") && at == 0 && is_closed_constant(module, arguments.get(1));
        if !begins && leaves_open(module, contract, arguments, at, None) {
            self.open.insert(slot);
        }
    }
}

/// The object that each address is one in.
fn roots(body: &Body) -> FxHashMap<InstructionId, InstructionId> {
    let mut roots = FxHashMap::default();
    for (at, instruction) in body.instructions.iter().enumerate() {
        let id = InstructionId::at(at);
        let root = match &instruction.op {
            Op::Alloca { .. } => Some(id),
            Op::ElementAddress { base: Operand::Instruction(base), .. } => roots.get(base).copied(),
            _ => None,
        };
        roots.extend(root.map(|root| (id, root)));
    }
    roots
}

/// The instructions whose results are used.
fn used(body: &Body) -> FxHashSet<InstructionId> {
    let mut used = FxHashSet::default();
    for instruction in &body.instructions {
        instruction.op.references(|reference| {
            if let Reference::Operand(Operand::Instruction(id)) = reference {
                used.insert(*id);
            }
        });
    }
    used
}

fn called(module: &Module, callee: &Operand) -> Option<FunctionId> {
    let Operand::Const(id) = callee else { return None };
    match module.constant(*id) {
        Const::Function(function) => Some(*function),
        _ => None,
    }
}

fn is_defined(module: &Module, callee: &Operand) -> bool {
    called(module, callee).is_some_and(|function| module.function(function).is_defined())
}

/// Whether the byte that is stored is an end, or what is stored is no character.
fn is_zero(module: &Module, value: &Operand) -> bool {
    match value {
        Operand::Const(id) => match module.constant(*id) {
            Const::Int { ty, bits } => *bits == 0 || !matches!(module.types.get(*ty), Type::Int(8)),
            Const::Zero(_) => true,
            _ => false,
        },
        _ => false,
    }
}
