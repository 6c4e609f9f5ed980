//! Where an instruction leads.

use super::instr::{Code, Complex, Instr, Pc};

impl Code {
    /// Where an instruction may lead if it ends a run of instructions; none if the next one follows. A call comes back.
    pub fn targets(&self, instr: &Instr) -> Option<Vec<Pc>> {
        Some(match instr {
            Instr::Jump { target } => vec![*target],
            Instr::Branch { then, otherwise, .. } => vec![*then, *otherwise],
            Instr::Switch { table, .. } => {
                let table = &self.switches[*table as usize];
                let mut targets: Vec<Pc> = table.arms().iter().map(|arm| arm.1).collect();
                targets.push(table.default_target());
                targets
            }
            Instr::Return { .. } | Instr::Unreachable => Vec::new(),
            Instr::Complex { index } => match &self.complex[*index as usize] {
                Complex::IndirectJump { targets, .. } => targets.iter().map(|target| target.1).collect(),
                Complex::Unsupported { .. } => Vec::new(),
                _ => return None,
            },
            _ => return None,
        })
    }
}
