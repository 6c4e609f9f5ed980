//! The terms of registers, call by call.

use hydrogen_machine::code::Reg;
use hydrogen_term::{Pool, Term};

/// The terms of one activation's registers. A term may be narrower than its register: the rest is zero.
#[derive(Debug, Clone, Default)]
pub(crate) struct Frame {
    terms: Vec<Option<Term>>,
    /// How many registers have a term.
    live: u32,
    /// Where the caller wants the result.
    pub(crate) dst: Reg,
    pub(crate) count: u32,
}

impl Frame {
    pub(crate) fn new(terms: Vec<Option<Term>>, dst: Reg, count: u32) -> Self {
        let live = terms.iter().flatten().count() as u32;
        Self { terms, live, dst, count }
    }

    /// Whether any register depends on the input.
    pub(crate) fn is_symbolic(&self) -> bool {
        self.live > 0
    }

    pub(crate) fn get(&self, reg: Reg) -> Option<Term> {
        self.terms.get(reg as usize).copied().flatten()
    }

    pub(crate) fn set(&mut self, reg: Reg, term: Option<Term>) {
        if self.terms.len() <= reg as usize {
            if term.is_none() {
                return;
            }
            self.terms.resize(reg as usize + 1, None);
        }
        let place = &mut self.terms[reg as usize];
        self.live = self.live + u32::from(term.is_some()) - u32::from(place.is_some());
        *place = term;
    }
}

/// Registers as instructions see them: a term where there is one, else the value.
pub(crate) struct Registers<'a> {
    pub(crate) frame: Option<&'a Frame>,
    pub(crate) values: &'a [u64],
}

impl Registers<'_> {
    pub(crate) fn term(&self, reg: Reg) -> Option<Term> {
        self.frame.and_then(|frame| frame.get(reg))
    }

    pub(crate) fn value(&self, reg: Reg) -> u64 {
        self.values.get(reg as usize).copied().unwrap_or(0)
    }

    /// A value of up to 128 bits; of more than 64 it takes two registers.
    pub(crate) fn read(&self, pool: &mut Pool, reg: Reg, width: u32) -> Term {
        if width > 64 {
            let (low, high) = (self.read(pool, reg, 64), self.read(pool, reg + 1, width - 64));
            return pool.concat(high, low);
        }
        match self.term(reg) {
            Some(term) => pool.resize_unsigned(term, width),
            None => pool.bits(width, u128::from(self.value(reg)) & (u128::MAX >> (128 - width))),
        }
    }
}
