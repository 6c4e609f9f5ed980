//! What LLVM must say of a model's instruction.

use hydrogen_ir::{Op, Operand};

/// LLVM's name of a model's instruction and the number of operands LLVM gives it: values, then blocks.
pub(super) fn shape(op: &Op) -> (String, u32) {
    let n = |list: usize| list as u32;
    let plain = |name: &str, count: u32| (name.to_owned(), count);
    match op {
        Op::Unary { op, .. } => (format!("{op:?}").to_lowercase(), 1),
        Op::Binary { op, .. } => (format!("{op:?}").to_lowercase(), 2),
        Op::IntCompare { .. } => plain("icmp", 2),
        Op::FloatCompare { .. } => plain("fcmp", 2),
        Op::Cast { op, .. } => (format!("{op:?}").to_lowercase(), 1),
        Op::Alloca { .. } => plain("alloca", 1),
        Op::Load { .. } => plain("load", 1),
        Op::Store { .. } => plain("store", 2),
        Op::ElementAddress { indices, .. } => plain("getelementptr", 1 + n(indices.len())),
        Op::Phi { incoming } => plain("phi", n(incoming.len())),
        Op::Select { .. } => plain("select", 3),
        Op::ExtractValue { .. } => plain("extractvalue", 1),
        Op::InsertValue { .. } => plain("insertvalue", 2),
        Op::ExtractElement { .. } => plain("extractelement", 2),
        Op::InsertElement { .. } => plain("insertelement", 3),
        Op::ShuffleVector { .. } => plain("shufflevector", 2),
        Op::Call { arguments, .. } | Op::Asm { arguments, .. } => plain("call", 1 + n(arguments.len())),
        Op::VaArg { .. } => plain("vaarg", 1),
        Op::Fence { .. } => plain("fence", 0),
        Op::CompareExchange { .. } => plain("atomiccmpxchg", 3),
        Op::AtomicRmw { .. } => plain("atomicrmw", 2),
        Op::Freeze { .. } => plain("freeze", 1),
        Op::Opaque { name, operands } => plain(name, n(operands.len())),
        Op::Return { value } => plain("ret", u32::from(value.is_some())),
        Op::Jump { .. } => plain("br", 1),
        Op::Branch { .. } => plain("br", 3),
        Op::Switch { cases, .. } => plain("switch", 2 + 2 * n(cases.len())),
        Op::IndirectJump { targets, .. } => plain("indirectbr", 1 + n(targets.len())),
        Op::AsmBranch { arguments, targets, .. } => {
            plain("callbr", 2 + n(arguments.len()) + n(targets.len()))
        }
        Op::Unreachable => plain("unreachable", 0),
        Op::OpaqueTerminator { name, operands, targets } => plain(name, n(operands.len()) + n(targets.len())),
    }
}

/// The operands in LLVM's order, blocks left out. The constants of a `switch` are operands too.
pub(super) fn values(op: &Op) -> Vec<Operand> {
    let list: Vec<&Operand> = match op {
        Op::Unary { value, .. } | Op::Cast { value, .. } | Op::Freeze { value } => vec![value],
        Op::Binary { left, right, .. }
        | Op::IntCompare { left, right, .. }
        | Op::FloatCompare { left, right, .. }
        | Op::ShuffleVector { left, right, .. } => vec![left, right],
        Op::Alloca { count, .. } => vec![count],
        Op::Load { pointer, .. } => vec![pointer],
        Op::Store { value, pointer, .. } => vec![value, pointer],
        Op::ElementAddress { base, indices, .. } => std::iter::once(base).chain(indices).collect(),
        Op::Phi { incoming } => incoming.iter().map(|(_, value)| value).collect(),
        Op::Select { condition, then, otherwise, .. } => vec![condition, then, otherwise],
        Op::ExtractValue { aggregate, .. } => vec![aggregate],
        Op::InsertValue { aggregate, value, .. } => vec![aggregate, value],
        Op::ExtractElement { vector, index } => vec![vector, index],
        Op::InsertElement { vector, value, index } => vec![vector, value, index],
        Op::Call { callee, arguments, .. } => arguments.iter().chain([callee]).collect(),
        Op::Asm { arguments, .. } | Op::AsmBranch { arguments, .. } => arguments.iter().collect(),
        Op::VaArg { list } => vec![list],
        Op::CompareExchange { pointer, expected, new, .. } => vec![pointer, expected, new],
        Op::AtomicRmw { pointer, value, .. } => vec![pointer, value],
        Op::Opaque { operands, .. } | Op::OpaqueTerminator { operands, .. } => operands.iter().collect(),
        Op::Return { value } => value.iter().collect(),
        Op::Branch { condition, .. } => vec![condition],
        Op::IndirectJump { address, .. } => vec![address],
        Op::Switch { value, cases, .. } => {
            let constants = cases.iter().map(|case| Operand::Const(case.value));
            return std::iter::once(value.clone()).chain(constants).collect();
        }
        Op::Jump { .. } | Op::Unreachable | Op::Fence { .. } => Vec::new(),
    };
    list.into_iter().cloned().collect()
}
