//! For which instructions of a run terms are made. Terms of everything that a run of millions of instructions computes do not fit
//! in memory; those of what a wrong output depends on do.

use crate::address::MOST_WRITTEN;
use crate::concolic::{Concolic, Pending};
use hydrogen_machine::code::{Complex, Intrinsic, Role};
use hydrogen_machine::{Place, Step, View};
use hydrogen_term::{Sort, Term};
use hydrogen_trace::Slice;
use std::sync::Arc;

/// For which instructions terms are made.
#[derive(Debug, Clone, Default)]
pub enum Focus {
    /// All.
    #[default]
    All,
    /// None: it is only found out which addresses depend on the input. One unknown stands for every value that does, and there are
    /// no conditions.
    Whether,
    /// Those of a slice, which is closed: what they read comes from others of it. What is outside is taken for what it is in this
    /// run, and has no conditions.
    Only(Arc<Slice>),
}

impl Focus {
    /// Whether an executed instruction has terms.
    pub(crate) fn has(&self, instance: u64) -> bool {
        match self {
            Focus::All | Focus::Whether => true,
            Focus::Only(slice) => slice.contains(instance),
        }
    }
}

impl Concolic<'_> {
    /// Whether the current instruction may have conditions, and new terms.
    pub(crate) fn states(&self) -> bool {
        self.in_focus && !self.asks_whether()
    }

    /// Whether it is only found out what depends on the input.
    pub(crate) fn asks_whether(&self) -> bool {
        matches!(self.focus, Focus::Whether)
    }

    /// The unknown that stands for every value that depends on the input.
    pub(crate) fn unknown_value(&mut self, width: u32) -> Term {
        // This is asked for with every instruction: the usual names are ready.
        match width {
            8 => self.pool.var("unknown byte", Sort::Bits(8)),
            64 => self.pool.var("unknown word", Sort::Bits(64)),
            _ => self.pool.var(&format!("unknown of {width} bits"), Sort::Bits(width)),
        }
    }

    /// All results of an instruction depend on the input.
    pub(crate) fn hide_results(&mut self, step: &Step<'_>) {
        let unknown = self.unknown_value(64);
        let mut results = Vec::new();
        step.code.accesses(step.instr, &mut |access| {
            if access.role == Role::Result {
                results.extend(access.first..access.first + access.count);
            }
        });
        results.into_iter().for_each(|reg| self.set(reg, Some(unknown)));
    }

    /// A rare instruction that reads what depends on the input, where it is only asked whether something does.
    pub(crate) fn hide_complex(&mut self, step: &Step<'_>, complex: &Complex) {
        match complex {
            Complex::Intrinsic { which: Intrinsic::MemCpy | Intrinsic::MemMove, args, .. } => {
                self.pointer = args.get(1).and_then(|from| self.take_source(*from, step.registers));
            }
            Complex::Intrinsic { which: Intrinsic::MemSet, args, .. }
                if args.get(1).is_some_and(|byte| self.term(*byte).is_some()) =>
            {
                self.pending = Pending::Fill(self.unknown_value(8));
            }
            _ => {}
        }
        self.hide_results(step);
    }

    /// Bytes that may be written by a store whose address depends on the input: as many as become choices otherwise.
    pub(crate) fn hide_object(&mut self, address: u64, view: View<'_>) {
        let Some(extent) = view.object(address) else { return };
        if extent.size > MOST_WRITTEN.min(self.writable) {
            return;
        }
        self.writable -= extent.size;
        self.hide_bytes(extent.place, extent.size);
    }

    pub(crate) fn hide_bytes(&mut self, place: Place, len: u64) {
        let unknown = self.unknown_value(8);
        (0..len).for_each(|at| self.bytes.set(place, at, Some(unknown)));
    }
}
