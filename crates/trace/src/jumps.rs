//! Jump statements in decoded code: where they are, and what follows them in the text.

use hydrogen_ir::{Function, PieceId};
use hydrogen_machine::code::{Code, Instr};

/// The jumps of a function, each with an instruction that would be executed next if it were not there; ascending.
pub(crate) fn falls(function: &Function, code: &Code) -> Vec<(u32, u32)> {
    let Some(body) = function.body.as_ref().filter(|_| !function.fall_through.is_empty()) else {
        return Vec::new();
    };
    // By piece, its first instruction that does something, and the last. Moves for φ stand behind the blocks.
    let mut first: Vec<Option<u32>> = vec![None; function.pieces.len()];
    let mut jump: Vec<Option<u32>> = vec![None; function.pieces.len()];
    let mut last: Vec<Option<u32>> = vec![None; function.pieces.len()];
    for (pc, (instr, origin)) in (0u32..).zip(code.instrs.iter().zip(&code.origin)) {
        let piece = body.instruction(*origin).piece.index();
        let place = if matches!(instr, Instr::Jump { .. }) { &mut jump[piece] } else { &mut first[piece] };
        place.get_or_insert(pc);
        last[piece] = Some(pc);
    }
    let ends = |instr: &Instr| matches!(instr, Instr::Jump { .. } | Instr::Return { .. });
    let mut falls = Vec::new();
    for (from, next) in &function.fall_through {
        // What a statement ends with: a function with a single `return` returns right behind the value.
        let Some(last) = last[from.index()] else { continue };
        let rest = code.instrs.iter().enumerate().skip(last as usize);
        let mut straight = rest.take_while(|(pc, instr)| {
            *pc as u32 == last || ends(instr) || !matches!(instr, Instr::Branch { .. } | Instr::Switch { .. })
        });
        let Some((at, _)) = straight.find(|(_, instr)| ends(instr)) else { continue };
        for next in reached(function, *next, &|piece| first[piece].or(jump[piece])) {
            falls.push((at as u32, next));
        }
    }
    falls.sort_unstable();
    falls.dedup();
    falls
}

/// The first instructions from a piece on: of itself, or of what it leads to where it has none.
fn reached(function: &Function, from: PieceId, first: &dyn Fn(usize) -> Option<u32>) -> Vec<u32> {
    let mut seen = vec![from];
    let mut found = Vec::new();
    let mut at = 0;
    while at < seen.len() {
        let piece = seen[at];
        at += 1;
        match first(piece.index()) {
            Some(pc) => found.push(pc),
            None => {
                for edge in function.flow.iter().filter(|edge| edge.from == piece) {
                    if !seen.contains(&edge.to) {
                        seen.push(edge.to);
                    }
                }
            }
        }
    }
    found
}
