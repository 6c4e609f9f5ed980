//! Terms of bytes in memory.

use hydrogen_machine::{Place, View};
use hydrogen_term::{Pool, Term};
use rustc_hash::FxHashMap;

/// The bytes that depend on the input.
#[derive(Debug, Default)]
pub(crate) struct Bytes(FxHashMap<Place, Term>);

impl Bytes {
    pub(crate) fn set(&mut self, place: Place, byte: u64, term: Option<Term>) {
        let at = Place { at: place.at + byte as usize, ..place };
        match term {
            Some(term) => self.0.insert(at, term),
            None => self.0.remove(&at),
        };
    }

    pub(crate) fn get(&self, place: Place, byte: u64) -> Option<Term> {
        self.0.get(&Place { at: place.at + byte as usize, ..place }).copied()
    }

    pub(crate) fn forget(&mut self, place: Place, len: u64) {
        if !self.0.is_empty() {
            (0..len).for_each(|byte| self.set(place, byte, None));
        }
    }

    /// The value of several bytes, the lowest first; `None` when all of them are concrete.
    pub(crate) fn load(&self, pool: &mut Pool, place: Place, len: u64, view: View<'_>) -> Option<Term> {
        if self.0.is_empty() || (0..len).all(|byte| self.get(place, byte).is_none()) {
            return None;
        }
        let concrete = view.bytes(place, len);
        let mut value: Option<Term> = None;
        for byte in 0..len {
            let low = concrete.get(byte as usize).copied().unwrap_or(0);
            let term = self.get(place, byte).unwrap_or_else(|| pool.bits(8, u128::from(low)));
            value = Some(match value {
                None => term,
                Some(value) => pool.concat(term, value),
            });
        }
        value
    }

    pub(crate) fn store(&mut self, pool: &mut Pool, place: Place, len: u64, value: Option<Term>) {
        let Some(value) = value else { return self.forget(place, len) };
        let value = pool.resize_unsigned(value, (len as u32 * 8).min(128));
        for byte in 0..len.min(16) {
            let low = byte as u32 * 8;
            let term = pool.extract(value, low + 7, low);
            let term = pool.as_bits(term).is_none().then_some(term);
            self.set(place, byte, term);
        }
    }

    pub(crate) fn copy(&mut self, to: Place, from: Place, len: u64) {
        if self.0.is_empty() {
            return;
        }
        let terms: Vec<Option<Term>> = (0..len).map(|byte| self.get(from, byte)).collect();
        (0..).zip(terms).for_each(|(byte, term)| self.set(to, byte, term));
    }
}
