//! Accesses at symbolic addresses: which object, and what is where in it.

use crate::concolic::{Concolic, Pending};
use crate::memory::byte_of;
use crate::path::Kind;
use crate::table::lookup;
use hydrogen_machine::{Extent, Place, View, is_address};
use hydrogen_term::{Op, Pool, Term};

/// A read that may reach more places than this is made concrete.
const MOST_PLACES: u64 = 4096;
/// A write that may change more bytes than this is made concrete.
pub(crate) const MOST_WRITTEN: u64 = 1 << 14;
/// So many bytes become choices in one run; later writes are made concrete.
pub(crate) const MOST_CHOICES: u64 = 1 << 20;
/// An object that is larger than this is no array of the solver.
const LARGEST_ARRAY: u64 = 1 << 17;
/// Nor is one in which so many bytes are not like the others.
const MOST_ODD: usize = 1 << 13;
/// An address that may lead into more objects than this is made concrete.
const MOST_OBJECTS: usize = 64;

/// The places that an access may reach: `first`, `first + step`, … by `index` from `low` on.
struct Places {
    index: Term,
    low: u64,
    first: u64,
    step: u64,
    count: u64,
}

/// The places inside an object that an offset may have.
fn places(pool: &mut Pool, offset: Term, last: u64) -> Option<Places> {
    let (low, high) = pool.range(offset);
    let (low, high) = (u64::try_from(low).ok()?, u64::try_from(high).unwrap_or(u64::MAX).min(last));
    // An array of numbers is only ever touched at multiples of their size.
    let known = |pool: &mut Pool, bits: u32| {
        let part = pool.extract(offset, bits - 1, 0);
        pool.as_bits(part)
    };
    let (mut bits, mut rest) = (0, 0);
    while let Some(value) = (bits < 12).then(|| known(pool, bits + 1)).flatten() {
        (bits, rest) = (bits + 1, value as u64);
    }
    let step = 1u64 << bits;
    let first = low.checked_sub(rest).map_or(rest, |above| above.next_multiple_of(step) + rest);
    let count = high.checked_sub(first)? / step + 1;
    let index = pool.extract(offset, 63, bits);
    Some(Places { index, low: first >> bits, first, step, count })
}

impl Concolic<'_> {
    /// Says which object an address leads into and that it stays inside, as conditions. `None`: the address must be made concrete.
    pub(crate) fn resolve(
        &mut self,
        pointer: Term,
        address: u64,
        len: u64,
        denied: bool,
        view: View<'_>,
    ) -> Option<(Extent, Term)> {
        let pointer = self.pool.resize_unsigned(pointer, 64);
        let extent = match self.base(pointer, view) {
            Some(extent) => extent,
            None => self.choose_object(pointer, address, view)?,
        };
        let base = self.pool.bits(64, u128::from(extent.address));
        let offset = self.pool.sub(pointer, base);
        let inside = match extent.size.checked_sub(len) {
            Some(last) => {
                let last = self.pool.bits(64, u128::from(last));
                self.pool.ule(offset, last)
            }
            None => self.pool.bool(false),
        };
        // Far enough outside there may be another object, where the machine sees nothing wrong.
        let strayed = address.wrapping_sub(extent.address) > extent.size.saturating_sub(len) && !denied;
        if strayed {
            let outside = self.pool.not(inside);
            self.require_choice(outside);
            return None;
        }
        self.require(inside, Kind::NoFault);
        self.be_sure_within(extent);
        Some((extent, offset))
    }

    /// The object that an address is counted from: a constant plus something.
    fn base(&self, pointer: Term, view: View<'_>) -> Option<Extent> {
        let (low, high) = self.pool.range(pointer);
        if let Some(object) = u64::try_from(low).ok().and_then(|low| view.object(low))
            && u64::try_from(high).is_ok_and(|high| object.is_near(high))
        {
            return Some(object);
        }
        if self.pool.op(pointer) != Op::Add {
            return None;
        }
        let constants = self.pool.args(pointer).iter().filter_map(|arg| self.pool.as_bits(*arg));
        constants
            .map(|value| value as u64)
            .filter(|value| is_address(*value))
            .find_map(|value| view.object(value))
    }

    /// One of several objects, whose addresses are constants in the term: a chain of branches, in the order of addresses.
    fn choose_object(&mut self, pointer: Term, address: u64, view: View<'_>) -> Option<Extent> {
        let mut objects: Vec<Extent> = Vec::new();
        for term in self.pool.postorder(&[pointer]) {
            let constant = match self.pool.op(term) {
                Op::Bits(value) if self.pool.width(term) == 64 && is_address(value as u64) => value as u64,
                _ => continue,
            };
            if let Some(object) = view.object(constant).filter(|object| object.size > 0)
                && !objects.contains(&object)
            {
                objects.push(object);
            }
        }
        let here = |object: &Extent| address.wrapping_sub(object.address) < object.size;
        if objects.len() > MOST_OBJECTS || objects.is_empty() {
            return None;
        }
        objects.sort_by_key(|object| object.address);
        for object in objects {
            let (base, size) = (u128::from(object.address), u128::from(object.size));
            let (base, size) = (self.pool.bits(64, base), self.pool.bits(64, size));
            let offset = self.pool.sub(pointer, base);
            let inside = self.pool.ult(offset, size);
            if here(&object) {
                self.require_choice(inside);
                return Some(object);
            }
            let outside = self.pool.not(inside);
            self.require_choice(outside);
        }
        None
    }

    pub(crate) fn load(&mut self, place: Place, len: u64, view: View<'_>) {
        let term = match self.pointer.take() {
            Some((pointer, address)) => {
                self.somewhere.insert(self.instance);
                let read = match self.states() {
                    true => self.read_somewhere(pointer, address, len, view),
                    false => self.asks_whether().then(|| self.unknown_value(len as u32 * 8)),
                };
                if read.is_none() {
                    self.concretise(pointer, u128::from(address), "the address of a read");
                }
                read.or_else(|| self.bytes.load(&mut self.pool, place, len, view))
            }
            None if self.asks_whether() => {
                self.bytes.has_any(place, len).then(|| self.unknown_value(len as u32 * 8))
            }
            None => self.bytes.load(&mut self.pool, place, len, view),
        };
        let term = term.filter(|term| self.pool.as_bits(*term).is_none());
        if let (Some(audit), Some(term)) = (&mut self.audit, term) {
            audit.insert((term, number(view.bytes(place, len.min(16)))));
        }
        match (&mut self.pending, term) {
            (Pending::Load(dst), _) => {
                let dst = *dst;
                self.set(dst, term);
            }
            (Pending::LoadParts(first, parts), _) => {
                let (first, Some(part)) = (*first, parts.pop()) else { return };
                let dst = first + part.register;
                (dst..dst + part.scalar.registers()).for_each(|reg| self.set(reg, None));
                if let Some(term) = term {
                    let term = self.pool.resize_unsigned(term, part.scalar.width().min(128));
                    self.set_wide(dst, term);
                }
            }
            (_, Some(term)) => {
                let value = number(view.bytes(place, len.min(16)));
                self.concretise(term, value, "an atomic operation");
            }
            (_, None) => {}
        }
    }

    /// The value at a symbolic address: of every place it may be, one behind the other.
    fn read_somewhere(&mut self, pointer: Term, address: u64, len: u64, view: View<'_>) -> Option<Term> {
        let (extent, offset) = self.resolve(pointer, address, len, false, view)?;
        let places = places(&mut self.pool, offset, extent.size.checked_sub(len)?)?;
        if places.count > MOST_PLACES {
            let array = self.contents(extent, view)?;
            return Some(self.pool.read_le(array, offset, len as u32));
        }
        let mut entries = Vec::with_capacity(places.count as usize);
        for number in 0..places.count {
            let at = extent.place.at + (places.first + number * places.step) as usize;
            entries.push(self.bytes.value(&mut self.pool, Place { at, ..extent.place }, len, view));
        }
        let found = lookup(&mut self.pool, places.index, places.low, &entries, len as u32 * 8);
        found.or_else(|| self.as_array(extent, offset, len, view))
    }

    /// Bytes are copied from a symbolic address: a structure out of an array. The copy is done already.
    pub(crate) fn copy(&mut self, to: Place, from: Place, len: u64, view: View<'_>) {
        let Some((pointer, address)) = self.pointer.take() else {
            return self.bytes.copy(to, from, len);
        };
        self.somewhere.insert(self.instance);
        if self.asks_whether() {
            return self.hide_bytes(to, len);
        }
        if !self.in_focus {
            return self.bytes.copy(to, from, len);
        }
        if self.copy_from_somewhere(pointer, address, to, len, view).is_none() {
            self.concretise(pointer, u128::from(address), "the address of a copy");
            self.bytes.copy(to, from, len);
        }
    }

    fn copy_from_somewhere(
        &mut self,
        pointer: Term,
        address: u64,
        to: Place,
        len: u64,
        view: View<'_>,
    ) -> Option<()> {
        let (extent, offset) = self.resolve(pointer, address, len, false, view)?;
        let places = places(&mut self.pool, offset, extent.size.checked_sub(len)?)?;
        if places.count.saturating_mul(len) > MOST_PLACES {
            return None;
        }
        let mut copied = Vec::new();
        for byte in 0..len {
            let mut entries = Vec::with_capacity(places.count as usize);
            for number in 0..places.count {
                let at = extent.place.at + (places.first + number * places.step + byte) as usize;
                entries.push(self.bytes.value(&mut self.pool, Place { at, ..extent.place }, 1, view));
            }
            let found = lookup(&mut self.pool, places.index, places.low, &entries, 8)?;
            copied.push(self.pool.as_bits(found).is_none().then_some(found));
        }
        (0..).zip(copied).for_each(|(byte, term)| self.bytes.set(to, byte, term));
        Some(())
    }

    /// What an object holds, as an array of the solver: an earlier one that most of its bytes still come from, or the byte that it has most of,
    /// with what is different. `None` where too much is.
    fn contents(&mut self, extent: Extent, view: View<'_>) -> Option<Term> {
        if extent.size > LARGEST_ARRAY {
            return None;
        }
        let mut bytes = Vec::with_capacity(extent.size as usize);
        let mut counts = [0u32; 256];
        let mut earlier = None;
        for at in 0..extent.size {
            let place = Place { at: extent.place.at + at as usize, ..extent.place };
            let byte = self.bytes.value(&mut self.pool, place, 1, view);
            if let Some(known) = self.pool.as_bits(byte) {
                counts[known as usize & 255] += 1;
            } else if earlier.is_none() && self.pool.op(byte) == Op::Select {
                let (array, index) = (self.pool.args(byte)[0], self.pool.args(byte)[1]);
                earlier = (self.pool.as_bits(index) == Some(u128::from(at))).then_some(array);
            }
            bytes.push(byte);
        }
        let base = earlier.unwrap_or_else(|| {
            let most = (0..256).max_by_key(|byte| counts[*byte]).unwrap_or(0);
            let most = self.pool.bits(8, most as u128);
            self.pool.const_array(64, most)
        });
        let (mut array, mut odd) = (base, 0);
        for (at, byte) in bytes.into_iter().enumerate() {
            let index = self.pool.bits(64, at as u128);
            if self.pool.select(base, index) != byte {
                odd += 1;
                array = self.pool.store(array, index, byte);
            }
            if odd > MOST_ODD {
                return None;
            }
        }
        Some(array)
    }

    /// Every byte that a write may have reached is what the array holds there now.
    fn spread(&mut self, extent: Extent, array: Term, places: &Places, len: u64) {
        for number in 0..places.count {
            for byte in 0..len {
                let at = places.first + number * places.step + byte;
                let index = self.pool.bits(64, u128::from(at));
                let here = self.pool.select(array, index);
                let here = self.pool.as_bits(here).is_none().then_some(here);
                self.bytes.set(Place { at: extent.place.at + at as usize, ..extent.place }, 0, here);
            }
        }
    }

    /// A rich table, as an array of the solver.
    fn as_array(&mut self, extent: Extent, offset: Term, len: u64, view: View<'_>) -> Option<Term> {
        if extent.size > MOST_PLACES {
            return None;
        }
        let key = (extent.place, extent.size);
        let array = match self.arrays.get(&key) {
            Some(array) => *array,
            None => {
                let zero = self.pool.bits(8, 0);
                let mut array = self.pool.const_array(64, zero);
                for at in 0..extent.size {
                    let place = Place { at: extent.place.at + at as usize, ..extent.place };
                    let byte = self.bytes.value(&mut self.pool, place, 1, view);
                    let index = self.pool.bits(64, u128::from(at));
                    array = self.pool.store(array, index, byte);
                }
                if !extent.writable {
                    self.arrays.insert(key, array);
                }
                array
            }
        };
        Some(self.pool.read_le(array, offset, len as u32))
    }

    pub(crate) fn store(&mut self, place: Place, len: u64, view: View<'_>) {
        let (term, value) = match &mut self.pending {
            Pending::Store(term, value) => (*term, *value),
            Pending::StoreParts(terms) => (terms.pop().flatten(), 0),
            _ => (None, 0),
        };
        if let Some((pointer, address)) = self.pointer.take() {
            self.somewhere.insert(self.instance);
            if self.asks_whether() {
                self.hide_object(address, view);
            } else if self.in_focus
                && self.write_somewhere(pointer, address, len, (term, value), view).is_some()
            {
                return;
            }
            self.concretise(pointer, u128::from(address), "the address of a write");
        }
        self.bytes.store(&mut self.pool, place, len, term);
    }

    /// Writes at a symbolic address: every byte that it may reach is either written or what it was.
    fn write_somewhere(
        &mut self,
        pointer: Term,
        address: u64,
        len: u64,
        (term, value): (Option<Term>, u64),
        view: View<'_>,
    ) -> Option<()> {
        let (extent, offset) = self.resolve(pointer, address, len, false, view)?;
        let places = places(&mut self.pool, offset, extent.size.checked_sub(len)?)?;
        let bytes = places.count.saturating_mul(len);
        if bytes > self.writable {
            return None;
        }
        let width = len as u32 * 8;
        let value = match term {
            Some(term) => self.pool.resize_unsigned(term, width),
            None => self.pool.bits(width, u128::from(value) & (u128::MAX >> (128 - width))),
        };
        if bytes > MOST_WRITTEN {
            let array = self.contents(extent, view)?;
            let array = self.pool.write_le(array, offset, value);
            self.writable -= bytes;
            self.spread(extent, array, &places, len);
            return Some(());
        }
        self.writable -= bytes;
        let index_width = self.pool.width(places.index);
        for number in 0..places.count {
            let at = places.first + number * places.step;
            let index = self.pool.bits(index_width, u128::from(places.low + number));
            let hit = self.pool.eq(places.index, index);
            let place = Place { at: extent.place.at + at as usize, ..extent.place };
            for byte in 0..len {
                let here = Place { at: place.at + byte as usize, ..place };
                let old = self.bytes.value(&mut self.pool, here, 1, view);
                let new = byte_of(&mut self.pool, value, byte);
                let either = self.pool.ite(hit, new, old);
                let either = self.pool.as_bits(either).is_none().then_some(either);
                self.bytes.set(here, 0, either);
            }
        }
        Some(())
    }
}

/// Bytes as a number, the lowest first.
fn number(bytes: &[u8]) -> u128 {
    let mut value = [0; 16];
    value[..bytes.len()].copy_from_slice(bytes);
    u128::from_le_bytes(value)
}
