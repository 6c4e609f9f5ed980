//! Strings as lengths: what writes do to the place where a string ends, and when a string has no end inside its object.

use crate::meaning::effect::Write;
use crate::meaning::state::{Cell, Object, Terms, Value};
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
            // What a byte that is not known does to a text at a place that is not known is not followed: in loops that grows too large.
            Write::Cell {
                object: other, offset: at, cell: Cell::Int(8), value: Value::Int(value), ..
            } if self.is_const(value) || object == other && self.distance(offset, at).is_some() => {
                self.with_byte((rest, event), (object, offset), (other, at), value)
            }
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
            // A text that ends before the region is as it was; one that runs into it ends anywhere.
            Write::Region { object: other, offset: at, bytes: Some(bytes), event: changed }
                if object == other && offset != at =>
            {
                let (old, any) = (self.string(rest, event, object, offset), unknown(self, changed));
                let (behind, before) = (self.pool.sub(offset, at), self.pool.sub(at, offset));
                let (inside, ends) = (self.pool.ult(behind, bytes), self.pool.ult(old, before));
                let old = self.pool.ite(ends, old, any);
                self.pool.ite(inside, any, old)
            }
            Write::Region { object: other, bytes: None, event: changed, .. } if object == other => {
                self.clobbered((rest, event), (object, offset), changed)
            }
            Write::Region { event: changed, .. } => unknown(self, changed),
            Write::Copy { object: other, offset: at, from, bytes, .. }
                if object == other && self.distance(offset, at).is_some() =>
            {
                self.copied((rest, event), (object, offset), at, from, bytes)
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
            Write::Fill { object: other, offset: at, byte, bytes, .. }
                if (object, offset) == (other, at) && self.is_const(byte) =>
            {
                let next = self.pool.add(offset, bytes);
                let behind = self.string(rest, event, object, next);
                self.pool.add(bytes, behind)
            }
            Write::Copy { .. } | Write::Fill { .. } => unknown(self, event),
            Write::All { ref cells, .. } => {
                let hit = cells.as_ref().is_none_or(|cells| cells.contains(&Cell::Int(8)));
                match hit && !self.is_unheld(object) {
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
            Write::Length { object: other, offset: at, length, within: None } if object == other => {
                let old = self.string(rest, event, object, offset);
                self.ended_elsewhere(offset, at, length, old)
            }
            Write::Length { .. } => unknown(self, event),
        }
    }

    /// The length of a string after one byte was written.
    fn with_byte(
        &mut self,
        (rest, event): (&[Write], u32),
        (object, offset): (Term, Term),
        (other, at): (Term, Term),
        byte: Term,
    ) -> Term {
        let old = self.string(rest, event, object, offset);
        let (same, distance) = (self.pool.eq(object, other), self.pool.sub(at, offset));
        let (zero, one) = (self.pool.bits(8, 0), self.word(1));
        let is_end = self.pool.eq(byte, zero);
        let cut = self.pool.ule(distance, old);
        let with_end = self.pool.ite(cut, distance, old);
        if self.pool.as_bool(is_end) == Some(true) {
            return self.pool.ite(same, with_end, old);
        }
        let gone = self.pool.eq(distance, old);
        if object != other || self.distance(offset, at).is_none() {
            // The end is gone, and where the next one is, is not known.
            let any = self.length(object, offset, Some(event));
            let (hit, any) = (self.pool.and(same, gone), any);
            return self.pool.ite(hit, any, old);
        }
        // Where the end is gone, the text goes on with what lies behind it.
        let next = self.pool.add(at, one);
        let behind = self.string(rest, event, object, next);
        let all = self.pool.add(distance, one);
        let all = self.pool.add(all, behind);
        let without = self.pool.ite(gone, all, old);
        let new = self.pool.ite(is_end, with_end, without);
        self.pool.ite(same, new, old)
    }

    /// The length of a string after its object got unknown contents: where all that is ever written there ends, what ended before still does.
    fn clobbered(
        &mut self,
        (rest, event): (&[Write], u32),
        (object, offset): (Term, Term),
        changed: u32,
    ) -> Term {
        let any = self.length(object, offset, Some(changed));
        if !matches!(self.known(object), Some(Object::Stack { closed: true, .. })) {
            return any;
        }
        let old = self.string(rest, event, object, offset);
        let size = self.size(object);
        let room = self.pool.sub(size, offset);
        let (ended, cut) = (self.pool.ult(old, room), self.shorter_than(room, any, old));
        self.pool.ite(ended, cut, any)
    }

    /// Whether nobody but the function itself has the object's address, or it is only given to functions that do not keep it.
    fn is_unheld(&self, object: Term) -> bool {
        self.is_private(object) || matches!(self.known(object), Some(Object::Stack { held: false, .. }))
    }

    /// How far an offset lies behind another one, if that is a number.
    fn distance(&mut self, offset: Term, from: Term) -> Option<i128> {
        let distance = self.pool.sub(offset, from);
        self.pool.as_signed(distance)
    }

    /// The length of a string after bytes of another place were copied into its object, at a known distance from where it begins.
    fn copied(
        &mut self,
        (rest, event): (&[Write], u32),
        (object, offset): (Term, Term),
        at: Term,
        from: (Term, Term),
        bytes: Term,
    ) -> Term {
        let (behind, before) = (self.pool.sub(offset, at), self.pool.sub(at, offset));
        if self.distance(offset, at).is_some_and(|distance| distance < 0) {
            let old = self.string(rest, event, object, offset);
            let length = self.string(rest, event, from.0, from.1);
            let new = self.ended_within((rest, event), (object, at), length, bytes);
            let (ends, all) = (self.pool.ult(old, before), self.pool.add(before, new));
            return self.pool.ite(ends, old, all);
        }
        let source = self.pool.add(from.1, behind);
        let (length, left) = (self.string(rest, event, from.0, source), self.pool.sub(bytes, behind));
        let new = self.ended_within((rest, event), (object, offset), length, left);
        let inside = self.pool.ult(behind, bytes);
        match self.pool.as_bool(inside) {
            Some(true) => new,
            Some(false) => self.string(rest, event, object, offset),
            None => {
                let old = self.string(rest, event, object, offset);
                self.pool.ite(inside, new, old)
            }
        }
    }

    /// The length of a string after another one with an end was written into the same object: before it, or behind where it begins.
    fn ended_elsewhere(&mut self, offset: Term, at: Term, length: Term, old: Term) -> Term {
        let (before, behind) = (self.pool.sub(at, offset), self.pool.sub(offset, at));
        let (reaches, inside) = (self.pool.ule(before, old), self.pool.ule(behind, length));
        let (all, rest) = (self.pool.add(before, length), self.pool.sub(length, behind));
        let otherwise = self.pool.ite(inside, rest, old);
        self.pool.ite(reaches, all, otherwise)
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
    /// whose contract says so, left behind. Objects of the program's own end only where that is known; what is left is what code that nobody
    /// sees wrote there, and at an entry what variables hold (see `own_texts`).
    pub fn ended(&mut self, length: Term, at_entry: bool) -> Option<Term> {
        let Op::Apply(function) = self.pool.op(length) else { return None };
        let &[object, _] = self.pool.args(length) else { return None };
        let whose = self.whose(object);
        let taken = match self.event_of(function) {
            Some((event, _)) if whose != Whose::Outside => self.unseen.contains(&event),
            Some((_, event)) => !matches!(event.why, Entry::Written { .. } | Entry::NeverWritten),
            None => at_entry && whose != Whose::Function,
        };
        (taken && self.is_length(length)).then(|| self.ends_inside(length)).flatten()
    }

    /// Whether a term is the length of a string, now or after an event.
    pub fn is_length(&self, term: Term) -> bool {
        match self.pool.op(term) {
            Op::Apply(function) => self.pool.function_name(function).starts_with("strlen"),
            _ => false,
        }
    }

    /// That a string which begins inside of its object ends there. What comes in at the end of its object is no string at all; of a variable,
    /// that is where something else begins.
    pub fn ends_inside(&mut self, length: Term) -> Option<Term> {
        let &[object, offset] = self.pool.args(length) else { return None };
        let (size, zero) = (self.size(object), self.word(0));
        let room = self.pool.sub(size, offset);
        let inside = match self.whose(object) {
            Whose::Outside => self.pool.ule(offset, size),
            Whose::Variable | Whose::Function => self.pool.ult(offset, size),
        };
        let (there, ends) = (self.pool.ne(object, zero), self.pool.ult(length, room));
        let inside = self.pool.and(there, inside);
        Some(self.pool.implies(inside, ends))
    }

    /// Whose object it is, or can be: what has several possibilities is taken as the one that is made last.
    pub fn whose(&self, object: Term) -> Whose {
        if let (Op::Ite, &[_, then, otherwise]) = (self.pool.op(object), self.pool.args(object)) {
            return self.whose(then).max(self.whose(otherwise));
        }
        match self.known(object) {
            Some(Object::Stack { .. } | Object::Heap(_)) => Whose::Function,
            Some(Object::Global { .. }) => Whose::Variable,
            Some(Object::Function(_)) | None => Whose::Outside,
        }
    }
}

/// Who made an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Whose {
    /// Others: nothing is known but what is taken for granted.
    Outside,
    /// A variable or a constant with a name.
    Variable,
    /// The functions that are looked at.
    Function,
}
