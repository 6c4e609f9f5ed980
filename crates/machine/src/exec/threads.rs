//! Threads: one runs at a time, and who runs when follows from the schedule alone, so that a run is still a function of its input.
//!
//! Each thread has its own calls, registers and part of the memory for local variables. A new thread runs first, from where the function that
//! made it returns. Whoever watches a run sees one stack of calls: see [`super::nested`].

use super::call::Passed;
use super::{Frame, Machine};
use crate::fault::{FaultKind, Trouble};
use crate::memory::{Ends, HEAP, Memory};
use crate::monitor::Monitor;
use crate::world::PROCESS;
use std::collections::VecDeque;

/// The room for local variables of the first thread once there are others, and of each other one.
const FIRST_ROOM: u32 = 8 << 20;
const ROOM: u32 = 1 << 20;
/// So many arrays and structures of calls the first thread may have at a time once there are others, and each other one.
const FIRST_ARRAYS: usize = 1 << 20;
const ARRAYS: usize = 1 << 14;
/// So many threads there may be at a time.
const MOST: u32 = 64;
/// The instructions of one turn: so many that most threads need one. By a seed, turns are shorter.
pub(super) const TURN: u64 = 10_000_000;
const SHORT_TURN: u64 = 10_000;

const CLONE_THREAD: u64 = 0x10000;
const EAGAIN: i64 = 11;
const ENOSYS: i64 = 38;
const ETIMEDOUT: i64 = 110;

/// Who a thread is.
#[derive(Debug, Clone, Copy, Default)]
struct Identity {
    /// Its number for the system; 0 stands for the first thread.
    id: u64,
    /// Which part of the memory for local variables it has.
    slot: u32,
    /// A word that is zeroed when the thread ends.
    clears: u64,
}

/// What a thread waits for.
#[derive(Debug, Clone, Copy)]
struct Wait {
    /// The word, by its place in memory; `None` for sleeping.
    word: Option<(usize, usize)>,
    /// Until when at most, by the world's clock.
    until: Option<u64>,
    /// The register that says how the waiting ended, and what it says when the time is over.
    dst: u32,
    over: i64,
}

/// A thread that does not run just now.
#[derive(Debug)]
struct Parked {
    who: Identity,
    registers: Vec<u64>,
    shadows: Vec<u64>,
    dirty: Vec<u32>,
    frames: Vec<Frame>,
    pointer: u64,
    /// What it has of the stack.
    ends: Ends,
    /// What its thread-local variables hold, and which of their bits are defined.
    own: Vec<(Vec<u8>, Vec<u8>)>,
    wait: Option<Wait>,
}

/// The threads of a run.
#[derive(Debug, Default)]
pub(super) struct Threads {
    /// All but the one that runs, in the order of their turns.
    others: VecDeque<Parked>,
    running: Identity,
    /// What is left of the turn.
    left: u64,
    started: u64,
    /// What the schedule draws from.
    dice: u64,
    /// The activation that has made a thread and will return before that begins.
    making: Option<u64>,
}

impl Threads {
    /// Whether there is no other thread.
    pub(super) fn alone(&self) -> bool {
        self.others.is_empty()
    }

    /// Whether a thread was made that does not run yet.
    pub(super) fn is_making(&self) -> bool {
        self.making.is_some()
    }

    /// How many instructions may be executed before the next turn.
    pub(super) fn budget(&self) -> u64 {
        if self.alone() { u64::MAX } else { self.left.max(1) }
    }

    /// Where the running thread's local variables begin, and how many bytes they may take.
    pub(super) fn room(&self, most: u64) -> (u32, u64) {
        match self.running.slot {
            0 if self.started == 0 => (0, most),
            0 => (0, most.min(FIRST_ROOM.into())),
            slot => (FIRST_ROOM + (slot - 1) * ROOM, most.min(ROOM.into())),
        }
    }

    /// The number of the running thread among those that have a part of the stack.
    pub(super) fn number(&self) -> u32 {
        self.running.slot
    }

    /// Whether so many more local variables would be more than the running thread may have, whose stack pointer is here.
    pub(super) fn is_full(&self, memory: &Memory, more: usize, pointer: u64) -> bool {
        let slot = self.running.slot;
        memory.is_stack_full(more)
            || self.started > 0
                && (memory.stack_arrays() + more > first_array(slot + 1)
                    || memory.stack_top(slot).saturating_sub(pointer) > Memory::stack_room(slot) / 2)
    }

    /// The parts of the memory for local variables that other threads use.
    pub(super) fn stacks(&self) -> impl Iterator<Item = (usize, usize)> {
        self.others.iter().filter_map(|one| {
            let (first, last) = (one.frames.first()?, one.frames.last()?);
            Some((first.local as usize, last.top as usize))
        })
    }

    /// A number below `below`, the next of a fixed sequence.
    fn draw(&mut self, below: u64) -> u64 {
        self.dice = self.dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.dice >> 33) % below.max(1)
    }

    fn new_turn(&mut self, schedule: u64) {
        self.left = if schedule == 0 { TURN } else { 1 + self.draw(2 * SHORT_TURN) };
    }
}

/// The first place of a thread's arrays.
fn first_array(slot: u32) -> usize {
    match slot {
        0 => 0,
        slot => FIRST_ARRAYS + (slot as usize - 1) * ARRAYS,
    }
}

impl<M: Monitor> Machine<'_, M> {
    /// `__clone`: a new thread of the same memory. Everything else is refused.
    pub(super) fn start_thread(&mut self, args: [u64; 7]) -> Result<u64, Trouble> {
        let [function, _, flags, arg, id_at, pointer, clears] = args;
        if flags & CLONE_THREAD == 0 {
            self.world.note("a new process was asked for and refused");
            return Ok(-ENOSYS as u64);
        }
        let unknown = || {
            Trouble::Fault(FaultKind::BadCall, "a thread starts with something that is no function".into())
        };
        let function = self.program.function_at(function).ok_or_else(unknown)?;
        if !M::THREADS {
            return self.make_nested(function, [arg, id_at, pointer, clears]);
        }
        let taken = |slot: &u32| {
            self.threads.running.slot == *slot || self.threads.others.iter().any(|one| one.who.slot == *slot)
        };
        let slot = (1..=MOST).find(|slot| !taken(slot));
        let top = self.frames.last().map_or(0, |frame| frame.top);
        let fits = self.threads.started > 0 || top < FIRST_ROOM && self.memory.stack_arrays() < FIRST_ARRAYS;
        let Some(slot) = slot.filter(|_| fits) else {
            self.world.note("a thread did not start: there is no room for its local variables");
            return Ok(-EAGAIN as u64);
        };
        if self.threads.started == 0 {
            self.world.note("threads take turns in a fixed order");
            self.memory.share_stack();
            self.threads.dice = self.world.schedule;
            self.threads.new_turn(self.world.schedule);
        }
        self.threads.started += 1;
        let id = PROCESS + self.threads.started;
        let who = Identity { id, slot, clears };
        let fresh = Parked {
            who,
            registers: Vec::new(),
            shadows: Vec::new(),
            dirty: Vec::new(),
            frames: Vec::new(),
            pointer,
            ends: Ends::fresh(first_array(slot)),
            own: self.fresh_variables(),
            wait: None,
        };
        // The first call is made in the place of the thread.
        let starter = self.exchange(fresh);
        let entered = self.enter(function, &[Passed::word(arg)], 0, 0);
        let fresh = self.exchange(starter);
        entered?;
        self.threads.others.push_back(fresh);
        if self.world.schedule == 0 {
            self.threads.making = self.frames.last().map(|frame| frame.serial);
        }
        self.write_word(id_at, id as u32)?;
        Ok(id)
    }

    /// An activation has returned: a thread that it made runs now, before the one that made it goes on.
    pub(super) fn begin_made(&mut self, serial: u64) -> Result<(), Trouble> {
        if !M::THREADS {
            return self.begin_nested(serial);
        }
        if self.threads.making.take_if(|by| *by == serial).is_some()
            && let Some(fresh) = self.threads.others.pop_back()
        {
            let maker = self.exchange(fresh);
            self.threads.others.push_front(maker);
            self.threads.new_turn(self.world.schedule);
        }
        Ok(())
    }

    /// System calls that are about threads, where there are several. `None`: it is none of them.
    pub(super) fn thread_call(
        &mut self,
        number: u64,
        args: [u64; 6],
        dst: u32,
    ) -> Option<Result<(), Trouble>> {
        if !M::THREADS {
            return self.nested_call(number, args, dst);
        }
        if self.threads.alone() && self.threads.running.slot == 0 {
            return None;
        }
        Some(match number {
            // exit
            60 => self.end_thread(),
            // gettid
            186 => {
                let id = self.threads.running.id.max(PROCESS);
                self.answer_call(dst, id as i64);
                Ok(())
            }
            // sched_yield
            24 => {
                self.answer_call(dst, 0);
                self.next_turn()
            }
            // nanosleep, clock_nanosleep
            35 => self.sleep(args[0], dst),
            230 => self.sleep(args[2], dst),
            // futex
            202 => self.futex(args, dst),
            _ => return None,
        })
    }

    pub(super) fn answer_call(&mut self, dst: u32, value: i64) {
        self.set(dst, value as u64);
        self.set_undefined(dst, 0);
        self.next();
    }

    /// Others have their turns while a thread sleeps.
    fn sleep(&mut self, time_at: u64, dst: u32) -> Result<(), Trouble> {
        let access = || Trouble::Access { address: time_at, bytes: 16, write: false };
        let until = Some(self.world.after(&self.memory, time_at).ok_or_else(access)?);
        self.answer_call(dst, 0);
        self.pass_on(Some(Wait { word: None, until, dst, over: 0 }))
    }

    fn futex(&mut self, args: [u64; 6], dst: u32) -> Result<(), Trouble> {
        let [address, operation, value, fourth, other, _] = args;
        let access = |address: u64| Trouble::Access { address, bytes: 4, write: false };
        let word = self.memory.find(address, 4, false).ok_or_else(|| access(address))?;
        match operation & 0x7f {
            // FUTEX_WAIT
            0 => {
                let now = self.memory.arenas[word.0].read(word.1, 4).0 as u32;
                if now != value as u32 {
                    self.answer_call(dst, -EAGAIN);
                    return Ok(());
                }
                let until = match fourth {
                    0 => None,
                    at => Some(self.world.after(&self.memory, at).ok_or_else(|| access(at))?),
                };
                self.answer_call(dst, 0);
                let wait = Wait { word: Some(word), until, dst, over: -ETIMEDOUT };
                self.pass_on(Some(wait))
            }
            // FUTEX_WAKE
            1 => {
                let woken = self.wake(word, value);
                self.answer_call(dst, woken as i64);
                Ok(())
            }
            // FUTEX_REQUEUE
            3 => {
                let there = self.memory.find(other, 4, false).ok_or_else(|| access(other))?;
                let woken = self.wake(word, value);
                let waits = |one: &&mut Parked| one.wait.is_some_and(|wait| wait.word == Some(word));
                let mut moved = 0;
                for one in self.threads.others.iter_mut().filter(waits).take(fourth as usize) {
                    one.wait = one.wait.map(|wait| Wait { word: Some(there), ..wait });
                    moved += 1;
                }
                self.answer_call(dst, woken as i64 + moved);
                Ok(())
            }
            _ => {
                self.world.note("an operation on a futex was refused");
                self.answer_call(dst, -ENOSYS);
                Ok(())
            }
        }
    }

    /// Wakes so many threads that wait for a word, in the order of their turns.
    fn wake(&mut self, word: (usize, usize), most: u64) -> u64 {
        let waits = |one: &&mut Parked| one.wait.is_some_and(|wait| wait.word == Some(word));
        let mut woken = 0;
        for one in self.threads.others.iter_mut().filter(waits).take(most.min(u64::from(MOST)) as usize) {
            one.wait = None;
            woken += 1;
        }
        woken
    }

    /// Counts instructions of the turn, and gives it to the next thread when it is over.
    pub(super) fn count_turn(&mut self, steps: u64) -> Result<(), Trouble> {
        self.threads.left = self.threads.left.saturating_sub(steps);
        if self.threads.left == 0 { self.next_turn() } else { Ok(()) }
    }

    /// It is the next thread's turn.
    fn next_turn(&mut self) -> Result<(), Trouble> {
        if self.threads.alone() {
            return Ok(());
        }
        self.pass_on(None)
    }

    /// The running thread goes to the end of the queue, waiting or not, and the next that can goes on.
    fn pass_on(&mut self, wait: Option<Wait>) -> Result<(), Trouble> {
        let own = self.fresh_variables();
        let empty = Parked {
            who: Identity::default(),
            registers: Vec::new(),
            shadows: Vec::new(),
            dirty: Vec::new(),
            frames: Vec::new(),
            pointer: 0,
            ends: Ends::default(),
            own,
            wait: None,
        };
        let mut old = self.exchange(empty);
        old.wait = wait;
        self.threads.others.push_back(old);
        self.go_on_with_next()
    }

    /// Whether another thread than the first one runs.
    pub(super) fn is_in_thread(&self) -> bool {
        self.threads.running.slot > 0
    }

    /// The running thread ends.
    pub(super) fn end_thread(&mut self) -> Result<(), Trouble> {
        let clears = self.threads.running.clears;
        while self.drop_frame().is_some() {}
        if clears != 0 && self.memory.find(clears, 4, true).is_some() {
            self.write_word(clears, 0)?;
            if let Some(word) = self.memory.find(clears, 4, false) {
                self.wake(word, 1);
            }
        }
        if self.threads.alone() {
            return Err(Trouble::Exit(0));
        }
        self.go_on_with_next()
    }

    /// A thread that can go on takes the place of the running one, which has been put away.
    fn go_on_with_next(&mut self) -> Result<(), Trouble> {
        let ready = |one: &Parked| one.wait.is_none();
        let able = self.threads.others.iter().filter(|one| ready(one)).count() as u64;
        if able == 0 {
            // The one whose patience ends first; time passes only then.
            let patience = |one: &Parked| one.wait.and_then(|wait| wait.until);
            let first = self.threads.others.iter().filter_map(patience).min();
            let Some(until) = first else {
                return Err(Trouble::Unsupported(
                    "every thread waits for another: the program does not go on".into(),
                ));
            };
            self.world.wait_until(until);
            let at = self.threads.others.iter().position(|one| patience(one) == Some(until));
            let next = at.and_then(|at| self.threads.others.remove(at));
            if let Some(next) = next {
                let wait = next.wait;
                drop(self.exchange(next));
                if let Some(wait) = wait {
                    self.set(wait.dst, wait.over as u64);
                }
            }
        } else {
            let skipped = if self.world.schedule == 0 { 0 } else { self.threads.draw(able) as usize };
            let mut ready_ones = (0..self.threads.others.len()).filter(|at| ready(&self.threads.others[*at]));
            let next = ready_ones.nth(skipped).and_then(|at| self.threads.others.remove(at));
            if let Some(next) = next {
                drop(self.exchange(next));
            }
        }
        self.threads.new_turn(self.world.schedule);
        Ok(())
    }

    /// Puts a thread in the place of the running one, which is given.
    fn exchange(&mut self, new: Parked) -> Parked {
        let Parked { who, registers, shadows, dirty, frames, pointer, ends, own, wait: _ } = new;
        Parked {
            who: std::mem::replace(&mut self.threads.running, who),
            registers: std::mem::replace(&mut self.registers, registers),
            shadows: std::mem::replace(&mut self.shadows, shadows),
            dirty: std::mem::replace(&mut self.dirty, dirty),
            frames: std::mem::replace(&mut self.frames, frames),
            pointer: std::mem::replace(&mut self.thread_pointer, pointer),
            ends: self.memory.exchange_stack(ends),
            own: self.exchange_variables(own),
            wait: None,
        }
    }

    /// What thread-local variables hold in a new thread.
    fn fresh_variables(&self) -> Vec<(Vec<u8>, Vec<u8>)> {
        let image = &self.program.image;
        let one = |address: &u64| {
            let object = image.object(*address).copied().unwrap_or_default();
            let range = object.start as usize..object.start as usize + object.size as usize;
            (image.arenas[HEAP].bytes[range.clone()].to_vec(), image.arenas[HEAP].defined[range].to_vec())
        };
        self.program.thread_locals.iter().map(one).collect()
    }

    fn exchange_variables(&mut self, new: Vec<(Vec<u8>, Vec<u8>)>) -> Vec<(Vec<u8>, Vec<u8>)> {
        let program = self.program;
        let mut old = Vec::new();
        for (address, (bytes, defined)) in program.thread_locals.iter().zip(new) {
            let start = self.memory.object(*address).map_or(0, |object| object.start as usize);
            let range = start..start + bytes.len();
            let arena = &mut self.memory.arenas[HEAP];
            old.push((arena.bytes[range.clone()].to_vec(), arena.defined[range.clone()].to_vec()));
            arena.bytes[range.clone()].copy_from_slice(&bytes);
            arena.defined[range].copy_from_slice(&defined);
        }
        old
    }

    pub(super) fn write_word(&mut self, address: u64, value: u32) -> Result<(), Trouble> {
        let access = || Trouble::Access { address, bytes: 4, write: true };
        let place = self.memory.find(address, 4, true).ok_or_else(access)?;
        self.memory.fill(place, &value.to_le_bytes());
        Ok(())
    }
}
