//! Functions that the machine does itself.

use super::Machine;
use super::heap::ENOMEM;
use crate::code::CallSite;
use crate::fault::{FaultKind, Trouble};
use crate::monitor::{MemoryEvent, Monitor, Place, View};
use crate::program::Builtin;
use bstr::ByteSlice;

const EINVAL: i32 = 22;

impl<M: Monitor> Machine<'_, M> {
    pub(super) fn builtin(&mut self, builtin: Builtin, site: &CallSite) -> Result<(), Trouble> {
        let undefined = site.args.iter().any(|arg| self.undefined_bits(arg.src) != 0);
        if undefined && !matches!(builtin, Builtin::Nothing | Builtin::MemSet) {
            let message = "a value that was never written is an argument of a function of the library".into();
            return Err(Trouble::Fault(FaultKind::UninitialisedRead, message));
        }
        let arg = |index: usize| site.args.get(index).map_or(0, |arg| self.get(arg.src));
        let (a, b, c) = (arg(0), arg(1), arg(2));
        let result = match builtin {
            Builtin::Malloc => self.or_full(a, |machine| machine.allocate(a, 16, false)),
            Builtin::Calloc => match a.checked_mul(b) {
                Some(size) => self.or_full(size, |machine| machine.allocate(size, 16, true)),
                None => self.fail(ENOMEM),
            },
            Builtin::Realloc => {
                let new = self.reallocate(a, b)?;
                if new == 0 { self.fail(ENOMEM) } else { new }
            }
            Builtin::Free => {
                self.free(a)?;
                0
            }
            Builtin::AlignedAlloc => match a.is_power_of_two() {
                true => self.or_full(b, |machine| machine.allocate(b, a, false)),
                false => self.fail(EINVAL),
            },
            Builtin::PosixMemalign => {
                let address = self.allocate(c, b, false);
                if address != 0 {
                    let access = || Trouble::Access { address: a, bytes: 8, write: true };
                    let (region, at) = self.memory.find(a, 8, true).ok_or_else(access)?;
                    self.memory.arenas[region].store64(at, address);
                    self.tell_set(a, region, at, 8);
                }
                if address == 0 { ENOMEM as u64 } else { 0 }
            }
            Builtin::UsableSize => match a {
                0 => 0,
                _ => {
                    let index = self.heap_object(a, "malloc_usable_size")?;
                    self.memory.info(index).map_or(0, |info| info.size)
                }
            },
            Builtin::MemCpy => {
                self.copy_apart(a, b, c)?;
                a
            }
            Builtin::MemMove => {
                self.copy_memory(a, b, c)?;
                a
            }
            Builtin::MemSet => {
                self.set_memory(a, b as u8, c)?;
                a
            }
            Builtin::SetJmp => {
                self.remember_jump(a)?;
                0
            }
            Builtin::LongJmp => return self.long_jump(a, b as i32),
            Builtin::SetThreadArea => {
                self.thread_pointer = a;
                0
            }
            Builtin::Clone => self.start_thread(std::array::from_fn(arg))?,
            Builtin::UnmapSelf => {
                const MUNMAP: u64 = 11;
                self.world.system_call(&mut self.memory, MUNMAP, [a, b, 0, 0, 0, 0]);
                return if M::THREADS { self.end_thread() } else { self.end_nested() };
            }
            Builtin::Init => {
                self.next();
                return self.run_all(&self.program.constructors);
            }
            Builtin::Fini => {
                self.next();
                return self.run_all(&self.program.destructors);
            }
            Builtin::Symbolic => {
                self.named_input(a, b, c)?;
                0
            }
            Builtin::Assume => {
                if M::ACTIVE {
                    self.monitor.named(builtin, b"", None);
                }
                if a == 0 {
                    return Err(Trouble::Assumption);
                }
                0
            }
            Builtin::NamedOutput => {
                let name = self.name_at(a)?;
                if M::ACTIVE {
                    self.monitor.named(builtin, &name, None);
                }
                self.world.named_outputs.push((name.into(), b));
                0
            }
            Builtin::SetRounding if a == 0 => 0,
            Builtin::SetRounding => {
                return Err(Trouble::Unsupported("`fesetround`: numbers are rounded to the nearest".into()));
            }
            Builtin::TestExceptions if a != 0 && self.asks_itself() => {
                let why = "`fetestexcept`: what happens in floating-point arithmetic is not recorded";
                return Err(Trouble::Unsupported(why.into()));
            }
            Builtin::TestExceptions | Builtin::Nothing => 0,
        };
        for index in 0..site.count {
            self.set(site.dst + index, if index == 0 { result } else { 0 });
            self.set_undefined(site.dst + index, 0);
        }
        self.next();
        Ok(())
    }

    /// Whether the program itself asks, or the library for it; the library's own mathematics only tidies up.
    fn asks_itself(&self) -> bool {
        let caller = self.site().function;
        self.program.is_users(caller) || self.program.function(caller).name.starts_with("fe")
    }

    fn or_full(&mut self, _size: u64, allocate: impl FnOnce(&mut Self) -> u64) -> u64 {
        match allocate(self) {
            0 => self.fail(ENOMEM),
            address => address,
        }
    }

    /// The text at an address; the null pointer is the empty name.
    fn name_at(&self, address: u64) -> Result<Vec<u8>, Trouble> {
        const LONGEST: u64 = 4096;
        let mut name = Vec::new();
        while address != 0 && (name.len() as u64) < LONGEST {
            let at = address.wrapping_add(name.len() as u64);
            let access = || Trouble::Access { address: at, bytes: 1, write: false };
            let (region, at) = self.memory.find(at, 1, false).ok_or_else(access)?;
            match self.memory.arenas[region].bytes[at] {
                0 => break,
                byte => name.push(byte),
            }
        }
        Ok(name)
    }

    /// Memory becomes the input of a name; what the world does not have is zero. A name that is used again stands for
    /// another input each time: `n`, `n#2`, `n#3`.
    fn named_input(&mut self, to: u64, len: u64, name: u64) -> Result<(), Trouble> {
        let mut name = self.name_at(name)?;
        let times = self.world.named_uses.entry(name.clone().into()).or_insert(0);
        *times += 1;
        if *times > 1 {
            name.extend(format!("#{times}").bytes());
        }
        let access = || Trouble::Access { address: to, bytes: len, write: true };
        let (region, at) = self.memory.range(to, len, true).ok_or_else(access)?;
        let mut bytes = self.world.named.get(name.as_slice().as_bstr()).cloned().unwrap_or_default();
        bytes.resize(len as usize, 0);
        if len > 0 {
            self.memory.fill((region, at), &bytes);
        }
        if M::ACTIVE {
            self.monitor.named(Builtin::Symbolic, &name, Some((Place { region, at }, len)));
        }
        Ok(())
    }

    /// Sets `errno` and gives the null pointer.
    fn fail(&mut self, error: i32) -> u64 {
        self.world.note("memory is full: an allocation gave the null pointer");
        // musl keeps `errno` in the thread's descriptor; its place there is part of the library's own binary interface.
        const ERRNO: u64 = 52;
        if self.thread_pointer != 0
            && let Some((region, at)) = self.memory.find(self.thread_pointer + ERRNO, 4, true)
        {
            self.memory.arenas[region].store32(at, error as u32 as u64);
            self.tell_set(self.thread_pointer + ERRNO, region, at, 4);
        }
        0
    }

    /// Tells who watches that the machine wrote something.
    fn tell_set(&mut self, address: u64, region: usize, at: usize, len: u64) {
        if M::ACTIVE {
            let event = MemoryEvent::Set(Place { region, at }, len);
            self.monitor.memory(address, event, View(&self.memory));
        }
    }

    /// `setjmp`: the buffer gets a number that stands for this place.
    fn remember_jump(&mut self, buffer: u64) -> Result<(), Trouble> {
        let Some(frame) = self.frames.last() else { return Ok(()) };
        let number = self.jumps.len() as u64 + 1;
        let place = (frame.serial, frame.pc);
        let access = || Trouble::Access { address: buffer, bytes: 8, write: true };
        let (region, at) = self.memory.find(buffer, 8, true).ok_or_else(access)?;
        self.memory.arenas[region].store64(at, number);
        self.tell_set(buffer, region, at, 8);
        self.jumps.insert(number, place);
        Ok(())
    }

    /// `longjmp`: back to the place, in a frame that is still there.
    fn long_jump(&mut self, buffer: u64, value: i32) -> Result<(), Trouble> {
        let bad = |message: &str| Trouble::Fault(FaultKind::BadLongJump, message.to_owned());
        let access = || Trouble::Access { address: buffer, bytes: 8, write: false };
        let (region, at) = self.memory.find(buffer, 8, false).ok_or_else(access)?;
        let number = self.memory.arenas[region].load64(at);
        let place = number.and_then(|number| self.jumps.get(&number).copied());
        let (serial, pc) = place.ok_or_else(|| bad("longjmp with a buffer that setjmp did not fill"))?;
        let depth = self.frames.iter().rposition(|frame| frame.serial == serial);
        let depth = depth.ok_or_else(|| bad("longjmp to a function that has returned"))?;
        if depth < self.nested_floor() {
            return Err(bad("longjmp to a function of another thread"));
        }
        while self.frames.len() > depth + 1 {
            self.drop_frame();
            if M::ACTIVE {
                self.monitor.leave(self.frames.len());
            }
        }
        let frame = &mut self.frames[depth];
        frame.pc = pc;
        let code = self.program.code(frame.function).expect("a frame has code");
        let Some(crate::code::Instr::Call { site }) = code.instrs.get(pc as usize) else {
            return Err(bad("longjmp to a place that is no call"));
        };
        let site = &code.calls[*site as usize];
        if site.count > 0 {
            self.set(site.dst, u64::from(if value == 0 { 1 } else { value as u32 }));
            self.set_undefined(site.dst, 0);
        }
        self.next();
        Ok(())
    }
}
