//! What a run requires of its input, and what becomes of values that cannot be followed.

use crate::concolic::Concolic;
use crate::few::few_values;
use crate::path::{Conjunct, Kind};
use hydrogen_machine::Step;
use hydrogen_machine::code::{Reg, Role};
use hydrogen_term::Term;

impl Concolic<'_> {
    pub(crate) fn require(&mut self, term: Term, kind: Kind) {
        if self.pool.as_bool(term).is_some() || !self.states() {
            return;
        }
        if kind == Kind::Branch || self.every || self.known.insert(term) {
            let (site, instance, taken) = (self.site, self.instance, self.taken);
            self.path.push(Conjunct { term, kind, site, instance, taken });
            self.stated.insert(term);
        }
    }

    /// Requires one of a chain of conditions that is not a branch of the program. An instruction may be executed again, with
    /// care for undefined bits: it decides nothing new then.
    pub(crate) fn require_choice(&mut self, term: Term) {
        if self.pool.as_bool(term).is_none() && (self.every || self.known.insert(term)) {
            self.require(term, Kind::Branch);
        }
    }

    /// Gives up on a symbolic value: it equals what it is in this run.
    pub(crate) fn concretise(&mut self, term: Term, value: u128, why: &str) {
        if !self.states() {
            return;
        }
        let width = self.pool.width(term);
        let value = self.pool.bits(width, value & (u128::MAX >> (128 - width)));
        let equal = self.pool.eq(term, value);
        let (known, there) = (self.stated.contains(&equal), self.path.len());
        self.require(equal, Kind::Concrete);
        // What is known already takes no other value away.
        if !known && self.path.len() > there {
            *self.concretised.entry((why.to_owned(), self.site)).or_insert(0) += 1;
        }
    }

    pub(crate) fn concretise_register(&mut self, reg: Reg, registers: &[u64], why: &str) {
        if let Some(term) = self.term(reg) {
            self.concretise(term, u128::from(registers[reg as usize]), why);
            self.set(reg, None);
        }
    }

    /// A size, a length or the like must be known to go on. One of few values is a choice, halved until one is left; one of many
    /// is at one of its borders, or made concrete.
    pub(crate) fn decide_size(&mut self, reg: Reg, registers: &[u64], why: &str) {
        self.decide_register(reg, registers, why, true);
    }

    /// A value must be known to go on: as a size, where `borders` are worth a try.
    pub(crate) fn decide_register(&mut self, reg: Reg, registers: &[u64], why: &str, borders: bool) {
        const MOST_VALUES: usize = 256;
        let Some(term) = self.term(reg).filter(|_| self.states()) else { return };
        let value = u128::from(registers[reg as usize]);
        let (low, high) = self.pool.range(term);
        let values = match high - low < MOST_VALUES as u128 {
            true => Some((low..=high).collect()),
            false => few_values(&mut self.pool, term, MOST_VALUES),
        };
        let Some(values) = values.filter(|values| values.contains(&value)) else {
            if borders && self.is_at_border(term, value) {
                return self.set(reg, None);
            }
            // The value is needed here and now. What comes later may still ask about others: the register keeps its term.
            return self.concretise(term, value, why);
        };
        let width = self.pool.width(term);
        let mut left = values.as_slice();
        while left.len() > 1 {
            let (lower, upper) = left.split_at(left.len().div_ceil(2));
            let border = self.pool.bits(width, lower[lower.len() - 1]);
            let below = self.pool.ule(term, border);
            if lower.contains(&value) {
                self.require_choice(below);
                left = lower;
            } else {
                let above = self.pool.not(below);
                self.require_choice(above);
                left = upper;
            }
        }
        self.set(reg, None);
    }

    /// The registers that an instruction reads.
    pub(crate) fn reads(step: &Step<'_>) -> Vec<Reg> {
        let mut found = Vec::new();
        step.code.accesses(step.instr, &mut |access| {
            if access.role != Role::Result {
                found.extend(access.first..access.first + access.count);
            }
        });
        found
    }

    pub(crate) fn concretise_reads(&mut self, step: &Step<'_>, why: &str) {
        for reg in Self::reads(step) {
            self.concretise_register(reg, step.registers, why);
        }
    }
}
