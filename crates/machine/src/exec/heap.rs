//! The heap, and moving memory about.

use super::Machine;
use crate::fault::{FaultKind, Trouble};
use crate::memory::{ObjectKind, STACK};
use crate::monitor::{MemoryEvent, Monitor, Place, View};

/// The error number for a full memory.
pub(super) const ENOMEM: i32 = 12;

impl<M: Monitor> Machine<'_, M> {
    /// A heap object; 0 when memory is full.
    pub(super) fn allocate(&mut self, size: u64, align: u64, zeroed: bool) -> u64 {
        let (program, sites) = (self.program, self.sites());
        let asks = || {
            let site = sites.iter().find(|site| program.is_users(site.function))?;
            let frame = program.place(*site);
            Some((frame.function, frame.line))
        };
        if self.world.memory.next(asks) {
            return 0;
        }
        let align = u32::try_from(align).unwrap_or(1 << 20);
        let Some(address) = self.memory.allocate(ObjectKind::Heap, size, align) else {
            self.world.memory.lack(size);
            return 0;
        };
        if let Some(number) = self.memory.number(address)
            && let Some(info) = self.memory.info_mut(number)
        {
            info.allocated = Some(sites);
        }
        if size > 0
            && let Some(place) = self.memory.range(address, size, true)
        {
            if M::ACTIVE {
                let at = Place { region: place.0, at: place.1 };
                self.monitor.memory(address, MemoryEvent::Fresh(at, size), View(&self.memory));
            }
            if zeroed {
                self.memory.set(place, 0, size as usize);
            }
        }
        address
    }

    /// The number of a live heap object that starts at the address.
    pub(super) fn heap_object(&self, address: u64, action: &str) -> Result<usize, Trouble> {
        let fault = |kind: FaultKind, message: String| Err(Trouble::Fault(kind, message));
        let number = self.memory.number(address);
        let info = number.and_then(|number| self.memory.info(number));
        let (Some(number), Some(info), Some(object)) = (number, info, self.memory.object(address)) else {
            let what = if address < STACK { "no object at all" } else { "a local variable" };
            return fault(FaultKind::InvalidFree, format!("{action} of {what}"));
        };
        if info.kind != ObjectKind::Heap {
            return fault(FaultKind::InvalidFree, format!("{action} of something that is not from the heap"));
        }
        if object.base != address {
            let offset = address.wrapping_sub(object.base).cast_signed();
            let message = format!("{action} of an address {offset} bytes inside a heap object");
            return fault(FaultKind::InvalidFree, message);
        }
        if info.freed {
            return fault(FaultKind::DoubleFree, format!("{action} of a heap object that is freed already"));
        }
        Ok(number)
    }

    pub(super) fn free(&mut self, address: u64) -> Result<(), Trouble> {
        if address == 0 {
            return Ok(());
        }
        let index = self.heap_object(address, "free")?;
        let sites = self.sites();
        if let Some(info) = self.memory.info_mut(index) {
            info.released = Some(sites);
        }
        self.memory.release(index);
        Ok(())
    }

    pub(super) fn reallocate(&mut self, address: u64, size: u64) -> Result<u64, Trouble> {
        if address == 0 {
            return Ok(self.allocate(size, 16, false));
        }
        let index = self.heap_object(address, "realloc")?;
        let old = self.memory.info(index).map_or(0, |info| info.size);
        let new = self.allocate(size, 16, false);
        if new != 0 {
            self.copy_memory(new, address, old.min(size))?;
            self.free(address)?;
        }
        Ok(new)
    }

    /// Copies bytes that may not overlap, unless they are the same: a structure may be copied onto itself.
    pub(super) fn copy_apart(&mut self, to: u64, from: u64, len: u64) -> Result<(), Trouble> {
        if len > 0 && to != from && to < from.wrapping_add(len) && from < to.wrapping_add(len) {
            let message = format!("memcpy of {len} bytes between places that overlap");
            return Err(Trouble::Fault(FaultKind::OverlappingCopy, message));
        }
        self.copy_memory(to, from, len)
    }

    /// Copies bytes that may overlap.
    pub(super) fn copy_memory(&mut self, to: u64, from: u64, len: u64) -> Result<(), Trouble> {
        if len == 0 {
            return Ok(());
        }
        let access = |address: u64, write: bool| Trouble::Access { address, bytes: len, write };
        let (source, target) = (self.memory.range(from, len, false), self.memory.range(to, len, true));
        let (Some(source), Some(target)) = (source, target) else {
            let (address, write) = if source.is_none() { (from, false) } else { (to, true) };
            if M::ACTIVE {
                self.monitor.denied(address, len, write, View(&self.memory));
            }
            return Err(access(address, write));
        };
        self.memory.copy(target, source, len as usize);
        if M::ACTIVE {
            let place = |(region, at): (usize, usize)| Place { region, at };
            self.monitor.memory(to, MemoryEvent::Copy(place(target), place(source), len), View(&self.memory));
        }
        Ok(())
    }

    pub(super) fn set_memory(&mut self, to: u64, byte: u8, len: u64) -> Result<(), Trouble> {
        if len == 0 {
            return Ok(());
        }
        let access = || Trouble::Access { address: to, bytes: len, write: true };
        let target = self.memory.range(to, len, true).ok_or_else(access)?;
        self.memory.set(target, byte, len as usize);
        if M::ACTIVE {
            let place = Place { region: target.0, at: target.1 };
            self.monitor.memory(to, MemoryEvent::Set(place, len), View(&self.memory));
        }
        Ok(())
    }
}
