//! What comes in with a call beside its parameters: global variables (L-5), and functions behind pointers (L-6).

use hydrogen_flow::address_taken;
use hydrogen_ir::layout::{Slot, plain, pointee, slots};
use hydrogen_ir::stranger::stranger;
use hydrogen_ir::{CType, CTypeId, Const, ConstId, FunctionId, GlobalId, InstructionId, Linkage};
use hydrogen_ir::{Function, Module, Op, Operand, Reference};
use std::collections::BTreeSet;

/// What a function finds beside its parameters.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// What global variables hold.
    pub globals: Globals,
    /// Whether the memory behind a `char *` holds a string: one of its bytes is zero.
    pub strings: bool,
}

/// What global variables hold when a function is called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Globals {
    /// Their initial values.
    #[default]
    Initial,
    /// Anything, where the function may read them. Constants keep their values, and so do variables of one file that nothing
    /// writes.
    Any,
}

/// A global variable that may hold anything.
#[derive(Debug, Clone)]
pub(crate) struct GivenGlobal {
    pub(crate) id: GlobalId,
    pub(crate) name: String,
    pub(crate) slots: Vec<Slot>,
}

/// Scalars of all global variables that are followed; the rest keeps its initial value.
const MOST_SLOTS: usize = 512;

/// The global variables that a function may read and that may hold anything, by their order in the module.
pub(crate) fn globals(module: &Module, function: &Function) -> Vec<GivenGlobal> {
    let Some(own) = module.functions.iter().position(|one| std::ptr::eq(one, function)) else {
        return Vec::new();
    };
    let uses: Vec<Uses> = module.functions.iter().map(|function| Uses::of(module, function)).collect();
    let written: BTreeSet<GlobalId> = uses.iter().flat_map(|uses| &uses.written).copied().collect();
    let (mut reached, mut work) = (BTreeSet::from([own]), vec![own]);
    let mut read: BTreeSet<GlobalId> = BTreeSet::new();
    while let Some(next) = work.pop() {
        read.extend(&uses[next].globals);
        for callee in &uses[next].functions {
            if reached.insert(callee.index()) {
                work.push(callee.index());
            }
        }
    }
    let mut left = MOST_SLOTS;
    let mut found = Vec::new();
    for id in read {
        let global = module.global(id);
        // A variable inside of a function has a name that no other function can say: it begins as the program does.
        let hidden = global.name.contains('.');
        let keeps = global.constant
            || global.initializer.is_none()
            || global.private
            || global.thread_local
            || hidden;
        let untouched = global.linkage == Linkage::Internal && !written.contains(&id);
        let Some(ctype) = global.ctype.filter(|_| !keeps && !untouched) else { continue };
        let mut slots = slots(module, ctype, &global.name, left);
        slots.retain(|slot| slot.bytes <= 8);
        left = left.saturating_sub(slots.len());
        found.push(GivenGlobal { id, name: global.name.clone(), slots });
    }
    found
}

/// What a function mentions.
#[derive(Default)]
struct Uses {
    globals: BTreeSet<GlobalId>,
    functions: BTreeSet<FunctionId>,
    /// Global variables that it writes, or whose address it hands on.
    written: BTreeSet<GlobalId>,
}

impl Uses {
    fn of(module: &Module, function: &Function) -> Self {
        let mut uses = Self::default();
        let Some(body) = &function.body else { return uses };
        // Addresses that are only loaded from.
        let mut otherwise: BTreeSet<InstructionId> = BTreeSet::new();
        for instruction in &body.instructions {
            if !matches!(instruction.op, Op::Load { .. }) {
                instruction.op.references(|reference| {
                    if let Reference::Operand(Operand::Instruction(id)) = reference {
                        otherwise.insert(*id);
                    }
                });
            }
        }
        for (at, instruction) in body.instructions.iter().enumerate() {
            let only_read = match instruction.op {
                Op::Load { .. } => true,
                Op::ElementAddress { .. } => !otherwise.contains(&InstructionId(at as u32)),
                _ => false,
            };
            instruction.op.references(|reference| {
                if let Reference::Operand(Operand::Const(id)) = reference {
                    uses.mention(module, *id, only_read);
                }
            });
        }
        uses
    }

    fn mention(&mut self, module: &Module, id: ConstId, only_read: bool) {
        let mut work = vec![id];
        while let Some(id) = work.pop() {
            module.constant(id).references(|reference| match reference {
                Reference::Const(inner) => work.push(*inner),
                Reference::Function(function) => {
                    self.functions.insert(*function);
                }
                Reference::Global(global) => {
                    if self.globals.insert(*global) {
                        // Functions in a table can be called through it.
                        work.extend(module.global(*global).initializer);
                    }
                    if !only_read {
                        self.written.insert(*global);
                    }
                }
                _ => {}
            });
            if let Const::Function(function) = module.constant(id) {
                self.functions.insert(*function);
            }
        }
    }
}

/// The functions that a pointer of this type may lead to: those of the program that have the type and whose address is taken. Where there are
/// none, it comes from outside and leads to a function of which nothing is known.
pub(crate) fn functions_behind(module: &Module, ctype: CTypeId) -> Vec<String> {
    let Some(target) = pointee(module, ctype).map(|target| plain(module, target)) else { return Vec::new() };
    if !matches!(module.ctype(target), CType::Function { .. }) {
        return Vec::new();
    }
    let wanted = module.ctype_name(target);
    let fits = |function: &&Function| {
        let own = function.ctype.map(|ctype| module.ctype_name(plain(module, ctype)));
        function.body.is_some() && own.as_ref() == Some(&wanted)
    };
    let taken = address_taken(module);
    let own: Vec<String> = taken
        .iter()
        .map(|id| module.function(*id))
        .filter(fits)
        .map(|function| function.name.clone())
        .collect();
    if own.is_empty() { stranger(module, target).into_iter().collect() } else { own }
}
