//! Strings as lengths: what writes do to the place where a string ends, and when a string has no end inside its object.

use crate::meaning::effect::Write;
use crate::meaning::state::{Cell, Terms, Value};
use hydrogen_evidence::Entry;
use hydrogen_term::{Op, Term};

impl Terms {
    /// The length of a string after the writes: how far the first zero is, also where that is behind the end of the object.
    pub fn string(&mut self, writes: &[Write], event: u32, object: Term, offset: Term) -> Term {
        if let Op::Ite = self.pool.op(object)
            && let [condition, then, otherwise] = self.pool.args(object)[..]
        {
            let (then_at, otherwise_at) =
                (self.branch_of(offset, condition, true), self.branch_of(offset, condition, false));
            let then = self.string(writes, event, then, then_at);
            let otherwise = self.string(writes, event, otherwise, otherwise_at);
            return self.pool.ite(condition, then, otherwise);
        }
        let writes = if self.is_constant(object) { &[] } else { writes };
        let Some((last, rest)) = writes.split_last() else { return self.length(object, offset, None) };
        let unknown = |one: &mut Self, event: u32| one.length(object, offset, Some(event));
        match *last {
            Write::Cell { object: other, .. }
            | Write::Region { object: other, .. }
            | Write::Copy { object: other, .. }
            | Write::Fill { object: other, .. }
            | Write::Length { object: other, .. }
                if self.is_apart(object, other) =>
            {
                self.string(rest, event, object, offset)
            }
            Write::Cell {
                object: other, offset: at, cell: Cell::Int(8), value: Value::Int(value), ..
            } => match self.pool.as_bits(value) {
                Some(byte) => self.with_byte((rest, event), (object, offset), (other, at), byte == 0),
                None => unknown(self, event),
            },
            Write::Cell { cell: Cell::Int(8), .. } => unknown(self, event),
            Write::Cell { .. } | Write::Free { .. } | Write::Escape { .. } => {
                self.string(rest, event, object, offset)
            }
            // What lies right behind the region is what lay there before.
            Write::Region { object: other, offset: at, bytes: Some(bytes), .. }
                if object == other && self.pool.sub(offset, at) == bytes =>
            {
                self.string(rest, event, object, offset)
            }
            Write::Region { event: changed, .. } => unknown(self, changed),
            Write::Copy { object: other, offset: at, from, bytes, .. } if (object, offset) == (other, at) => {
                let length = self.string(rest, event, from.0, from.1);
                self.ended_within((rest, event), (object, offset), length, bytes)
            }
            Write::Fill { object: other, offset: at, byte, bytes, .. }
                if object == other && self.pool.as_bits(byte) == Some(0) =>
            {
                let old = self.string(rest, event, object, offset);
                let (zero, inside) = (self.word(0), self.pool.sub(offset, at));
                let (inside, first) = (self.pool.ult(inside, bytes), self.pool.sub(at, offset));
                let (some, before) = (self.pool.ne(bytes, zero), self.pool.ule(first, old));
                let shorter = self.pool.and(some, before);
                let outside = self.pool.ite(shorter, first, old);
                self.pool.ite(inside, zero, outside)
            }
            Write::Copy { .. } | Write::Fill { .. } => unknown(self, event),
            Write::All { ref cells, .. } => {
                let hit = cells.as_ref().is_none_or(|cells| cells.contains(&Cell::Int(8)));
                match hit && !self.is_private(object) {
                    true => unknown(self, event),
                    false => self.string(rest, event, object, offset),
                }
            }
            Write::New { object: other, .. } if object != other => self.string(rest, event, object, offset),
            Write::New { zero: true, bytes: Some(bytes), .. } => {
                let (zero, any, inside) = (self.word(0), unknown(self, event), self.pool.ult(offset, bytes));
                self.pool.ite(inside, zero, any)
            }
            // Nobody has given it an end.
            Write::New { .. } => {
                let event = self.event(Entry::NeverWritten, false, &format!("text of {object:?}"));
                unknown(self, event)
            }
            Write::Length { object: other, offset: at, length, within }
                if object == other && offset == at =>
            {
                match within {
                    None => length,
                    Some(bytes) => self.ended_within((rest, event), (object, offset), length, bytes),
                }
            }
            Write::Length { .. } => unknown(self, event),
        }
    }

    /// The length of a string after one byte became zero, or certainly not zero.
    fn with_byte(
        &mut self,
        (rest, event): (&[Write], u32),
        (object, offset): (Term, Term),
        (other, at): (Term, Term),
        zero: bool,
    ) -> Term {
        let old = self.string(rest, event, object, offset);
        let (same, distance) = (self.pool.eq(object, other), self.pool.sub(at, offset));
        let (hit, new) = match zero {
            true => (self.pool.ule(distance, old), distance),
            // The end is gone, and where the next one is, is not known.
            false => (self.pool.eq(distance, old), self.length(object, offset, Some(event))),
        };
        let hit = self.pool.and(same, hit);
        self.pool.ite(hit, new, old)
    }

    /// The length of what begins with so many characters and an end, if that lies within some bytes; else what is behind them counts, too.
    fn ended_within(
        &mut self,
        (rest, event): (&[Write], u32),
        (object, offset): (Term, Term),
        length: Term,
        bytes: Term,
    ) -> Term {
        let fits = self.pool.ult(length, bytes);
        let next = self.pool.add(offset, bytes);
        let behind = self.string(rest, event, object, next);
        let all = self.pool.add(bytes, behind);
        self.pool.ite(fits, length, all)
    }

    /// Any length, cut to what some bytes have room for; the old one where they have room for nothing.
    pub fn shorter_than(&mut self, bytes: Term, any: Term, old: Term) -> Term {
        let (zero, one) = (self.word(0), self.word(1));
        let (none, fits) = (self.pool.eq(bytes, zero), self.pool.ult(any, bytes));
        let most = self.pool.sub(bytes, one);
        let cut = self.pool.ite(fits, any, most);
        self.pool.ite(none, old, cut)
    }

    /// Whether a string begins inside of its object, or at its end, and has no end there.
    pub fn unended(&mut self, object: Term, offset: Term) -> Term {
        let (size, length) = (self.size(object), self.length(object, offset, None));
        let (room, inside) = (self.pool.sub(size, offset), self.pool.ule(offset, size));
        let without = self.pool.uge(length, room);
        let zero = self.word(0);
        let there = self.pool.ne(object, zero);
        self.pool.and_all([there, inside, without])
    }

    /// What is taken for granted of a string that nobody here wrote: it ends inside its object. None of what the program itself, or a function
    /// whose contract says so, left behind.
    pub fn ended(&mut self, length: Term, at_entry: bool) -> Option<Term> {
        let Op::Apply(function) = self.pool.op(length) else { return None };
        let &[object, offset] = self.pool.args(length) else { return None };
        let taken = match self.event_of(function) {
            Some((_, event)) => !matches!(event.why, Entry::Written { .. } | Entry::NeverWritten),
            None => at_entry,
        };
        if !taken || !self.pool.function_name(function).starts_with("strlen") {
            return None;
        }
        let (size, zero) = (self.size(object), self.word(0));
        let (room, inside) = (self.pool.sub(size, offset), self.pool.ule(offset, size));
        let (there, ends) = (self.pool.ne(object, zero), self.pool.ult(length, room));
        let inside = self.pool.and(there, inside);
        Some(self.pool.implies(inside, ends))
    }
}
