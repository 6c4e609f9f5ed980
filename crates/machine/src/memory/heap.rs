//! Objects that are not of the stack: functions, variables of the program, the heap.

use super::space::{HEAP_PLACES, HEAP_SHIFT, heap_address};
use super::{HEAP, Info, Memory, Object, ObjectKind};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// So many places of dead objects are not used again yet.
const REMEMBERED: usize = 1 << 20;
/// Objects lie between these bytes of their places, the first of them;
pub(super) const LOWEST: u64 = 1 << 16;
const HIGHEST: u64 = 1 << 20;
/// and behind each there are at least so many bytes that belong to nothing.
const GAP: u64 = 1 << 16;

/// Places that were used: the first of so many in a row, the one that died first in front.
#[derive(Debug, Clone, Default)]
pub(super) struct Dead {
    runs: FxHashMap<usize, VecDeque<u32>>,
    /// How many places all of them are.
    places: usize,
}

impl Dead {
    fn take(&mut self, places: usize) -> Option<usize> {
        let place = self.runs.get_mut(&places)?.pop_front()?;
        self.places -= places;
        Some(place as usize)
    }

    fn put(&mut self, place: usize, places: usize) {
        self.places += places;
        self.runs.entry(places).or_default().push_back(place as u32);
    }
}

/// How many places an object takes that lies so many bytes inside of the first.
fn places(low: u64, size: u64) -> Option<usize> {
    let end = low.checked_add(size)?.checked_add(GAP)?;
    usize::try_from(end.div_ceil(1 << HEAP_SHIFT)).ok().filter(|places| *places <= HEAP_PLACES)
}

impl Memory {
    /// Where in its place an object of this size lies: never where the last one did.
    fn next_low(&mut self, size: u64, align: u32) -> u64 {
        let align = u64::from(align.max(16).next_power_of_two()).min(HIGHEST);
        let mut low = self.low.next_multiple_of(align);
        if low > HIGHEST {
            low = LOWEST.next_multiple_of(align);
        }
        self.low = (low + size.min(HIGHEST) + 32) & !15;
        low
    }

    /// Places in a row that nobody has, or nobody has had for a long while.
    fn take_places(&mut self, count: usize) -> Option<usize> {
        let fresh = self.heap.len();
        let is_fresh = fresh + count <= HEAP_PLACES;
        if (self.dead.places > REMEMBERED || !is_fresh)
            && let Some(place) = self.dead.take(count)
        {
            return Some(place);
        }
        if !is_fresh {
            return None;
        }
        self.heap.resize(fresh + count, Object::default());
        self.infos.resize(fresh + count, Info::new(ObjectKind::Null, 0));
        Some(fresh)
    }

    /// Where in a place that was used before an object lies: not where the last one did, if it can be helped.
    fn apart(&self, place: usize, count: usize, low: u64, size: u64, align: u32) -> u64 {
        let Some(before) = self.heap[place].base.checked_sub(heap_address(place)) else { return low };
        let end = before + self.infos[place].size;
        let meets = |low: u64| low < end && before < low + size;
        let align = u64::from(align.max(16).next_power_of_two()).min(HIGHEST);
        let others = [low, (end + 16).next_multiple_of(align), LOWEST.next_multiple_of(align)];
        let fits = |low: &u64| !meets(*low) && *low <= HIGHEST && places(*low, size) == Some(count);
        others.into_iter().find(fits).unwrap_or(low)
    }

    /// An object that lives from now on; `None` when memory is full.
    pub(crate) fn allocate(&mut self, kind: ObjectKind, size: u64, align: u32) -> Option<u64> {
        let live = self.live.checked_add(size).filter(|live| *live <= self.limit)?;
        let low = self.next_low(size, align);
        let count = places(low, size)?;
        let start = match size {
            0 => 0,
            _ => self.arenas[HEAP].allocate(size)?,
        };
        let Some(place) = self.take_places(count) else {
            self.arenas[HEAP].release(start, size);
            return None;
        };
        let low = self.apart(place, count, low, size, align);
        self.live = live;
        self.allocations += 1;
        let base = heap_address(place) + low;
        self.heap[place..place + count].fill(Object { base, size, writable: size, start });
        self.infos[place] = Info::new(kind, size);
        Some(base)
    }

    /// A function: something with an address and without content.
    pub(crate) fn add_function(&mut self, kind: ObjectKind) -> u64 {
        let (low, place) = (self.next_low(16, 16), self.heap.len());
        let base = heap_address(place) + low;
        self.heap.push(Object { base, size: 0, writable: 0, start: 0 });
        self.infos.push(Info::new(kind, 0));
        base
    }

    /// Ends an object.
    pub(crate) fn release(&mut self, number: usize) {
        let object = self.heap[number];
        let low = object.base - heap_address(number);
        let Some(count) = places(low, self.infos[number].size) else { return };
        if object.size > 0 {
            self.live -= object.size;
            self.arenas[HEAP].release(object.start, object.size);
        }
        self.heap[number..number + count].fill(Object { size: 0, writable: 0, ..object });
        self.infos[number].freed = true;
        self.dead.put(number, count);
    }

    /// Makes an object's memory read-only.
    pub(crate) fn freeze(&mut self, address: u64) {
        let Some(number) = self.number(address) else { return };
        let object = self.heap[number];
        let Some(count) = places(object.base - heap_address(number), object.size) else { return };
        self.heap[number..number + count].fill(Object { writable: 0, ..object });
    }
}
