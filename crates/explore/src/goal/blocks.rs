//! The blocks of a function, and what the sides of their ends decide about.

use hydrogen_flow::{ControlDependence, Digraph, Edge, PostDominators};
use hydrogen_machine::code::{Code, Instr, Pc, Target};
use hydrogen_machine::{FuncId, Program};

/// The blocks of one function of the user's.
#[derive(Debug)]
pub(super) struct Blocks {
    /// The first instruction of each block; the last entry is the end of the code.
    pub(super) starts: Vec<Pc>,
    /// The blocks that follow.
    pub(super) next: Vec<Vec<usize>>,
    /// Per block, the user's functions that it calls by name.
    pub(super) calls: Vec<Vec<FuncId>>,
    /// Per block, whether it calls through a pointer or into the library: whoever has its address taken may be called.
    pub(super) anyone: Vec<bool>,
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
    starts.extend(code.instrs.iter().filter_map(|instr| code.targets(instr)).flatten());
    starts.sort_unstable();
    starts.dedup();
    let count = starts.len();
    starts.push(code.instrs.len() as Pc);
    let block_of = |pc: Pc| starts.partition_point(|start| *start <= pc) - 1;
    let mut next: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut calls = vec![Vec::new(); count];
    let (mut anyone, mut returns) = (vec![false; count], vec![false; count]);
    for block in 0..count {
        let mut falls = true;
        for instr in &code.instrs[starts[block] as usize..starts[block + 1] as usize] {
            if let Instr::Call { site } = instr {
                match code.calls[*site as usize].target {
                    Target::Direct(function) if program.is_users(function) => calls[block].push(function),
                    _ => anyone[block] = true,
                }
            }
            if let Some(targets) = code.targets(instr) {
                next[block] = targets.into_iter().map(block_of).collect();
                next[block].sort_unstable();
                next[block].dedup();
                returns[block] = matches!(instr, Instr::Return { .. });
                falls = false;
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
    Blocks { starts, next, calls, anyone, returns, decides, free, distance, reaches }
}

impl Blocks {
    pub(super) fn of(&self, pc: Pc) -> usize {
        self.starts.partition_point(|start| *start <= pc).saturating_sub(1)
    }

    /// Whether the place can be reached behind a call through a pointer.
    pub(super) fn goes_on_behind_anyone(&self) -> bool {
        (0..self.next.len()).any(|block| self.anyone[block] && self.reaches[block])
    }
}
