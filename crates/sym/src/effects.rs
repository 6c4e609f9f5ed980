//! What functions with a body can see and change, from their instructions and their callees'.

use crate::{calls::Reach, homes::is_marker, known::library};
use hydrogen_ir::{Body, Const, ConstId, FunctionId, InstructionId, Module, Op, Operand};
use std::{collections::BTreeMap, sync::Arc};

/// What the functions of two programs can see and change, worked out once for all of their comparisons.
#[derive(Debug, Clone, Default)]
pub struct Reaches(Arc<BTreeMap<String, Reach>>);

impl Reaches {
    /// Of two programs: of functions with one name, the largest.
    pub fn of(old: &Module, new: &Module) -> Self {
        let mut all = reaches(old);
        for (name, reach) in reaches(new) {
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

/// The reach of every function with a body, by name; of several with one name, the largest.
fn reaches(module: &Module) -> BTreeMap<String, Reach> {
    let defined: Vec<(FunctionId, &Body)> =
        module.definitions().filter_map(|(id, function)| Some((id, function.body.as_ref()?))).collect();
    let mut reach: BTreeMap<FunctionId, Reach> = defined.iter().map(|(id, _)| (*id, Reach::Values)).collect();
    let mut changed = true;
    while changed {
        changed = false;
        for (id, body) in &defined {
            let found = (0..body.instructions.len())
                .map(|at| instruction(module, body, InstructionId::at(at), &reach))
                .max()
                .unwrap_or(Reach::Values);
            if found > reach[id] {
                reach.insert(*id, found);
                changed = true;
            }
        }
    }
    let mut by_name: BTreeMap<String, Reach> = BTreeMap::new();
    for (id, reach) in reach {
        let entry = by_name.entry(module.function(id).name.clone()).or_insert(reach);
        *entry = (*entry).max(reach);
    }
    by_name
}

fn instruction(
    module: &Module,
    body: &Body,
    id: InstructionId,
    reach: &BTreeMap<FunctionId, Reach>,
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
                    None => library(name),
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
