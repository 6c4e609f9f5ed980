//! Sees through blocks that branch on a value which the way to them has decided.
//!
//! For `while (a && b)` clang joins the two conditions in a φ and branches on that. When control comes from `a`, the
//! φ is constant and the branch is decided; when it comes from `b`, the branch is `b`'s own. So the source's two
//! conditions each decide for themselves, as in `if (a && b)`.

use super::assign::{Assignment, operands};
use super::blocks::Blocks;
use hydrogen_ir::{BinaryOp, BlockId, Body, CastOp, Const, InstructionId, IntPredicate, Op, Operand};
use std::collections::HashMap;

/// What is known of values on a way; `None` for what only the running program knows.
pub(super) type Known = HashMap<usize, Option<u128>>;

/// The blocks that are seen through.
pub(super) struct Threads<'a> {
    body: &'a Body,
    constants: &'a [Const],
    through: Vec<bool>,
}

impl<'a> Threads<'a> {
    /// Finds the blocks, and gives their instructions to the piece whose value they branch on.
    pub(super) fn new(
        body: &'a Body,
        blocks: &Blocks,
        assignment: &mut Assignment,
        constants: &'a [Const],
    ) -> Self {
        let mut threads = Self { body, constants, through: vec![false; body.blocks.len()] };
        for &block in &blocks.order {
            if let Some(piece) = threads.owner(block, assignment) {
                threads.through[block] = true;
                for id in threads.ids(block) {
                    assignment.piece[id] = piece;
                    assignment.counts[id] = false;
                }
            }
        }
        threads
    }

    fn ids(&self, block: usize) -> impl DoubleEndedIterator<Item = usize> + use<> {
        self.body.instructions_of(BlockId::at(block)).map(InstructionId::index)
    }

    pub(super) fn sees_through(&self, block: usize) -> bool {
        self.through[block]
    }

    /// The piece whose value the block branches on, if it does nothing else.
    fn owner(&self, block: usize, assignment: &Assignment) -> Option<usize> {
        let Op::Branch { condition: Operand::Instruction(condition), .. } =
            &self.body.terminator(BlockId::at(block)).op
        else {
            return None;
        };
        let ids: Vec<usize> = self.ids(block).collect();
        let (phis, rest): (Vec<usize>, Vec<usize>) = ids.iter().partition(|&&id| self.is_phi(id));
        let simple = |&&id: &&usize| {
            let instruction = &self.body.instructions[id];
            let local = operands(&instruction.op).iter().all(|operand| match operand {
                Operand::Instruction(id) => ids.contains(&id.index()),
                Operand::Const(id) => self.number(*id).is_some(),
                _ => false,
            });
            instruction.op.is_terminator() || (is_simple(&instruction.op) && local)
        };
        if phis.is_empty()
            || !ids.contains(&condition.index())
            || rest.iter().filter(simple).count() != rest.len()
        {
            return None;
        }
        self.source(block, assignment, 0)
    }

    fn is_phi(&self, id: usize) -> bool {
        matches!(self.body.instructions[id].op, Op::Phi { .. })
    }

    /// The piece behind the one value of the block's φ that is not constant.
    fn source(&self, block: usize, assignment: &Assignment, depth: u32) -> Option<usize> {
        let mut open: Vec<usize> = Vec::new();
        for id in self.ids(block).filter(|&id| self.is_phi(id)) {
            let Op::Phi { incoming } = &self.body.instructions[id].op else { continue };
            for (from, value) in incoming {
                let known = matches!(value, Operand::Const(id) if self.number(*id).is_some());
                if !known && !open.contains(&from.index()) {
                    open.push(from.index());
                }
            }
        }
        let [from] = open[..] else { return None };
        if !matches!(self.body.terminator(BlockId::at(from)).op, Op::Jump { .. }) {
            return None;
        }
        let last = self.ids(from).rev().find(|&id| assignment.counts[id]);
        match last {
            Some(last) => Some(assignment.piece[last]),
            None if depth < 16 => self.source(from, assignment, depth + 1),
            None => None,
        }
    }

    fn number(&self, id: hydrogen_ir::ConstId) -> Option<u128> {
        match self.constants.get(id.index())? {
            Const::Int { bits, .. } => Some(*bits),
            Const::Zero(_) => Some(0),
            _ => None,
        }
    }

    fn value(&self, operand: &Operand, known: &Known) -> Option<u128> {
        match operand {
            Operand::Const(id) => self.number(*id),
            Operand::Instruction(id) => known.get(&id.index()).copied().flatten(),
            _ => None,
        }
    }

    /// What is known in `block` when control comes from block `from`.
    pub(super) fn enter(&self, from: usize, block: usize, known: &mut Known) {
        let mut new = Vec::new();
        for id in self.ids(block) {
            match &self.body.instructions[id].op {
                Op::Phi { incoming } => {
                    let value = incoming.iter().find(|(before, _)| before.index() == from);
                    new.push((id, value.and_then(|(_, value)| self.value(value, known))));
                }
                _ => break,
            }
        }
        known.extend(new);
        if !self.through[block] {
            return;
        }
        for id in self.ids(block).filter(|&id| !self.is_phi(id)) {
            let value = match &self.body.instructions[id].op {
                Op::Binary { left, right, .. } => {
                    self.value(left, known).zip(self.value(right, known)).map(|(left, right)| left ^ right)
                }
                Op::IntCompare { predicate, left, right } => self
                    .value(left, known)
                    .zip(self.value(right, known))
                    .map(|(left, right)| u128::from((left == right) == (*predicate == IntPredicate::Eq))),
                Op::Cast { value, .. } => self.value(value, known),
                _ => None,
            };
            known.insert(id, value);
        }
    }

    /// Which way a block that is seen through goes, where that is known.
    pub(super) fn decided(&self, block: usize, known: &Known) -> Option<usize> {
        let Op::Branch { condition, then, otherwise } = &self.body.terminator(BlockId::at(block)).op else {
            return None;
        };
        let value = self.value(condition, known)?;
        Some(if value != 0 { then.index() } else { otherwise.index() })
    }
}

/// What `!` and conversions to and from truth values need.
fn is_simple(op: &Op) -> bool {
    match op {
        Op::Binary { op: BinaryOp::Xor, .. } => true,
        Op::IntCompare { predicate, .. } => matches!(predicate, IntPredicate::Eq | IntPredicate::Ne),
        Op::Cast { op, .. } => matches!(op, CastOp::ZExt | CastOp::SExt),
        _ => false,
    }
}
