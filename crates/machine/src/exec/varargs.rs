//! Variable arguments, as x86-64 passes them in memory.
//!
//! clang's `va_arg` looks first at registers that the callee saved, then at memory. `va_start` here says that all
//! registers are used up, so that every argument is found in memory, one after the other.

use super::Machine;
use super::call::Passed;
use crate::fault::Trouble;
use crate::memory::{FRAMES, ObjectKind};
use crate::monitor::{MemoryEvent, Monitor, Place, View};

/// The library's own wrappers of system calls: they read arguments whether they are given or not, as the system does.
const WRAPPERS: [&str; 5] = ["syscall", "fcntl", "ioctl", "prctl", "ptrace"];

/// How many bytes a function reads behind the variable arguments that it is given.
pub(super) fn reads_further(name: &str, users: bool) -> u64 {
    if !users && WRAPPERS.contains(&name) { 48 } else { 0 }
}

const ALL_GENERAL: u64 = 48;
const ALL_VECTOR: u64 = 176;

impl<M: Monitor> Machine<'_, M> {
    /// Lays the arguments out in the callee's frame. `more`: so many bytes of zeros follow.
    pub(super) fn pass_varargs(&mut self, args: &[Passed], more: u64) -> Result<(), Trouble> {
        let mut size = 0u64;
        let mut places = Vec::with_capacity(args.len());
        for arg in args {
            let (bytes, align) = match arg.by_value {
                Some((size, align)) => (size, u64::from(align)),
                None => {
                    let bytes =
                        arg.parts.iter().map(|part| u64::from(part.offset + part.scalar.bytes())).max();
                    let wide = arg.parts.iter().any(|part| part.scalar.registers() == 2);
                    (bytes.unwrap_or(0), if wide { 16 } else { 8 })
                }
            };
            size = size.next_multiple_of(align.max(8));
            places.push((size, bytes));
            size = (size + bytes).next_multiple_of(8);
        }
        let (address, at) = self.push_dynamic(size + more, 16)?;
        self.memory.set((FRAMES, at + size as usize), 0, more as usize);
        for (arg, (offset, bytes)) in args.iter().zip(places) {
            let at = at + offset as usize;
            if arg.by_value.is_some() {
                let from = arg.words[0];
                let access = || Trouble::Access { address: from, bytes, write: false };
                let source = self.memory.range(from, bytes, false).ok_or_else(access)?;
                self.memory.copy((FRAMES, at), source, bytes as usize);
                if M::ACTIVE {
                    let source = Place { region: source.0, at: source.1 };
                    let event = MemoryEvent::Copy(Place { region: FRAMES, at }, source, bytes);
                    self.monitor.memory(from, event, View(&self.memory));
                }
                continue;
            }
            for part in &arg.parts {
                let register = part.register as usize;
                let wide = part.scalar.registers() == 2;
                let join = |words: &[u64]| {
                    let high = if wide { u128::from(words[register + 1]) << 64 } else { 0 };
                    u128::from(words[register]) | high
                };
                // Small integers were extended by the caller; their upper half is as good as defined.
                let (value, undefined) = (join(&arg.words), join(&arg.undefined));
                let bytes = part.scalar.bytes().max(if arg.parts.len() == 1 { 8 } else { 1 }) as usize;
                let at = at + part.offset as usize;
                self.memory.arenas[FRAMES].write(at, bytes, value, !undefined);
                if M::ACTIVE {
                    let place = Place { region: FRAMES, at };
                    self.monitor.memory(
                        0,
                        match arg.src {
                            Some(src) => MemoryEvent::Argument(place, bytes as u64, src + part.register),
                            None => MemoryEvent::Store(place, bytes as u64),
                        },
                        View(&self.memory),
                    );
                }
            }
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.varargs = address;
        }
        Ok(())
    }

    /// `va_start`: fills the four fields of a `va_list`.
    pub(super) fn va_start(&mut self, list: u64) -> Result<(), Trouble> {
        let varargs = self.frames.last().map_or(0, |frame| frame.varargs);
        let access = || Trouble::Access { address: list, bytes: 24, write: true };
        let (region, at) = self.memory.range(list, 24, true).ok_or_else(access)?;
        let arena = &mut self.memory.arenas[region];
        arena.store64(at, ALL_VECTOR << 32 | ALL_GENERAL);
        arena.store64(at + 8, varargs);
        arena.store64(at + 16, 0);
        if M::ACTIVE {
            self.monitor.memory(list, MemoryEvent::Set(Place { region, at }, 24), View(&self.memory));
        }
        Ok(())
    }

    /// An object that the machine makes for itself.
    pub(super) fn make(&mut self, kind: ObjectKind, bytes: &[u8]) -> Option<u64> {
        let address = self.memory.allocate(kind, bytes.len() as u64, 16)?;
        if let Some(place) =
            self.memory.range(address, bytes.len() as u64, true).filter(|_| !bytes.is_empty())
        {
            self.memory.fill(place, bytes);
        }
        Some(address)
    }
}
