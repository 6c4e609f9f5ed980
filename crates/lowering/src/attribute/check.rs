//! Checks the promises of attribution on a finished function.

use super::assign::Assignment;
use super::blocks::constant_target;
use super::runs::{Landing, Runs};
use super::thread::{Known, Threads};
use hydrogen_ir::{BlockId, Body, Const, Function, InstructionId, Op, PieceId};
use std::collections::BTreeSet;

/// What attribution knew; only what the checks need.
pub(super) struct Evidence<'a> {
    pub(super) function: &'a Function,
    pub(super) body: &'a Body,
    /// The piece of every instruction.
    pub(super) pieces: &'a [PieceId],
    pub(super) constants: &'a [Const],
    pub(super) assignment: &'a Assignment,
    pub(super) threads: &'a Threads<'a>,
    pub(super) runs: &'a Runs,
}

/// The broken promises, in words.
pub(super) fn check(evidence: &Evidence) -> Vec<String> {
    let mut broken = Vec::new();
    let Evidence { function, pieces, .. } = evidence;
    if pieces.iter().any(|piece| piece.index() >= function.pieces.len()) {
        broken.push("an instruction has no piece".to_owned());
    }
    for edge in &function.flow {
        if edge.to == Function::ENTRY || edge.from == Function::EXIT {
            broken.push(format!("an edge leads into the entry or out of the exit: {edge:?}"));
        }
    }
    let graph = Contracted::new(evidence);
    graph.compare(evidence, &mut broken);
    for seed in 0..8 {
        if let Err(message) = walk(evidence, &graph, seed) {
            broken.push(message);
        }
    }
    broken.iter_mut().for_each(|message| message.insert_str(0, &format!("{}: ", function.name)));
    broken
}

/// Which pieces with instructions follow each other, silent ones left out.
struct Contracted {
    run_of: Vec<Option<(usize, usize)>>,
    piece_of_run: Vec<PieceId>,
    follows: Vec<BTreeSet<PieceId>>,
}

impl Contracted {
    fn new(evidence: &Evidence) -> Self {
        let Evidence { function, body, pieces, runs, .. } = evidence;
        let mut run_of = vec![None; body.instructions.len()];
        let mut piece_of_run = Vec::new();
        let mut occupied = vec![false; function.pieces.len()];
        occupied[Function::ENTRY.index()] = true;
        occupied[Function::EXIT.index()] = true;
        for (index, run) in runs.runs.iter().enumerate() {
            let piece = pieces[run.instructions[0]];
            piece_of_run.push(piece);
            occupied[piece.index()] = true;
            for (at, &id) in run.instructions.iter().enumerate() {
                run_of[id] = Some((index, at));
            }
        }
        let mut onward = vec![Vec::new(); function.pieces.len()];
        for edge in &function.flow {
            onward[edge.from.index()].push(edge.to);
        }
        let follows = (0..function.pieces.len())
            .map(|from| {
                let mut found = BTreeSet::new();
                let mut seen = BTreeSet::new();
                let mut work = onward[from].clone();
                while let Some(next) = work.pop() {
                    if occupied[next.index()] {
                        found.insert(next);
                    } else if seen.insert(next) {
                        work.extend(&onward[next.index()]);
                    }
                }
                found
            })
            .collect();
        Self { run_of, piece_of_run, follows }
    }

    /// The graph without silent pieces is the relation of compiled control.
    fn compare(&self, evidence: &Evidence, broken: &mut Vec<String>) {
        let Evidence { function, runs, .. } = evidence;
        let landings = |ways: &[(hydrogen_ir::EdgeKind, Landing)]| -> BTreeSet<PieceId> {
            let run = |landing: &Landing| match landing {
                Landing::Run(run) => Some(self.piece_of_run[*run]),
                Landing::Forever => None,
            };
            ways.iter().filter_map(|(_, landing)| run(landing)).collect()
        };
        let mut compiled = vec![BTreeSet::new(); function.pieces.len()];
        compiled[Function::ENTRY.index()] = landings(&runs.start);
        for (index, run) in runs.runs.iter().enumerate() {
            compiled[self.piece_of_run[index].index()].extend(landings(&run.onward));
        }
        for (piece, compiled) in compiled.iter().enumerate() {
            let silent = piece > 1 && !self.piece_of_run.contains(&PieceId::at(piece));
            if !silent && *compiled != self.follows[piece] {
                let label = function.pieces[piece].label();
                broken.push(format!(
                    "after {piece} `{label}`: compiled {compiled:?}, graph {:?}",
                    self.follows[piece]
                ));
            }
        }
    }
}

/// Walks a random path and compares instructions with pieces.
fn walk(evidence: &Evidence, graph: &Contracted, seed: u64) -> Result<(), String> {
    let Evidence { body, constants, assignment, threads, runs, .. } = evidence;
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut random = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % bound.max(1) as u64) as usize
    };
    let (mut from, mut block) = (0, 0);
    let mut known = Known::new();
    let mut at: Option<(usize, usize)> = None;
    for _ in 0..300 {
        threads.enter(from, block, &mut known);
        for id in body.instructions_of(BlockId::at(block)).map(InstructionId::index) {
            if !assignment.counts[id] {
                continue;
            }
            let Some(next) = graph.run_of[id] else { return Err(format!("instruction {id} is in no run")) };
            let goes_on = at.is_some_and(|(run, step)| next == (run, step + 1));
            let ends = at.is_none_or(|(run, step)| step + 1 == runs.runs[run].instructions.len());
            let before = at.map_or(Function::ENTRY, |(run, _)| graph.piece_of_run[run]);
            let follows = graph.follows[before.index()].contains(&graph.piece_of_run[next.0]);
            if !goes_on && !(ends && next.1 == 0 && follows) {
                return Err(format!(
                    "instruction {id} of {:?} comes after {before:?}",
                    graph.piece_of_run[next.0]
                ));
            }
            at = Some(next);
        }
        let op = &body.terminator(BlockId::at(block)).op;
        if matches!(op, Op::Return { .. })
            && at.map(|(run, _)| graph.piece_of_run[run]) != Some(Function::EXIT)
        {
            return Err("a return is not at the exit".to_owned());
        }
        let targets = match constant_target(op, constants) {
            Some(target) => vec![target],
            None => op.successors(),
        };
        if targets.is_empty() {
            return Ok(());
        }
        let decided = if threads.sees_through(block) { threads.decided(block, &known) } else { None };
        let next = decided.unwrap_or_else(|| targets[random(targets.len())].index());
        (from, block) = (block, next);
    }
    Ok(())
}
