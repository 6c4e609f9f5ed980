//! What chosen instructions of a run computed, as terms over the input.

use crate::concolic::Concolic;
use hydrogen_machine::code::{Reg, Role};
use hydrogen_machine::{Site, Step};
use hydrogen_term::Term;
use rustc_hash::FxHashSet;
use std::collections::BTreeMap;

/// A value: its term where it depends on the input, and what it was in this run.
pub type Valued = (Option<Term>, u64);

/// Keeps what instructions computed, by their number in the run; that of the first is 1.
#[derive(Debug, Default)]
pub struct Kept {
    wanted: FxHashSet<u64>,
    /// What was computed, with where.
    pub found: BTreeMap<u64, (Site, Vec<Valued>)>,
    /// Instructions whose results are there when their function goes on: how many functions there are, and the registers.
    open: Vec<(usize, u64, Site, Vec<Reg>)>,
}

impl Kept {
    /// For these instructions.
    pub fn of(wanted: FxHashSet<u64>) -> Self {
        Self { wanted, ..Self::default() }
    }
}

impl Concolic<'_> {
    /// Notes the results of the instruction before, and what the one that comes stores. A result is in its register only until another takes its place,
    /// so this comes before anything else of a step.
    pub(crate) fn keep(&mut self, step: &Step<'_>) {
        let Some(mut kept) = self.kept.take() else { return };
        let depth = self.frames.len();
        let value = |reg: Reg| (self.term(reg), step.registers.get(reg as usize).copied().unwrap_or(0));
        while let Some((of, number, site, registers)) = kept.open.pop_if(|one| one.0 >= depth) {
            if of == depth {
                kept.found.insert(number, (site, registers.into_iter().map(value).collect()));
            }
        }
        if kept.wanted.contains(&self.instance) {
            let (mut results, mut stored) = (Vec::new(), Vec::new());
            step.code.accesses(step.instr, &mut |access| {
                let registers = access.first..access.first + access.count;
                match access.role {
                    Role::Result => results.extend(registers),
                    Role::Value => stored.extend(registers),
                    _ => {}
                }
            });
            match results.is_empty() {
                true => {
                    let all = stored.into_iter().map(value).collect();
                    kept.found.insert(self.instance, (step.site, all));
                }
                false => kept.open.push((depth, self.instance, step.site, results)),
            }
        }
        self.kept = Some(kept);
    }
}
