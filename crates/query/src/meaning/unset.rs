//! Bytes that nobody has given a value yet.

use crate::meaning::effect::Write;
use crate::meaning::state::{Role, Terms};
use hydrogen_term::{Op, Sort, Substitution, Term};

impl Terms {
    /// Whether the byte at an address has no value: now, or after an event.
    pub fn unset(&mut self, object: Term, offset: Term, event: Option<u32>) -> Term {
        // Variables of the program begin with zeros.
        if self.known(object).is_some_and(|object| !object.is_own()) {
            return self.pool.bool(false);
        }
        if let Some(event) = event
            && let Some(left) = self.left_by_call("unset", &[object, offset], Sort::Bool, event)
        {
            return left;
        }
        self.flag_of(Role::Unset, "unset", &[object, offset], event)
    }

    /// Whether the byte at an address has no value after the writes, in terms of the state before them. What stores a value that has none
    /// itself gives one all the same: it was told where that was read.
    pub fn unset_now(&mut self, writes: &[Write], object: Term, offset: Term) -> Term {
        if let Op::Ite = self.pool.op(object)
            && let [condition, then, otherwise] = self.pool.args(object)[..]
        {
            let (then_at, otherwise_at) =
                (self.branch_of(offset, condition, true), self.branch_of(offset, condition, false));
            let then = self.unset_now(writes, then, then_at);
            let otherwise = self.unset_now(writes, otherwise, otherwise_at);
            return self.pool.ite(condition, then, otherwise);
        }
        let Some((last, rest)) = writes.split_last() else { return self.unset(object, offset, None) };
        match *last {
            Write::Cell { object: other, offset: at, cell, .. } => {
                let bytes = self.word(cell.bytes());
                let given = self.pool.bool(false);
                self.unset_unless(rest, (object, offset), (other, at), Some(bytes), given)
            }
            Write::Fill { object: other, offset: at, bytes, .. } => {
                let given = self.pool.bool(false);
                self.unset_unless(rest, (object, offset), (other, at), Some(bytes), given)
            }
            Write::Region { object: other, offset: at, bytes, event } => {
                let left = self.unset(object, offset, Some(event));
                self.unset_unless(rest, (object, offset), (other, at), bytes, left)
            }
            Write::Copy { object: other, offset: at, from, bytes, .. } => {
                let distance = self.pool.sub(offset, at);
                let source = self.pool.add(from.1, distance);
                let copied = self.unset_now(rest, from.0, source);
                self.unset_unless(rest, (object, offset), (other, at), Some(bytes), copied)
            }
            Write::All { event, .. } if !self.is_private(object) => self.unset(object, offset, Some(event)),
            Write::New { object: other, zero, .. } if object == other => self.pool.bool(!zero),
            // An end is written, and what comes before it was there or is written, too.
            Write::Length { object: other, offset: at, length, .. } => {
                let given = self.pool.bool(false);
                self.unset_unless(rest, (object, offset), (other, at), Some(length), given)
            }
            Write::All { .. } | Write::New { .. } | Write::Free { .. } | Write::Escape { .. } => {
                self.unset_now(rest, object, offset)
            }
        }
    }

    /// A condition at an outermost function's entry: there what it makes itself has no value yet.
    pub fn without_values(&mut self, term: Term) -> Term {
        let mut known = Substitution::default();
        for one in self.pool.postorder(&[term]) {
            if let Op::Apply(function) = self.pool.op(one)
                && self.role(function) == Role::Unset
                && let Some(object) = self.known(self.pool.args(one)[0])
            {
                let own = object.is_own();
                known.insert(one, self.pool.bool(own));
            }
        }
        if known.is_empty() { term } else { self.pool.substitute(term, &known) }
    }

    /// `inside` for an address in a region, and what was there before for any other.
    fn unset_unless(
        &mut self,
        rest: &[Write],
        address: (Term, Term),
        region: (Term, Term),
        bytes: Option<Term>,
        inside: Term,
    ) -> Term {
        let kept = self.unset_now(rest, address.0, address.1);
        match self.inside(address, region, bytes) {
            Some(is_inside) => self.pool.ite(is_inside, inside, kept),
            None => kept,
        }
    }
}
