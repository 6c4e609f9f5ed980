//! What functions with a body can see and change, from their instructions and their callees'.

use crate::{calls::Reach, homes::is_marker, known::library};
use hydrogen_ir::{Body, Const, ConstId, FunctionId, InstructionId, Linkage, Module, Op, Operand};
use std::{collections::BTreeMap, sync::Arc};

/// What the functions of two programs can see and change, worked out once for all of their comparisons.
#[derive(Debug, Clone, Default)]
pub struct Reaches(Arc<BTreeMap<String, Reach>>);

impl Reaches {
    /// Of two programs: of functions with one name, the largest.
    pub fn of(old: &Module, new: &Module) -> Self {
        Self::among(&[old], &[new])
    }

    /// Of two programs in several units each, of which some may be missing: what a unit does not define may be defined by another one.
    pub fn among(old: &[&Module], new: &[&Module]) -> Self {
        let mut all: BTreeMap<String, Reach> = BTreeMap::new();
        for (name, reach) in program(old).into_iter().chain(program(new)) {
            let entry = all.entry(name).or_insert(reach);
            *entry = (*entry).max(reach);
        }
        Self(Arc::new(all))
    }

    /// What a function can see and change.
    pub fn get(&self, name: &str) -> Option<Reach> {
        self.0.get(name).copied()
    }
}

/// What the functions of several units reach, by name: the least that is in keeping with itself.
fn program(modules: &[&Module]) -> BTreeMap<String, Reach> {
    let shared = |one: &hydrogen_ir::Function| one.body.is_some() && one.linkage != Linkage::Internal;
    let mut outside: BTreeMap<String, Reach> = match modules {
        [_] => BTreeMap::new(),
        _ => {
            let all = modules.iter().flat_map(|module| module.definitions());
            all.filter(|(_, one)| shared(one)).map(|(_, one)| (one.name.clone(), Reach::Values)).collect()
        }
    };
    loop {
        let (found, all) = one_round(modules, &outside);
        if modules.len() == 1 || found == outside {
            return all;
        }
        outside = found;
    }
}

/// What the functions of several units reach, with what other units are known to define: of those that other units can call, and of all by name.
fn one_round(
    modules: &[&Module],
    outside: &BTreeMap<String, Reach>,
) -> (BTreeMap<String, Reach>, BTreeMap<String, Reach>) {
    let (mut shared, mut all) = (BTreeMap::new(), BTreeMap::new());
    for module in modules {
        for (id, reach) in reaches(module, outside) {
            let function = module.function(id);
            if function.linkage != Linkage::Internal {
                let entry = shared.entry(function.name.clone()).or_insert(reach);
                *entry = reach.max(*entry);
            }
            let entry = all.entry(function.name.clone()).or_insert(reach);
            *entry = reach.max(*entry);
        }
    }
    (shared, all)
}

/// The reach of every function with a body.
fn reaches(module: &Module, outside: &BTreeMap<String, Reach>) -> BTreeMap<FunctionId, Reach> {
    let defined: Vec<(FunctionId, &Body)> =
        module.definitions().filter_map(|(id, function)| Some((id, function.body.as_ref()?))).collect();
    let mut reach: BTreeMap<FunctionId, Reach> = defined.iter().map(|(id, _)| (*id, Reach::Values)).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (id, body) in &defined {
            let found = (0..body.instructions.len())
                .map(|at| instruction(module, body, InstructionId::at(at), &reach, outside))
                .max()
                .unwrap_or(Reach::Values);
            if found > reach[id] {
                reach.insert(*id, found);
                changed = true;
            }
        }
    }
    reach
}

fn instruction(
    module: &Module,
    body: &Body,
    id: InstructionId,
    reach: &BTreeMap<FunctionId, Reach>,
    outside: &BTreeMap<String, Reach>,
) -> Reach {
    match &body.instruction(id).op {
        Op::Load { pointer, access } => match access.volatile {
            true => Reach::All,
            false if is_own(module, body, pointer, true) => Reach::Values,
            false => Reach::Reads,
        },
        Op::Store { pointer, access, .. } if !access.volatile && is_own(module, body, pointer, false) => {
            Reach::Values
        }
        op @ Op::Call { callee: Operand::Const(callee), arguments, .. } => match module.constant(*callee) {
            Const::Function(function) => {
                let name = &module.function(*function).name;
                match reach.get(function) {
                    // What a callee writes through its arguments may be the caller's own.
                    Some(reach) => *reach,
                    None if is_marker(module, op) => Reach::Values,
                    None if name.starts_with("llvm.mem") => {
                        let to = is_own(module, body, &arguments[0], false);
                        let from =
                            name.starts_with("llvm.memset") || is_own(module, body, &arguments[1], true);
                        match (to, from) {
                            (true, true) => Reach::Values,
                            (true, false) => Reach::Reads,
                            _ => Reach::All,
                        }
                    }
                    None if name.starts_with("llvm.va_") || name.starts_with("llvm.stack") => Reach::All,
                    None if name.starts_with("llvm.") => Reach::Values,
                    None => outside.get(name).copied().unwrap_or_else(|| library(name)),
                }
            }
            _ => Reach::All,
        },
        Op::Call { .. }
        | Op::Store { .. }
        | Op::Asm { .. }
        | Op::AsmBranch { .. }
        | Op::VaArg { .. }
        | Op::Fence { .. }
        | Op::CompareExchange { .. }
        | Op::AtomicRmw { .. }
        | Op::Opaque { .. }
        | Op::OpaqueTerminator { .. } => Reach::All,
        _ => Reach::Values,
    }
}

/// Whether a pointer leads into a local variable, or, for reading, into a constant.
fn is_own(module: &Module, body: &Body, pointer: &Operand, constants: bool) -> bool {
    match pointer {
        Operand::Instruction(id) => match &body.instruction(*id).op {
            Op::Alloca { .. } => true,
            Op::ElementAddress { base, .. } => is_own(module, body, base, constants),
            _ => false,
        },
        Operand::Const(id) => constants && is_constant(module, *id),
        _ => false,
    }
}

fn is_constant(module: &Module, id: ConstId) -> bool {
    match module.constant(id) {
        Const::Global(global) => {
            let global = module.global(*global);
            global.constant && global.initializer.is_some()
        }
        Const::Expr { expr: hydrogen_ir::ConstExpr::ElementAddress { base, .. }, .. } => {
            is_constant(module, *base)
        }
        _ => false,
    }
}
