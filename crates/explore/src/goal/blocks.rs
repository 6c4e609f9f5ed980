//! The blocks of a function, and what the sides of their ends decide about.

use hydrogen_flow::{ControlDependence, Digraph, Edge, PostDominators};
use hydrogen_machine::code::{Code, Instr, Pc, Target};
use hydrogen_machine::{FuncId, FuncKind, Program};

/// The blocks of one function of the user's.
#[derive(Debug)]
pub(super) struct Blocks {
    /// The first instruction of each block; the last entry is the end of the code.
    pub(super) starts: Vec<Pc>,
    /// The blocks that follow.
    pub(super) next: Vec<Vec<usize>>,
    /// Per block, the functions that it calls.
    pub(super) calls: Vec<Vec<FuncId>>,
    pub(super) returns: Vec<bool>,
    /// Per block and side of its end, the blocks that this side decides about.
    pub(super) decides: Vec<Vec<(usize, usize)>>,
    /// Blocks that nothing decides about.
    pub(super) free: Vec<usize>,
    /// Distances by block.
    pub(super) distance: Vec<Option<u64>>,
    /// Whether the place can be reached from the block at all.
    pub(super) reaches: Vec<bool>,
}

pub(super) fn blocks(program: &Program, code: &Code) -> Blocks {
    let mut starts: Vec<Pc> = code.blocks.clone();
    starts.push(0);
    // Jumps into the middle of the model's blocks do not exist, but moves at edges have blocks of their own.
    for instr in &code.instrs {
        match *instr {
            Instr::Branch { then, otherwise, .. } => starts.extend([then, otherwise]),
            Instr::Jump { target } => starts.push(target),
            Instr::Switch { table, .. } => {
                let table = &code.switches[table as usize];
                starts.push(table.default_target());
                starts.extend(table.arms().iter().map(|arm| arm.1));
            }
            _ => {}
        }
    }
    starts.sort_unstable();
    starts.dedup();
    let count = starts.len();
    starts.push(code.instrs.len() as Pc);
    let block_of = |pc: Pc| starts.partition_point(|start| *start <= pc) - 1;
    let (mut next, mut calls, mut returns) =
        (vec![Vec::new(); count], vec![Vec::new(); count], vec![false; count]);
    for block in 0..count {
        let mut falls = true;
        for pc in starts[block]..starts[block + 1] {
            match code.instrs[pc as usize] {
                Instr::Call { site } => {
                    if let Target::Direct(function) = code.calls[site as usize].target
                        && matches!(program.function(function).kind, FuncKind::Defined(..))
                    {
                        calls[block].push(function);
                    }
                }
                Instr::Jump { target } => {
                    next[block] = vec![block_of(target)];
                    falls = false;
                }
                Instr::Branch { then, otherwise, .. } => {
                    next[block] = vec![block_of(then), block_of(otherwise)];
                    falls = false;
                }
                Instr::Switch { table, .. } => {
                    let table = &code.switches[table as usize];
                    next[block] = table.arms().iter().map(|arm| block_of(arm.1)).collect();
                    next[block].push(block_of(table.default_target()));
                    next[block].sort_unstable();
                    next[block].dedup();
                    falls = false;
                }
                Instr::Return { .. } | Instr::Unreachable => {
                    returns[block] = matches!(code.instrs[pc as usize], Instr::Return { .. });
                    falls = false;
                }
                _ => {}
            }
        }
        if falls && block + 1 < count {
            next[block] = vec![block + 1];
        }
    }
    let edges =
        (0..count).flat_map(|from| next[from].iter().map(move |to| Edge { from, to: *to, label: *to }));
    let graph: Digraph<usize> = Digraph::new(count, edges);
    let exits: Vec<usize> = (0..count).filter(|block| next[*block].is_empty()).collect();
    let post = PostDominators::new(&graph, 0, exits);
    let control = ControlDependence::new(&graph, &post);
    let decides = (0..count).map(|block| control.dependents(block).to_vec()).collect();
    let free = (0..count).filter(|block| control.controls(*block).is_empty()).collect();
    let (distance, reaches) = (vec![None; count], vec![false; count]);
    Blocks { starts, next, calls, returns, decides, free, distance, reaches }
}

impl Blocks {
    pub(super) fn of(&self, pc: Pc) -> usize {
        self.starts.partition_point(|start| *start <= pc).saturating_sub(1)
    }
}
