//! Copies of a length that depends on the input (B-3): every byte that may be copied is either copied or what it was, and a condition says that
//! the length stays inside of both objects.

use crate::concolic::{Concolic, Pending};
use crate::few::few_values;
use crate::path::Kind;
use crate::strings::Chars;
use hydrogen_machine::code::Reg;
use hydrogen_machine::{Extent, Place, Step, View};
use hydrogen_term::Term;

/// A copy that may change more bytes than this is one of a single length.
const MOST_COPIED: u64 = 4096;
/// One of so many constants is chosen.
const MOST_CHOSEN: usize = 64;

/// Whether two addresses lead into one object.
fn are_together(one: u64, other: u64, view: View<'_>) -> bool {
    view.object(one).is_some_and(|object| object.is_near(other))
}

/// What is put into memory.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Filling {
    /// Bytes from elsewhere that may not overlap (`memcpy`).
    Apart,
    /// Bytes from elsewhere (`memmove`).
    Bytes,
    /// One byte, again and again (`memset`).
    Byte,
}

/// A byte after a copy.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Copied {
    place: Place,
    /// What it holds.
    term: Term,
    /// Where only the length decides whether it has a value at all: the side that this run is on.
    unsure: Option<Term>,
}

impl Concolic<'_> {
    /// A copy of so many bytes as a register says. Whether everything is said about it: then memory holds what it will hold.
    pub(crate) fn copies(&mut self, filling: Filling, args: [Reg; 3], step: &Step<'_>) -> bool {
        let [(to_term, to), source, (length, now)] =
            args.map(|reg| (self.term(reg), step.registers[reg as usize]));
        let Some(length) = length.filter(|_| self.summaries && to_term.is_none()) else { return false };
        // Where a text was found to end is better chosen: what comes behind it is at known places then.
        if few_values(&mut self.pool, length, MOST_CHOSEN).is_some() {
            return false;
        }
        let length = self.pool.resize_unsigned(length, 64);
        let Some(copied) = self.copied(filling, to, source, (length, now), step.view) else { return false };
        self.lay_down(&copied);
        self.pending = Pending::Copied;
        true
    }

    fn copied(
        &mut self,
        filling: Filling,
        to: u64,
        source: (Option<Term>, u64),
        (length, now): (Term, u64),
        view: View<'_>,
    ) -> Option<Vec<Copied>> {
        let target = self.chars(to, view)?;
        let mut room = target.rest;
        // In the order in which the machine looks.
        let from = match (filling, source) {
            (Filling::Byte, (Some(byte), _)) => Err(self.pool.resize_unsigned(byte, 8)),
            (Filling::Byte, (None, byte)) => Err(self.pool.bits(8, u128::from(byte as u8))),
            (_, (Some(_), _)) => return None,
            (_, (None, from)) => {
                let chars = self.chars(from, view)?;
                if matches!(filling, Filling::Apart) && to != from && are_together(to, from, view) {
                    room = room.min(to.abs_diff(from));
                    self.no_longer_than(length, to.abs_diff(from));
                }
                self.fits(&chars, length);
                room = room.min(chars.rest);
                Ok(chars)
            }
        };
        self.fits(&target, length);
        let most = self.most_copied(length, room).filter(|_| now <= room)?;
        let mut copied = Vec::new();
        for at in 0..most {
            let place = target.place_of(at);
            self.be_sure(place, 1);
            let (new, has_value) = match &from {
                Err(byte) => (*byte, true),
                Ok(chars) => {
                    let there = chars.place_of(at);
                    self.be_sure(there, 1);
                    (self.bytes.value(&mut self.pool, there, 1, view), view.is_defined(there))
                }
            };
            let reached = self.reaches_byte(length, at);
            copied.push(self.either(place, (reached, at < now), (new, has_value), view));
        }
        Some(copied)
    }

    /// What a text that is copied up to a length, and filled up with zeros, leaves (`strncpy`). `None` if nothing of it depends on the input, or
    /// it is better followed step by step.
    pub(crate) fn text_copied(
        &mut self,
        to: u64,
        from: u64,
        (length, now): (Option<Term>, u64),
        view: View<'_>,
    ) -> Option<Vec<Copied>> {
        let mut symbolic = length.is_some();
        let length = match length {
            Some(length) => self.pool.resize_unsigned(length, 64),
            None => self.pool.bits(64, u128::from(now)),
        };
        let (target, source) = (self.chars(to, view)?, self.chars(from, view)?);
        if are_together(to, from, view) {
            return None;
        }
        let most = self.most_copied(length, target.rest)?;
        let zero = self.pool.bits(8, 0);
        // Whether the text has not ended before.
        let mut goes_on = self.pool.bool(true);
        let (mut bytes, mut inside) = (Vec::new(), self.pool.bool(true));
        // A byte is read before it is found that there is no room for it.
        for at in 0..=most {
            let reached = self.reaches_byte(length, at);
            let byte = if self.pool.as_bool(goes_on) == Some(false) {
                zero
            } else if let Some(byte) = self.char_at(&source, at) {
                symbolic |= self.pool.as_bits(byte).is_none();
                let put = self.pool.ite(goes_on, byte, zero);
                let more = self.pool.ne(byte, zero);
                goes_on = self.pool.and(goes_on, more);
                put
            } else {
                // The text must have ended, or the length keeps away from here.
                let read = self.pool.and(goes_on, reached);
                inside = self.pool.not(read);
                goes_on = self.pool.bool(false);
                zero
            };
            bytes.push((reached, byte));
        }
        if !symbolic {
            return None;
        }
        bytes.truncate(most as usize);
        self.require(inside, Kind::NoFault);
        self.fits(&target, length);
        let mut copied = Vec::new();
        for (at, (reached, byte)) in (0..).zip(bytes) {
            let place = target.place_of(at);
            self.be_sure(place, 1);
            copied.push(self.either(place, (reached, at < now), (byte, true), view));
        }
        Some(copied)
    }

    /// A byte that is new where the length reaches it, and what it was otherwise.
    fn either(
        &mut self,
        place: Place,
        (reached, is_reached): (Term, bool),
        (new, has_value): (Term, bool),
        view: View<'_>,
    ) -> Copied {
        let old = self.bytes.value(&mut self.pool, place, 1, view);
        let term = self.pool.ite(reached, new, old);
        let side = if is_reached { reached } else { self.pool.not(reached) };
        Copied { place, term, unsure: (has_value != view.is_defined(place)).then_some(side) }
    }

    /// Memory holds what was copied.
    pub(crate) fn lay_down(&mut self, copied: &[Copied]) {
        self.writable -= copied.len() as u64;
        for one in copied {
            self.bytes.set(one.place, 0, self.pool.as_bits(one.term).is_none().then_some(one.term));
            match one.unsure.filter(|side| self.pool.as_bool(*side).is_none()) {
                Some(side) => drop(self.unsure.insert(one.place, side)),
                None => drop(self.unsure.remove(&one.place)),
            }
        }
    }

    /// Bytes are read: of those that only a length gave a value, which side this run is on.
    pub(crate) fn be_sure(&mut self, place: Place, len: u64) {
        if self.unsure.is_empty() {
            return;
        }
        for at in 0..len {
            let here = Place { at: place.at + at as usize, ..place };
            if let Some(side) = self.unsure.remove(&here) {
                self.require_choice(side);
            }
        }
    }

    /// Bytes somewhere in an object are read.
    pub(crate) fn be_sure_within(&mut self, extent: Extent) {
        if self.unsure.is_empty() {
            return;
        }
        let (begin, end) = (extent.place.at, extent.place.at + extent.size as usize);
        let inside = |at: &&Place| at.region == extent.place.region && (begin..end).contains(&at.at);
        let mut met: Vec<Place> = self.unsure.keys().filter(inside).copied().collect();
        met.sort_by_key(|place| place.at);
        met.into_iter().for_each(|place| self.be_sure(place, 1));
    }

    /// Bytes are written: what they were does not matter any more.
    pub(crate) fn be_written(&mut self, place: Place, len: u64) {
        if !self.unsure.is_empty() {
            let end = place.at + len as usize;
            self.unsure.retain(|at, _| at.region != place.region || !(place.at..end).contains(&at.at));
        }
    }

    /// How many bytes a copy may change, if they are not too many.
    fn most_copied(&self, length: Term, room: u64) -> Option<u64> {
        let most = u64::try_from(self.pool.range(length).1).unwrap_or(u64::MAX).min(room);
        (most <= MOST_COPIED.min(self.writable)).then_some(most)
    }

    fn reaches_byte(&mut self, length: Term, at: u64) -> Term {
        let at = self.pool.bits(64, u128::from(at));
        self.pool.ult(at, length)
    }

    /// So many bytes are inside of an object, by its size.
    fn fits(&mut self, chars: &Chars<'_>, length: Term) {
        match self.size_behind(chars.place) {
            Some((size, skip)) => {
                let skip = self.pool.bits(64, u128::from(skip));
                let (whole, room) = (self.pool.uge(size, skip), self.pool.sub(size, skip));
                let fine = self.pool.ule(length, room);
                self.require(whole, Kind::NoFault);
                self.require(fine, Kind::NoFault);
            }
            None => self.no_longer_than(length, chars.rest),
        }
    }

    fn no_longer_than(&mut self, length: Term, most: u64) {
        let most = self.pool.bits(64, u128::from(most));
        let fine = self.pool.ule(length, most);
        self.require(fine, Kind::NoFault);
    }
}
