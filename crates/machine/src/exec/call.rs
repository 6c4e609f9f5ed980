//! Calls and returns.

use super::varargs::reads_further;
use super::{Frame, Machine};
use crate::code::{Arg, CallSite, Code, Instr, Part, Scalar, Target, registers};
use crate::fault::{FaultKind, Trouble};
use crate::memory::FRAMES;
use crate::monitor::{MemoryEvent, Monitor, Place, View};
use crate::program::{FuncId, FuncKind};

/// An argument on its way: its words and their undefined bits.
#[derive(Debug, Clone)]
pub(super) struct Passed {
    /// Where the caller has it; `None` when the machine itself calls.
    pub(super) src: Option<u32>,
    pub(super) words: Vec<u64>,
    pub(super) undefined: Vec<u64>,
    pub(super) parts: Vec<Part>,
    pub(super) by_value: Option<(u64, u32)>,
}

/// Calls through pointers remember so many callees.
const FITTING: usize = 256;

/// Which functions take just the arguments of which calls; each pair has one place, and a newer one may take it.
#[derive(Debug)]
pub(super) struct Fitting(Box<[Option<(usize, FuncId)>]>);

impl Default for Fitting {
    fn default() -> Self {
        Self(vec![None; FITTING].into())
    }
}

impl Passed {
    pub(super) fn word(value: u64) -> Self {
        let parts = vec![Part { scalar: Scalar::Pointer, offset: 0, register: 0 }];
        Self { src: None, words: vec![value], undefined: vec![0], parts, by_value: None }
    }
}

impl<M: Monitor> Machine<'_, M> {
    /// Executes an instruction that is not one of the frequent ones.
    pub(super) fn cold(&mut self, code: &Code, instr: &Instr) -> Result<(), Trouble> {
        match *instr {
            Instr::Call { site } => self.call(&code.calls[site as usize]),
            Instr::Return { src, count } => self.leave(src, count),
            Instr::Complex { index } => self.complex(&code.complex[index as usize]),
            _ => Ok(()),
        }
    }

    fn call(&mut self, site: &CallSite) -> Result<(), Trouble> {
        let function = match site.target {
            Target::Direct(function) => function,
            Target::Indirect(reg) => self.callee(self.get(reg))?,
        };
        // The library's start-up code calls what it takes for `main`.
        if let Some(calling) = &self.calling
            && calling.serial == 0
            && calling.function == function
            && matches!(site.target, Target::Indirect(_))
        {
            return self.begin_call(site.dst);
        }
        let fits = site.checked || matches!(site.target, Target::Indirect(_)) && self.fits(function, site);
        if fits {
            let defined = self.is_defined(site);
            self.enter_checked(function, site)?;
            if !defined {
                self.pass_undefined(site);
            }
            if M::ACTIVE {
                self.monitor.enter(function, self.frames.len() - 1);
            }
            return Ok(());
        }
        match self.program.function(function).kind {
            FuncKind::Builtin(builtin) => {
                self.builtin(builtin, site)?;
                if M::ACTIVE {
                    self.monitor.opaque();
                }
                Ok(())
            }
            FuncKind::Undefined => self.answer(function, site),
            FuncKind::Defined(..) => {
                let passed: Vec<Passed> = site.args.iter().map(|arg| self.pass(arg)).collect();
                self.enter(function, &passed, site.dst, site.count)
            }
        }
    }

    /// Whom a call reaches, if all that is to do is to copy arguments.
    #[inline]
    pub(super) fn plain_callee(&mut self, site: &CallSite) -> Option<FuncId> {
        match site.target {
            Target::Direct(function) => site.checked.then_some(function),
            // The library's start-up code calls what it takes for `main`.
            Target::Indirect(_) if self.calling.is_some() => None,
            Target::Indirect(reg) => {
                let function = self.program.function_at(self.get(reg))?;
                self.fits(function, site).then_some(function)
            }
        }
    }

    /// Whether a function that is called through a pointer takes just these arguments.
    fn fits(&mut self, function: FuncId, site: &CallSite) -> bool {
        let key = (std::ptr::from_ref(site).addr(), function);
        let place = (key.0 / size_of::<CallSite>()) ^ function.0 as usize;
        let known = &mut self.fitting.0[place % FITTING];
        if *known == Some(key) {
            return true;
        }
        let Some(code) = self.program.code(function).filter(|code| !code.varargs) else { return false };
        let same = |(parts, arg): (&Vec<Part>, &Arg)| arg.by_value.is_none() && *parts == arg.parts;
        let fits = code.parameter_parts.len() == site.args.len()
            && code.parameter_parts.iter().zip(&site.args).all(same);
        if fits {
            *known = Some(key);
        }
        fits
    }

    /// Whether the caller has no undefined bits in what it passes.
    fn is_defined(&self, site: &CallSite) -> bool {
        let Some(frame) = self.frames.last().filter(|frame| frame.careful) else { return true };
        let shadow = &self.shadows[frame.base as usize..frame.end as usize];
        let mut ranges = site.args.iter().map(|arg| (arg.src as usize, registers(&arg.parts) as usize));
        ranges.all(|(first, count)| shadow[first..first + count].iter().all(|mask| *mask == 0))
    }

    /// The function at an address.
    fn callee(&self, address: u64) -> Result<FuncId, Trouble> {
        self.program.function_at(address).ok_or_else(|| match address {
            0..=0xffff => {
                Trouble::Fault(FaultKind::NullDereference, "a call through the null pointer".into())
            }
            _ => Trouble::Fault(FaultKind::BadCall, "a call of something that is no function".into()),
        })
    }

    pub(super) fn pass(&self, arg: &Arg) -> Passed {
        let range = arg.src..arg.src + registers(&arg.parts);
        Passed {
            src: Some(arg.src),
            words: range.clone().map(|reg| self.get(reg)).collect(),
            undefined: range.map(|reg| self.undefined_bits(reg)).collect(),
            parts: arg.parts.clone(),
            by_value: arg.by_value,
        }
    }

    /// The frequent case: arguments and parameters have the same registers.
    pub(super) fn enter_checked(&mut self, function: FuncId, site: &CallSite) -> Result<(), Trouble> {
        let program = self.program;
        let code = program.code(function).expect("a checked callee has a body");
        let caller = self.frames.last().map_or(0, |frame| frame.base);
        let base = self.push_frame(function, code, site.dst, site.count)?;
        let mut to = base as usize;
        for arg in &site.args {
            let from = (caller + arg.src) as usize;
            match arg.parts.as_slice() {
                [part] if part.scalar.registers() == 1 => {
                    self.registers[to] = self.registers[from];
                    to += 1;
                }
                parts => {
                    let count = registers(parts) as usize;
                    self.registers.copy_within(from..from + count, to);
                    to += count;
                }
            }
        }
        Ok(())
    }

    /// The undefined bits of arguments whose words have been passed.
    fn pass_undefined(&mut self, site: &CallSite) {
        self.be_careful();
        let [.., caller, frame] = self.frames.as_slice() else { return };
        let mut to = frame.base;
        for arg in &site.args {
            let from = caller.base + arg.src;
            for register in 0..registers(&arg.parts) {
                let mask = self.shadows[(from + register) as usize];
                self.shadows[to as usize] = mask;
                if mask != 0 {
                    self.dirty.push(to);
                }
                to += 1;
            }
        }
    }

    /// A new frame with its constants and local variables; parameters are not set yet.
    fn push_frame(&mut self, function: FuncId, code: &Code, dst: u32, count: u32) -> Result<u32, Trouble> {
        let (first, room) = self.threads.room(self.limits.stack);
        let (base, local) = self.frames.last().map_or((0, first), |caller| (caller.end, caller.top));
        let thread = self.threads.number();
        let stack_top = self.memory.stack_top(thread);
        let above = self.frames.last().map_or(stack_top, |caller| caller.pointer);
        let depth = self.memory.stack_depth();
        let top = local + code.local_bytes;
        // Natively a call costs a return address and a frame pointer, and at -O0 every value has a place on the stack.
        let deep = u64::from(top - first) + 16 * self.frames.len() as u64 + 8 * u64::from(base);
        if deep > room || self.threads.is_full(&self.memory, code.locals.len(), above) {
            return Err(Trouble::Fault(
                FaultKind::StackExhausted,
                format!("{} calls deep, the stack is full ({room} bytes)", self.frames.len()),
            ));
        }
        let end = (base + code.registers) as usize;
        if self.registers.len() < end {
            self.registers.resize(end.next_power_of_two(), 0);
        }
        let first = (base + code.first_constant) as usize;
        self.registers[first..end].copy_from_slice(&code.constants);
        if top > local {
            self.memory.arenas[FRAMES].reach(top as usize);
            self.memory.arenas[FRAMES].defined[local as usize..top as usize].fill(0);
        }
        if !code.locals.is_empty() {
            self.memory.separate_frames();
        }
        let laid = self.memory.lay_frame(thread, above, code.extent, code.cells);
        let mut nth = 0;
        for variable in &code.locals {
            let start = local + variable.offset;
            let address = match variable.is_cell {
                true => {
                    nth += 1;
                    self.memory.push_cell(laid, nth - 1, start, variable.size)
                }
                false => self.memory.push_array(start, variable.size.into(), variable.align),
            };
            self.registers[(base + variable.address) as usize] = address;
        }
        self.serial += 1;
        self.frames.push(Frame {
            function,
            pc: 0,
            base,
            end: end as u32,
            local,
            top,
            depth,
            pointer: laid.pointer,
            dst,
            count,
            careful: false,
            dirty: self.dirty.len() as u32,
            detached: false,
            varargs: 0,
            serial: self.serial,
        });
        self.statistics.calls += 1;
        self.statistics.depth = self.statistics.depth.max(self.frames.len() as u64);
        self.called[function.0 as usize] = true;
        if M::ACTIVE {
            let place = Place { region: FRAMES, at: local as usize };
            self.monitor.memory(
                0,
                MemoryEvent::Fresh(place, u64::from(code.local_bytes)),
                View(&self.memory),
            );
        }
        Ok(base)
    }

    /// Calls a function with a body.
    pub(super) fn enter(
        &mut self,
        function: FuncId,
        args: &[Passed],
        dst: u32,
        count: u32,
    ) -> Result<(), Trouble> {
        let program = self.program;
        let code = program.code(function).ok_or_else(|| Trouble::Unsupported("no code".into()))?;
        self.check_arguments(function, code, args)?;
        let base = self.push_frame(function, code, dst, count)?;
        let mut to = base;
        let mut undefined = Vec::new();
        for (parts, arg) in code.parameter_parts.iter().zip(args) {
            let words = registers(parts) as usize;
            for index in 0..words {
                self.registers[to as usize + index] = arg.words.get(index).copied().unwrap_or(0);
                let mask = arg.undefined.get(index).copied().unwrap_or(0);
                if mask != 0 {
                    undefined.push((to - base + index as u32, mask));
                }
            }
            if let Some((size, align)) = arg.by_value {
                let copy = self.copy_by_value(arg.words[0], size, align)?;
                self.registers[to as usize] = copy;
            }
            to += words as u32;
        }
        for (reg, mask) in undefined {
            self.set_undefined(reg, mask);
        }
        if code.varargs {
            let rest = args.get(code.parameter_parts.len()..).unwrap_or(&[]);
            let name = &self.program.function(function).name;
            self.pass_varargs(rest, reads_further(name, self.program.is_users(function)))?;
        }
        if M::ACTIVE {
            self.monitor.enter(function, self.frames.len() - 1);
        }
        Ok(())
    }

    /// Whether the callee can make sense of what it is given.
    fn check_arguments(&self, function: FuncId, code: &Code, args: &[Passed]) -> Result<(), Trouble> {
        let name = &self.program.function(function).name;
        let bad = |message: String| Err(Trouble::Fault(FaultKind::BadCall, message));
        let expected = code.parameter_parts.len();
        if args.len() < expected {
            return bad(format!("`{name}` takes {expected} arguments and is given {}", args.len()));
        }
        for (index, (parts, arg)) in code.parameter_parts.iter().zip(args).enumerate() {
            let fits = parts.len() == arg.parts.len()
                && parts.iter().zip(&arg.parts).all(|(a, b)| same_class(a.scalar, b.scalar));
            if !fits {
                return bad(format!(
                    "argument {} of `{name}` has another type than its parameter",
                    index + 1
                ));
            }
        }
        Ok(())
    }

    /// A private copy of a structure, in the frame of the callee.
    fn copy_by_value(&mut self, address: u64, size: u64, align: u32) -> Result<u64, Trouble> {
        let access = || Trouble::Access { address, bytes: size, write: false };
        let from = self.memory.range(address, size, false).ok_or_else(access)?;
        let (copy, at) = self.push_dynamic(size, align)?;
        self.memory.copy((FRAMES, at), from, size as usize);
        if M::ACTIVE {
            let (to, from) = (Place { region: FRAMES, at }, Place { region: from.0, at: from.1 });
            self.monitor.memory(address, MemoryEvent::Copy(to, from, size), View(&self.memory));
        }
        Ok(copy)
    }

    /// An object in the current frame, besides its fixed variables. Gives its address and its place.
    pub(super) fn push_dynamic(&mut self, size: u64, align: u32) -> Result<(u64, usize), Trouble> {
        let full = || {
            Trouble::Fault(FaultKind::StackExhausted, format!("{size} bytes more do not fit on the stack"))
        };
        let (first, room) = self.threads.room(self.limits.stack);
        if self.threads.is_full(&self.memory, 1, u64::MAX) {
            return Err(full());
        }
        let Some(frame) = self.frames.last_mut() else { return Err(full()) };
        let at = u64::from(frame.top).next_multiple_of(16);
        let fits = |top: &u64| *top - u64::from(first) <= room;
        let top = at.checked_add(size).filter(fits).ok_or_else(full)?;
        frame.top = (top as u32).next_multiple_of(16);
        frame.pointer -= size.next_multiple_of(16);
        let reach = frame.top as usize;
        self.memory.arenas[FRAMES].reach(reach);
        self.memory.arenas[FRAMES].defined[at as usize..reach].fill(0);
        if M::ACTIVE {
            let place = Place { region: FRAMES, at: at as usize };
            self.monitor.memory(0, MemoryEvent::Fresh(place, size), View(&self.memory));
        }
        Ok((self.memory.push_array(at as u32, size, align), at as usize))
    }

    /// Ends the current function, if all that is to do is to copy its result.
    #[inline]
    pub(super) fn leave_plainly(&mut self, src: u32, count: u32) -> bool {
        let [.., caller, frame] = self.frames.as_mut_slice() else { return false };
        if caller.careful
            || frame.detached
            || frame.count > count
            || self.calling.is_some()
            || self.threads.is_making()
        {
            return false;
        }
        caller.pc += 1;
        let (from, to) = ((frame.base + src) as usize, (caller.base + frame.dst) as usize);
        match frame.count {
            0 => {}
            1 => self.registers[to] = self.registers[from],
            words => self.registers.copy_within(from..from + words as usize, to),
        }
        self.drop_frame();
        true
    }

    /// Ends the current function.
    fn leave(&mut self, src: u32, count: u32) -> Result<(), Trouble> {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        let masks: Vec<u64> = match frame.careful {
            true => {
                let from = (frame.base + src) as usize;
                self.shadows[from..from + frame.count.min(count) as usize].to_vec()
            }
            false => Vec::new(),
        };
        self.clear_from(frame.dirty as usize);
        let called = self.calling.as_ref().is_some_and(|calling| calling.serial == frame.serial);
        if called {
            self.end_call((frame.base + src) as usize, count);
        }
        self.memory.pop_locals(frame.depth);
        if M::ACTIVE {
            self.monitor.leave(self.frames.len());
        }
        if self.frames.is_empty() && self.is_in_thread() {
            return self.end_thread();
        }
        let Some(caller) = self.frames.last_mut() else {
            // The entry point itself returns: there is no library to exit through.
            let status =
                if count > 0 && !called { self.registers[(frame.base + src) as usize] as i32 } else { 0 };
            return Err(Trouble::Exit(status & 0xff));
        };
        if frame.detached {
            return self.leave_nested();
        }
        caller.pc += 1;
        if called {
            // For the library the program has ended well.
            self.set(frame.dst, 0);
            return Ok(());
        }
        let careful = caller.careful;
        let (from, to) = ((frame.base + src) as usize, (caller.base + frame.dst) as usize);
        let words = frame.count.min(count) as usize;
        self.registers.copy_within(from..from + words, to);
        if frame.careful || careful || frame.count > count {
            for index in 0..frame.count {
                let mask = match () {
                    () if index >= count => u64::MAX,
                    () if frame.careful => masks.get(index as usize).copied().unwrap_or(0),
                    () => 0,
                };
                self.set_undefined(frame.dst + index, mask);
            }
        }
        self.begin_made(frame.serial)
    }
}

/// Whether one can stand for the other in a call: whole numbers and pointers travel alike.
fn same_class(a: Scalar, b: Scalar) -> bool {
    match (a, b) {
        (Scalar::Float(a), Scalar::Float(b)) => a == b,
        (Scalar::Float(_), _) | (_, Scalar::Float(_)) => false,
        (a, b) => a.registers() == b.registers(),
    }
}
