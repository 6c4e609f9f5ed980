//! Functions that are the same code in two versions but for where members of structures lie: another member that was added moves those behind
//! it, and every function that uses them is other code with the same text.

use crate::meaning::shape::{Shape, may_do_anything};
use crate::walk::Analyst;
use hydrogen_align::same_but_for_layouts;
use hydrogen_graph::{ChainId, VersionId};
use hydrogen_ir::{Const, ConstExpr, ConstId, Module, Op, Operand, Reference, Type, TypeId};

impl Analyst<'_> {
    /// Whether a function does the same in two versions, run by run, with members taken by their names. What it uses of structures must be as
    /// large in both: there is no more room in one of them. Nothing is said of code that is not followed.
    pub(crate) fn is_alike(&mut self, chain: ChainId, one: VersionId, other: VersionId) -> bool {
        let (Some(one), Some(other)) = (self.shape(chain, one), self.shape(chain, other)) else {
            return false;
        };
        let (a, b) = (one.module.function(one.id), other.module.function(other.id));
        has_same_shape(&one, &other) && same_but_for_layouts((&one.module, a), (&other.module, b))
    }

    /// Whether what a function uses is as large in two versions: variables, and members of structures.
    pub(crate) fn has_same_room(&mut self, chain: ChainId, one: VersionId, other: VersionId) -> bool {
        let rooms = [one, other].map(|version| self.shape(chain, version).map(|shape| rooms(&shape)));
        rooms[0] == rooms[1]
    }
}

/// Whether two functions have the same instructions at the same places, and what these are about is as large.
fn has_same_shape(one: &Shape, other: &Shape) -> bool {
    let (a, b) = (one.body(), other.body());
    let same_steps = one.steps.len() == other.steps.len()
        && one.steps.iter().zip(&other.steps).all(|(left, right)| {
            left.spot == right.spot
                && left.instructions == right.instructions
                && left.entering == right.entering
        });
    same_steps
        && a.instructions.len() == b.instructions.len()
        && a.instructions.iter().zip(&b.instructions).all(|(left, right)| {
            std::mem::discriminant(&left.op) == std::mem::discriminant(&right.op)
                && is_followed(&left.op)
                && size(&one.module, left.ty) == size(&other.module, right.ty)
        })
        && rooms(one) == rooms(other)
}

/// How large all is that a function uses, in the order of its instructions.
fn rooms(shape: &Shape) -> Vec<Option<u64>> {
    let mut found = Vec::new();
    for instruction in &shape.body().instructions {
        found.extend(sizes(&shape.module, &instruction.op));
        instruction.op.references(|reference| {
            if let Reference::Operand(Operand::Const(id)) = reference {
                found.extend(of_globals(&shape.module, *id));
            }
        });
    }
    found
}

/// How large the variable is that a constant leads into.
fn of_globals(module: &Module, id: ConstId) -> Option<Option<u64>> {
    match module.constant(id) {
        Const::Global(global) => Some(size(module, module.global(*global).ty)),
        Const::Expr { expr: ConstExpr::ElementAddress { base, .. }, .. } => of_globals(module, *base),
        _ => None,
    }
}

/// Whether all that an instruction does is in its effect.
fn is_followed(op: &Op) -> bool {
    let in_parts = matches!(
        op,
        Op::ExtractValue { .. }
            | Op::InsertValue { .. }
            | Op::ExtractElement { .. }
            | Op::InsertElement { .. }
            | Op::ShuffleVector { .. }
    );
    !in_parts && !may_do_anything(op)
}

/// How large what an instruction makes or leads into is: a variable, and the member of a structure that an address is of.
fn sizes(module: &Module, op: &Op) -> Vec<Option<u64>> {
    match op {
        Op::Alloca { ty, .. } => vec![size(module, *ty)],
        Op::ElementAddress { source, indices, .. } => {
            let mut found = Vec::new();
            let mut inside = *source;
            for index in indices.iter().skip(1) {
                inside = match module.types.get(inside) {
                    Type::Struct(record) => {
                        let field = number(module, index).zip(record.fields.as_ref());
                        let Some(field) = field.and_then(|(at, fields)| fields.get(at)) else { break };
                        *field
                    }
                    Type::Array { element, .. } => *element,
                    _ => break,
                };
                found.push(size(module, inside));
            }
            found
        }
        _ => Vec::new(),
    }
}

fn size(module: &Module, ty: TypeId) -> Option<u64> {
    module.types.layout(ty).map(|layout| layout.alloc_bytes)
}

fn number(module: &Module, operand: &Operand) -> Option<usize> {
    let Operand::Const(id) = operand else { return None };
    match module.constant(*id) {
        Const::Int { bits, .. } => usize::try_from(*bits).ok(),
        _ => None,
    }
}
