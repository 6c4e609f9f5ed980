//! Numbers the pieces and writes everything into the function.

use super::assign::{Assignment, PARAMETERS};
use super::explain::{Flow, Node};
use super::runs::Runs;
use super::syntax::{ENTRY, EXIT, Syntax};
use hydrogen_ir::{BlockId, Body, FlowEdge, Function, InstructionId, Piece, PieceId};
use std::collections::BTreeSet;

/// The final pieces and what they are called.
pub(super) struct Numbering {
    /// For each run.
    runs: Vec<PieceId>,
    /// For each piece of the source's graph: its first final piece.
    first: Vec<Option<PieceId>>,
}

impl Numbering {
    fn of(&self, node: Node) -> PieceId {
        match node {
            Node::Entry => Function::ENTRY,
            Node::Exit => Function::EXIT,
            Node::Run(run) => self.runs[run],
            Node::Silent(piece) => self.first[piece].unwrap_or(Function::ENTRY),
        }
    }
}

/// Writes pieces and flow; gives the names of the pieces.
pub(super) fn pieces(function: &mut Function, syntax: &Syntax, runs: &Runs, flow: &Flow) -> Numbering {
    let mut silent = BTreeSet::new();
    for (from, _, to) in &flow.edges {
        silent.extend([from, to].into_iter().filter_map(|node| match node {
            Node::Silent(piece) => Some(*piece),
            _ => None,
        }));
    }
    let mut of_piece: Vec<Vec<usize>> = vec![Vec::new(); syntax.pieces.len()];
    for (index, run) in runs.runs.iter().enumerate() {
        of_piece[run.piece].push(index);
    }
    let mut pieces = vec![syntax.pieces[ENTRY].clone(), syntax.pieces[EXIT].clone()];
    let mut numbering =
        Numbering { runs: vec![Function::EXIT; runs.runs.len()], first: vec![None; syntax.pieces.len()] };
    numbering.first[ENTRY] = Some(Function::ENTRY);
    numbering.first[EXIT] = Some(Function::EXIT);
    for (index, piece) in syntax.pieces.iter().enumerate().skip(EXIT + 1) {
        let mut add = |part: usize| {
            pieces.push(Piece { part: part as u32, ..piece.clone() });
            PieceId::at(pieces.len() - 1)
        };
        for (part, &run) in of_piece[index].iter().enumerate() {
            numbering.runs[run] = add(part);
        }
        numbering.first[index] = match of_piece[index].first() {
            Some(&run) => Some(numbering.runs[run]),
            None => silent.contains(&index).then(|| add(0)),
        };
    }
    let mut edges: Vec<FlowEdge> = flow
        .edges
        .iter()
        .map(|(from, kind, to)| FlowEdge {
            from: numbering.of(*from),
            to: numbering.of(*to),
            kind: kind.clone(),
        })
        .collect();
    edges.sort();
    edges.dedup();
    let counts = |piece: usize| numbering.first[piece].is_some();
    // The jump is the last part of its statement: `return f(a && b);`.
    let last = |piece: usize| of_piece[piece].last().map(|run| numbering.runs[*run]);
    let mut falls: Vec<(PieceId, PieceId)> = syntax
        .fall_through(&counts)
        .into_iter()
        .filter_map(|(jump, next)| Some((last(jump).or(numbering.first[jump])?, numbering.first[next]?)))
        .collect();
    falls.sort_unstable();
    falls.dedup();
    function.pieces = pieces;
    function.flow = edges;
    function.fall_through = falls;
    numbering
}

/// The piece of every instruction.
pub(super) fn instructions(
    body: &Body,
    assignment: &Assignment,
    runs: &Runs,
    numbering: &Numbering,
) -> Vec<PieceId> {
    let mut of: Vec<Option<PieceId>> = vec![None; body.instructions.len()];
    for (index, run) in runs.runs.iter().enumerate() {
        for &id in &run.instructions {
            of[id] = Some(numbering.runs[index]);
        }
    }
    let mut found = vec![Function::ENTRY; body.instructions.len()];
    for block in (0..body.blocks.len()).map(BlockId::at) {
        let ids: Vec<usize> = body.instructions_of(block).map(InstructionId::index).collect();
        for (at, &id) in ids.iter().enumerate() {
            let piece = assignment.piece[id];
            // What does not count goes with the part of its piece that is next to it.
            let near = || {
                let same = |other: &&usize| assignment.piece[**other] == piece && of[**other].is_some();
                ids[at..]
                    .iter()
                    .find(same)
                    .or_else(|| ids[..at].iter().rev().find(same))
                    .and_then(|&id| of[id])
            };
            let piece = match piece {
                // The stores of parameters are part of the entry.
                PARAMETERS => Some(Function::ENTRY),
                _ => of[id].or_else(near).or(numbering.first[piece]),
            };
            found[id] = piece.unwrap_or(Function::ENTRY);
        }
    }
    found
}

/// Writes the piece of every instruction and call.
pub(super) fn write(body: &mut Body, function: &mut Function, pieces: &[PieceId]) {
    for (instruction, piece) in body.instructions.iter_mut().zip(pieces) {
        instruction.piece = *piece;
    }
    for call in &mut function.calls {
        if let Some(instruction) = call.instruction {
            call.piece = pieces[instruction.index()];
        }
    }
}
