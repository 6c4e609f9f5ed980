//! The hash of each piece's instructions: what a statement means, wherever it stands.

use super::{ContentHash, code::skeleton, constants::Hashes, line::relative_line, sink::Sink};
use crate::{Const, Function, InstructionId, Module, Op, Operand, Reference};
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

pub(super) fn pieces(
    hashes: &mut Hashes<'_>,
    function: &Function,
    sink: &mut Sink,
) -> Option<Vec<ContentHash>> {
    let body = function.body.as_ref()?;
    let names: HashMap<InstructionId, &str> =
        body.variables.iter().filter_map(|variable| Some((variable.slot?, variable.name.as_str()))).collect();
    let mut own: Vec<Vec<InstructionId>> = vec![Vec::new(); function.pieces.len()];
    let mut rank = vec![0; body.instructions.len()];
    for (index, instruction) in body.instructions.iter().enumerate() {
        if let Some(list) = own.get_mut(instruction.piece.index()) {
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
            sink.hash(hashes.ty(instruction.ty));
            sink.plain(&skeleton(&instruction.op));
            let takes_lines = matches!(instruction.op, Op::Call { .. } | Op::Store { .. });
            instruction.op.references(|reference| match reference {
                Reference::Type(id) => sink.hash(hashes.ty(*id)),
                Reference::Const(id) => sink.hash(hashes.constant(*id)),
                Reference::Operand(Operand::Parameter(index)) => sink.number(*index),
                Reference::Operand(Operand::Metadata(text)) => sink.text(text),
                Reference::Operand(Operand::Const(id)) => match hashes.module.constants.get(id.index()) {
                    Some(Const::Int { bits, .. })
                        if takes_lines && relative_line(function, instruction, *bits).is_some() =>
                    {
                        sink.tag(4);
                    }
                    _ => sink.hash(hashes.constant(*id)),
                },
                Reference::Operand(Operand::Instruction(used)) => {
                    let other = body.instruction(*used);
                    sink.hash(hashes.ty(other.ty));
                    if other.piece == instruction.piece {
                        sink.wide(rank[used.index()] as u64);
                    } else if let Some(name) = names.get(used) {
                        sink.text(name);
                        if let Op::Alloca { ty, .. } = &other.op {
                            sink.hash(hashes.ty(*ty));
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
