//! States in which the version after a fix fails before it comes to the statement. A test that reads more than before goes wrong for a null
//! pointer that only the statement used before: that turns nothing away.

use crate::meaning::state::{Cell, Part, Role};
use crate::walk::Analyst;
use hydrogen_graph::{ChainId, Fix, NodeId};
use hydrogen_ir::{Const, Op as Code, Operand};
use hydrogen_term::{Op, Term};

impl Analyst<'_> {
    /// The states of a condition in which no pointer that it speaks of is null, where the fix tests none for it; else all of them.
    pub(crate) fn without_null(&mut self, term: Term, chain: ChainId, fix: Fix) -> Term {
        if self.compares_with_null(chain, fix) {
            return term;
        }
        let zero = self.terms.word(0);
        let mut all = term;
        for one in self.terms.pool.postorder(&[term]) {
            let is_object = match self.terms.pool.op(one) {
                Op::Var(_) => self
                    .terms
                    .pool
                    .as_var(one)
                    .is_some_and(|name| name.ends_with(".object") && !name.starts_with("the statement's")),
                Op::Apply(function) => self.terms.role(function) == Role::Memory(Cell::Pointer, Part::Object),
                _ => false,
            };
            if is_object {
                let there = self.terms.pool.ne(one, zero);
                all = self.terms.pool.and(all, there);
            }
        }
        all
    }

    /// Whether a function, or another one that the fix changed, compares pointers with null since the fix where it did not before.
    fn compares_with_null(&mut self, chain: ChainId, fix: Fix) -> bool {
        let mut chains = self.changed(fix);
        chains.insert(chain);
        chains.into_iter().any(|chain| {
            let Some(shape) = self.shape(chain, fix.after) else { return false };
            shape.steps.iter().any(|step| {
                let is_null = |operand: &Operand| {
                    matches!(operand, Operand::Const(id) if matches!(shape.module.constant(*id), Const::Zero(_)))
                };
                let compares = |op: &Code| {
                    matches!(op, Code::IntCompare { left, right, .. } if is_null(left) || is_null(right))
                };
                step.instructions.iter().any(|&id| compares(shape.op(id))) && self.is_touched(step.spot.node, fix)
            })
        })
    }

    /// Whether a fix made, changed or moved a statement.
    pub(crate) fn is_touched(&self, node: NodeId, fix: Fix) -> bool {
        let graph = self.subject.program.graph;
        let both = graph.node_in(node, fix.before) && graph.node_in(node, fix.after);
        let turned = |edge| graph.edge_in(edge, fix.before) != graph.edge_in(edge, fix.after);
        !both
            || graph.payload(node, fix.before) != graph.payload(node, fix.after)
            || graph.outgoing(node).any(turned)
            || graph.incoming(node).any(turned)
    }
}
