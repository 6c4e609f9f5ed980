//! What decides over statements, in any run (Def. 4 of the specification of partitions).

use crate::statics::Static;
use hydrogen_machine::code::Instr;
use hydrogen_machine::{FuncId, Site};
use std::collections::{BTreeMap, BTreeSet};

impl Static<'_> {
    /// The instructions that decide, directly or not, whether one of these is executed: branches and calls that may not come back, in
    /// the same function and in all that may call it.
    pub fn deciders(&self, sites: &[Site]) -> BTreeSet<Site> {
        let mut callers: Option<BTreeMap<FuncId, Vec<Site>>> = None;
        let mut found = BTreeSet::new();
        let mut functions = BTreeSet::new();
        let mut work: Vec<Site> = sites.to_vec();
        while let Some(Site { function, pc }) = work.pop() {
            let Some(shape) = self.shape(function) else { continue };
            let block = shape.control.block_of[pc as usize];
            for by in &shape.control.controls[block as usize] {
                let site = Site { function, pc: shape.control.instructions(*by).end - 1 };
                if found.insert(site) {
                    work.push(site);
                }
            }
            if functions.insert(function) {
                let callers = callers.get_or_insert_with(|| self.callers());
                work.extend(callers.get(&function).into_iter().flatten().copied());
            }
        }
        found
    }

    /// Every call, by whom it may reach.
    fn callers(&self) -> BTreeMap<FuncId, Vec<Site>> {
        let mut callers: BTreeMap<FuncId, Vec<Site>> = BTreeMap::new();
        for function in self.program.ids() {
            let Some(code) = self.program.code(function) else { continue };
            for (pc, instr) in (0u32..).zip(&code.instrs) {
                if matches!(instr, Instr::Call { .. }) {
                    for callee in self.callees(function, code, pc) {
                        callers.entry(callee).or_default().push(Site { function, pc });
                    }
                }
            }
        }
        callers
    }
}
