//! Marks the left shifts of signed numbers.

use crate::clang::LeftShift;
use hydrogen_ir::{BinaryOp, Body, Location, Op};
use std::collections::HashMap;

/// Sets [`hydrogen_ir::WrapFlags::other`] of the shifts that C does on a signed number. A use of a macro has one place for
/// all its shifts: if they differ and clang emitted others than the syntax tree has, none is marked.
pub(super) fn mark(body: &mut Body, shifts: &[LeftShift]) {
    let mut written: HashMap<Location, Vec<bool>> = HashMap::new();
    for shift in shifts {
        written.entry(shift.place).or_default().push(shift.signed);
    }
    if !shifts.iter().any(|shift| shift.signed) {
        return;
    }
    let mut compiled: HashMap<Location, Vec<usize>> = HashMap::new();
    for (index, instruction) in body.instructions.iter().enumerate() {
        if let (Op::Binary { op: BinaryOp::Shl, .. }, Some(place)) = (&instruction.op, instruction.location) {
            compiled.entry(place).or_default().push(index);
        }
    }
    for (place, instructions) in compiled {
        let Some(signs) = written.get(&place) else { continue };
        let all = signs.iter().all(|&signed| signed);
        for (at, &index) in instructions.iter().enumerate() {
            let signed = all || (signs.len() == instructions.len() && signs[at]);
            if let Op::Binary { flags, .. } = &mut body.instructions[index].op {
                flags.other = signed;
            }
        }
    }
}
