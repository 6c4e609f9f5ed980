//! Which registers a jump carries over: all others are written before they are read wherever it leads.

use super::instr::{Code, Pc, Reg};
use super::operands::Role;
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;

impl Code {
    /// The registers that may be read behind a jump before anything is written to them, constants left out.
    pub(crate) fn across(&self) -> &[Reg] {
        self.across.get_or_init(|| {
            let leads: BTreeSet<Pc> =
                self.instrs.iter().filter_map(|instr| self.targets(instr)).flatten().collect();
            let found: BTreeSet<Reg> = leads.into_iter().flat_map(|pc| self.read_first(pc)).collect();
            found.into_iter().collect()
        })
    }

    /// What is read from an instruction on before it is written, until a jump.
    fn read_first(&self, pc: Pc) -> Vec<Reg> {
        let (mut read, mut written) = (Vec::new(), FxHashSet::default());
        for instr in &self.instrs[pc as usize..] {
            self.accesses(instr, &mut |access| {
                let fresh = |reg: &Reg| *reg < self.first_constant && !written.contains(reg);
                if access.role != Role::Result {
                    read.extend((access.first..access.first + access.count).filter(fresh));
                }
            });
            self.accesses(instr, &mut |access| {
                if access.role == Role::Result {
                    written.extend(access.first..access.first + access.count);
                }
            });
            if self.targets(instr).is_some() {
                break;
            }
        }
        read
    }
}
