//! The ends of blocks, and the moves on edges that stand for φ.

use super::decode::Decoder;
use super::instr::{Complex, Instr, Pc, Reg};
use super::switch::SwitchTable;
use hydrogen_ir::{BlockId, Op};

impl Decoder<'_> {
    pub(super) fn terminator(&mut self, block: BlockId, op: &Op) -> Option<()> {
        match op {
            Op::Return { value } => {
                let value = match value {
                    Some(value) => Some(self.operand(value)?),
                    None => None,
                };
                let (src, count) = value.map_or((0, 0), |value| (value.first, value.registers()));
                self.emit(Instr::Return { src, count });
            }
            Op::Jump { target } => {
                let target = self.edge(block, *target);
                self.emit(Instr::Jump { target });
            }
            Op::Branch { condition, then, otherwise } => {
                let cond = self.operand(condition)?.first;
                let (then, otherwise) = (self.edge(block, *then), self.edge(block, *otherwise));
                self.emit(Instr::Branch { cond, then, otherwise });
            }
            Op::Switch { value, default, cases } => {
                let value = self.operand(value)?.first;
                let default = self.edge(block, *default);
                let mut arms = Vec::with_capacity(cases.len());
                for case in cases {
                    let (words, _) = self.program.constant_words(self.unit, case.value)?;
                    let [word] = words.as_slice() else { return None };
                    arms.push((*word, self.edge(block, case.target)));
                }
                let table = self.code.switches.len() as u32;
                self.code.switches.push(SwitchTable::new(default, arms));
                self.emit(Instr::Switch { value, table });
            }
            Op::IndirectJump { address, targets } => {
                let address = self.operand(address)?.first;
                let targets = targets.iter().map(|target| (target.0, self.edge(block, *target))).collect();
                self.complex(Complex::IndirectJump { address, targets });
            }
            Op::Unreachable => self.emit(Instr::Unreachable),
            Op::AsmBranch { asm, .. } => {
                self.unsupported(format!("inline assembly that jumps: `{}`", asm.template))
            }
            Op::OpaqueTerminator { name, .. } => self.unsupported(format!("the instruction `{name}`")),
            _ => return None,
        }
        Some(())
    }

    /// The label to jump to: the block itself, or an edge that moves values first.
    fn edge(&mut self, from: BlockId, to: BlockId) -> Pc {
        let first = self.body.blocks[to.index()].first;
        if !matches!(self.body.instruction(first).op, Op::Phi { .. }) {
            return to.0;
        }
        let blocks = self.body.blocks.len();
        let known = self.edges.iter().position(|edge| *edge == (from, to));
        let index = known.unwrap_or_else(|| {
            self.edges.push((from, to));
            self.edges.len() - 1
        });
        (blocks + index) as Pc
    }

    /// Writes the moves of all edges behind the blocks.
    pub(super) fn edges(&mut self) {
        for (from, to) in self.edges.clone() {
            let here = self.here();
            self.labels.push(here);
            if self.moves(from, to).is_none() {
                self.unsupported("φ on a value of this type");
            }
            self.emit(Instr::Jump { target: to.0 });
        }
    }

    fn moves(&mut self, from: BlockId, to: BlockId) -> Option<()> {
        let body = self.body;
        let mut moves: Vec<(Reg, Reg, u32)> = Vec::new();
        for id in body.instructions_of(to) {
            let Op::Phi { incoming } = &body.instruction(id).op else { break };
            self.current = id;
            let (_, value) = incoming.iter().find(|(block, _)| *block == from)?;
            let (value, result) = (self.operand(value)?, self.result()?);
            moves.push((result.first, value.first, result.registers()));
        }
        // All φ read before any writes: where one writes what a later one reads, go through temporaries.
        let clash = moves.iter().enumerate().any(|(index, (dst, _, count))| {
            moves[index + 1..].iter().any(|(_, src, other)| *dst < src + other && *src < dst + count)
        });
        if clash {
            for step in &mut moves {
                let between = self.temporary(step.2);
                self.copy(between, step.1, step.2);
                step.1 = between;
            }
        }
        for (dst, src, count) in moves {
            self.copy(dst, src, count);
        }
        Some(())
    }
}
