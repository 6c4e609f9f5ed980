//! Memory: objects with bounds, lifetime and defined bits, at addresses that are the same in every run.
//!
//! The upper half of an address is the number of an object, the lower half a place that differs from object to object,
//! as in a real address space; so looking up an object costs one index. Numbers of dead objects are used again (of
//! the stack at once, of the heap after a long while) but with other lower halves: an old pointer then points outside
//! of the new object and is found out all the same.

mod arena;
mod object;

pub(crate) use arena::Arena;
pub(crate) use object::{Info, Object};
pub use object::{ObjectKind, Site};
use std::collections::VecDeque;

/// Objects of the stack have numbers with this bit.
const STACK: u64 = 1 << 30;
/// No object is larger: the lower half of an address must have room for it on both sides.
pub(crate) const LARGEST: u64 = 1 << 31;
/// So many dead heap objects keep their numbers.
const REMEMBERED: usize = 1 << 20;
const LOWEST: u32 = 1 << 16;
const HIGHEST: u32 = 1 << 31;
/// Between the variables of two calls.
pub(crate) const FRAME_GAP: u32 = 4096;

/// Which arena.
pub(crate) type Region = usize;
pub(crate) const HEAP: Region = 0;
pub(crate) const FRAMES: Region = 1;

/// The memory of a run.
#[derive(Debug, Clone)]
pub(crate) struct Memory {
    pub(crate) arenas: [Arena; 2],
    objects: [Vec<Object>; 2],
    infos: Vec<Info>,
    dead: VecDeque<u32>,
    lows: [u32; 2],
    /// Bytes that live heap objects take, and how many they may.
    pub(crate) live: u64,
    pub(crate) limit: u64,
    /// How many objects there were.
    pub(crate) allocations: u64,
    /// The end of the running thread's local variables among all objects of the stack, once there are several threads.
    running_end: Option<usize>,
    /// What the current system call wrote: region, byte, length, and whether it is a new object.
    pub(crate) changed: Vec<(Region, usize, usize, bool)>,
}

impl Default for Memory {
    fn default() -> Self {
        let null = Info::new(ObjectKind::Null, 0);
        Self {
            arenas: Default::default(),
            objects: [vec![Object::default()], Vec::new()],
            infos: vec![null],
            dead: VecDeque::new(),
            lows: [LOWEST; 2],
            live: 0,
            limit: u64::from(u32::MAX),
            allocations: 0,
            running_end: None,
            changed: Vec::new(),
        }
    }
}

/// An address taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) region: Region,
    pub(crate) index: usize,
    pub(crate) low: u32,
}

pub(crate) fn take_apart(address: u64) -> Parts {
    let number = address >> 32;
    Parts { region: (number & STACK != 0) as usize, index: (number & !STACK) as usize, low: address as u32 }
}

impl Memory {
    /// The place of an access in its arena, or `None` when it is not allowed.
    #[inline(always)]
    pub(crate) fn find(&self, address: u64, bytes: u32, write: bool) -> Option<(Region, usize)> {
        let number = address >> 32;
        let region = ((number >> 30) & 1) as usize;
        let object = self.objects[region].get((number & !STACK) as usize)?;
        let offset = (address as u32).wrapping_sub(object.base);
        let size = if write { object.writable } else { object.size };
        if u64::from(offset) + u64::from(bytes) > u64::from(size) {
            return None;
        }
        Some((region, object.start as usize + offset as usize))
    }

    /// Whether an address is that of a live object: inside of it, or right behind its end.
    pub(crate) fn is_alive(&self, address: u64) -> bool {
        let parts = take_apart(address);
        let Some(object) = self.object(parts).filter(|object| object.size > 0) else { return false };
        parts.low.wrapping_sub(object.base) <= object.size
    }

    /// The place of a longer access; nothing at all is allowed everywhere.
    pub(crate) fn range(&self, address: u64, bytes: u64, write: bool) -> Option<(Region, usize)> {
        match u32::try_from(bytes) {
            Ok(0) => Some((HEAP, 0)),
            Ok(bytes) => self.find(address, bytes, write),
            Err(_) => None,
        }
    }

    /// Objects from now on lie so many bytes further on.
    pub(crate) fn shift(&mut self, bytes: u32) {
        self.lows.iter_mut().for_each(|low| *low = low.saturating_add(bytes & !15));
    }

    /// The next low half for an object of this size.
    fn next_low(&mut self, region: Region, size: u32, align: u32) -> u32 {
        let align = align.max(16).next_power_of_two().min(1 << 20);
        let mut base = self.lows[region].next_multiple_of(align);
        if base > HIGHEST || size > HIGHEST - base {
            base = LOWEST.next_multiple_of(align);
        }
        // A gap behind every object, and never the same place for a while.
        self.lows[region] = (base + size.min(HIGHEST - 32) + 32) & !15;
        base
    }

    /// An object that lives from now on; `None` when memory is full.
    pub(crate) fn allocate(&mut self, kind: ObjectKind, size: u64, align: u32) -> Option<u64> {
        let size = u32::try_from(size).ok().filter(|size| u64::from(*size) <= LARGEST - 64)?;
        if self.live + u64::from(size) > self.limit {
            return None;
        }
        let start = match size {
            0 => 0,
            _ => self.arenas[HEAP].allocate(size, u64::from(u32::MAX))?,
        };
        self.live += u64::from(size);
        self.allocations += 1;
        let base = self.next_low(HEAP, size, align);
        let object = Object { base, size, writable: size, start };
        let info = Info::new(kind, size);
        let reuse = (self.dead.len() > REMEMBERED).then(|| self.dead.pop_front()).flatten();
        let index = match reuse {
            Some(index) => {
                self.objects[HEAP][index as usize] = object;
                self.infos[index as usize] = info;
                u64::from(index)
            }
            None => {
                self.objects[HEAP].push(object);
                self.infos.push(info);
                self.infos.len() as u64 - 1
            }
        };
        Some(index << 32 | u64::from(base))
    }

    /// A function: something with an address and without content.
    pub(crate) fn add_function(&mut self, kind: ObjectKind) -> u64 {
        let base = self.next_low(HEAP, 16, 16);
        self.objects[HEAP].push(Object { base, size: 0, writable: 0, start: 0 });
        self.infos.push(Info::new(kind, 0));
        (self.infos.len() as u64 - 1) << 32 | u64::from(base)
    }

    /// Ends an object.
    pub(crate) fn release(&mut self, index: usize) {
        let object = &mut self.objects[HEAP][index];
        if object.size > 0 {
            self.live -= u64::from(object.size);
            self.arenas[HEAP].release(object.start, object.size);
        }
        object.size = 0;
        object.writable = 0;
        self.infos[index].freed = true;
        self.dead.push_back(index as u32);
    }

    /// Makes an object's memory read-only.
    pub(crate) fn freeze(&mut self, address: u64) {
        let parts = take_apart(address);
        self.objects[parts.region][parts.index].writable = 0;
    }

    /// How many objects the stack has.
    pub(crate) fn stack_objects(&self) -> usize {
        self.running_end.unwrap_or(self.objects[FRAMES].len())
    }

    /// From now on several threads have objects of the stack.
    pub(crate) fn share_stack(&mut self) {
        self.running_end = Some(self.objects[FRAMES].len());
    }

    /// Another thread's objects end here from now on; gives where those of the running one did.
    pub(crate) fn exchange_stack(&mut self, end: usize) -> usize {
        self.running_end.replace(end).unwrap_or_default()
    }

    /// Keeps the variables of one call far from those of the call before, so that an old pointer is far from whatever has
    /// its number now.
    pub(crate) fn separate_frames(&mut self) {
        self.lows[FRAMES] += FRAME_GAP;
    }

    /// A new object of the stack.
    pub(crate) fn push_local(&mut self, start: u32, size: u32, align: u32) -> u64 {
        let base = self.next_low(FRAMES, size, align);
        let index = self.stack_objects();
        let object = Object { base, size, writable: size, start };
        let objects = &mut self.objects[FRAMES];
        match &mut self.running_end {
            None => objects.push(object),
            Some(end) => {
                *end += 1;
                if objects.len() < *end {
                    objects.resize(*end, Object::default());
                }
                objects[index] = object;
            }
        }
        (STACK | index as u64) << 32 | u64::from(base)
    }

    /// Ends the newest objects of the stack.
    #[inline]
    pub(crate) fn pop_locals(&mut self, count: usize) {
        match &mut self.running_end {
            None => self.objects[FRAMES].truncate(count),
            Some(end) => {
                // A thread that has no variables yet has no places among the objects either.
                let known = self.objects[FRAMES].len();
                self.objects[FRAMES][count.min(known)..(*end).min(known)].fill(Object::default());
                *end = count;
            }
        }
    }

    pub(crate) fn object(&self, parts: Parts) -> Option<&Object> {
        self.objects[parts.region].get(parts.index)
    }

    /// What is known about an object that is not of the stack.
    pub(crate) fn info(&self, index: usize) -> Option<&Info> {
        self.infos.get(index)
    }

    pub(crate) fn info_mut(&mut self, index: usize) -> Option<&mut Info> {
        self.infos.get_mut(index)
    }

    /// All objects that are not of the stack, by number.
    pub(crate) fn each(&self) -> impl Iterator<Item = (usize, &Object, &Info)> {
        self.objects[HEAP]
            .iter()
            .zip(&self.infos)
            .enumerate()
            .map(|(index, (object, info))| (index, object, info))
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
