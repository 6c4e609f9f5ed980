//! Blocks of decoded functions, and what decides over them.
//!
//! Blocks are those of the decoded form: the moves on an edge that stand for φ are a block of their own, so that what
//! decides over the edge decides over the value. A call that may not come back ends its block as if it were a branch
//! to the end of the function: what follows depends on its coming back.
//!
//! Where jump statements count, each is a branch that always goes one way: its other side is what follows it in the text, which
//! would be executed if the jump were not there (Ball and Horwitz 1993).

use hydrogen_flow::{ControlDependence, Digraph, Edge, PostDominators};
use hydrogen_machine::code::{Code, Instr};

/// The control flow of a function.
#[derive(Debug)]
pub(crate) struct Control {
    /// By instruction, its block.
    pub(crate) block_of: Vec<u32>,
    /// The first instruction of each block, and the end.
    pub(crate) starts: Vec<u32>,
    /// By block, the blocks whose ends decide over it.
    pub(crate) controls: Vec<Vec<u32>>,
    dependence: ControlDependence<u32>,
    /// By block, whether its end is a choice.
    chooses: Vec<bool>,
}

impl Control {
    /// `is_gate` says for a call whether it may not come back; `falls` are jumps with what follows them in the text, ascending.
    pub(crate) fn new(code: &Code, is_gate: &impl Fn(u32) -> bool, falls: &[(u32, u32)]) -> Self {
        let count = code.instrs.len();
        let mut leader = vec![false; count + 1];
        leader[0] = true;
        for (pc, instr) in code.instrs.iter().enumerate() {
            if let Some(targets) = targets(code, instr, pc as u32, is_gate) {
                leader[pc + 1] = true;
                targets.iter().filter(|target| (**target as usize) < count).for_each(|target| {
                    leader[*target as usize] = true;
                });
            }
        }
        falls.iter().for_each(|(_, next)| leader[*next as usize] = true);
        let mut starts: Vec<u32> = (0..count as u32).filter(|pc| leader[*pc as usize]).collect();
        let blocks = starts.len();
        starts.push(count as u32);
        let mut block_of = vec![0; count];
        for block in 0..blocks {
            block_of[starts[block] as usize..starts[block + 1] as usize].fill(block as u32);
        }
        let mut edges = Vec::new();
        let mut exits = Vec::new();
        let mut chooses = vec![false; blocks];
        for block in 0..blocks {
            let last = starts[block + 1] - 1;
            let instr = &code.instrs[last as usize];
            let mut to = targets(code, instr, last, is_gate).unwrap_or_else(|| vec![last + 1]);
            let from = falls.partition_point(|fall| fall.0 < last);
            let others = falls[from..].iter().take_while(|fall| fall.0 == last).map(|fall| fall.1);
            if matches!(instr, Instr::Return { .. }) && others.clone().next().is_some() {
                exits.push(block);
                chooses[block] = true;
            }
            to.extend(others);
            to.retain(|target| (*target as usize) < count);
            to.sort_unstable();
            to.dedup();
            if matches!(instr, Instr::Call { .. }) && is_gate(last) {
                exits.push(block);
            }
            chooses[block] |= to.len() > 1;
            for target in to {
                let next = block_of[target as usize];
                edges.push(Edge { from: block, to: next as usize, label: next });
            }
        }
        let graph = Digraph::new(blocks.max(1), edges);
        let post = PostDominators::new(&graph, 0, exits);
        let dependence = ControlDependence::new(&graph, &post);
        let controls = (0..blocks)
            .map(|block| {
                let mut list: Vec<u32> =
                    dependence.controls(block).iter().map(|control| control.branch as u32).collect();
                list.dedup();
                list
            })
            .collect();
        Self { block_of, starts, controls, dependence, chooses }
    }

    /// The instructions of a block.
    pub(crate) fn instructions(&self, block: u32) -> std::ops::Range<u32> {
        self.starts[block as usize]..self.starts[block as usize + 1]
    }

    /// Whether the block ends in a choice.
    pub(crate) fn branches(&self, block: u32) -> bool {
        self.chooses[block as usize]
    }

    /// The blocks that depend, over any number of steps, on how `block` ends (A-2 and Q-15 of the specification).
    ///
    /// Not only those of outcomes other than the one taken: with pointers, a block that was executed may have written
    /// elsewhere than it might have, and whether a branch matters must not depend on where it went.
    pub(crate) fn region(&self, block: u32) -> Vec<u32> {
        let mut seen = vec![false; self.controls.len()];
        let mut work: Vec<u32> = vec![block];
        let mut found = Vec::new();
        while let Some(next) = work.pop() {
            if next != block || seen[block as usize] {
                found.push(next);
            }
            for (_, node) in self.dependence.dependents(next as usize) {
                if !std::mem::replace(&mut seen[*node], true) {
                    work.push(*node as u32);
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Where an instruction that ends a block leads.
fn targets(code: &Code, instr: &Instr, pc: u32, is_gate: &impl Fn(u32) -> bool) -> Option<Vec<u32>> {
    match instr {
        Instr::Call { .. } if is_gate(pc) => Some(vec![pc + 1]),
        _ => code.targets(instr),
    }
}
