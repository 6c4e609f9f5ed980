//! Numbers that are lines of the source: `assert` hands its line to the C library, so a comment further up changes what a failing program says.

use crate::lcs;
use hydrogen_ir::{Const, ConstId, Function, Module, Op, Operand, Reference, ReferenceMut, relative_line};
use std::collections::BTreeMap;

/// A number that is a line of its own statement.
struct Line {
    /// The function's instruction, and which of its operands it is.
    instruction: usize,
    operand: usize,
    constant: ConstId,
    /// The statement it stands in, and how far below its first line.
    means: (String, i64),
}

/// In statements that both versions of a function have, lines that the program itself hands on (`__LINE__`) become those of the old version:
/// that a statement stands elsewhere is no difference in what it does.
pub fn lines_as_before(old: &[Module], new: &mut [Module]) {
    let known: BTreeMap<(Option<&str>, &str), (&Module, &Function)> = old
        .iter()
        .flat_map(|module| module.definitions().map(move |(_, function)| (module, function)))
        .map(|(module, function)| ((file_of(module, function), function.name.as_str()), (module, function)))
        .collect();
    for module in new {
        let mut changes: Vec<(usize, usize, usize, ConstId, u128)> = Vec::new();
        for (at, function) in module.functions.iter().enumerate() {
            let name = (file_of(module, function), function.name.as_str());
            let Some(&(other, before)) = known.get(&name) else { continue };
            let (mine, theirs) = (lines_of(module, function), lines_of(other, before));
            if mine.is_empty() || theirs.is_empty() {
                continue;
            }
            for (p, q) in common(&theirs, &mine) {
                if let (Some(was), Some(is)) =
                    (value(other, theirs[p].constant), value(module, mine[q].constant))
                    && was != is
                {
                    changes.push((at, mine[q].instruction, mine[q].operand, mine[q].constant, was));
                }
            }
        }
        for (function, instruction, operand, constant, bits) in changes {
            let Const::Int { ty, .. } = module.constants[constant.index()] else { continue };
            let id = ConstId::at(module.constants.len());
            module.constants.push(Const::Int { ty, bits });
            let Some(body) = module.functions[function].body.as_mut() else { continue };
            let mut nth = 0;
            body.instructions[instruction].op.references_mut(|reference| {
                if let ReferenceMut::Operand(one) = reference {
                    if nth == operand {
                        *one = Operand::Const(id);
                    }
                    nth += 1;
                }
            });
        }
    }
}

fn file_of<'m>(module: &'m Module, function: &Function) -> Option<&'m str> {
    function.file().map(|file| module.file(file))
}

fn value(module: &Module, id: ConstId) -> Option<u128> {
    match module.constants.get(id.index()) {
        Some(Const::Int { bits, .. }) => Some(*bits),
        _ => None,
    }
}

fn lines_of(module: &Module, function: &Function) -> Vec<Line> {
    let mut found = Vec::new();
    let Some(body) = &function.body else { return found };
    for (at, instruction) in body.instructions.iter().enumerate() {
        if !matches!(instruction.op, Op::Call { .. } | Op::Store { .. }) {
            continue;
        }
        let mut nth = 0;
        instruction.op.references(|reference| {
            let Reference::Operand(operand) = reference else { return };
            if let Operand::Const(id) = operand
                && let Some(bits) = value(module, *id)
                && let Some(below) = relative_line(function, instruction, bits)
            {
                let text = function.pieces.get(instruction.piece.index()).map(|piece| piece.text.clone());
                let means = (text.unwrap_or_default(), below);
                found.push(Line { instruction: at, operand: nth, constant: *id, means });
            }
            nth += 1;
        });
    }
    found
}

/// Lines of the same statements, by their places in both lists.
fn common(old: &[Line], new: &[Line]) -> Vec<(usize, usize)> {
    let mut names: BTreeMap<&(String, i64), u32> = BTreeMap::new();
    for line in old.iter().chain(new) {
        let next = u32::try_from(names.len()).unwrap_or(u32::MAX);
        names.entry(&line.means).or_insert(next);
    }
    let of = |lines: &[Line]| -> Vec<u32> { lines.iter().map(|line| names[&line.means]).collect() };
    lcs(&of(old), &of(new))
}
