//! The control flow graph of a body.

use hydrogen_ir::{BlockId, Body, Const, Op, Operand};

/// Where a terminator leads whose condition is a constant (`for (i = 0; 1; i++)`): it is a mere jump.
pub(super) fn constant_target(op: &Op, constants: &[Const]) -> Option<BlockId> {
    let Op::Branch { condition: Operand::Const(condition), then, otherwise } = op else { return None };
    match constants.get(condition.index()) {
        Some(Const::Int { bits, .. }) => Some(if *bits == 0 { *otherwise } else { *then }),
        _ => None,
    }
}

/// Predecessors and an order in which every block but loop heads comes after its predecessors.
pub(super) struct Blocks {
    pub(super) predecessors: Vec<Vec<usize>>,
    /// Blocks that control reaches, in reverse post-order.
    pub(super) order: Vec<usize>,
    pub(super) reached: Vec<bool>,
}

impl Blocks {
    pub(super) fn new(body: &Body, constants: &[Const]) -> Self {
        let count = body.blocks.len();
        let successors: Vec<Vec<usize>> = (0..count)
            .map(|block| {
                let op = &body.terminator(BlockId::at(block)).op;
                match constant_target(op, constants) {
                    Some(target) => vec![target.index()],
                    None => op.successors().into_iter().map(BlockId::index).collect(),
                }
            })
            .collect();
        let mut reached = vec![false; count];
        let mut order = Vec::with_capacity(count);
        // Depth first without recursion: a block and the next of its successors to visit.
        let mut stack = Vec::new();
        if count > 0 {
            reached[0] = true;
            stack.push((0, 0));
        }
        while let Some((block, next)) = stack.last_mut() {
            match successors[*block].get(*next) {
                Some(&target) => {
                    *next += 1;
                    if !std::mem::replace(&mut reached[target], true) {
                        stack.push((target, 0));
                    }
                }
                None => {
                    order.push(*block);
                    stack.pop();
                }
            }
        }
        order.reverse();
        let mut predecessors = vec![Vec::new(); count];
        for &block in &order {
            for &target in &successors[block] {
                if !predecessors[target].contains(&block) {
                    predecessors[target].push(block);
                }
            }
        }
        Self { predecessors, order, reached }
    }
}
