//! Memory that is known outside of its function may be lost there all the same: another address is stored where its own was kept.

use crate::judge::bits::spelled;
use crate::meaning::shape::{Shape, StepId};
use crate::walk::Analyst;
use hydrogen_graph::{NodeId, VersionId};
use hydrogen_ir::{InstructionId, Op, Operand, Type};
use std::collections::BTreeSet;

impl Analyst<'_> {
    /// Whether a function that makes memory at these statements stores an address where it has stored one before, in a variable of its own
    /// that a pointer leads to, or fills memory behind such a store.
    pub(super) fn overwrites_addresses(&mut self, statements: &[NodeId], version: VersionId) -> bool {
        statements.iter().any(|&node| {
            let chain = self.subject.program.graph.chain(node);
            let Some(shape) = self.shape(chain, version) else { return false };
            let stores = stores(&shape);
            let in_own = stores.iter().any(|(_, id, _)| is_of_own(&shape, *id));
            in_own || stores_twice(&shape, &stores) || fills_behind(&shape, &stores)
        })
    }
}

/// A store of an address: the run, the instruction, and where to.
type Store = (StepId, InstructionId, String);

/// The stores of addresses that are none into variables of the function.
fn stores(shape: &Shape) -> Vec<Store> {
    let mut stores: Vec<Store> = Vec::new();
    for (step, one) in shape.steps.iter().enumerate().filter(|(step, _)| shape.order[*step] != usize::MAX) {
        for &id in &one.instructions {
            let Op::Store { value, pointer, .. } = shape.op(id) else { continue };
            let is_own = matches!(pointer, Operand::Instruction(slot) if shape.plain.contains_key(slot));
            let ty = shape.operand_type(value).map(|ty| shape.module.types.get(ty));
            if !is_own && matches!(ty, None | Some(Type::Pointer(_))) {
                stores.push((step, id, spelled(shape, pointer)));
            }
        }
    }
    stores
}

/// Whether memory is filled behind one of the stores.
fn fills_behind(shape: &Shape, stores: &[Store]) -> bool {
    let reached: BTreeSet<StepId> = stores.iter().flat_map(|(step, ..)| behind(shape, *step)).collect();
    reached.into_iter().any(|step| {
        let Some(Op::Call { callee, .. }) = shape.call(step).map(|id| shape.op(id)) else { return false };
        shape.named(callee).is_some_and(|function| function.name.starts_with("llvm.memset"))
    })
}

/// Whether an instruction stores through a pointer to a variable of the function, which ends with it.
fn is_of_own(shape: &Shape, id: InstructionId) -> bool {
    let Op::Store { pointer: Operand::Instruction(load), .. } = shape.op(id) else { return false };
    let Op::Load { pointer: held_in, .. } = shape.op(*load) else { return false };
    shape.body().instructions.iter().any(|instruction| match &instruction.op {
        Op::Store { value: Operand::Instruction(value), pointer, .. } => {
            pointer == held_in && matches!(shape.op(*value), Op::Alloca { .. })
        }
        _ => false,
    })
}

fn stores_twice(shape: &Shape, stores: &[Store]) -> bool {
    stores.iter().any(|(step, id, place)| {
        let mut again = stores.iter().filter(|(_, other, there)| other != id && there == place).peekable();
        if again.peek().is_none() {
            return false;
        }
        let behind = behind(shape, *step);
        again.any(|(other, later, _)| if other == step { later > id } else { behind.contains(other) })
    })
}

/// The runs that control may come to behind one.
fn behind(shape: &Shape, from: StepId) -> BTreeSet<StepId> {
    let (mut found, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(step) = open.pop() {
        for (next, one) in shape.steps.iter().enumerate() {
            if one.entering.iter().any(|entering| entering.from == step) && found.insert(next) {
                open.push(next);
            }
        }
    }
    found
}
