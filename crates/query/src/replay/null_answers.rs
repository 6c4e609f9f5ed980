//! Functions without a body that may give null: those whose result the calling function tests for it, as a parameter may be null that a
//! function tests (rule 3 of what may come in).

use crate::meaning::shape::Shape;
use crate::walk::Analyst;
use hydrogen_evidence::{Entry, Input, Value};
use hydrogen_graph::{NodeId, VersionId};
use hydrogen_ir::{Const, InstructionId, Op, Operand};

/// How many loads and members an expression is compared through.
const DEEPEST: usize = 8;

impl Analyst<'_> {
    /// The functions without a body that give null in a run.
    pub(crate) fn null_answers(&self, input: Option<&Input>) -> Vec<Entry> {
        let call = input.and_then(|input| input.call.as_ref());
        let answers = call.map_or(&[][..], |call| &call.answers);
        let unseen = |name: &str| self.subject.library.contract(name).is_none();
        let null = answers.iter().filter(|one| one.value == Value::Null && unseen(&one.function));
        null.map(|one| Entry::MayGiveNull { function: one.function.clone() }).collect()
    }

    /// Whether the function of a statement compares what its calls of another function give with null.
    pub(super) fn tests_for_null(&mut self, node: NodeId, callee: &str, version: VersionId) -> bool {
        let chain = self.subject.program.graph.chain(node);
        let Some(shape) = self.shape(chain, version) else { return false };
        let calls = |op: &Op| match op {
            Op::Call { callee: Operand::Const(id), .. } => match shape.module.constant(*id) {
                Const::Function(id) => shape.module.function(*id).name == callee,
                _ => false,
            },
            _ => false,
        };
        let instructions = &shape.body().instructions;
        let of = |wanted: &dyn Fn(&Op) -> bool| -> Vec<InstructionId> {
            (0..instructions.len())
                .filter(|&at| wanted(&instructions[at].op))
                .map(InstructionId::at)
                .collect()
        };
        let results = of(&calls);
        let kept: Vec<&Operand> = instructions
            .iter()
            .filter_map(|one| match &one.op {
                Op::Store { value: Operand::Instruction(value), pointer, .. } if results.contains(value) => {
                    Some(pointer)
                }
                _ => None,
            })
            .collect();
        instructions.iter().any(|one| {
            let Op::IntCompare { left: Operand::Instruction(left), right: Operand::Const(right), .. } =
                &one.op
            else {
                return false;
            };
            let is_null = matches!(shape.module.constant(*right), Const::Zero(_));
            let read =
                |pointer: &Operand| kept.iter().any(|place| are_alike(&shape, place, pointer, DEEPEST));
            is_null
                && (results.contains(left)
                    || matches!(shape.op(*left), Op::Load { pointer, .. } if read(pointer)))
        })
    }
}

/// Whether two expressions of a function are the same: the same value, or made in the same way of the same variables.
fn are_alike(shape: &Shape, one: &Operand, other: &Operand, deep: usize) -> bool {
    if one == other {
        return true;
    }
    let (Operand::Instruction(one), Operand::Instruction(other), true) = (one, other, deep > 0) else {
        return false;
    };
    match (shape.op(*one), shape.op(*other)) {
        (Op::Load { pointer: one, .. }, Op::Load { pointer: other, .. }) => {
            are_alike(shape, one, other, deep - 1)
        }
        (
            Op::ElementAddress { source: a, base: one, indices: of_one, .. },
            Op::ElementAddress { source: b, base: other, indices: of_other, .. },
        ) => a == b && of_one == of_other && are_alike(shape, one, other, deep - 1),
        _ => false,
    }
}
