//! Running a program.

mod answer;
mod assembly;
mod big;
mod builtins;
mod call;
mod cast;
mod complex;
mod crossing;
mod entry;
mod float;
mod going_on;
mod heap;
mod hot;
mod int;
mod intrinsics;
mod leaks;
mod nested;
mod place;
mod report;
mod signals;
mod start;
#[cfg(test)]
mod table;
mod threads;
mod undefined;
mod varargs;
mod x86;

use crate::fault::{End, Leak, Limit, Statistics, Trouble};
use crate::memory::{Depth, Memory, Site};
use crate::monitor::{Monitor, Off};
use crate::program::{FuncId, Program};
use crate::world::World;
pub use entry::{After, Left};
use rustc_hash::FxHashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// What a run may take.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Instructions.
    pub steps: u64,
    /// Bytes of heap and globals.
    pub memory: u64,
    /// Bytes of local variables, all calls together.
    pub stack: u64,
    /// Bytes that the program may write.
    pub output: u64,
    /// Time.
    pub time: Duration,
    /// Set from outside to stop.
    pub interrupt: Option<Arc<AtomicBool>>,
    /// Stop also at faults that all compilers tolerate and programs rely on: a left shift of a signed number that is negative or loses
    /// bits. Without this they give what two's complement suggests, and the run goes on.
    pub strict: bool,
    /// Go on behind faults where C implementations do: overflow wraps, what was never written is what is there, an access that left its
    /// object for another one goes there. The faults are in the world afterwards. Other faults end the run as ever.
    pub go_on: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            steps: u64::MAX,
            memory: 1 << 30,
            stack: 64 << 20,
            output: 256 << 20,
            time: Duration::from_secs(u32::MAX.into()),
            interrupt: None,
            strict: false,
            go_on: false,
        }
    }
}

/// What a run gave.
#[derive(Debug, Clone)]
pub struct Run<M = Off> {
    /// How it ended.
    pub end: End,
    /// Heap objects that nothing pointed to any more at the end.
    pub leaks: Vec<Leak>,
    /// Heap objects that something still pointed to at the end.
    pub reachable: u64,
    /// How much it did.
    pub statistics: Statistics,
    /// The world afterwards: output, files, ledger.
    pub world: World,
    /// What the call of a single function left behind, if it returned.
    pub after: Option<After>,
    /// Who watched.
    pub monitor: M,
}

/// An activation of a function.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    function: FuncId,
    pc: u32,
    /// Its first register, and the end of its registers.
    base: u32,
    end: u32,
    /// Its local variables.
    local: u32,
    /// The end of its memory; grows with arrays of variable length.
    top: u32,
    /// How many objects the stack had before.
    depth: Depth,
    /// The lowest address that it has of the stack.
    pointer: u64,
    /// Where the caller wants the result.
    dst: u32,
    count: u32,
    /// Whether undefined bits are tracked.
    careful: bool,
    /// How many registers of calls below may have undefined bits.
    dirty: u32,
    /// Whether the result is for nobody: a signal's handler, a constructor.
    detached: bool,
    varargs: u64,
    serial: u64,
}

/// One run of a program.
pub(crate) struct Machine<'p, M: Monitor> {
    program: &'p Program,
    memory: Memory,
    registers: Vec<u64>,
    /// Undefined bits by register: none but for those in the list.
    shadows: Vec<u64>,
    /// Registers that may have undefined bits, those of the innermost call last.
    dirty: Vec<u32>,
    frames: Vec<Frame>,
    world: World,
    monitor: M,
    limits: Limits,
    statistics: Statistics,
    called: Vec<bool>,
    thread_pointer: u64,
    /// `setjmp`s by the number that is written into the buffer.
    jumps: FxHashMap<u64, (u64, u32)>,
    serial: u64,
    /// The call that is made instead of starting the program.
    calling: Option<entry::Calling>,
    after: Option<After>,
    /// The objects that the call was given.
    given: Vec<u64>,
    /// The words that the call gave.
    results: Vec<u64>,
    /// The function that nobody has the code of that was called last, in a program that runs as a whole.
    closed: Option<(String, Box<[Site]>)>,
    /// Where the run last went on behind a fault.
    went_on: going_on::Last,
    /// Calls through pointers that were found to fit.
    fitting: call::Fitting,
    threads: threads::Threads,
    /// Threads of a run that is watched.
    nested: nested::Nested,
}

/// Between two looks at the clock; where somebody watches, instructions take much longer.
const SLICE: u64 = 1 << 20;
const WATCHED_SLICE: u64 = 1 << 16;

impl Program {
    /// Runs the program in a world.
    pub fn run(&self, world: World, limits: Limits) -> Run {
        if !limits.go_on {
            return self.run_with(world, limits, Off);
        }
        let run = self.run_with(world, limits, going_on::Quiet);
        let Run { end, leaks, reachable, statistics, world, after, .. } = run;
        Run { end, leaks, reachable, statistics, world, after, monitor: Off }
    }

    /// Runs the program in a world, watched.
    pub fn run_with<M: Monitor>(&self, world: World, limits: Limits, monitor: M) -> Run<M> {
        let mut memory = self.image.clone();
        memory.limit = limits.memory.saturating_add(memory.live);
        memory.shift(world.shift);
        let mut machine = Machine {
            program: self,
            memory,
            registers: Vec::new(),
            shadows: Vec::new(),
            dirty: Vec::new(),
            frames: Vec::new(),
            world,
            monitor,
            limits,
            statistics: Statistics::default(),
            called: vec![false; self.function_count()],
            thread_pointer: 0,
            jumps: FxHashMap::default(),
            serial: 0,
            calling: None,
            after: None,
            given: Vec::new(),
            results: Vec::new(),
            closed: None,
            went_on: None,
            fitting: call::Fitting::default(),
            threads: threads::Threads::default(),
            nested: nested::Nested::default(),
        };
        let allocated = machine.memory.allocations;
        let trouble = match machine.start() {
            Ok(()) => machine.execute(),
            Err(trouble) => trouble,
        };
        machine.statistics.objects = machine.memory.allocations - allocated;
        machine.say_stubs();
        machine.statistics.functions = machine.called.iter().filter(|called| **called).count() as u64;
        machine.finish(trouble)
    }
}

impl<M: Monitor> Machine<'_, M> {
    /// Executes until the program ends, one way or the other.
    fn execute(&mut self) -> Trouble {
        let begun = Instant::now();
        let mut until_look = 0u64;
        // A load of undefined bits is executed again, carefully; who watches sees it once.
        let mut told = false;
        loop {
            if until_look == 0 {
                until_look = if M::ACTIVE { WATCHED_SLICE } else { SLICE };
                if begun.elapsed() > self.limits.time {
                    return Trouble::Limit(Limit::Time);
                }
                hydrogen_stop::look_now();
                if self.limits.interrupt.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed)) {
                    return Trouble::Limit(Limit::Interrupted);
                }
            }
            let left = self.limits.steps - self.statistics.steps.min(self.limits.steps);
            if left == 0 {
                return Trouble::Limit(Limit::Steps);
            }
            if let Err(trouble) = self.check_timer() {
                return self.doubted(trouble);
            }
            let Some(frame) = self.frames.last().copied() else { return Trouble::Exit(0) };
            let timer = self.world.due_in(self.statistics.steps).unwrap_or(u64::MAX).max(1);
            let budget = until_look.min(left).min(self.threads.budget()).min(timer);
            let known = std::mem::take(&mut told);
            let (steps, exit) = match frame.careful {
                true => hot::run::<M, true>(self, budget, known),
                false => hot::run::<M, false>(self, budget, known),
            };
            self.statistics.steps += steps;
            until_look = until_look.saturating_sub(steps);
            let cold = matches!(exit, hot::Exit::Cold);
            let Some(frame) = self.frames.last().copied() else { return Trouble::Exit(0) };
            let code = self.program.code(frame.function).expect("only functions with code have frames");
            let done = match exit {
                hot::Exit::Slice => Ok(()),
                hot::Exit::Undefined => {
                    told = true;
                    self.be_careful();
                    Ok(())
                }
                hot::Exit::Defined => {
                    self.forget_undefined();
                    Ok(())
                }
                hot::Exit::Trouble(trouble) => Err(trouble),
                hot::Exit::Cold => {
                    self.be_careless();
                    self.statistics.steps += 1;
                    until_look = until_look.saturating_sub(1);
                    self.cold(code, &code.instrs[frame.pc as usize])
                }
            };
            let done = match done {
                Ok(()) if !self.threads.alone() => self.count_turn(steps),
                Ok(()) if M::ACTIVE => self.check_nested(),
                done => done,
            };
            if let Err(trouble) = done {
                let trouble = self.doubted(trouble);
                match self.go_on(trouble, code, cold) {
                    Ok(again) => told = again,
                    Err(trouble) => return trouble,
                }
            }
        }
    }

    /// What of the library is called and does nothing here is said: it looks like a failure of the program's own.
    fn say_stubs(&mut self) {
        const STUBS: &[(&str, &str)] =
            &[("stub_dlopen", "shared libraries cannot be loaded: `dlopen` gave the null pointer")];
        for (id, _) in self.program.ids().zip(&self.called).filter(|(_, called)| **called) {
            let name = &self.program.function(id).name;
            if let Some((_, why)) = STUBS.iter().find(|(stub, _)| stub == name) {
                self.world.note(why);
            }
        }
    }

    /// From now on the current function tracks undefined bits.
    fn be_careful(&mut self) {
        let Some(frame) = self.frames.last_mut() else { return };
        if !frame.careful {
            frame.careful = true;
            self.shadows.resize(self.registers.len(), 0);
        }
    }

    /// A function in which no bit is undefined any more need not track them.
    fn be_careless(&mut self) {
        if let Some(frame) = self.frames.last_mut()
            && frame.careful
        {
            let from = frame.dirty as usize;
            undefined::tidy(&mut self.dirty, from, &self.shadows);
            frame.careful = self.dirty.len() > from;
        }
    }

    /// The current function has no undefined bits that anybody will look at.
    fn forget_undefined(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.careful = false;
            let from = frame.dirty as usize;
            self.clear_from(from);
        }
    }

    /// Registers from this place of the list on have no undefined bits any more.
    #[inline]
    fn clear_from(&mut self, from: usize) {
        while self.dirty.len() > from
            && let Some(register) = self.dirty.pop()
        {
            self.shadows[register as usize] = 0;
        }
    }

    /// Ends the innermost call, whatever it was doing.
    fn drop_frame(&mut self) -> Option<Frame> {
        let frame = self.frames.pop()?;
        self.clear_from(frame.dirty as usize);
        self.memory.pop_locals(frame.depth);
        Some(frame)
    }

    /// Where the current function is.
    fn site(&self) -> Site {
        self.frames.last().map_or(Site { function: FuncId(0), pc: 0 }, |frame| Site {
            function: frame.function,
            pc: frame.pc,
        })
    }

    /// The innermost calls, for remembering where something was allocated.
    fn sites(&self) -> Box<[Site]> {
        const REMEMBERED: usize = 8;
        let frames = self.frames.iter().rev().take(REMEMBERED);
        frames.map(|frame| Site { function: frame.function, pc: frame.pc }).collect()
    }

    fn get(&self, reg: u32) -> u64 {
        let base = self.frames.last().map_or(0, |frame| frame.base);
        self.registers[(base + reg) as usize]
    }

    fn set(&mut self, reg: u32, value: u64) {
        let base = self.frames.last().map_or(0, |frame| frame.base);
        self.registers[(base + reg) as usize] = value;
    }

    /// A value of one or two registers.
    fn get_wide(&self, reg: u32, count: u32) -> u128 {
        let low = u128::from(self.get(reg));
        if count == 2 { low | u128::from(self.get(reg + 1)) << 64 } else { low }
    }

    fn set_wide(&mut self, reg: u32, count: u32, value: u128) {
        self.set(reg, value as u64);
        if count == 2 {
            self.set(reg + 1, (value >> 64) as u64);
        }
    }

    /// The undefined bits of a register.
    fn undefined_bits(&self, reg: u32) -> u64 {
        match self.frames.last() {
            Some(frame) if frame.careful => self.shadows[(frame.base + reg) as usize],
            _ => 0,
        }
    }

    /// Marks bits of a register as undefined.
    fn set_undefined(&mut self, reg: u32, mask: u64) {
        if mask != 0 {
            self.be_careful();
        }
        if let Some(frame) = self.frames.last()
            && frame.careful
        {
            let register = frame.base + reg;
            let known = &mut self.shadows[register as usize];
            if mask != 0 && *known == 0 {
                self.dirty.push(register);
            }
            *known = mask;
        }
    }

    fn next(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.pc += 1;
        }
    }
}
