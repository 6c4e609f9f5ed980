//! Memory that is known outside of its function may be lost there all the same: another address is stored where its own was kept.

use crate::judge::bits::spelled;
use crate::meaning::program::Callee;
use crate::meaning::shape::{Shape, StepId};
use crate::walk::Analyst;
use hydrogen_graph::{NodeId, VersionId};
use hydrogen_ir::{InstructionId, Op, Operand, Type};
use std::collections::BTreeSet;

impl Analyst<'_> {
    /// Whether a function that makes memory at these statements stores an address where it has stored one before, in a variable of its own
    /// that a pointer leads to, or fills memory behind such a store.
    pub(super) fn overwrites_addresses(&mut self, statements: &[NodeId], version: VersionId) -> bool {
        self.any_function_of(statements, version, |one, shape, node| {
            let stores = stores(shape);
            let in_own = stores.iter().any(|(_, id, _)| is_of_own(shape, *id));
            in_own
                || stores_twice(shape, &stores)
                || fills_behind(shape, &stores)
                || stores.iter().any(|store| stores_blindly(shape, store))
                || replaces_itself(shape, node)
                || one.callee_stores(shape, &stores)
        })
    }

    /// Whether a function that is called behind one of the stores stores addresses, too.
    fn callee_stores(&mut self, shape: &Shape, stores: &[Store]) -> bool {
        let reached: BTreeSet<StepId> = stores.iter().flat_map(|(step, ..)| behind(shape, *step)).collect();
        let calls = reached.into_iter().filter_map(|step| shape.call(step)).collect::<Vec<_>>();
        calls.into_iter().any(|id| {
            let Op::Call { callee, .. } = shape.op(id) else { return false };
            let chain = match self.whom(shape, callee).map(|whom| whom.callee) {
                Some(Callee::Chain(chain)) => chain,
                _ => return false,
            };
            let called = self.shape(chain, shape.version);
            called.is_some_and(|called| {
                let stores = self::stores(&called);
                stores.iter().any(|(_, id, _)| !is_of_new(&called, *id))
            })
        })
    }
}

/// Whether an address is stored into memory that comes in, or into a variable that lasts, where nobody has looked at what lay there: who calls
/// the function twice loses what the first call made.
fn stores_blindly(shape: &Shape, (step, id, place): &Store) -> bool {
    let Op::Store { value, .. } = shape.op(*id) else { return false };
    let is_null = matches!(value, Operand::Const(_));
    let looks = |one: &InstructionId| matches!(shape.op(*one), Op::Load { pointer, .. } if spelled(shape, pointer) == *place);
    let earlier = |other: StepId| other == *step || behind(shape, other).contains(step);
    let mut seen = (0..shape.steps.len()).filter(|&other| earlier(other));
    let looked_at = seen.any(|other| {
        let instructions = &shape.steps[other].instructions;
        instructions.iter().filter(|one| other != *step || *one < id).any(looks)
    });
    !is_null && !is_of_new(shape, *id) && !looked_at
}

/// Whether a statement stores what `realloc()` gives where the old address was: where it gives null, that is lost.
fn replaces_itself(shape: &Shape, node: NodeId) -> bool {
    let loaded = |operand: &Operand| {
        let Operand::Instruction(load) = operand else { return None };
        let Op::Load { pointer, .. } = shape.op(*load) else { return None };
        Some(spelled(shape, pointer))
    };
    let body = shape.body();
    (0..body.instructions.len()).map(InstructionId::at).any(|id| {
        let Op::Call { callee, arguments, .. } = shape.op(id) else { return false };
        let reallocates =
            shape.named(callee).is_some_and(|one| matches!(one.name.as_str(), "realloc" | "reallocarray"));
        let Some(old) = arguments.first().and_then(loaded).filter(|_| reallocates) else { return false };
        shape.names[id.index()].0 == node
            && body.instructions.iter().any(|instruction| {
                matches!(&instruction.op, Op::Store { value: Operand::Instruction(value), pointer, .. }
                    if *value == id && spelled(shape, pointer) == old)
            })
    })
}

/// Whether an instruction stores into an object that the function itself was given by a call: nothing lay there before.
fn is_of_new(shape: &Shape, id: InstructionId) -> bool {
    let Op::Store { pointer, .. } = shape.op(id) else { return false };
    let mut current = pointer;
    while let Operand::Instruction(id) = current
        && let Op::ElementAddress { base, .. } = shape.op(*id)
    {
        current = base;
    }
    let Operand::Instruction(load) = current else { return false };
    match shape.op(*load) {
        Op::Load { pointer: held_in, .. } => shape.body().instructions.iter().any(|instruction| {
            matches!(&instruction.op, Op::Store { value: Operand::Instruction(value), pointer, .. }
                if pointer == held_in && matches!(shape.op(*value), Op::Call { .. }))
        }),
        _ => matches!(shape.op(*load), Op::Alloca { .. }),
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
