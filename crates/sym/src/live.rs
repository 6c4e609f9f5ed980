//! Which variables of a state may still be read.

use crate::{
    code::{Code, Exit, Var},
    fold::{Fold, gathered},
    homes::Home,
};
use hydrogen_ir::{InstructionId, Op, Operand, Reference};
use std::collections::BTreeSet;

/// Per node: what may be read from it on before it is written.
pub fn live(code: &Code) -> Vec<BTreeSet<Var>> {
    let facts: Vec<(BTreeSet<Var>, BTreeSet<Var>)> =
        (0..code.nodes.len()).map(|node| node_facts(code, node)).collect();
    let mut live: Vec<BTreeSet<Var>> = vec![BTreeSet::new(); code.nodes.len()];
    let mut order: Vec<usize> =
        (0..code.nodes.len()).filter(|&node| code.position[node] != usize::MAX).collect();
    order.sort_by_key(|&node| std::cmp::Reverse(code.position[node]));
    let mut changed = true;
    while changed {
        changed = false;
        for &node in &order {
            let (read, written) = &facts[node];
            let mut now = read.clone();
            for next in code.successors(node) {
                now.extend(live[next].difference(written));
            }
            if now != live[node] {
                live[node] = now;
                changed = true;
            }
        }
    }
    live
}

/// What a node reads before it writes it, and what it writes.
fn node_facts(code: &Code, at: usize) -> (BTreeSet<Var>, BTreeSet<Var>) {
    let node = &code.nodes[at];
    let mut facts = Facts { code, frame: node.frame, read: BTreeSet::new(), written: BTreeSet::new() };
    for id in (node.first..node.end).map(InstructionId) {
        facts.instruction(id);
    }
    match node.exit {
        Exit::Terminator(id) => {
            facts.operands(code.op(node.frame, id));
            let is_return = matches!(code.op(node.frame, id), Op::Return { .. });
            if is_return && code.frames[node.frame as usize].fold.is_some_and(|fold| fold != Fold::Plain) {
                facts.reads(gathered(node.frame));
            }
            if let (true, Some((caller, _))) = (is_return, code.after(node.frame)) {
                facts.written.insert(Var::Register(caller.frame, caller.call));
            }
            // What a φ of a successor takes from here is read here.
            for next in code.successors(at) {
                facts.phis(next, node.block);
            }
        }
        Exit::Enter(id, inner) => {
            facts.passes(id, inner);
            facts.written.insert(gathered(inner));
        }
        Exit::Again(id, Some(_)) => {
            // What follows the call is looked at here, with the parameters as they are.
            facts.operands(code.op(node.frame, id));
            facts.written.insert(Var::Register(node.frame, id));
        }
        Exit::Again(id, None) => facts.passes(id, node.frame),
        Exit::Up(id, up) => facts.passes(id, up),
        Exit::Next => {}
    }
    (facts.read, facts.written)
}

struct Facts<'c, 'm> {
    code: &'c Code<'m>,
    frame: u32,
    read: BTreeSet<Var>,
    written: BTreeSet<Var>,
}

impl Facts<'_, '_> {
    fn reads(&mut self, var: Var) {
        if !self.written.contains(&var) {
            self.read.insert(var);
        }
    }

    /// The arguments of a call become the parameters of a frame.
    fn passes(&mut self, call: InstructionId, frame: u32) {
        self.operands(self.code.op(self.frame, call));
        let function = self.code.frames[frame as usize].function;
        let count = self.code.module.function(function).parameters.len();
        for n in 0..u32::try_from(count).expect("parameters are few") {
            self.written.insert(Var::Parameter(frame, n));
        }
    }

    fn operand(&mut self, operand: &Operand) {
        match operand {
            Operand::Instruction(id) if self.code.homes.get(self.frame, *id).is_none() => {
                self.reads(Var::Register(self.frame, *id));
            }
            Operand::Parameter(n) => self.reads(Var::Parameter(self.frame, *n)),
            _ => {}
        }
    }

    fn operands(&mut self, op: &Op) {
        op.references(|reference| {
            if let Reference::Operand(operand) = reference {
                self.operand(operand);
            }
        });
    }

    fn instruction(&mut self, id: InstructionId) {
        let op = self.code.op(self.frame, id);
        match op {
            // Its value is put into the state on the way in.
            Op::Phi { .. } => self.reads(Var::Register(self.frame, id)),
            Op::Alloca { .. } => {
                if let Some(Home::Slot(slot)) = self.code.homes.get(self.frame, id) {
                    self.written.insert(Var::Slot(slot));
                }
                return;
            }
            Op::Load { pointer, .. } => match self.code.homes.slot(self.frame, pointer) {
                Some(slot) => self.reads(Var::Slot(slot)),
                None => self.operand(pointer),
            },
            Op::Store { value, pointer, .. } => {
                self.operand(value);
                match self.code.homes.slot(self.frame, pointer) {
                    Some(slot) => drop(self.written.insert(Var::Slot(slot))),
                    None => self.operand(pointer),
                }
            }
            op => self.operands(op),
        }
        self.written.insert(Var::Register(self.frame, id));
    }

    fn phis(&mut self, next: usize, from: hydrogen_ir::BlockId) {
        let node = &self.code.nodes[next];
        if node.frame != self.frame {
            return;
        }
        let phis: Vec<InstructionId> = self.code.phis(next).collect();
        for &id in &phis {
            let Op::Phi { incoming } = self.code.op(node.frame, id) else { break };
            for (_, operand) in incoming.iter().filter(|(block, _)| *block == from) {
                self.operand(operand);
            }
        }
        self.written.extend(phis.into_iter().map(|id| Var::Register(self.frame, id)));
    }
}
