//! The hash of each piece's instructions: what a statement means, wherever it stands.

use super::{
    ContentHash,
    code::{is_member, skeleton},
    constants::Hashes,
    line::{relative_line, relative_text},
    sink::Sink,
};
use crate::{
    Body, Const, Function, Instruction, InstructionId, Module, Op, Operand, Piece, PieceId, Reference, Role,
    Span,
};
use std::collections::HashMap;

/// Hashes the instructions of every piece of a function of the module; `None` in build-free mode.
///
/// Unlike the hash of a whole function, a piece's does not depend on the code around it: its own instructions are
/// named by their order in the piece, others by what they are (a variable by its name), and jumps are left to the
/// flow.
pub fn piece_hashes(module: &Module, function: &Function) -> Option<Vec<ContentHash>> {
    function.body.as_ref()?;
    pieces(&mut Hashes::new(module), function, &mut Sink::default())
}

/// Where a function keeps its value on the way to its only `ret`. Without optimisation a second `return` brings such a place to
/// all of them, although none of them means anything else.
struct ReturnSlot(Option<InstructionId>);

impl ReturnSlot {
    fn of(body: &Body, names: &HashMap<InstructionId, &str>) -> Self {
        let slot = body.instructions.iter().find_map(|instruction| {
            let Op::Return { value: Some(Operand::Instruction(loaded)) } = &instruction.op else {
                return None;
            };
            let Op::Load { pointer: Operand::Instruction(slot), .. } = &body.instruction(*loaded).op else {
                return None;
            };
            let is_slot =
                matches!(body.instruction(*slot).op, Op::Alloca { .. }) && !names.contains_key(slot);
            is_slot.then_some(*slot)
        });
        Self(slot)
    }

    fn is_slot(&self, operand: &Operand) -> bool {
        matches!((operand, self.0), (Operand::Instruction(id), Some(slot)) if *id == slot)
    }

    /// Whether an instruction only carries the value from one place to the next, or returns nothing.
    fn is_plumbing(&self, body: &Body, id: InstructionId) -> bool {
        let fetches = |id: InstructionId| match &body.instruction(id).op {
            Op::Load { pointer, .. } => self.is_slot(pointer),
            _ => false,
        };
        match &body.instruction(id).op {
            Op::Alloca { .. } => self.0 == Some(id),
            Op::Return { value: Some(Operand::Instruction(value)) } => fetches(*value),
            Op::Return { value: None } => true,
            _ => fetches(id),
        }
    }

    /// The value that an instruction returns, at once or by way of the slot.
    fn returned<'a>(&self, op: &'a Op) -> Option<&'a Operand> {
        match op {
            Op::Return { value } => value.as_ref(),
            Op::Store { value, pointer, .. } if self.is_slot(pointer) => Some(value),
            _ => None,
        }
    }
}

/// The piece that an instruction is counted to. A `return` that is the only one has its `ret` in the function's exit; it is its own all
/// the same, as where a slot is between them.
fn piece_of(function: &Function, instruction: &Instruction) -> PieceId {
    let (Op::Return { value: Some(_) }, Some(place)) = (&instruction.op, instruction.location) else {
        return instruction.piece;
    };
    let begins = |piece: &Piece| {
        let here = |span: Span| span.file == place.file && span.start == place.position;
        piece.role == Role::Return && piece.span.is_some_and(here)
    };
    function.pieces.iter().position(begins).map_or(instruction.piece, PieceId::at)
}

pub(super) fn pieces(
    hashes: &mut Hashes<'_>,
    function: &Function,
    sink: &mut Sink,
) -> Option<Vec<ContentHash>> {
    let body = function.body.as_ref()?;
    let names: HashMap<InstructionId, &str> =
        body.variables.iter().filter_map(|variable| Some((variable.slot?, variable.name.as_str()))).collect();
    let slot = ReturnSlot::of(body, &names);
    let mut own: Vec<Vec<InstructionId>> = vec![Vec::new(); function.pieces.len()];
    let mut rank = vec![0; body.instructions.len()];
    let home: Vec<PieceId> = body.instructions.iter().map(|one| piece_of(function, one)).collect();
    for index in 0..body.instructions.len() {
        if slot.is_plumbing(body, InstructionId::at(index)) {
            continue;
        }
        if let Some(list) = own.get_mut(home[index].index()) {
            rank[index] = list.len();
            list.push(InstructionId::at(index));
        }
    }
    let mut all = Vec::with_capacity(own.len());
    for list in &own {
        sink.clear();
        for &id in list {
            let instruction = body.instruction(id);
            // Whether a jump is needed at the end depends on what stands around the statement.
            if matches!(instruction.op, Op::Jump { .. }) {
                continue;
            }
            let returned = slot.returned(&instruction.op);
            if returned.is_none() {
                sink.hash(hashes.ty(instruction.ty));
                sink.plain(&skeleton(&instruction.op));
            } else {
                sink.plain(&skeleton(&Op::Return { value: returned.cloned() }));
            }
            let takes_lines = matches!(instruction.op, Op::Call { .. } | Op::Store { .. });
            let members = hashes.path_of(sink, &instruction.op);
            let mut operands = 0;
            instruction.op.references(|reference| match reference {
                // Where it is kept until the function returns says nothing.
                Reference::Operand(operand) if returned.is_some_and(|value| value != operand) => {}
                Reference::Type(_) if members.is_some() => {}
                Reference::Operand(_) if is_member(members.as_deref(), &mut operands) => {}
                Reference::Type(id) => hashes.room(sink, *id),
                Reference::Const(id) => sink.hash(hashes.constant(*id)),
                Reference::Operand(Operand::Parameter(index)) => sink.number(*index),
                Reference::Operand(Operand::Metadata(text)) => sink.text(text),
                Reference::Operand(Operand::Const(id)) => match hashes.module.constants.get(id.index()) {
                    Some(Const::Int { bits, .. })
                        if takes_lines && relative_line(function, instruction, *bits).is_some() =>
                    {
                        sink.tag(4);
                    }
                    _ => match relative_text(hashes.module, function, instruction, *id) {
                        Some(text) if takes_lines => {
                            sink.tag(5);
                            sink.bytes(&text);
                        }
                        _ => sink.hash(hashes.constant(*id)),
                    },
                },
                Reference::Operand(Operand::Instruction(used)) => {
                    let other = body.instruction(*used);
                    sink.hash(hashes.ty(other.ty));
                    if home[used.index()] == home[id.index()] {
                        sink.wide(rank[used.index()] as u64);
                    } else if let Some(name) = names.get(used) {
                        sink.text(name);
                        if let Op::Alloca { ty, .. } = &other.op {
                            hashes.place(sink, *ty);
                        }
                    }
                }
                _ => {}
            });
        }
        all.push(sink.finish());
    }
    Some(all)
}
