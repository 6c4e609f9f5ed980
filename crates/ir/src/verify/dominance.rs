//! IR-11: values are computed before they are used. Dominators after Cooper, Harvey and Kennedy, "A Simple, Fast
//! Dominance Algorithm".

use super::{Report, Rule};
use crate::{BlockId, Body, InstructionId, Op, Operand, Reference};

const NONE: u32 = u32::MAX;

/// Control flow between the blocks of a body whose terminators are in place.
pub(super) struct Flow {
    /// Per block, one entry per incoming edge.
    pub(super) predecessors: Vec<Vec<BlockId>>,
    /// Position in reverse postorder; `NONE` for unreachable blocks.
    order: Vec<u32>,
    /// When a walk of the dominator tree enters and leaves a block.
    entered: Vec<u32>,
    left: Vec<u32>,
}

impl Flow {
    pub(super) fn new(body: &Body) -> Self {
        let count = body.blocks.len();
        let successors: Vec<Vec<BlockId>> =
            (0..count).map(|index| body.terminator(BlockId::at(index)).op.successors()).collect();
        let mut predecessors = vec![Vec::new(); count];
        for (index, targets) in successors.iter().enumerate() {
            targets.iter().for_each(|target| predecessors[target.index()].push(BlockId::at(index)));
        }
        let sequence = reverse_postorder(&successors);
        let mut order = vec![NONE; count];
        for (position, &block) in sequence.iter().enumerate() {
            order[block] = BlockId::at(position).0;
        }
        let parents = dominators(&sequence, &order, &predecessors);
        let (entered, left) = number_tree(count, &sequence, &parents);
        Flow { predecessors, order, entered, left }
    }

    fn is_reachable(&self, block: BlockId) -> bool {
        self.order[block.index()] != NONE
    }

    /// Whether every path to `to` passes `from`; both are reachable.
    fn dominates(&self, from: BlockId, to: BlockId) -> bool {
        self.entered[from.index()] <= self.entered[to.index()]
            && self.left[to.index()] <= self.left[from.index()]
    }
}

fn reverse_postorder(successors: &[Vec<BlockId>]) -> Vec<usize> {
    let mut seen = vec![false; successors.len()];
    let mut sequence = Vec::new();
    seen[0] = true;
    let mut stack = vec![(0usize, 0usize)];
    while let Some((block, next)) = stack.last_mut() {
        match successors[*block].get(*next) {
            Some(target) => {
                *next += 1;
                let target = target.index();
                if !std::mem::replace(&mut seen[target], true) {
                    stack.push((target, 0));
                }
            }
            None => {
                sequence.push(*block);
                stack.pop();
            }
        }
    }
    sequence.reverse();
    sequence
}

/// The immediate dominator of each block, by position in `sequence`.
fn dominators(sequence: &[usize], order: &[u32], predecessors: &[Vec<BlockId>]) -> Vec<u32> {
    let mut parents = vec![NONE; sequence.len()];
    parents[0] = 0;
    let mut changed = true;
    while changed {
        changed = false;
        for position in 1..sequence.len() {
            let mut parent = NONE;
            for predecessor in &predecessors[sequence[position]] {
                let candidate = order[predecessor.index()];
                if candidate == NONE || parents[candidate as usize] == NONE {
                    continue;
                }
                parent = if parent == NONE { candidate } else { meet(&parents, parent, candidate) };
            }
            if parents[position] != parent {
                parents[position] = parent;
                changed = true;
            }
        }
    }
    parents
}

fn meet(parents: &[u32], mut left: u32, mut right: u32) -> u32 {
    while left != right {
        if left > right {
            left = parents[left as usize];
        } else {
            right = parents[right as usize];
        }
    }
    left
}

fn number_tree(count: usize, sequence: &[usize], parents: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut children = vec![Vec::new(); sequence.len()];
    for (position, &parent) in parents.iter().enumerate().skip(1) {
        children[parent as usize].push(position);
    }
    let (mut entered, mut left) = (vec![0; count], vec![0; count]);
    let mut clock = 1;
    let mut stack = vec![(0usize, 0usize)];
    entered[sequence[0]] = 0;
    while let Some((position, next)) = stack.last_mut() {
        match children[*position].get(*next) {
            Some(&child) => {
                *next += 1;
                entered[sequence[child]] = clock;
                stack.push((child, 0));
            }
            None => {
                left[sequence[*position]] = clock;
                stack.pop();
            }
        }
        clock += 1;
    }
    (entered, left)
}

/// Checks all uses in reachable blocks; in unreachable ones nothing is ever computed.
pub(super) fn check(body: &Body, flow: &Flow, report: &mut Report) {
    let mut block_of = vec![BlockId(0); body.instructions.len()];
    for index in 0..body.blocks.len() {
        body.instructions_of(BlockId::at(index)).for_each(|id| block_of[id.index()] = BlockId::at(index));
    }
    let mut use_in = |user: InstructionId, value: InstructionId, block: BlockId, at_end: bool| {
        let home = block_of[value.index()];
        let ok = match home == block {
            true => at_end || value < user,
            false => flow.is_reachable(home) && flow.dominates(home, block),
        };
        if flow.is_reachable(block) && !ok {
            let message = format!("uses v{}, which is not always computed before", value.0);
            report.add(Rule::Dominance, format_args!("v{}", user.0), message);
        }
    };
    for (index, instruction) in body.instructions.iter().enumerate() {
        let user = InstructionId::at(index);
        if let Op::Phi { incoming } = &instruction.op {
            if flow.is_reachable(block_of[index]) {
                for (block, value) in incoming {
                    if let Operand::Instruction(value) = value {
                        use_in(user, *value, *block, true);
                    }
                }
            }
            continue;
        }
        instruction.op.references(|reference| {
            if let Reference::Operand(Operand::Instruction(value)) = reference {
                use_in(user, *value, block_of[index], false);
            }
        });
    }
}
