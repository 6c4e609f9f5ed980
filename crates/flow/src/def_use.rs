//! First uses of definitions: where a value that an instruction writes may be read, on a way on which nothing overwrites it.

use crate::{At, Options, Place, PointsTo, own_effects};
use hydrogen_ir::{Const, FunctionId, InstructionId, Module, Op, Operand};
use std::collections::{BTreeMap, BTreeSet};

/// An instruction of a function.
pub type Instruction = (FunctionId, InstructionId);

/// Finds first uses in a module. Ways lead into functions that are called and back to whoever calls, without remembering from where they
/// came; so there may be uses here that no run has, and none is missing.
#[derive(Debug)]
pub struct FirstUses<'a> {
    module: &'a Module,
    options: &'a Options,
    points_to: &'a PointsTo,
    /// Who calls a function, and where.
    callers: BTreeMap<FunctionId, Vec<Instruction>>,
}

impl<'a> FirstUses<'a> {
    /// Prepares the questions.
    pub fn new(module: &'a Module, options: &'a Options, points_to: &'a PointsTo) -> Self {
        let mut callers: BTreeMap<FunctionId, Vec<Instruction>> = BTreeMap::new();
        for (function, body) in module.definitions().filter_map(|(id, one)| Some((id, one.body.as_ref()?))) {
            for (at, instruction) in body.instructions.iter().enumerate() {
                if !matches!(instruction.op, Op::Call { .. }) {
                    continue;
                }
                let at = InstructionId::at(at);
                for callee in points_to.callees(function, at).functions {
                    callers.entry(callee).or_default().push((function, at));
                }
            }
        }
        Self { module, options, points_to, callers }
    }

    /// What an instruction itself writes.
    pub fn written(&self, (function, instruction): Instruction) -> Vec<(Place, u64)> {
        own_effects(self.at(function, instruction)).1
    }

    /// The first instructions that may read what an instruction writes.
    pub fn of(&self, definition: Instruction) -> BTreeSet<Instruction> {
        let written = self.written(definition);
        let mut found = BTreeSet::new();
        if written.is_empty() {
            return found;
        }
        let mut seen = BTreeSet::new();
        let mut open = self.behind(definition);
        while let Some(here) = open.pop() {
            if !seen.insert(here) {
                continue;
            }
            let (reads, _) = own_effects(self.at(here.0, here.1));
            let touches = |(place, size): &(Place, u64)| {
                written.iter().any(|(own, bytes)| self.points_to.overlap(*own, *bytes, *place, *size))
            };
            if reads.iter().any(touches) {
                found.insert(here);
            }
            if !self.overwrites(here, definition) {
                open.extend(self.behind(here));
            }
        }
        found
    }

    fn at(&self, function: FunctionId, instruction: InstructionId) -> At<'a> {
        At { module: self.module, options: self.options, points_to: self.points_to, function, instruction }
    }

    /// Whether an instruction writes all that the definition wrote: through the very same variable, and as much.
    fn overwrites(&self, here: Instruction, definition: Instruction) -> bool {
        let (Some(one), Some(other)) = (self.stored(here), self.stored(definition)) else { return false };
        one == other
    }

    /// The variable that an instruction stores into by its own address, and how many bytes.
    fn stored(&self, (function, at): Instruction) -> Option<(Variable, u64)> {
        let body = self.module.function(function).body.as_ref()?;
        let Op::Store { pointer, .. } = &body.instruction(at).op else { return None };
        let variable = match pointer {
            Operand::Instruction(slot) if matches!(body.instruction(*slot).op, Op::Alloca { .. }) => {
                Variable::Local(function, *slot)
            }
            Operand::Const(id) if matches!(self.module.constant(*id), Const::Global(_)) => {
                Variable::Global(id.0)
            }
            _ => return None,
        };
        let (_, size) = *own_effects(self.at(function, at)).1.first()?;
        Some((variable, size))
    }

    /// The instructions that may follow, in the functions that are called and behind the calls of this one too.
    fn behind(&self, (function, at): Instruction) -> Vec<Instruction> {
        let Some(body) = &self.module.function(function).body else { return Vec::new() };
        let op = &body.instruction(at).op;
        let mut next = Vec::new();
        if let Op::Call { .. } = op {
            let callees = self.points_to.callees(function, at).functions;
            let defined = callees.iter().filter(|id| self.module.function(**id).body.is_some());
            next.extend(defined.map(|id| (*id, InstructionId::at(0))));
        }
        let block = body.blocks.iter().find(|one| (one.first.0..one.first.0 + one.count).contains(&at.0));
        let is_last = block.is_none_or(|one| at.0 + 1 == one.first.0 + one.count);
        if !is_last {
            next.push((function, InstructionId(at.0 + 1)));
            return next;
        }
        let targets = op.successors();
        next.extend(targets.iter().map(|target| (function, body.blocks[target.index()].first)));
        if targets.is_empty() {
            for (caller, call) in self.callers.get(&function).into_iter().flatten() {
                // Calls are no ends of blocks.
                next.push((*caller, InstructionId(call.0 + 1)));
            }
        }
        next
    }
}

/// A variable that is stored into by its own address.
#[derive(Debug, PartialEq, Eq)]
enum Variable {
    Local(FunctionId, InstructionId),
    Global(u32),
}
