//! Terms of bytes in memory.

use hydrogen_machine::{Place, View};
use hydrogen_term::{Pool, Term};
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A byte that depends on the input.
#[derive(Debug, Clone, Copy)]
struct Byte {
    term: Term,
    /// The value that it was stored as a part of, and which byte of that it is: read as a whole it is that value again.
    part_of: Option<(Term, u8)>,
}

/// The bytes that depend on the input.
#[derive(Debug, Default)]
pub(crate) struct Bytes(FxHashMap<Place, Byte>);

fn shifted(place: Place, byte: u64) -> Place {
    Place { at: place.at + byte as usize, ..place }
}

impl Bytes {
    /// Whether nothing in memory depends on the input.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn set(&mut self, place: Place, byte: u64, term: Option<Term>) {
        self.put(place, byte, term.map(|term| Byte { term, part_of: None }));
    }

    fn put(&mut self, place: Place, byte: u64, what: Option<Byte>) {
        match what {
            Some(what) => self.0.insert(shifted(place, byte), what),
            None => self.0.remove(&shifted(place, byte)),
        };
    }

    pub(crate) fn get(&self, place: Place, byte: u64) -> Option<Term> {
        self.0.get(&shifted(place, byte)).map(|byte| byte.term)
    }

    /// Whether one of some bytes depends on the input.
    pub(crate) fn has_any(&self, place: Place, len: u64) -> bool {
        !self.0.is_empty() && (0..len).any(|byte| self.0.contains_key(&shifted(place, byte)))
    }

    /// The value that so many bytes were stored as, if it was one. Those of its bytes that do not depend on the input are not known
    /// here: they must be what is in memory.
    fn stored(&self, pool: &mut Pool, place: Place, concrete: &[u8]) -> Option<Term> {
        let part = |byte: u64| self.0.get(&shifted(place, byte)).map(|byte| byte.part_of);
        let whole = (0..concrete.len() as u64).find_map(part)??.0;
        if pool.width(whole) as usize != concrete.len() * 8 {
            return None;
        }
        for (number, known) in (0u8..).zip(concrete) {
            let same = match part(u64::from(number)) {
                Some(part_of) => part_of == Some((whole, number)),
                None => {
                    let byte = byte_of(pool, whole, u64::from(number));
                    pool.as_bits(byte) == Some(u128::from(*known))
                }
            };
            if !same {
                return None;
            }
        }
        Some(whole)
    }

    /// The terms of an object's bytes, by their distance from its beginning.
    pub(crate) fn within(&self, place: Place, len: u64) -> BTreeMap<u64, Term> {
        if len > self.0.len() as u64 {
            let range = place.at..place.at + len as usize;
            let inside = self.0.iter().filter(|(at, _)| at.region == place.region && range.contains(&at.at));
            return inside.map(|(at, byte)| ((at.at - place.at) as u64, byte.term)).collect();
        }
        (0..len).filter_map(|byte| Some((byte, self.get(place, byte)?))).collect()
    }

    pub(crate) fn forget(&mut self, place: Place, len: u64) {
        if self.0.is_empty() {
            return;
        }
        if len > self.0.len() as u64 {
            let end = place.at + len as usize;
            self.0.retain(|at, _| at.region != place.region || !(place.at..end).contains(&at.at));
            return;
        }
        (0..len).for_each(|byte| self.set(place, byte, None));
    }

    /// The value of several bytes, the lowest first; `None` when all of them are concrete.
    pub(crate) fn load(&self, pool: &mut Pool, place: Place, len: u64, view: View<'_>) -> Option<Term> {
        if self.0.is_empty() || (0..len).all(|byte| self.get(place, byte).is_none()) {
            return None;
        }
        Some(self.value(pool, place, len, view))
    }

    /// The value of several bytes, the lowest first, a constant or not.
    pub(crate) fn value(&self, pool: &mut Pool, place: Place, len: u64, view: View<'_>) -> Term {
        let concrete = view.bytes(place, len);
        if let Some(stored) = self.stored(pool, place, concrete) {
            return stored;
        }
        let byte_at = |pool: &mut Pool, byte: u64| {
            let low = concrete.get(byte as usize).copied().unwrap_or(0);
            self.get(place, byte).unwrap_or_else(|| pool.bits(8, u128::from(low)))
        };
        let mut value = byte_at(pool, 0);
        for byte in 1..len {
            let high = byte_at(pool, byte);
            value = pool.concat(high, value);
        }
        value
    }

    pub(crate) fn store(&mut self, pool: &mut Pool, place: Place, len: u64, value: Option<Term>) {
        let Some(value) = value else { return self.forget(place, len) };
        let value = pool.resize_unsigned(value, (len as u32 * 8).min(128));
        for byte in 0..len.min(16) {
            let term = byte_of(pool, value, byte);
            let part_of = Some((value, byte as u8));
            let known = pool.as_bits(term).is_none().then_some(Byte { term, part_of });
            self.put(place, byte, known);
        }
    }

    pub(crate) fn copy(&mut self, to: Place, from: Place, len: u64) {
        if self.0.is_empty() {
            return;
        }
        if len > self.0.len() as u64 {
            let end = from.at + len as usize;
            let inside = |at: &Place| at.region == from.region && (from.at..end).contains(&at.at);
            let found: Vec<(u64, Byte)> = self
                .0
                .iter()
                .filter(|(at, _)| inside(at))
                .map(|(at, what)| ((at.at - from.at) as u64, *what))
                .collect();
            self.forget(to, len);
            found.into_iter().for_each(|(byte, what)| self.put(to, byte, Some(what)));
            return;
        }
        let found: Vec<Option<Byte>> =
            (0..len).map(|byte| self.0.get(&shifted(from, byte)).copied()).collect();
        (0..).zip(found).for_each(|(byte, what)| self.put(to, byte, what));
    }
}

/// One byte of a value, counted from the lowest.
pub(crate) fn byte_of(pool: &mut Pool, value: Term, byte: u64) -> Term {
    let low = byte as u32 * 8;
    pool.extract(value, low + 7, low)
}
