//! Where two versions may be taken apart: nodes with the same instructions, in the same order.
//!
//! A function that is compared from its beginning to its end in one go costs more than its size: every path adds to what all later terms are made of. Between
//! places where both versions do the same, only equal variables and equal memory have to be carried on, so that each piece is small, and what did not
//! change is the same term by term. Which places these are is a guess; a wrong one fails and is left out.

use crate::{
    code::{Code, Exit},
    homes::is_marker,
};
use hydrogen_align::lcs;
use hydrogen_ir::{Const, ConstId, InstructionId, Module, Op, Operand, Reference};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Pairs of nodes that may be the same place, in the order of the old version. Heads of loops are among them.
pub(crate) fn matched(old: &Code, new: &Code) -> Vec<(usize, usize)> {
    let (a, b) = (ordered(old), ordered(new));
    let (x, y): (Vec<u64>, Vec<u64>) = (
        a.iter().map(|&node| signature(old, node)).collect(),
        b.iter().map(|&node| signature(new, node)).collect(),
    );
    let pairs = lcs(&x, &y).into_iter().map(|(i, j)| (a[i], b[j]));
    // The beginning is one place in any case, and a node that does nothing is no place to stop at.
    pairs.filter(|&(one, _)| one != 0 && (does_something(old, one) || old.heads.contains(&one))).collect()
}

/// The nodes that a run can come to, in their order.
fn ordered(code: &Code) -> Vec<usize> {
    let mut nodes: Vec<usize> =
        (0..code.nodes.len()).filter(|&node| code.position[node] != usize::MAX).collect();
    nodes.sort_by_key(|&node| code.position[node]);
    nodes
}

fn does_something(code: &Code, node: usize) -> bool {
    let node = &code.nodes[node];
    (node.first..node.end).map(InstructionId).any(|id| {
        let op = code.op(node.frame, id);
        !matches!(op, Op::Alloca { .. }) && !is_marker(code.module, op)
    })
}

/// What a node does, whatever its variables are called.
fn signature(code: &Code, at: usize) -> u64 {
    let node = &code.nodes[at];
    let mut hasher = FxHasher::default();
    for id in (node.first..node.end).map(InstructionId) {
        let op = code.op(node.frame, id);
        if !is_marker(code.module, op) {
            operation(code.module, op, &mut hasher);
        }
    }
    match node.exit {
        Exit::Terminator(id) => operation(code.module, code.op(node.frame, id), &mut hasher),
        // Whether what is done here has a function of its own does not matter.
        Exit::Enter(..) => 1u8.hash(&mut hasher),
        Exit::Again(..) | Exit::Up(..) => 2u8.hash(&mut hasher),
        Exit::Next => 3u8.hash(&mut hasher),
    }
    hasher.finish()
}

fn operation(module: &Module, op: &Op, hasher: &mut FxHasher) {
    std::mem::discriminant(op).hash(hasher);
    match op {
        Op::Binary { op, .. } => op.hash(hasher),
        Op::Cast { op, .. } => op.hash(hasher),
        Op::IntCompare { predicate, .. } => predicate.hash(hasher),
        Op::FloatCompare { predicate, .. } => predicate.hash(hasher),
        Op::Switch { cases, .. } => {
            for case in cases {
                constant(module, case.value, hasher);
            }
        }
        _ => {}
    }
    op.references(|reference| {
        if let Reference::Operand(Operand::Const(id)) = reference {
            constant(module, *id, hasher);
        }
    });
}

fn constant(module: &Module, id: ConstId, hasher: &mut FxHasher) {
    match module.constant(id) {
        Const::Int { bits, .. } | Const::Float { bits, .. } => bits.hash(hasher),
        Const::Global(global) => {
            let global = module.global(*global);
            // The compiler numbers texts.
            if !global.private {
                global.name.hash(hasher);
            }
        }
        Const::Function(function) => module.function(*function).name.hash(hasher),
        other => std::mem::discriminant(other).hash(hasher),
    }
}
