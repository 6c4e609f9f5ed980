//! Memory that is known outside of its function may be lost there all the same: another address is stored where its own was kept.

use crate::judge::fault::spelled;
use crate::meaning::shape::{Shape, StepId};
use crate::walk::Analyst;
use hydrogen_graph::{NodeId, VersionId};
use hydrogen_ir::{InstructionId, Op, Operand, Type};
use std::collections::BTreeSet;

impl Analyst<'_> {
    /// Whether a function that makes memory at these statements stores an address where it has stored one before.
    pub(super) fn overwrites_addresses(&mut self, statements: &[NodeId], version: VersionId) -> bool {
        statements.iter().any(|&node| {
            let chain = self.subject.program.graph.chain(node);
            self.shape(chain, version).is_some_and(|shape| stores_twice(&shape))
        })
    }
}

fn stores_twice(shape: &Shape) -> bool {
    let mut stores: Vec<(StepId, InstructionId, String)> = Vec::new();
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
