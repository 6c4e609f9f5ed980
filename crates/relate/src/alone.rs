//! Functions whose outcome their arguments alone decide: trying all arguments is then all there is to try.

use hydrogen_flow::{called, calls_pointers};
use hydrogen_ir::{Const, FunctionId, Module, Op, Operand, Reference, Type};
use std::collections::BTreeSet;

/// Whether a function takes numbers only, and neither it nor what it calls looks at variables of the program or calls anything unknown.
pub fn depends_on_numbers_alone(module: &Module, function: FunctionId) -> bool {
    let is_number = |ty| matches!(module.types.get(ty), Type::Int(_) | Type::Float(_));
    if !module.function(function).parameters.iter().all(|parameter| parameter.ty.is_some_and(is_number)) {
        return false;
    }
    let (mut open, mut seen) = (vec![function], BTreeSet::new());
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        if calls_pointers(module, id) || calls_unknown(module, id) || names_variables(module, id) {
            return false;
        }
        open.extend(called(module, id));
    }
    true
}

/// Whether a function without a body is called; operations of the compiler's own are known.
fn calls_unknown(module: &Module, id: FunctionId) -> bool {
    let Some(body) = &module.function(id).body else { return true };
    body.instructions.iter().any(|instruction| match &instruction.op {
        Op::Call { callee: Operand::Const(callee), .. } => match module.constant(*callee) {
            Const::Function(callee) => {
                let callee = module.function(*callee);
                callee.body.is_none() && !callee.name.starts_with("llvm.")
            }
            _ => true,
        },
        _ => false,
    })
}

/// Whether variables of the program that can change are named, or what could lead to them.
fn names_variables(module: &Module, id: FunctionId) -> bool {
    let Some(body) = &module.function(id).body else { return true };
    let (mut constants, mut seen) = (Vec::new(), BTreeSet::new());
    for instruction in &body.instructions {
        instruction.op.references(|reference| {
            if let Reference::Operand(Operand::Const(id)) = reference {
                constants.push(*id);
            }
        });
    }
    while let Some(id) = constants.pop() {
        if !seen.insert(id) {
            continue;
        }
        match module.constant(id) {
            Const::Global(global) => {
                let global = module.global(*global);
                if !global.constant || global.thread_local {
                    return true;
                }
                match global.initializer {
                    Some(initializer) => constants.push(initializer),
                    None => return true,
                }
            }
            constant => constant.references(|reference| {
                if let Reference::Const(inner) = reference {
                    constants.push(*inner);
                }
            }),
        }
    }
    false
}
