//! Heap objects whose size depends on the input (B-3): in this run they have one size, but what keeps an access inside is said of the
//! size as the program computed it, so that other sizes are looked for.

use crate::concolic::Concolic;
use crate::path::Kind;
use hydrogen_machine::code::CallSite;
use hydrogen_machine::{Builtin, MemoryEvent, Place, is_near};
use hydrogen_term::Term;

/// An object and its size.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sized {
    address: u64,
    place: Place,
    /// Its size in this run.
    len: u64,
    size: Term,
}

impl Concolic<'_> {
    /// The size of what a call is about to allocate, in 64 bits, if it depends on the input and is none of few.
    pub(crate) fn allocated_size(
        &mut self,
        builtin: Builtin,
        call: &CallSite,
        registers: &[u64],
    ) -> Option<Term> {
        if !self.states() {
            return None;
        }
        let (one, more) = match builtin {
            Builtin::Malloc => (0, None),
            Builtin::Calloc => (0, Some(1)),
            Builtin::Realloc | Builtin::AlignedAlloc => (1, None),
            _ => return None,
        };
        let mut factors = Vec::new();
        for index in std::iter::once(one).chain(more) {
            let register = call.args.get(index)?.src;
            factors.push((self.term(register), registers[register as usize]));
        }
        if factors.iter().all(|(term, _)| term.is_none()) {
            return None;
        }
        let mut size = self.pool.bits(64, 1);
        for (term, value) in factors {
            let factor = match term {
                Some(term) => self.pool.resize_unsigned(term, 64),
                None => self.pool.bits(64, u128::from(value)),
            };
            size = self.pool.mul(size, factor);
        }
        Some(size)
    }

    /// New memory: an object of the size that was asked for, in place of whatever was there.
    pub(crate) fn new_object(&mut self, address: u64, place: Place, len: u64) {
        let size = if address == 0 { None } else { self.asked_size.take() };
        self.sized.retain(|one| one.place.region != place.region || !meets(one, place, len.max(1)));
        if let Some(size) = size {
            self.sized.push(Sized { address, place, len, size });
        }
    }

    /// An access that is inside: it is so by the size of the object. Of copies the length is a number of this run alone, which says nothing of
    /// other sizes.
    pub(crate) fn inside_by_size(&mut self, event: MemoryEvent) {
        if let (MemoryEvent::Load(place, len) | MemoryEvent::Store(place, len), false) =
            (event, self.sized.is_empty() || !self.states())
        {
            self.reaches(place, len);
        }
    }

    fn reaches(&mut self, place: Place, len: u64) {
        let Some(one) =
            self.sized.iter().find(|one| one.place.region == place.region && meets(one, place, len))
        else {
            return;
        };
        let (size, end) = (one.size, place.at.saturating_sub(one.place.at) as u64 + len);
        self.at_least(size, end);
    }

    /// The size of the object that a place is in, if it depends on the input, and how far behind its beginning the place is.
    pub(crate) fn size_behind(&self, place: Place) -> Option<(Term, u64)> {
        let one = self.sized.iter().find(|one| one.place.region == place.region && meets(one, place, 1))?;
        Some((one.size, place.at.checked_sub(one.place.at)? as u64))
    }

    /// An access that is not allowed: with another size it might be.
    pub(crate) fn outside_by_size(&mut self, address: u64, bytes: u64) {
        let Some(one) = self.sized.iter().find(|one| is_near(one.address, one.len, address)) else { return };
        if let Some(offset) = address.checked_sub(one.address) {
            self.at_least(one.size, offset.saturating_add(bytes));
        }
    }

    fn at_least(&mut self, size: Term, end: u64) {
        let end = self.pool.bits(64, u128::from(end));
        let fits = self.pool.uge(size, end);
        self.require(fits, Kind::NoFault);
    }
}

fn meets(one: &Sized, place: Place, len: u64) -> bool {
    let (begin, end) = (one.place.at, one.place.at + one.len as usize);
    place.at < end && begin < place.at + len as usize
}
