//! System calls on the process itself: memory, time, signals, identity.

use super::{Answer, EINVAL, Effect, Failure, StreamEvent, Transfer, World, ok, read, write};
use crate::memory::{Memory, ObjectKind};

/// The number of the process, and of its first thread.
pub(crate) const PROCESS: u64 = 1000;
const ENOMEM: i64 = 12;
/// The room that `brk` may grow into; musl's own allocator, which uses it, is not part of the machine.
const BREAK_ROOM: u64 = 16 << 20;
const SIGCHLD: i32 = 17;
const IGNORED: [i32; 4] = [SIGCHLD, 18, 23, 28];

impl World {
    pub(super) fn process_call(
        &mut self,
        memory: &mut Memory,
        number: u64,
        args: [u64; 6],
    ) -> Option<Answer> {
        let [a, b, c, d, e, f] = args;
        Some(match number {
            9 => self.map_memory(memory, b, d, e as i32, f),
            10 | 28 => ok(0),
            11 => unmap(memory, a),
            12 => self.move_break(memory, a),
            13 => self.set_handler(memory, a as i32, b, c),
            14 => mask(memory, c, d),
            24 => ok(0),
            35 => self.sleep(memory, a, b),
            230 => self.sleep(memory, c, d),
            39 | 186 | 218 => ok(PROCESS),
            110 => ok(1),
            102 | 104 | 107 | 108 => ok(1000),
            60 | 231 => Ok(Effect::Exit(a as i32)),
            62 | 200 => self.raise(a, b as i32),
            234 => self.raise(b, c as i32),
            63 => self.system_name(memory, a),
            96 => self.time_of_day(memory, a),
            97 => limits(memory, b),
            302 => {
                if d == 0 {
                    ok(0)
                } else {
                    limits(memory, d)
                }
            }
            98 => times(memory, b, 144),
            100 => times(memory, a, 32),
            201 => self.seconds(memory, a),
            202 => ok(0),
            204 => affinity(memory, b, c),
            228 => self.clock_now(memory, b),
            229 => write(memory, b, &[0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0]).and_then(|_| ok(0)),
            318 => self.random_bytes(memory, a, b),
            273 | 334 => Err(38.into()),
            34 | 130 => self.pause(),
            36 => self.get_timer(memory, a, b),
            38 => self.set_timer(memory, a, b, c),
            41 | 42 | 43 | 44 | 45 | 49 | 50 | 53 => self.refused("a socket"),
            56 | 57 | 58 | 435 => self.refused("a new process or thread"),
            59 | 322 => self.refused("another program"),
            _ => return None,
        })
    }

    fn refused(&mut self, what: &str) -> Answer {
        self.note(&format!("{what} was asked for and refused"));
        Err(38.into())
    }

    /// `mmap`: fresh memory, or a copy of a file.
    fn map_memory(&mut self, memory: &mut Memory, len: u64, flags: u64, fd: i32, offset: u64) -> Answer {
        const ANONYMOUS: u64 = 0x20;
        const SHARED: u64 = 1;
        if len == 0 {
            return Err(EINVAL.into());
        }
        let address = memory.allocate(ObjectKind::Mapped, len, 4096).ok_or(Failure::Error(ENOMEM))?;
        let place = memory.range(address, len, true).ok_or(Failure::Error(ENOMEM))?;
        memory.set(place, 0, len as usize);
        memory.changed.push((place.0, place.1, len as usize, true));
        if flags & ANONYMOUS == 0 {
            let index = self.descriptor(fd)?;
            let super::Stream::Node(id) = self.open[index].stream else { return Err(19.into()) };
            self.files.load(id)?;
            let super::files::Node::File { content, .. } = &self.files.nodes[id] else {
                return Err(19.into());
            };
            let from = (offset as usize).min(content.len());
            let count = (content.len() - from).min(len as usize);
            memory.fill(place, &content[from..from + count]);
            let (stream, offset) = (super::Stream::Node(id), from as u64);
            let event = StreamEvent::Read { offset, wanted: count as u64, got: count as u64 };
            self.record(Transfer::Stream(stream, event));
            if count > 0 {
                let (region, at) = place;
                self.record(Transfer::In { address, region, at, len: count as u64, fd, offset });
            }
            if flags & SHARED != 0 {
                self.note("a shared mapping of a file is a private copy");
            }
        }
        ok(address)
    }

    fn move_break(&mut self, memory: &mut Memory, to: u64) -> Answer {
        if self.break_start == 0 {
            let start =
                memory.allocate(ObjectKind::Mapped, BREAK_ROOM, 4096).ok_or(Failure::Error(ENOMEM))?;
            let place = memory.range(start, BREAK_ROOM, true).ok_or(Failure::Error(ENOMEM))?;
            memory.set(place, 0, BREAK_ROOM as usize);
            memory.changed.push((place.0, place.1, BREAK_ROOM as usize, true));
            (self.break_start, self.break_end) = (start, start);
        }
        if to >= self.break_start && to <= self.break_start + BREAK_ROOM {
            self.break_end = to;
        }
        ok(self.break_end)
    }

    /// `rt_sigaction`.
    fn set_handler(&mut self, memory: &mut Memory, signal: i32, new: u64, old: u64) -> Answer {
        if !(1..65).contains(&signal) {
            return Err(EINVAL.into());
        }
        let before = self.handlers.get(&signal).copied().unwrap_or_default();
        if new != 0 {
            let bytes = read(memory, new, 32)?;
            let word = |at: usize| u64::from_le_bytes(*bytes[at..].first_chunk().expect("32 bytes"));
            let action = [word(0), word(8), word(16), word(24)];
            self.handlers.insert(signal, action);
        }
        if old != 0 {
            let bytes: Vec<u8> = before.iter().flat_map(|word| word.to_le_bytes()).collect();
            write(memory, old, &bytes)?;
        }
        ok(0)
    }

    /// A signal to the program itself.
    fn raise(&mut self, process: u64, signal: i32) -> Answer {
        if process != PROCESS && process as i64 as i32 != 0 {
            return Err(3.into());
        }
        if signal == 0 {
            return ok(0);
        }
        if !(1..65).contains(&signal) {
            return Err(EINVAL.into());
        }
        Ok(self.signal(signal))
    }

    /// What a signal does.
    pub(super) fn signal(&mut self, signal: i32) -> Effect {
        const RESET: u64 = 0x8000_0000;
        let action = self.handlers.get(&signal).copied().unwrap_or_default();
        match action[0] {
            0 if !IGNORED.contains(&signal) => Effect::Signal(signal),
            0 | 1 => Effect::Value(0),
            handler => {
                if action[1] & RESET != 0 {
                    self.handlers.remove(&signal);
                }
                Effect::Handler { handler, signal }
            }
        }
    }

    fn sleep(&mut self, memory: &mut Memory, wanted: u64, rest: u64) -> Answer {
        const EINTR: i64 = 4;
        let bytes = read(memory, wanted, 16)?;
        let word = |at: usize| u64::from_le_bytes(*bytes[at..].first_chunk().expect("sixteen bytes"));
        let time = word(0).saturating_mul(1_000_000_000).saturating_add(word(8));
        let (slept, is_cut) = self.until_alarm(time);
        self.clock = self.clock.saturating_add(slept);
        if is_cut {
            let left = time - slept;
            self.write_pair(memory, rest, left / 1_000_000_000, left % 1_000_000_000)?;
            return Err(EINTR.into());
        }
        ok(0)
    }

    /// The time after a while that memory holds in seconds and nanoseconds; `None` where it cannot be read.
    pub(crate) fn after(&self, memory: &Memory, at: u64) -> Option<u64> {
        let place = memory.range(at, 16, false)?;
        let bytes = memory.arenas[place.0].bytes.get(place.1..place.1 + 16)?;
        let word = |at: usize| bytes[at..].first_chunk().map(|word| u64::from_le_bytes(*word));
        let time = word(0)?.saturating_mul(1_000_000_000).saturating_add(word(8)?);
        Some(self.clock.saturating_add(time))
    }

    /// Time passes.
    pub(crate) fn wait_until(&mut self, time: u64) {
        self.clock = self.clock.max(time);
    }

    /// Asking for the time takes a microsecond, so that waiting for time to pass ends.
    fn tick(&mut self) -> u64 {
        self.clock = self.clock.saturating_add(1000);
        self.clock
    }

    fn clock_now(&mut self, memory: &mut Memory, buffer: u64) -> Answer {
        let now = self.tick();
        self.write_pair(memory, buffer, now / 1_000_000_000, now % 1_000_000_000)
    }

    fn time_of_day(&mut self, memory: &mut Memory, buffer: u64) -> Answer {
        let now = self.tick();
        self.write_pair(memory, buffer, now / 1_000_000_000, now % 1_000_000_000 / 1000)
    }

    fn write_pair(&self, memory: &mut Memory, buffer: u64, first: u64, second: u64) -> Answer {
        if buffer != 0 {
            let bytes: Vec<u8> = [first, second].iter().flat_map(|word| word.to_le_bytes()).collect();
            write(memory, buffer, &bytes)?;
        }
        ok(0)
    }

    fn seconds(&mut self, memory: &mut Memory, buffer: u64) -> Answer {
        let now = self.tick() / 1_000_000_000;
        if buffer != 0 {
            write(memory, buffer, &now.to_le_bytes())?;
        }
        ok(now)
    }

    fn system_name(&self, memory: &mut Memory, buffer: u64) -> Answer {
        let mut bytes = Vec::new();
        for text in ["Linux", "hydrogen", "5.0.0", "#1", "x86_64", "(none)"] {
            let start = bytes.len();
            bytes.extend_from_slice(text.as_bytes());
            bytes.resize(start + 65, 0);
        }
        write(memory, buffer, &bytes)?;
        ok(0)
    }

    /// Random numbers that are the same in every run.
    fn random_bytes(&mut self, memory: &mut Memory, buffer: u64, len: u64) -> Answer {
        let len = len.min(1 << 20);
        let mut bytes = Vec::with_capacity(len as usize);
        for _ in 0..len {
            self.random ^= self.random << 13;
            self.random ^= self.random >> 7;
            self.random ^= self.random << 17;
            bytes.push((self.random >> 32) as u8);
        }
        write(memory, buffer, &bytes)?;
        ok(len)
    }
}

fn unmap(memory: &mut Memory, address: u64) -> Answer {
    let mapped = |number: &usize| {
        memory.info(*number).is_some_and(|info| info.kind == ObjectKind::Mapped && !info.freed)
    };
    if let Some(number) = memory.number(address).filter(mapped) {
        memory.release(number);
    }
    ok(0)
}

/// `rt_sigprocmask`: nothing ever interrupts, so that blocking changes nothing.
fn mask(memory: &mut Memory, old: u64, size: u64) -> Answer {
    if old != 0 {
        write(memory, old, &vec![0; size.min(128) as usize])?;
    }
    ok(0)
}

/// Limits on resources: none but the usual stack.
fn limits(memory: &mut Memory, buffer: u64) -> Answer {
    let bytes: Vec<u8> = [8u64 << 20, u64::MAX].iter().flat_map(|word| word.to_le_bytes()).collect();
    write(memory, buffer, &bytes)?;
    ok(0)
}

/// Processor time: none was used.
fn times(memory: &mut Memory, buffer: u64, size: usize) -> Answer {
    if buffer != 0 {
        write(memory, buffer, &vec![0; size])?;
    }
    ok(0)
}

fn affinity(memory: &mut Memory, size: u64, buffer: u64) -> Answer {
    let size = size.min(8);
    let mut bytes = vec![0; size as usize];
    if let Some(first) = bytes.first_mut() {
        *first = 1;
    }
    write(memory, buffer, &bytes)?;
    ok(size)
}
