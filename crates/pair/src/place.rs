//! Which statements the instructions of the machine execute.
//!
//! The machine keeps variables in registers and drops loads that these make needless, so that a statement may be left without any
//! instruction: `return v` where there is one `return`. It is executed all the same, between its neighbours; otherwise the statements
//! of a run would change with edits elsewhere.

use hydrogen_evidence::Node;
use hydrogen_ir::{Body, Function, Op, Role};
use hydrogen_machine::code::{Code, Instr, Pc};
use std::collections::BTreeSet;

/// A function of one program.
#[derive(Debug, Clone, Default)]
pub(crate) struct Place {
    /// The number of the function among those of all programs.
    pub(crate) function: usize,
    /// By instruction.
    pub(crate) nodes: Vec<Node>,
    /// By instruction, the statements without instructions that stand between it and the one before.
    pub(crate) passed: Vec<Vec<Node>>,
    /// By instruction, whether it is a jump that a statement leaves where others end, as a `switch` does behind its last label: to pass
    /// it is not to execute the statement once more. A statement that is nothing but a jump, as `break`, is executed by it.
    pub(crate) links: Vec<bool>,
    /// By instruction, whether it is of the function's entry, which is no statement: it makes room for variables, as far as these need
    /// it.
    pub(crate) entry: Vec<bool>,
}

impl Place {
    /// `of_origin` are the nodes of the function's instructions before they were decoded.
    pub(crate) fn new(
        number: usize,
        function: &Function,
        body: &Body,
        code: &Code,
        of_origin: &[Node],
    ) -> Self {
        let nodes: Vec<Node> = code.origin.iter().map(|origin| of_origin[origin.index()]).collect();
        let is_entry = |origin: usize| {
            let piece = body.instructions[origin].piece;
            function.pieces.get(piece.index()).is_some_and(|piece| piece.role == Role::Entry)
        };
        let entry = code.origin.iter().map(|origin| is_entry(origin.index())).collect();
        let passed = match function.pieces.is_empty() {
            true => vec![Vec::new(); nodes.len()],
            false => passed(body, code, &nodes, of_origin, &is_entry),
        };
        let links = links(code, &nodes, &passed);
        Self { function: number, nodes, passed, links, entry }
    }

    /// The statements that are executed first from an instruction on, up to one that has instructions, and its first.
    pub(crate) fn first(&self, code: &Code, mut pc: Pc) -> (Vec<Node>, Pc) {
        for _ in 0..self.nodes.len() {
            let at = pc as usize;
            if !self.links[at] && !self.entry[at] {
                break;
            }
            let Some(next) = following(code, pc).into_iter().next() else { break };
            pc = next;
        }
        let mut all = self.passed[pc as usize].clone();
        all.push(self.nodes[pc as usize]);
        (all, pc)
    }

    /// The instructions that a run can come to and that execute a statement.
    pub(crate) fn executed(&self, code: &Code) -> Vec<Pc> {
        let mut seen = vec![false; code.instrs.len()];
        let mut work: Vec<Pc> = if seen.is_empty() { Vec::new() } else { vec![0] };
        while let Some(pc) = work.pop() {
            if !std::mem::replace(&mut seen[pc as usize], true) {
                work.extend(following(code, pc));
            }
        }
        let counts = |pc: &usize| seen[*pc] && !self.links[*pc] && !self.entry[*pc];
        (0..seen.len()).filter(counts).map(|pc| pc as Pc).collect()
    }
}

/// Where a run may go on inside of the function.
pub(crate) fn following(code: &Code, pc: Pc) -> Vec<Pc> {
    let mut next = code.targets(&code.instrs[pc as usize]).unwrap_or_else(|| vec![pc + 1]);
    next.retain(|next| (*next as usize) < code.instrs.len());
    next
}

/// By instruction, the statements between it and the one before in its block that have none.
fn passed(
    body: &Body,
    code: &Code,
    nodes: &[Node],
    of_origin: &[Node],
    is_entry: &dyn Fn(usize) -> bool,
) -> Vec<Vec<Node>> {
    let mut passed = vec![Vec::new(); nodes.len()];
    for (block, start) in body.blocks.iter().zip(&code.blocks) {
        let (mut from, end) = (block.first.index(), block.first.index() + block.count as usize);
        let mut before: Option<Node> = None;
        // Behind the blocks stand the moves for φ, which are made before a block is entered.
        for pc in *start as usize..nodes.len() {
            let origin = code.origin[pc].index();
            if !(block.first.index()..end).contains(&origin) {
                break;
            }
            // Room for a variable is made at the beginning, wherever its declaration stands.
            let executed =
                |at: &usize| !is_entry(*at) && !matches!(body.instructions[*at].op, Op::Alloca { .. });
            let between = (from..origin).filter(executed).map(|at| of_origin[at]);
            let mut all: Vec<Node> = between.skip_while(|node| Some(*node) == before).collect();
            all.dedup();
            if all.last() == Some(&nodes[pc]) {
                all.pop();
            }
            passed[pc] = all;
            from = from.max(origin + 1);
            before = Some(nodes[pc]);
            if from == end {
                break;
            }
        }
    }
    passed
}

fn links(code: &Code, nodes: &[Node], passed: &[Vec<Node>]) -> Vec<bool> {
    let jumps = |pc: usize| matches!(code.instrs[pc], Instr::Jump { .. }) && passed[pc].is_empty();
    let alone = |pc: usize| {
        let goes_on = |before: usize| code.targets(&code.instrs[before]).is_none();
        jumps(pc) && !pc.checked_sub(1).is_some_and(|before| nodes[before] == nodes[pc] && goes_on(before))
    };
    let works: BTreeSet<Node> = (0..nodes.len()).filter(|pc| !alone(*pc)).map(|pc| nodes[pc]).collect();
    (0..nodes.len()).map(|pc| alone(pc) && works.contains(&nodes[pc])).collect()
}
