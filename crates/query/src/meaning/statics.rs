//! Variables that only their own file can name, and whose address it never gives away: all that is ever stored there is seen.

use crate::meaning::operand::global_name;
use hydrogen_ir::{
    Body, Const, ConstExpr, ConstId, GlobalId, InstructionId, Linkage, Module, Op, Operand, Reference,
};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// What the program stores in such a variable.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Stores {
    /// The constants.
    pub constants: BTreeSet<u128>,
    /// Whether anything else is stored.
    pub others: bool,
}

impl Stores {
    /// Whether nothing ever is.
    pub fn is_none(&self) -> bool {
        self.constants.is_empty() && !self.others
    }
}

/// The variables of a unit whose stores are all seen.
#[derive(Debug, Default)]
pub(crate) struct Statics(BTreeMap<GlobalId, Stores>);

impl Statics {
    pub fn of(module: &Module) -> Self {
        let is_own = |at: &usize| {
            let global = &module.globals[*at];
            let is_variable = global.initializer.is_some() && !global.constant && !global.thread_local;
            is_variable && global.linkage == Linkage::Internal
        };
        let own = (0..module.globals.len()).filter(is_own);
        let mut found = Self(own.map(|at| (GlobalId::at(at), Stores::default())).collect());
        if found.0.is_empty() {
            return found;
        }
        for constant in &module.constants {
            // An address inside of a variable is followed to where it is used; all else keeps it.
            if !matches!(constant, Const::Expr { expr: ConstExpr::ElementAddress { .. }, .. }) {
                constant.references(|reference| {
                    if let Reference::Const(id) = reference {
                        found.lose(variable(module, *id));
                    }
                });
            }
        }
        for global in &module.globals {
            found.lose(global.alias_of.and_then(|id| variable(module, id)));
            found.lose(global.initializer.and_then(|id| variable(module, id)));
        }
        for body in module.functions.iter().filter_map(|function| function.body.as_ref()) {
            let inside = addresses(module, body);
            for instruction in &body.instructions {
                found.used(module, &instruction.op, &inside);
            }
        }
        found
    }

    /// What is stored in a variable; none where that is not all seen.
    pub fn get(&self, global: GlobalId) -> Option<&Stores> {
        self.0.get(&global)
    }

    fn lose(&mut self, global: Option<GlobalId>) {
        if let Some(global) = global {
            self.0.remove(&global);
        }
    }

    fn used(&mut self, module: &Module, op: &Op, inside: &FxHashMap<InstructionId, GlobalId>) {
        let of = |operand: &Operand| match operand {
            Operand::Const(id) => variable(module, *id),
            Operand::Instruction(id) => inside.get(id).copied(),
            _ => None,
        };
        match op {
            Op::Load { .. } | Op::IntCompare { .. } => {}
            Op::Store { value, pointer, .. } => {
                if let Some(stores) = of(pointer).and_then(|global| self.0.get_mut(&global)) {
                    match constant(module, value) {
                        Some(bits) => drop(stores.constants.insert(bits)),
                        None => stores.others = true,
                    }
                }
                self.lose(of(value));
            }
            Op::ElementAddress { indices, .. } => indices.iter().for_each(|index| self.lose(of(index))),
            Op::Call { callee, arguments, .. } if copies(module, callee) => {
                if let Some(stores) =
                    arguments.first().and_then(of).and_then(|global| self.0.get_mut(&global))
                {
                    stores.others = true;
                }
            }
            _ => op.references(|reference| match reference {
                Reference::Operand(operand) => self.lose(of(operand)),
                Reference::Const(id) => self.lose(variable(module, *id)),
                _ => {}
            }),
        }
    }
}

/// The variables that a function names.
pub(crate) fn named_in(module: &Module, body: &Body) -> BTreeSet<GlobalId> {
    let mut found = BTreeSet::new();
    for instruction in &body.instructions {
        instruction.op.references(|reference| {
            if let Reference::Operand(Operand::Const(id)) = reference {
                found.extend(variable(module, *id));
            }
        });
    }
    found
}

/// The variables that a function stores to, or whose address it hands on.
pub(crate) fn stored_in(module: &Module, body: &Body) -> BTreeSet<String> {
    let inside = addresses(module, body);
    let of = |operand: &Operand| match operand {
        Operand::Const(id) => variable(module, *id),
        Operand::Instruction(id) => inside.get(id).copied(),
        _ => None,
    };
    let mut stored = Vec::new();
    for instruction in &body.instructions {
        match &instruction.op {
            Op::Store { pointer, .. } => stored.extend(of(pointer)),
            Op::Call { arguments, .. } => stored.extend(arguments.iter().filter_map(of)),
            _ => {}
        }
    }
    let variables = stored.into_iter().map(|id| module.global(id)).filter(|global| !global.constant);
    variables.map(|global| global_name(module, global)).collect()
}

/// The instructions of a function that make addresses inside of variables.
fn addresses(module: &Module, body: &Body) -> FxHashMap<InstructionId, GlobalId> {
    let mut inside: FxHashMap<InstructionId, GlobalId> = FxHashMap::default();
    loop {
        let before = inside.len();
        for (at, instruction) in body.instructions.iter().enumerate() {
            let Op::ElementAddress { base, .. } = &instruction.op else { continue };
            let global = match base {
                Operand::Const(id) => variable(module, *id),
                Operand::Instruction(id) => inside.get(id).copied(),
                _ => None,
            };
            if let Some(global) = global {
                inside.insert(InstructionId::at(at), global);
            }
        }
        if inside.len() == before {
            return inside;
        }
    }
}

/// The variable that a constant is an address in.
pub(crate) fn variable(module: &Module, id: ConstId) -> Option<GlobalId> {
    match module.constant(id) {
        Const::Global(global) => Some(*global),
        Const::Expr { expr: ConstExpr::ElementAddress { base, .. }, .. } => variable(module, *base),
        _ => None,
    }
}

fn constant(module: &Module, value: &Operand) -> Option<u128> {
    let Operand::Const(id) = value else { return None };
    match module.constant(*id) {
        Const::Int { bits, .. } => Some(*bits),
        Const::Zero(_) => Some(0),
        _ => None,
    }
}

/// Whether a function of the compiler's own is called that copies or fills memory, and keeps no address.
fn copies(module: &Module, callee: &Operand) -> bool {
    let Operand::Const(id) = callee else { return false };
    matches!(module.constant(*id), Const::Function(function)
        if module.function(*function).name.starts_with("llvm.mem"))
}
