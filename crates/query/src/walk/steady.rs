//! What a loop only moves: global variables that go one way, pointers that stay in their object.

use crate::meaning::eval::{Eval, cell_of};
use crate::meaning::program::Callee;
use crate::meaning::shape::{Shape, StepId, may_do_anything};
use crate::meaning::state::{Cell, Value};
use crate::walk::mods::{Step, moved};
use crate::walk::{Analyst, Frame};
use hydrogen_ir::{Const, ConstExpr, ConstId, InstructionId, Op, Operand};
use hydrogen_term::Term;
use std::collections::{BTreeMap, BTreeSet};

/// What a store goes into.
enum Into {
    /// A variable of the function, or a place in it.
    Own,
    /// A global variable as a whole.
    Global(ConstId),
    /// A place inside of a global variable.
    Within(ConstId),
    /// Something that a pointer leads to.
    Somewhere,
}

impl Analyst<'_> {
    /// What holds of global variables after any number of rounds, where every store of the loop that may hit them moves them by the same
    /// constant. An element of another variable's array does not hit them: if it did, that would be a fault of its own.
    pub(crate) fn steady(&mut self, frame: &Frame, shape: &Shape, body: &[StepId], event: u32) -> Vec<Term> {
        let mut moves: BTreeMap<ConstId, (Cell, Option<Step>)> = BTreeMap::new();
        let mut parted: BTreeSet<ConstId> = BTreeSet::new();
        for &id in body.iter().flat_map(|&step| &shape.steps[step].instructions) {
            match shape.op(id) {
                Op::Store { value, pointer, .. } => match target(shape, pointer) {
                    Into::Own => {}
                    Into::Within(global) => drop(parted.insert(global)),
                    Into::Global(global) => {
                        let how = moved(shape, value, pointer);
                        let Some(cell) = shape.operand_type(value).and_then(|ty| cell_of(shape, ty)) else {
                            return Vec::new();
                        };
                        let known = moves.entry(global).or_insert((cell, how));
                        if *known != (cell, how) {
                            known.1 = None;
                        }
                    }
                    Into::Somewhere => return Vec::new(),
                },
                Op::Call { callee, .. } if !self.is_harmless(shape, callee) => return Vec::new(),
                op if may_do_anything(op) => return Vec::new(),
                _ => {}
            }
        }
        let mut facts = Vec::new();
        for (global, (cell, how)) in moves {
            let operand = Operand::Const(global);
            let mut eval = Eval::new(&mut self.terms, shape, &frame.prefix, event);
            let Value::Pointer(object, offset) = eval.operand(&operand) else { continue };
            if how.is_none() || cell == Cell::Pointer || parted.contains(&global) {
                continue;
            }
            let old = self.terms.memory(cell, object, offset, None);
            let new = self.terms.memory(cell, object, offset, Some(event));
            facts.extend(self.monotone(old, new, how).1);
        }
        facts
    }

    /// Whether a call leaves everything in memory as it is.
    fn is_harmless(&mut self, shape: &Shape, callee: &Operand) -> bool {
        let Some(whom) = self.whom(shape, callee) else { return false };
        match whom.callee {
            Callee::Chain(chain) => {
                let mods = self.mods_of(chain, shape.version);
                !mods.any && mods.cells.is_empty()
            }
            Callee::External => {
                self.subject.library.contract(&whom.name).is_some_and(|contract| !contract.writes())
            }
            Callee::Unclear => false,
        }
    }
}

fn target(shape: &Shape, pointer: &Operand) -> Into {
    let (mut current, mut whole) = (pointer, true);
    loop {
        current = match current {
            Operand::Instruction(id) => match shape.op(*id) {
                Op::Alloca { .. } => return Into::Own,
                Op::ElementAddress { base, .. } => base,
                _ => return Into::Somewhere,
            },
            Operand::Const(id) => {
                return match shape.module.constant(*id) {
                    Const::Global(_) if whole => Into::Global(*id),
                    Const::Global(_) => Into::Within(*id),
                    Const::Expr { expr: ConstExpr::ElementAddress { base, .. }, .. }
                        if matches!(shape.module.constant(*base), Const::Global(_)) =>
                    {
                        Into::Within(*base)
                    }
                    _ => Into::Somewhere,
                };
            }
            _ => return Into::Somewhere,
        };
        whole = false;
    }
}

/// Whether a loop only moves a pointer inside of the object that it leads to, however far.
pub(super) fn stays_within(shape: &Shape, body: &[StepId], slot: InstructionId) -> bool {
    let address = Operand::Instruction(slot);
    let is_own = |value: &Operand| {
        let mut current = value;
        while let Operand::Instruction(id) = current
            && let Op::ElementAddress { base, .. } = shape.op(*id)
        {
            current = base;
        }
        let Operand::Instruction(load) = current else { return false };
        matches!(shape.op(*load), Op::Load { pointer, .. } if *pointer == address)
    };
    let mut stores =
        body.iter().flat_map(|&step| &shape.steps[step].instructions).filter_map(|&id| match shape.op(id) {
            Op::Store { value, pointer, .. } if *pointer == address => Some(value),
            _ => None,
        });
    stores.all(is_own)
}
