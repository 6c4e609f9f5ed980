//! Who calls whom by name, and what may be called through pointers: by the code of single functions, without following pointers.

use hydrogen_ir::{Const, ConstId, FunctionId, Module, Op, Operand, Reference};
use std::collections::BTreeSet;

/// The functions with a body that a function calls by name.
pub fn called(module: &Module, id: FunctionId) -> BTreeSet<FunctionId> {
    let all = module.function(id).body.iter().flat_map(|body| &body.instructions);
    let callees = all.filter_map(|instruction| callee(module, &instruction.op));
    callees.filter(|&callee| module.function(callee).body.is_some()).collect()
}

/// The function that an instruction calls by name.
pub fn callee(module: &Module, op: &Op) -> Option<FunctionId> {
    match op {
        Op::Call { callee: Operand::Const(callee), .. } => match module.constant(*callee) {
            Const::Function(function) => Some(*function),
            _ => None,
        },
        _ => None,
    }
}

/// The functions with a body whose address a function takes, itself or in the constants and variables that it names.
pub fn pointed(module: &Module, id: FunctionId) -> BTreeSet<FunctionId> {
    let mut constants: Vec<ConstId> = Vec::new();
    for instruction in module.function(id).body.iter().flat_map(|body| &body.instructions) {
        let callee = match &instruction.op {
            Op::Call { callee, .. } => Some(callee),
            _ => None,
        };
        let mut of_callee = 0;
        instruction.op.references(|reference| {
            if let Reference::Operand(Operand::Const(id)) = reference {
                // The callee of a call by name is not an address that is taken, its argument is.
                let is_callee = callee == Some(&Operand::Const(*id)) && of_callee == 0;
                of_callee += u32::from(is_callee);
                if !is_callee {
                    constants.push(*id);
                }
            }
        });
    }
    functions_in(module, constants)
}

fn functions_in(module: &Module, mut constants: Vec<ConstId>) -> BTreeSet<FunctionId> {
    let (mut found, mut seen) = (BTreeSet::new(), BTreeSet::new());
    while let Some(id) = constants.pop() {
        if !seen.insert(id) {
            continue;
        }
        match module.constant(id) {
            Const::Global(global) => constants.extend(module.global(*global).initializer),
            Const::Function(function) => drop(found.insert(*function)),
            constant => constant.references(|reference| match reference {
                Reference::Const(inner) => constants.push(*inner),
                Reference::Function(function) => drop(found.insert(*function)),
                _ => {}
            }),
        }
    }
    found.retain(|&id| module.function(id).body.is_some());
    found
}

/// All functions of a program that something may have a pointer to.
pub fn all_pointed(module: &Module) -> BTreeSet<FunctionId> {
    let mut found =
        functions_in(module, module.globals.iter().filter_map(|global| global.initializer).collect());
    for (id, _) in module.definitions() {
        found.extend(pointed(module, id));
    }
    found
}

/// Whether a function itself calls through a pointer.
pub fn calls_pointers(module: &Module, id: FunctionId) -> bool {
    let Some(body) = &module.function(id).body else { return false };
    body.instructions.iter().any(|instruction| match &instruction.op {
        Op::Call { callee: Operand::Const(callee), .. } => {
            !matches!(module.constant(*callee), Const::Function(_))
        }
        Op::Call { .. } => true,
        _ => false,
    })
}

/// Whether calls, by name or through pointers to what is mentioned on the way, may lead from the function of a name to another one.
pub fn leads_to(module: &Module, from: &str, to: FunctionId) -> bool {
    let mut open: Vec<FunctionId> =
        module.definitions().filter(|(_, function)| function.name == from).map(|(id, _)| id).collect();
    let mut seen = BTreeSet::new();
    while let Some(id) = open.pop() {
        if seen.insert(id) {
            open.extend(called(module, id));
            open.extend(pointed(module, id));
        }
    }
    seen.contains(&to)
}
