//! Gives every instruction a piece of the source's graph.

use super::blocks::{Blocks, constant_target};
use super::syntax::{ENTRY, EXIT, Syntax};
use hydrogen_ir::{BlockId, Body, Const, InstructionId, Op, Operand, VariableKind};

/// Stands for the `Parameters` piece, which the source's graph does not have.
pub(super) const PARAMETERS: usize = usize::MAX;

/// What attribution decides about the instructions of a body.
pub(super) struct Assignment {
    /// The piece of each instruction: of the source's graph, or [`PARAMETERS`].
    pub(super) piece: Vec<usize>,
    /// Whether control passes through the instruction's piece when it runs. Stack slots, parameter spills, φ and
    /// mere jumps between blocks are no steps of the source program.
    pub(super) counts: Vec<bool>,
    /// Instructions outside every piece, which a neighbour took.
    pub(super) adopted: Vec<InstructionId>,
    /// Instructions that nobody took.
    pub(super) lost: Vec<InstructionId>,
}

/// Finds the piece of every instruction by its place, before the order of evaluation is looked at.
pub(super) fn assign(body: &Body, blocks: &Blocks, syntax: &Syntax, constants: &[Const]) -> Assignment {
    let count = body.instructions.len();
    let mut counts = vec![true; count];
    let mut piece: Vec<Option<usize>> =
        body.instructions.iter().map(|instruction| syntax.at(instruction.location?)).collect();
    prologue(body, syntax, &mut piece, &mut counts);
    for block in (0..body.blocks.len()).map(BlockId::at) {
        epilogue(body, block, &mut piece);
    }
    let mut jumped = vec![false; syntax.pieces.len()];
    for (index, instruction) in body.instructions.iter().enumerate() {
        let decided = constant_target(&instruction.op, constants).is_some();
        counts[index] &= match instruction.op {
            _ if decided => false,
            // The first jump at its place is the statement's own. Where one `case` runs into the next, clang leaves the
            // place of the statement before.
            Op::Jump { .. } => piece[index].is_some_and(|piece| {
                let begins = instruction.location.map(|place| place.position)
                    == syntax.pieces[piece].span.map(|span| span.start);
                syntax.is_jump(piece) && begins && !std::mem::replace(&mut jumped[piece], true)
            }),
            Op::Phi { .. } | Op::Unreachable | Op::IndirectJump { .. } => false,
            _ => true,
        };
    }
    let mut adopted = Vec::new();
    for block in (0..body.blocks.len()).map(BlockId::at) {
        neighbours(body, block, &mut piece, &counts, &mut adopted);
    }
    let mut lost = Vec::new();
    across_blocks(body, blocks, &mut piece, &mut lost);
    if let Some(only) = syntax.only {
        lost.drain(..).for_each(|id| piece[id.index()] = Some(only));
    }
    // What belongs nowhere is part of the entry, and no step.
    lost.iter().for_each(|id| counts[id.index()] = false);
    adopted.retain(|id| !lost.contains(id));
    let piece = piece.into_iter().map(|piece| piece.unwrap_or(ENTRY)).collect();
    Assignment { piece, counts, adopted, lost }
}

/// Stack slots and the spilling of parameters, at the beginning of the first block.
fn prologue(body: &Body, syntax: &Syntax, piece: &mut [Option<usize>], counts: &mut [bool]) {
    let Some(first) = body.blocks.first() else { return };
    for index in 0..first.count as usize {
        let is_slot = matches!(&body.instructions[index].op, Op::Alloca { count: Operand::Const(_), .. });
        if is_slot {
            piece[index] = Some(ENTRY);
            counts[index] = false;
        }
    }
    for variable in &body.variables {
        let Some(slot) = variable.slot.map(InstructionId::index).filter(|&slot| slot < counts.len()) else {
            continue;
        };
        if counts[slot] {
            continue; // Not a slot of the prologue.
        }
        piece[slot] = match variable.kind {
            VariableKind::Parameter(_) => Some(PARAMETERS),
            VariableKind::Local | VariableKind::Inner => {
                variable.location.and_then(|place| syntax.at(place)).or(Some(ENTRY))
            }
        };
    }
    for index in 0..first.count as usize {
        let instruction = &body.instructions[index];
        if !counts[index] {
            continue;
        }
        if instruction.location.is_some() || instruction.op.is_terminator() {
            break;
        }
        let spills = operands(&instruction.op).iter().any(|operand| match operand {
            Operand::Parameter(_) => true,
            Operand::Instruction(id) => piece[id.index()] == Some(PARAMETERS),
            _ => false,
        });
        piece[index] = Some(if spills { PARAMETERS } else { ENTRY });
        counts[index] = false;
        // What a spill writes through belongs to it as well.
        for operand in operands(&instruction.op) {
            if let (true, Operand::Instruction(id)) = (spills, operand)
                && piece[id.index()] == Some(ENTRY)
            {
                piece[id.index()] = Some(PARAMETERS);
            }
        }
    }
}

/// The return, and the load of what it returns from the slot that all `return`s share.
fn epilogue(body: &Body, block: BlockId, piece: &mut [Option<usize>]) {
    let ids: Vec<usize> = body.instructions_of(block).map(InstructionId::index).collect();
    let Some(&last) = ids.last() else { return };
    let Op::Return { value } = &body.instructions[last].op else { return };
    piece[last] = Some(EXIT);
    let place = body.instructions[last].location;
    let mut needed: Vec<usize> = Vec::new();
    let need = |operand: &Operand, needed: &mut Vec<usize>| {
        if let Operand::Instruction(id) = operand {
            needed.push(id.index());
        }
    };
    value.iter().for_each(|value| need(value, &mut needed));
    for &index in ids.iter().rev().skip(1) {
        let instruction = &body.instructions[index];
        let bare = instruction.location.is_none() || instruction.location == place;
        let computes = matches!(
            instruction.op,
            Op::Load { .. }
                | Op::ElementAddress { .. }
                | Op::Cast { .. }
                | Op::InsertValue { .. }
                | Op::ExtractValue { .. }
        );
        if bare && computes && needed.contains(&index) {
            piece[index] = Some(EXIT);
            operands(&instruction.op).into_iter().for_each(|operand| need(operand, &mut needed));
        }
    }
}

/// Instructions without a place of their own belong to what comes next in the block, else to what came before;
/// those at a place outside all pieces, such as a closing brace, to what came before.
fn neighbours(
    body: &Body,
    block: BlockId,
    piece: &mut [Option<usize>],
    counts: &[bool],
    adopted: &mut Vec<InstructionId>,
) {
    let ids: Vec<usize> = body.instructions_of(block).map(InstructionId::index).collect();
    let real = |piece: Option<usize>| piece.filter(|&piece| piece != ENTRY && piece != PARAMETERS);
    let original: Vec<Option<usize>> = ids.iter().map(|&index| piece[index]).collect();
    for (at, &index) in ids.iter().enumerate() {
        if original[at].is_some() {
            continue;
        }
        let next = original[at + 1..].iter().copied().find_map(real).filter(|&piece| piece != EXIT);
        let before = ids[..at].iter().rev().find_map(|&index| real(piece[index]));
        let outside = body.instructions[index].location.is_some();
        piece[index] = if outside { before.or(next) } else { next.or(before) };
        if outside && counts[index] && !body.instructions[index].op.is_terminator() {
            adopted.push(InstructionId::at(index));
        }
    }
}

/// Blocks without any place: what the blocks before or behind them do.
fn across_blocks(body: &Body, blocks: &Blocks, piece: &mut [Option<usize>], lost: &mut Vec<InstructionId>) {
    let ends = |piece: &[Option<usize>], block: usize, from_end: bool| {
        let mut ids = body.instructions_of(BlockId::at(block));
        let real = |id: InstructionId| piece[id.index()].filter(|&piece| piece > EXIT && piece != PARAMETERS);
        if from_end { ids.rev().find_map(real) } else { ids.find_map(real) }
    };
    for _ in 0..3 {
        let mut open = false;
        for &block in &blocks.order {
            if body.instructions_of(BlockId::at(block)).all(|id| piece[id.index()].is_some()) {
                continue;
            }
            let before = blocks.predecessors[block].iter().find_map(|&before| ends(piece, before, true));
            let after = body.terminator(BlockId::at(block)).op.successors();
            let found = before.or_else(|| after.iter().find_map(|next| ends(piece, next.index(), false)));
            for id in body.instructions_of(BlockId::at(block)) {
                if piece[id.index()].is_none() {
                    piece[id.index()] = found;
                }
            }
            open |= found.is_none();
        }
        if !open {
            break;
        }
    }
    for (index, (piece, instruction)) in piece.iter().zip(&body.instructions).enumerate() {
        // A jump between two blocks that hold nothing else is no instruction of a statement.
        if piece.is_none() && !matches!(instruction.op, Op::Jump { .. } | Op::Unreachable) {
            lost.push(InstructionId::at(index));
        }
    }
}

/// What an instruction reads, as far as prologue and epilogue need it.
pub(super) fn operands(op: &Op) -> Vec<&Operand> {
    match op {
        Op::Load { pointer, .. } => vec![pointer],
        Op::Store { value, pointer, .. } => vec![value, pointer],
        Op::ElementAddress { base, indices, .. } => std::iter::once(base).chain(indices).collect(),
        Op::Cast { value, .. } | Op::Freeze { value } | Op::Unary { value, .. } => vec![value],
        Op::InsertValue { aggregate, value, .. } => vec![aggregate, value],
        Op::ExtractValue { aggregate, .. } => vec![aggregate],
        Op::ExtractElement { vector, index } => vec![vector, index],
        Op::InsertElement { vector, value, index } => vec![vector, value, index],
        Op::ShuffleVector { left, right, .. } => vec![left, right],
        Op::Binary { left, right, .. } | Op::IntCompare { left, right, .. } => vec![left, right],
        Op::Call { arguments, .. } => arguments.iter().collect(),
        Op::Branch { condition, .. } => vec![condition],
        Op::Switch { value, .. } => vec![value],
        _ => Vec::new(),
    }
}
