//! The hash of a function's instructions.

use super::{
    ContentHash,
    constants::Hashes,
    line::{relative_line, relative_text},
    sink::Sink,
};
use crate::{BlockId, Const, ConstId, Function, Instruction, Op, Operand, Reference, ReferenceMut, TypeId};

/// Hashes the body; `None` when there is none.
pub(super) fn code(hashes: &mut Hashes<'_>, function: &Function, sink: &mut Sink) -> Option<ContentHash> {
    let body = function.body.as_ref()?;
    sink.clear();
    if let Some(ty) = function.ty {
        sink.hash(hashes.ty(ty));
    }
    sink.tag(u8::from(function.no_return));
    for parameter in &function.parameters {
        let attributes = &parameter.attributes;
        sink.tag(u8::from(attributes.sign_extend) | u8::from(attributes.zero_extend) << 1);
        for ty in [attributes.by_value, attributes.struct_return] {
            sink.tag(u8::from(ty.is_some()));
            ty.into_iter().for_each(|ty| hashes.room(sink, ty));
        }
    }
    for block in &body.blocks {
        sink.number(block.count);
    }
    for instruction in &body.instructions {
        hash_instruction(hashes, function, instruction, sink);
    }
    Some(sink.finish())
}

/// An operation with all its ids blanked.
pub(super) fn skeleton(op: &Op) -> Op {
    let mut skeleton = op.clone();
    skeleton.references_mut(|reference| match reference {
        ReferenceMut::Operand(operand) => *operand = Operand::Parameter(0),
        ReferenceMut::Type(id) => *id = TypeId(0),
        ReferenceMut::Const(id) => *id = ConstId(0),
        ReferenceMut::Block(id) => *id = BlockId(0),
        _ => {}
    });
    skeleton
}

fn hash_instruction(
    hashes: &mut Hashes<'_>,
    function: &Function,
    instruction: &Instruction,
    sink: &mut Sink,
) {
    sink.hash(hashes.ty(instruction.ty));
    // First the operation without its ids, then what the ids stand for: no field can be forgotten.
    sink.plain(&skeleton(&instruction.op));
    let takes_lines = matches!(instruction.op, Op::Call { .. } | Op::Store { .. });
    let members = hashes.path_of(sink, &instruction.op);
    let mut operands = 0;
    instruction.op.references(|reference| match reference {
        Reference::Type(_) if members.is_some() => {}
        Reference::Type(id) => hashes.room(sink, *id),
        Reference::Operand(_) if is_member(members.as_deref(), &mut operands) => {}
        Reference::Block(id) => sink.number(id.0),
        Reference::Const(id) => sink.hash(hashes.constant(*id)),
        Reference::Operand(Operand::Instruction(id)) => {
            sink.tag(0);
            sink.number(id.0);
        }
        Reference::Operand(Operand::Parameter(index)) => {
            sink.tag(1);
            sink.number(*index);
        }
        Reference::Operand(Operand::Metadata(text)) => {
            sink.tag(2);
            sink.text(text);
        }
        Reference::Operand(Operand::Const(id)) => {
            if takes_lines
                && let Some(Const::Int { ty, bits }) = hashes.module.constants.get(id.index())
                && let Some(line) = relative_line(function, instruction, *bits)
            {
                sink.tag(4);
                sink.hash(hashes.ty(*ty));
                sink.wide(line.cast_unsigned());
                return;
            }
            if takes_lines && let Some(text) = relative_text(hashes.module, function, instruction, *id) {
                sink.tag(5);
                sink.bytes(&text);
                return;
            }
            sink.tag(3);
            sink.hash(hashes.constant(*id));
        }
        _ => {}
    });
}

/// Whether the next operand of an address computation is the number of a member, for which its place stands.
pub(super) fn is_member(members: Option<&[bool]>, operands: &mut usize) -> bool {
    let Some(members) = members else { return false };
    *operands += 1;
    // The base comes first.
    *operands > 1 && members[*operands - 2]
}
