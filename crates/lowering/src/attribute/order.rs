//! Puts instructions into the order of the pieces they belong to.
//!
//! Debug information places an instruction where its text begins, which is not always what runs: the conversion of
//! `c ? a : b` stands at `c` and runs after the arms; the load of `x` in `f(x, c ? a : b)` belongs to the whole and
//! runs before `c`. Afterwards the pieces of a path, in order, execute the instructions of the path, in order.

use super::assign::{Assignment, PARAMETERS, operands};
use super::blocks::Blocks;
use super::syntax::{EXIT, Syntax};
use hydrogen_ir::{BlockId, Body, EdgeKind, InstructionId, Op, Operand, Role};

/// Repairs an assignment.
pub(super) fn order(body: &Body, blocks: &Blocks, syntax: &Syntax, assignment: &mut Assignment) {
    finished(body, blocks, syntax, assignment);
    decisions(body, blocks, syntax, assignment);
    operands_of_joins(body, blocks, syntax, assignment);
    before_parts(body, blocks, syntax, assignment);
    terminators(body, blocks, assignment);
    lone_jumps(body, syntax, assignment);
}

fn is_real(piece: usize) -> bool {
    piece > EXIT && piece != PARAMETERS
}

/// Moves what stands at a part that has already run to the piece around it.
fn finished(body: &Body, blocks: &Blocks, syntax: &Syntax, assignment: &mut Assignment) {
    let mut home = vec![usize::MAX; syntax.pieces.len()];
    for &block in &blocks.order {
        for id in body.instructions_of(BlockId::at(block)).map(InstructionId::index) {
            let piece = assignment.piece[id];
            if assignment.counts[id] && is_real(piece) && home[piece] == usize::MAX {
                home[piece] = block;
            }
        }
    }
    let silent: Vec<bool> = home.iter().map(|&home| home == usize::MAX).collect();
    // The pieces that may have run last at the end of each block.
    let mut last: Vec<Vec<usize>> = vec![Vec::new(); body.blocks.len()];
    for &block in &blocks.order {
        let mut before: Vec<usize> = Vec::new();
        for &from in &blocks.predecessors[block] {
            for &piece in &last[from] {
                if !before.contains(&piece) {
                    before.push(piece);
                }
            }
        }
        let mut end = None;
        for id in body.instructions_of(BlockId::at(block)).map(InstructionId::index) {
            let mut piece = assignment.piece[id];
            let is_phi = matches!(body.instructions[id].op, Op::Phi { .. });
            if !is_real(piece) || !(assignment.counts[id] || is_phi) {
                continue;
            }
            while let Some(whole) = syntax.parent(piece) {
                let elsewhere = home[piece] != block;
                let other = |&last: &usize| {
                    last == whole
                        || (last != piece && !syntax.inside(last, piece) && syntax.inside(last, whole))
                };
                let passed = before.iter().any(other)
                    || (before.as_slice() == [piece] && all_lead_to(syntax, &silent, piece, whole));
                if !(elsewhere && passed) {
                    break;
                }
                piece = whole;
            }
            assignment.piece[id] = piece;
            if assignment.counts[id] {
                end = Some(piece);
            }
        }
        last[block] = end.map_or(before, |piece| vec![piece]);
    }
}

/// Gives what stands at the whole but runs between a condition and its branch to the condition: the comparison of
/// `(c) ? a : b` with zero stands at the parenthesis.
fn decisions(body: &Body, blocks: &Blocks, syntax: &Syntax, assignment: &mut Assignment) {
    for &block in &blocks.order {
        let ids: Vec<usize> = body.instructions_of(BlockId::at(block)).map(InstructionId::index).collect();
        let Some(&last) = ids.last() else { continue };
        if !assignment.counts[last] || !matches!(body.instructions[last].op, Op::Branch { .. }) {
            continue;
        }
        // Everything from the end back to the condition.
        let counted = ids.iter().rev().skip(1).copied().filter(|&id| assignment.counts[id]);
        let mut between = Vec::new();
        for id in counted {
            let piece = assignment.piece[id];
            let decides =
                is_real(piece) && syntax.onward[piece].iter().any(|(kind, _)| *kind != EdgeKind::Next);
            if decides && between.iter().all(|&id| syntax.inside(piece, assignment.piece[id])) {
                between.iter().for_each(|&id: &usize| assignment.piece[id] = piece);
                break;
            }
            if decides || between.len() > 3 {
                break;
            }
            between.push(id);
        }
    }
}

/// Gives what makes the value of an operand, but stands at the whole, to the operand: the comparison of `b` in
/// `x = a && b` with zero stands at the operator, and its result goes into the φ behind.
fn operands_of_joins(body: &Body, blocks: &Blocks, syntax: &Syntax, assignment: &mut Assignment) {
    for &block in &blocks.order {
        let Op::Jump { target } = body.terminator(BlockId::at(block)).op else { continue };
        let joins = body.instructions_of(target).any(|id| match &body.instruction(id).op {
            Op::Phi { incoming } => incoming.iter().any(|(from, value)| {
                let here = |id: InstructionId| body.instructions_of(*from).any(|own| own == id);
                from.index() == block && matches!(value, Operand::Instruction(id) if here(*id))
            }),
            _ => false,
        });
        if !joins {
            continue;
        }
        let ids = body.instructions_of(BlockId::at(block)).map(InstructionId::index);
        let mut tail: Vec<usize> = Vec::new();
        for id in ids.rev().filter(|&id| assignment.counts[id]) {
            let (piece, whole) = (assignment.piece[id], tail.last().map(|&id| assignment.piece[id]));
            match whole {
                Some(whole) if piece != whole => {
                    let is_operand = syntax.inside(piece, whole)
                        && syntax.onward[piece].contains(&(EdgeKind::Next, whole));
                    if is_real(piece) && is_operand {
                        tail.iter().for_each(|&id| assignment.piece[id] = piece);
                    }
                    break;
                }
                _ => tail.push(id),
            }
        }
    }
}

/// Whether every outcome of a condition leads to `whole` without anything in between: `c ?: 3`.
fn all_lead_to(syntax: &Syntax, silent: &[bool], piece: usize, whole: usize) -> bool {
    let decides = syntax.onward[piece].iter().any(|(kind, _)| *kind != EdgeKind::Next);
    let leads = |edge| syntax.way(piece, edge, whole, &|piece| is_real(piece) && silent[piece]).is_some();
    decides && (0..syntax.onward[piece].len()).all(leads)
}

/// Gives what a statement does before one of its parts to that part.
fn before_parts(body: &Body, blocks: &Blocks, syntax: &Syntax, assignment: &mut Assignment) {
    let mut silent = vec![true; syntax.pieces.len()];
    for (id, &piece) in assignment.piece.iter().enumerate() {
        if assignment.counts[id] && is_real(piece) {
            silent[piece] = false;
        }
    }
    let mut first: Vec<Option<usize>> = vec![None; body.blocks.len()];
    for &block in blocks.order.iter().rev() {
        let mut next = None;
        if let Op::Jump { target } = body.terminator(BlockId::at(block)).op {
            next = first[target.index()].map(|piece| (piece, true));
        }
        for id in body.instructions_of(BlockId::at(block)).rev().map(InstructionId::index) {
            if !assignment.counts[id] {
                continue;
            }
            let decides = matches!(body.instructions[id].op, Op::Branch { .. } | Op::Switch { .. });
            let piece = assignment.piece[id];
            if let Some((part, jumps)) = next
                && !decides
                && is_real(piece)
                && is_real(part)
                && syntax.inside(part, piece)
                // A loop leads from the whole to its part again.
                && !(jumps && explained(syntax, &silent, piece, part))
            {
                assignment.piece[id] = part;
                next = Some((part, false));
            } else if !decides {
                next = Some((piece, false));
            }
        }
        first[block] = next.map(|(piece, _)| piece);
    }
}

fn explained(syntax: &Syntax, silent: &[bool], from: usize, to: usize) -> bool {
    let silent = |piece: usize| is_real(piece) && silent[piece];
    (0..syntax.onward[from].len()).any(|edge| syntax.way(from, edge, to, &silent).is_some())
}

/// A branch belongs to what computes its condition.
fn terminators(body: &Body, blocks: &Blocks, assignment: &mut Assignment) {
    for &block in &blocks.order {
        let block = BlockId::at(block);
        let ids: Vec<usize> = body.instructions_of(block).map(InstructionId::index).collect();
        let Some((&last, before)) = ids.split_last() else { continue };
        let op = &body.instructions[last].op;
        if !matches!(op, Op::Branch { .. } | Op::Switch { .. }) {
            continue;
        }
        let producer = operands(op).into_iter().find_map(|operand| match operand {
            Operand::Instruction(id) if before.contains(&id.index()) => Some(id.index()),
            _ => None,
        });
        // What runs last in the block runs into the branch, wherever the condition comes from.
        let runs = before.iter().rev().copied().find(|&id| assignment.counts[id]);
        if let Some(from) = runs.or(producer)
            && is_real(assignment.piece[from])
        {
            assignment.piece[last] = assignment.piece[from];
        }
    }
}

/// A piece that is nothing but jumps (`#define BAIL goto out`) owns them.
fn lone_jumps(body: &Body, syntax: &Syntax, assignment: &mut Assignment) {
    let mut silent = vec![true; syntax.pieces.len()];
    for (id, &piece) in assignment.piece.iter().enumerate() {
        if assignment.counts[id] && is_real(piece) {
            silent[piece] = false;
        }
    }
    for (id, instruction) in body.instructions.iter().enumerate() {
        let located = instruction.location.and_then(|place| syntax.at(place));
        if let (Op::Jump { .. }, Some(piece)) = (&instruction.op, located)
            && silent[piece]
            && syntax.pieces[piece].role == Role::Expression
            && !syntax.has_parts(piece)
        {
            assignment.piece[id] = piece;
            assignment.counts[id] = true;
        }
    }
}
