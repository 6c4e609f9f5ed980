//! The code behind a pointer to a function: two versions of it are the same to a caller only where all that they do is.

use hydrogen_ir::{Const, ContentHash, FunctionId, Module, Reference, exact_hash};
use std::collections::BTreeSet;

/// What a function does, as far as its code says so: equal codes do the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Code(ContentHash);

/// The code of a function of the program with all that it may call; none where it has no body.
pub(crate) fn code_of(module: &Module, name: &str) -> Option<Code> {
    let first = (0..module.functions.len())
        .map(FunctionId::at)
        .find(|id| module.function(*id).name == name && module.function(*id).body.is_some())?;
    let (mut open, mut met) = (vec![first], BTreeSet::new());
    // In the order in which they are met, which is that of the code.
    let mut hashes = Vec::new();
    while let Some(id) = open.pop() {
        if !met.insert(id) {
            continue;
        }
        hashes.extend_from_slice(module.function(id).name.as_bytes());
        hashes
            .extend(exact_hash(module, id).map(|hash| format!("{hash:?}")).unwrap_or_default().into_bytes());
        open.extend(mentioned(module, id));
    }
    Some(Code(ContentHash::of(&hashes)))
}

/// The functions that a function mentions, in tables too.
fn mentioned(module: &Module, id: FunctionId) -> Vec<FunctionId> {
    let Some(body) = &module.function(id).body else { return Vec::new() };
    let (mut constants, mut seen, mut found) = (Vec::new(), BTreeSet::new(), Vec::new());
    for instruction in &body.instructions {
        instruction.op.references(|reference| {
            if let Reference::Operand(hydrogen_ir::Operand::Const(id)) = reference {
                constants.push(*id);
            }
        });
    }
    while let Some(id) = constants.pop() {
        if !seen.insert(id) {
            continue;
        }
        match module.constant(id) {
            Const::Function(function) => found.push(*function),
            Const::Global(global) => constants.extend(module.global(*global).initializer),
            constant => constant.references(|reference| match reference {
                Reference::Const(inner) => constants.push(*inner),
                Reference::Function(function) => found.push(*function),
                Reference::Global(global) => constants.extend(module.global(*global).initializer),
                _ => {}
            }),
        }
    }
    found
}
