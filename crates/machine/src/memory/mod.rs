//! Memory: objects with bounds, lifetime and defined bits, at addresses that are the same in every run.
//!
//! Every object has places of the address space for itself ([`space`]), so looking one up costs one index. Places of dead objects are used
//! again (of the stack at once, of the heap after a long while), but the new object does not lie where the old one did inside of its place: an
//! old pointer then points outside of the new object and is found out all the same.

mod arena;
mod heap;
mod object;
mod space;
mod stack;

pub(crate) use arena::Arena;
use heap::Dead;
pub(crate) use object::{Info, Object};
pub use object::{ObjectKind, Site};
use space::array_place;
pub(crate) use space::heap_place;
pub(crate) use space::{ARRAYS_END, CELL_SHIFT, HEAP_SHIFT, STACK};
pub use space::{is_address, is_near, next_places, place_of, places_of};
pub(crate) use stack::{Depth, Ends, FRAME_GAP};

/// Which arena.
pub(crate) type Region = usize;
pub(crate) const HEAP: Region = 0;
pub(crate) const FRAMES: Region = 1;

/// The memory of a run.
#[derive(Debug, Clone)]
pub(crate) struct Memory {
    pub(crate) arenas: [Arena; 2],
    /// What is not of the stack, by place; an object that takes several is at each of them.
    heap: Vec<Object>,
    infos: Vec<Info>,
    dead: Dead,
    /// Where in its place the next object lies.
    low: u64,
    stack: stack::Stack,
    /// Bytes that live heap objects take, and how many they may.
    pub(crate) live: u64,
    pub(crate) limit: u64,
    /// How many objects there were.
    pub(crate) allocations: u64,
    /// What the current system call wrote: region, byte, length, and whether it is a new object.
    pub(crate) changed: Vec<(Region, usize, usize, bool)>,
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            arenas: Default::default(),
            // No object has the first place.
            heap: vec![Object::default()],
            infos: vec![Info::new(ObjectKind::Null, 0)],
            dead: Dead::default(),
            low: heap::LOWEST,
            stack: stack::Stack::default(),
            live: 0,
            limit: u64::MAX,
            allocations: 0,
            changed: Vec::new(),
        }
    }
}

impl Memory {
    /// The place of an access in its arena, or `None` when it is not allowed.
    #[inline(always)]
    pub(crate) fn find(&self, address: u64, bytes: u32, write: bool) -> Option<(Region, usize)> {
        let (region, object) = match address < STACK {
            true => (HEAP, self.heap.get(heap_place(address))?),
            false => (FRAMES, self.stack.at(address)?),
        };
        let offset = address.wrapping_sub(object.base);
        let size = if write { object.writable } else { object.size };
        if offset.saturating_add(u64::from(bytes)) > size {
            return None;
        }
        Some((region, (object.start + offset) as usize))
    }

    /// The object that has the place that an address is in, dead or alive.
    #[inline]
    pub(crate) fn object(&self, address: u64) -> Option<&Object> {
        match address < STACK {
            true => self.heap.get(heap_place(address)).filter(|object| object.base != 0),
            false => self.stack.at(address),
        }
    }

    /// Whether an address is that of a live object: inside of it, or right behind its end.
    pub(crate) fn is_alive(&self, address: u64) -> bool {
        self.object(address)
            .is_some_and(|object| object.size > 0 && address.wrapping_sub(object.base) <= object.size)
    }

    /// Whether two addresses belong to one live object: inside of it, or right behind its end.
    #[inline(never)]
    pub(crate) fn are_together(&self, one: u64, other: u64) -> bool {
        self.object(one).is_some_and(|object| {
            object.size > 0
                && one.wrapping_sub(object.base) <= object.size
                && other.wrapping_sub(object.base) <= object.size
        })
    }

    /// The place of a longer access; nothing at all is allowed everywhere.
    pub(crate) fn range(&self, address: u64, bytes: u64, write: bool) -> Option<(Region, usize)> {
        if bytes == 0 {
            return Some((HEAP, 0));
        }
        let object = self.object(address)?;
        let offset = address.wrapping_sub(object.base);
        let size = if write { object.writable } else { object.size };
        let fits = offset.checked_add(bytes).is_some_and(|end| end <= size);
        fits.then_some((usize::from(address >= STACK), (object.start + offset) as usize))
    }

    /// Objects from now on lie so many bytes further on.
    pub(crate) fn shift(&mut self, bytes: u32) {
        self.low = self.low.saturating_add(u64::from(bytes & !15));
        self.stack.shift(u64::from(bytes & !15));
    }

    /// The number of the object, dead or alive, that is not of the stack and has the place that an address is in.
    pub(crate) fn number(&self, address: u64) -> Option<usize> {
        let object = self.object(address).filter(|_| address < STACK)?;
        Some(heap_place(object.base))
    }

    /// What is known about an object that is not of the stack.
    pub(crate) fn info(&self, number: usize) -> Option<&Info> {
        self.infos.get(number)
    }

    pub(crate) fn info_mut(&mut self, number: usize) -> Option<&mut Info> {
        self.infos.get_mut(number)
    }

    /// The object with a number that is not of the stack.
    pub(crate) fn numbered(&self, number: usize) -> Option<&Object> {
        self.heap.get(number)
    }

    /// All objects that are not of the stack, by number.
    pub(crate) fn each(&self) -> impl Iterator<Item = (usize, &Object, &Info)> {
        let all = self.heap.iter().zip(&self.infos).enumerate();
        all.filter(|(number, (object, _))| object.base != 0 && heap_place(object.base) == *number)
            .map(|(number, (object, info))| (number, object, info))
    }

    /// Copies bytes with their defined bits; the ranges may overlap.
    pub(crate) fn copy(&mut self, to: (Region, usize), from: (Region, usize), len: usize) {
        if to.0 == from.0 {
            let arena = &mut self.arenas[to.0];
            arena.bytes.copy_within(from.1..from.1 + len, to.1);
            arena.defined.copy_within(from.1..from.1 + len, to.1);
            return;
        }
        let [heap, frames] = &mut self.arenas;
        let (target, source) = if to.0 == HEAP { (heap, &*frames) } else { (frames, &*heap) };
        target.bytes[to.1..to.1 + len].copy_from_slice(&source.bytes[from.1..from.1 + len]);
        target.defined[to.1..to.1 + len].copy_from_slice(&source.defined[from.1..from.1 + len]);
    }

    /// Writes defined bytes.
    pub(crate) fn fill(&mut self, to: (Region, usize), bytes: &[u8]) {
        let arena = &mut self.arenas[to.0];
        arena.bytes[to.1..to.1 + bytes.len()].copy_from_slice(bytes);
        arena.defined[to.1..to.1 + bytes.len()].fill(0xff);
    }

    /// Writes one defined byte many times.
    pub(crate) fn set(&mut self, to: (Region, usize), byte: u8, len: usize) {
        let arena = &mut self.arenas[to.0];
        arena.bytes[to.1..to.1 + len].fill(byte);
        arena.defined[to.1..to.1 + len].fill(0xff);
    }
}
