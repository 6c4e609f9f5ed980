//! Which computations end up as the size of an allocation or a copy, or as an index.

use crate::meaning::shape::Shape;
use hydrogen_ir::{InstructionId, Op, Operand};
use hydrogen_library::{Clause, Factor, Library};
use rustc_hash::{FxHashMap, FxHashSet};

/// The instructions of a function whose results become sizes.
pub(crate) struct Sizes {
    found: FxHashSet<InstructionId>,
}

impl Sizes {
    pub fn of(shape: &Shape, library: &Library) -> Self {
        let body = shape.body();
        let mut open: Vec<Operand> = Vec::new();
        for instruction in &body.instructions {
            match &instruction.op {
                Op::Call { callee, arguments, .. } => {
                    let Some(function) = shape.named(callee).filter(|function| !function.is_defined()) else {
                        continue;
                    };
                    let Some(contract) = library.contract(&function.name) else { continue };
                    for clause in &contract.clauses {
                        let Clause::Size(sum) = clause else { continue };
                        for factor in sum.iter().flatten() {
                            if let Factor::Parameter(at) = factor {
                                open.extend(arguments.get(*at).cloned());
                            }
                        }
                    }
                }
                Op::ElementAddress { indices, .. } => open.extend(indices.iter().cloned()),
                _ => {}
            }
        }
        let mut stored: FxHashMap<InstructionId, Vec<&Operand>> = FxHashMap::default();
        for instruction in &body.instructions {
            if let Op::Store { value, pointer: Operand::Instruction(slot), .. } = &instruction.op {
                stored.entry(*slot).or_default().push(value);
            }
        }
        let mut found = FxHashSet::default();
        while let Some(operand) = open.pop() {
            let Operand::Instruction(id) = operand else { continue };
            if !found.insert(id) {
                continue;
            }
            match shape.op(id) {
                Op::Binary { left, right, .. } => open.extend([left.clone(), right.clone()]),
                Op::Cast { value, .. } | Op::Freeze { value } => open.push(value.clone()),
                Op::Select { then, otherwise, .. } => open.extend([then.clone(), otherwise.clone()]),
                Op::Phi { incoming } => open.extend(incoming.iter().map(|(_, value)| value.clone())),
                Op::Load { pointer: Operand::Instruction(slot), .. } if shape.plain.contains_key(slot) => {
                    // Each slot's values are of interest once.
                    open.extend(stored.remove(slot).into_iter().flatten().cloned());
                }
                _ => {}
            }
        }
        Self { found }
    }

    /// Whether the result becomes a size.
    pub fn reaches(&self, id: InstructionId) -> bool {
        self.found.contains(&id)
    }
}
