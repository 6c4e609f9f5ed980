//! What holds of sizes, strings and inputs beside every condition.

use crate::meaning::state::{Cell, LARGEST, OWN, Part, Role, WORD};
use crate::walk::Analyst;
use hydrogen_term::{Op, Term};

/// No object begins below or above these addresses.
const LOWEST: u128 = 1 << 16;
const HIGHEST: u128 = 1 << 47;
/// Witnesses need none below this.
const USUAL: u128 = 1 << 40;

impl Analyst<'_> {
    /// What holds of every size, string and address.
    pub(crate) fn with_axioms(&mut self, term: Term) -> Vec<Term> {
        let mut all = vec![term];
        let most = self.terms.pool.bits(64, LARGEST);
        for one in self.terms.pool.postorder(&[term]) {
            if let Op::Apply(function) = self.terms.pool.op(one) {
                let name = self.terms.pool.function_name(function);
                let text = name.starts_with("strlen");
                if name == "size" || text {
                    all.push(self.terms.pool.ule(one, most));
                }
                if self.terms.role(function) == Role::Address {
                    all.push(self.lies_between(one, LOWEST, HIGHEST));
                }
                if self.terms.role(function) == Role::Memory(Cell::Pointer, Part::Object)
                    && self.terms.is_without_nulls(self.terms.pool.args(one)[0])
                {
                    let zero = self.terms.word(0);
                    all.push(self.terms.pool.ne(one, zero));
                }
            }
        }
        all
    }

    /// Where objects usually are: far from both ends of the address space, so that no sum with a number of 32 bits wraps around. None if no
    /// address matters to the condition.
    pub(crate) fn usual_addresses(&mut self, term: Term) -> Option<Vec<Term>> {
        let mut all = Vec::new();
        for one in self.terms.pool.postorder(&[term]) {
            if let Op::Apply(function) = self.terms.pool.op(one)
                && self.terms.role(function) == Role::Address
            {
                all.push(self.lies_between(one, USUAL, HIGHEST));
            }
        }
        (!all.is_empty()).then_some(all)
    }

    /// The address of an object, which is null's or between these.
    fn lies_between(&mut self, address: Term, lowest: u128, highest: u128) -> Term {
        let zero = self.terms.word(0);
        let object = self.terms.pool.args(address)[0];
        let (lowest, highest) = (self.terms.pool.bits(64, lowest), self.terms.pool.bits(64, highest));
        let (low, high) = (self.terms.pool.uge(address, lowest), self.terms.pool.ule(address, highest));
        let (is_null, at_zero) = (self.terms.pool.eq(object, zero), self.terms.pool.eq(address, zero));
        let inside = self.terms.pool.and(low, high);
        self.terms.pool.ite(is_null, at_zero, inside)
    }

    /// What holds of inputs as well: they do not point to what was made later, and the addresses that come in are of live objects.
    pub(crate) fn entry_axioms(&mut self, term: Term) -> Vec<Term> {
        let mut all = self.with_axioms(term);
        let (border, zero) = (self.terms.pool.bits(64, OWN.into()), self.terms.word(0));
        for one in self.terms.pool.postorder(&[term]) {
            if let Op::Apply(function) = self.terms.pool.op(one) {
                match self.terms.role(function) {
                    // On the way here nobody knew yet whose texts they are; see `Terms::ended`.
                    Role::Length | Role::Fixed => all.extend(self.terms.ended(one, true)),
                    // Nothing that comes in is freed; it is in the ledger of every witness.
                    Role::Freed => {
                        let live = self.terms.pool.not(one);
                        all.push(live);
                        continue;
                    }
                    // What comes in has a value, and what is made here has none before it is written.
                    Role::Unset => {
                        let object = self.terms.pool.args(one)[0];
                        let own = self.terms.pool.uge(object, border);
                        let same = self.terms.pool.eq(one, own);
                        all.push(same);
                        continue;
                    }
                    // Whoever hands over what is freed here hands over what can be freed.
                    Role::Rooted => {
                        if self.comes_in(self.terms.pool.args(one)[0]) {
                            let of_the_heap = self.terms.pool.not(one);
                            all.push(of_the_heap);
                        }
                        continue;
                    }
                    Role::Whole(bytes) => {
                        let &[object, offset] = self.terms.pool.args(one) else { continue };
                        if self.comes_in(object) && self.terms.base_offset(object) == Some(offset) {
                            let (size, bytes) = (self.terms.size(object), self.terms.word(bytes));
                            let room = self.terms.pool.sub(size, offset);
                            let fits = self.terms.pool.ule(bytes, room);
                            all.push(self.terms.pool.implies(one, fits));
                        }
                        continue;
                    }
                    _ => {}
                }
            }
            if self.terms.pool.sort(one) != WORD || !self.comes_in(one) {
                continue;
            }
            let Some(offset) = self.terms.base_offset(one) else { continue };
            all.push(self.terms.pool.ult(one, border));
            let size = self.terms.size(one);
            let (null, inside) = (self.terms.pool.eq(one, zero), self.terms.pool.ule(offset, size));
            // Far from the largest size, so that no witness rests on that.
            let near = self.terms.pool.bits(64, LARGEST >> 8);
            all.push(self.terms.pool.ule(offset, near));
            let at_zero = self.terms.pool.eq(offset, zero);
            let not_null = self.terms.pool.not(null);
            let valid = self.terms.pool.or(inside, null);
            let plain = self.terms.pool.or(not_null, at_zero);
            all.push(valid);
            all.push(plain);
        }
        let most = self.terms.pool.bits(64, LARGEST);
        for one in self.terms.pool.postorder(&all) {
            if let Op::Apply(function) = self.terms.pool.op(one)
                && self.terms.pool.function_name(function) == "size"
            {
                all.push(self.terms.pool.ule(one, most));
            }
        }
        all
    }

    /// Whether a value was there before the function or is the outside world's. What a loop or a call leaves behind is not: it may well lead
    /// to the function's own objects, to freed ones, and out of bounds.
    pub(crate) fn comes_in(&self, term: Term) -> bool {
        let event = match self.terms.pool.op(term) {
            Op::Var(_) => self.terms.event_of_variable(term).map(|event| self.terms.event_by_number(event)),
            Op::Apply(function) => self.terms.event_of(function).map(|(_, event)| event),
            _ => None,
        };
        event.is_none_or(|event| event.input)
    }
}
