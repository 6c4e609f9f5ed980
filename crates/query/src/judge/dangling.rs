//! Variables that last and still lead to what the program has freed: whoever comes next may use it, in a call that nobody follows.

use crate::meaning::operand::global_name;
use crate::meaning::shape::Shape;
use crate::meaning::statics::variable;
use crate::walk::Analyst;
use hydrogen_graph::{NodeId, VersionId};
use hydrogen_ir::{Body, Const, Instruction, InstructionId, Module, Op, Operand};
use hydrogen_library::{Clause, Library};
use std::collections::BTreeSet;

impl Analyst<'_> {
    /// A variable that one of these statements uses and that may lead to what an earlier call freed, where others may make such calls.
    pub(super) fn dangles(&mut self, statements: &[NodeId], version: VersionId) -> Option<String> {
        let graph = self.subject.program.graph;
        let mut used: BTreeSet<String> = BTreeSet::new();
        for &node in statements {
            let chain = graph.chain(node);
            let roots = self.roots_above(chain, version);
            let by_others = roots.into_iter().any(|root| graph.name(root, version) != "main");
            let shape = if by_others { self.shape(chain, version) } else { None };
            used.extend(shape.into_iter().flat_map(|shape| variables_at(&shape, node)));
        }
        if used.is_empty() {
            return None;
        }
        let library = &self.subject.library;
        let left = self.modules(version).into_iter().flat_map(|module| left_freed(&module, library));
        left.into_iter().find(|name| used.contains(name))
    }
}

/// The variables that a statement reads addresses from.
fn variables_at(shape: &Shape, node: NodeId) -> Vec<String> {
    let held = |instruction: &Instruction| held_in(&shape.module, shape.body(), &instruction.op);
    shape.instructions_of(node).filter_map(held).collect()
}

/// The variable that an instruction loads an address from.
fn held_in(module: &Module, body: &Body, op: &Op) -> Option<String> {
    let Op::Load { pointer, .. } = op else { return None };
    let mut current = pointer;
    while let Operand::Instruction(id) = current {
        let Op::ElementAddress { base, .. } = &body.instruction(*id).op else { return None };
        current = base;
    }
    let Operand::Const(id) = current else { return None };
    Some(global_name(module, module.global(variable(module, *id)?)))
}

/// The variables of a unit that a function leaves as they are behind freeing what they lead to.
fn left_freed(module: &Module, library: &Library) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for body in module.functions.iter().filter_map(|function| function.body.as_ref()) {
        for (at, instruction) in body.instructions.iter().enumerate() {
            let Op::Call { callee: Operand::Const(callee), arguments, .. } = &instruction.op else {
                continue;
            };
            let Const::Function(callee) = module.constant(*callee) else { continue };
            let Some(contract) = library.contract(&module.function(*callee).name) else { continue };
            for clause in &contract.clauses {
                if let Clause::Frees(given) = clause
                    && let Some(Operand::Instruction(freed)) = arguments.get(*given)
                    && let Some(name) = held_in(module, body, &body.instruction(*freed).op)
                    && !is_set_behind(module, body, InstructionId::at(at), &name)
                {
                    found.insert(name);
                }
            }
        }
    }
    found
}

/// Whether a variable is stored to behind an instruction, in the order of the text.
fn is_set_behind(module: &Module, body: &Body, from: InstructionId, name: &str) -> bool {
    body.instructions.iter().skip(from.index()).any(|instruction| {
        let Op::Store { pointer: Operand::Const(id), .. } = &instruction.op else { return false };
        variable(module, *id).is_some_and(|global| global_name(module, module.global(global)) == name)
    })
}
