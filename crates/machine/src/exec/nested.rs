//! Threads in runs that are watched: a new thread runs as soon as the function that made it has returned, as a call of the machine's, until it
//! ends. Whoever watches sees one stack of calls, and all that depends on something in another thread depends on it as in a call.
//!
//! That is the order in which threads run by themselves where nobody watches and no schedule is asked for, as long as none of them waits
//! for another one; where one does, a watched run ends there and says so.

use super::Machine;
use super::call::Passed;
use super::threads::TURN;
use crate::fault::Trouble;
use crate::monitor::{MemoryEvent, Monitor, Place, View};
use crate::program::FuncId;
use crate::world::PROCESS;

/// A thread that was made and does not run yet.
#[derive(Debug, Clone, Copy)]
struct Made {
    /// The activation that made it.
    by: u64,
    function: FuncId,
    arg: u64,
    id: u64,
    pointer: u64,
    clears: u64,
}

/// A thread that runs above the calls of the one that made it.
#[derive(Debug, Clone, Copy)]
struct Above {
    /// How many calls there were below.
    depth: usize,
    id: u64,
    /// The thread pointer of the one below.
    pointer: u64,
    clears: u64,
    /// When it began.
    since: u64,
}

/// The threads of a watched run.
#[derive(Debug, Default)]
pub(super) struct Nested {
    made: Option<Made>,
    running: Vec<Above>,
    started: u64,
}

impl<M: Monitor> Machine<'_, M> {
    /// Makes a thread that will run at once.
    pub(super) fn make_nested(&mut self, function: FuncId, args: [u64; 4]) -> Result<u64, Trouble> {
        let [arg, id_at, pointer, clears] = args;
        let refused = |why: &str| Err(Trouble::Unsupported(format!("{why}, in a run that is watched")));
        if self.world.schedule != 0 {
            return refused("a thread by a schedule of its own");
        }
        if !self.program.thread_locals.is_empty() {
            return refused("a thread of a program with thread-local variables");
        }
        let by = self.frames.last().map_or(0, |frame| frame.serial);
        if self.nested.made.is_some() {
            return refused("two threads at a time");
        }
        self.nested.started += 1;
        self.world.threads += 1;
        self.world.note(
            "threads run one after the other, each as soon as it is made; other orders are not looked at",
        );
        let id = PROCESS + self.nested.started;
        self.nested.made = Some(Made { by, function, arg, id, pointer, clears });
        self.write_seen(id_at, id as u32)?;
        Ok(id)
    }

    /// The activation returns: does a thread begin that it made?
    pub(super) fn begin_nested(&mut self, serial: u64) -> Result<(), Trouble> {
        let Some(made) = self.nested.made.take_if(|made| made.by == serial) else { return Ok(()) };
        let pointer = std::mem::replace(&mut self.thread_pointer, made.pointer);
        let (depth, since) = (self.frames.len(), self.statistics.steps);
        self.nested.running.push(Above { depth, id: made.id, pointer, clears: made.clears, since });
        self.enter(made.function, &[Passed::word(made.arg)], 0, 0)?;
        if let Some(frame) = self.frames.last_mut() {
            frame.detached = true;
        }
        Ok(())
    }

    /// A call that the machine made itself has returned.
    pub(super) fn leave_nested(&mut self) -> Result<(), Trouble> {
        match self.nested.running.last() {
            Some(above) if above.depth == self.frames.len() => self.end_nested(),
            _ => Ok(()),
        }
    }

    /// The thread ends, wherever it is.
    pub(super) fn end_nested(&mut self) -> Result<(), Trouble> {
        let Some(above) = self.nested.running.pop() else { return Ok(()) };
        while self.frames.len() > above.depth {
            self.drop_frame();
            if M::ACTIVE {
                self.monitor.leave(self.frames.len());
            }
        }
        self.thread_pointer = above.pointer;
        if above.clears != 0 && self.memory.find(above.clears, 4, true).is_some() {
            self.write_seen(above.clears, 0)?;
        }
        Ok(())
    }

    /// Whether a thread runs above another one.
    pub(super) fn is_nested(&self) -> bool {
        !self.nested.running.is_empty()
    }

    /// The calls below which the running thread has none.
    pub(super) fn nested_floor(&self) -> usize {
        self.nested.running.last().map_or(0, |above| above.depth)
    }

    /// Whether the running thread has had more than its turn: others would run now where nobody watches.
    pub(super) fn check_nested(&self) -> Result<(), Trouble> {
        match self.nested.running.last() {
            Some(above) if self.statistics.steps - above.since > TURN => Err(Trouble::Unsupported(format!(
                "a thread of more than {} million instructions, in a run that is watched",
                TURN / 1_000_000
            ))),
            _ => Ok(()),
        }
    }

    /// System calls that are about threads, once there was one. `None`: it is none of them.
    pub(super) fn nested_call(
        &mut self,
        number: u64,
        args: [u64; 6],
        dst: u32,
    ) -> Option<Result<(), Trouble>> {
        if self.nested.started == 0 {
            return None;
        }
        match number {
            // exit
            60 if self.is_nested() => Some(self.end_nested()),
            // gettid
            186 => {
                let id = self.nested.running.last().map_or(PROCESS, |above| above.id);
                self.answer_call(dst, id as i64);
                if M::ACTIVE {
                    self.monitor.opaque();
                }
                Some(Ok(()))
            }
            // futex, to wait for what is there
            202 if args[1] & 0x7f == 0 => {
                let now =
                    self.memory.find(args[0], 4, false).map(|at| self.memory.arenas[at.0].read(at.1, 4).0);
                let waits = now.is_some_and(|now| now as u32 == args[2] as u32);
                waits.then(|| {
                    Err(Trouble::Unsupported(
                        "a thread that waits for another one, in a run that is watched".into(),
                    ))
                })
            }
            _ => None,
        }
    }

    fn write_seen(&mut self, address: u64, value: u32) -> Result<(), Trouble> {
        self.write_word(address, value)?;
        if M::ACTIVE
            && let Some((region, at)) = self.memory.find(address, 4, false)
        {
            self.monitor.memory(address, MemoryEvent::Set(Place { region, at }, 4), View(&self.memory));
        }
        Ok(())
    }
}
