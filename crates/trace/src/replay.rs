//! Playing a trace again: the same events in the same order, without executing anything.

use crate::encode::{take, unzigzag};
use crate::log::Log;
use crate::record::{Tag, Trace, TraceError};
use hydrogen_machine::code::{Code, Instr};
use hydrogen_machine::{FuncId, Place, Program};
use std::borrow::Cow;

/// The region of local variables.
pub(crate) const FRAMES: usize = 1;

/// What happened, beside the instructions themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Event {
    Load(Place, u64),
    Store(Place, u64),
    Copy(Place, Place, u64),
    Set(Place, u64),
    Fresh(Place, u64),
    /// A variable argument from this register of the caller.
    Argument(Place, u64, u32),
    Given(Place, u64),
    Input(Place, u64, i32),
    Output(Place, u64, i32),
    /// Memory that became a named input.
    Symbolic(Place, u64),
    Assume,
    NamedOutput(Vec<u8>),
    /// A function is entered; its local variables begin at this byte.
    Enter(FuncId, usize),
    Leave,
    /// A branch, switch or computed `goto` goes there.
    Branch(u32),
    /// The machine did it itself.
    Opaque,
    /// `longjmp` came to this instruction of the current function.
    Land(u32),
}

/// Who is told.
pub(crate) trait Watch {
    /// An instruction begins.
    fn step(&mut self, function: FuncId, pc: u32);
    /// It does something.
    fn event(&mut self, event: Event);
    /// Whether to stop before the end.
    fn stop(&self) -> bool {
        false
    }
}

struct Bytes<'t> {
    log: &'t Log,
    next: usize,
    chunk: Cow<'t, [u8]>,
    at: usize,
}

impl<'t> Bytes<'t> {
    fn new(log: &'t Log) -> Self {
        Self { log, next: 0, chunk: Cow::Borrowed(&[]), at: 0 }
    }

    /// Whether there is more; moves to the next chunk at the end of one. Records do not cross chunks.
    fn more(&mut self) -> Result<bool, TraceError> {
        while self.at >= self.chunk.len() {
            if self.next >= self.log.chunks() {
                return Ok(false);
            }
            self.chunk = self.log.chunk(self.next)?;
            self.next += 1;
            self.at = 0;
        }
        Ok(true)
    }

    fn number(&mut self) -> u64 {
        take(&self.chunk, &mut self.at)
    }

    fn byte(&mut self) -> u8 {
        let byte = self.chunk.get(self.at).copied().unwrap_or(0);
        self.at += 1;
        byte
    }
}

struct Frame<'p> {
    function: FuncId,
    code: &'p Code,
    pc: u32,
    local: usize,
}

struct Replay<'t> {
    bytes: Bytes<'t>,
    bits: Bytes<'t>,
    word: u64,
    left: u32,
    last: usize,
}

/// Tells everything that happened.
pub(crate) fn replay(program: &Program, trace: &Trace, watch: &mut impl Watch) -> Result<(), TraceError> {
    let mut replay =
        Replay { bytes: Bytes::new(&trace.bytes), bits: Bytes::new(&trace.bits), word: 0, left: 0, last: 0 };
    let mut frames: Vec<Frame<'_>> = Vec::new();
    replay.events(program, &mut frames, watch)?;
    for _ in 0..trace.steps {
        let Some(frame) = frames.last_mut() else { break };
        let (code, pc) = (frame.code, frame.pc);
        let Some(instr) = code.instrs.get(pc as usize) else { break };
        watch.step(frame.function, pc);
        if watch.stop() {
            break;
        }
        frame.pc += 1;
        let local = |offset: u32| Place { region: FRAMES, at: frame.local + offset as usize };
        match *instr {
            Instr::LoadLocal8 { offset, .. } => watch.event(Event::Load(local(offset), 1)),
            Instr::LoadLocal16 { offset, .. } => watch.event(Event::Load(local(offset), 2)),
            Instr::LoadLocal32 { offset, .. } => watch.event(Event::Load(local(offset), 4)),
            Instr::LoadLocal64 { offset, .. } => watch.event(Event::Load(local(offset), 8)),
            Instr::StoreLocal8 { offset, .. } => watch.event(Event::Store(local(offset), 1)),
            Instr::StoreLocal16 { offset, .. } => watch.event(Event::Store(local(offset), 2)),
            Instr::StoreLocal32 { offset, .. } => watch.event(Event::Store(local(offset), 4)),
            Instr::StoreLocal64 { offset, .. } => watch.event(Event::Store(local(offset), 8)),
            Instr::Begin { offset, size } => watch.event(Event::Set(local(offset), size.into())),
            Instr::Load8 { .. } => replay.access(1, false, watch)?,
            Instr::Load16 { .. } => replay.access(2, false, watch)?,
            Instr::Load32 { .. } => replay.access(4, false, watch)?,
            Instr::Load64 { .. } => replay.access(8, false, watch)?,
            Instr::Store8 { .. } => replay.access(1, true, watch)?,
            Instr::Store16 { .. } => replay.access(2, true, watch)?,
            Instr::Store32 { .. } => replay.access(4, true, watch)?,
            Instr::Store64 { .. } => replay.access(8, true, watch)?,
            Instr::Jump { target } => frame.pc = target,
            Instr::Branch { then, otherwise, .. } => {
                frame.pc = if replay.bit()? { then } else { otherwise };
                watch.event(Event::Branch(frame.pc));
            }
            Instr::Switch { .. } if replay.bytes.more()? => {
                frame.pc = replay.bytes.number() as u32;
                watch.event(Event::Branch(frame.pc));
            }
            Instr::Call { .. } | Instr::Return { .. } | Instr::Complex { .. } => {
                replay.events(program, &mut frames, watch)?;
            }
            _ => {}
        }
    }
    Ok(())
}

impl Replay<'_> {
    fn bit(&mut self) -> Result<bool, TraceError> {
        if self.left == 0 && self.bits.more()? {
            let bytes = self.bits.chunk.get(self.bits.at..).and_then(|rest| rest.first_chunk());
            self.word = bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes));
            self.bits.at += 8;
            self.left = 64;
        }
        self.left = self.left.saturating_sub(1);
        let bit = self.word & 1 != 0;
        self.word >>= 1;
        Ok(bit)
    }

    fn place(&mut self) -> Place {
        let number = self.bytes.number();
        let at = (self.last as i64 + unzigzag(number >> 1)) as usize;
        self.last = at;
        Place { region: (number & 1) as usize, at }
    }

    /// A load or store through a pointer; the last one of a run may have failed.
    fn access(&mut self, len: u64, write: bool, watch: &mut impl Watch) -> Result<(), TraceError> {
        if self.bytes.more()? {
            let place = self.place();
            watch.event(if write { Event::Store(place, len) } else { Event::Load(place, len) });
        }
        Ok(())
    }

    /// Everything until the next instruction.
    fn events<'p>(
        &mut self,
        program: &'p Program,
        frames: &mut Vec<Frame<'p>>,
        watch: &mut impl Watch,
    ) -> Result<(), TraceError> {
        // The first new memory among local variables is the frame of the function that is entered next.
        let mut local = None;
        while self.bytes.more()? {
            let event = match Tag::of(self.bytes.byte()) {
                Tag::End => break,
                Tag::EndAt => {
                    let pc = self.bytes.number() as u32;
                    if let Some(frame) = frames.last_mut() {
                        frame.pc = pc;
                    }
                    watch.event(Event::Land(pc));
                    break;
                }
                Tag::Enter => {
                    let function = FuncId(self.bytes.number() as u32);
                    let at = local.take().unwrap_or(0);
                    if let Some(code) = program.code(function) {
                        frames.push(Frame { function, code, pc: 0, local: at });
                    }
                    Event::Enter(function, at)
                }
                Tag::Leave => {
                    frames.pop();
                    Event::Leave
                }
                Tag::Jump => {
                    let target = self.bytes.number() as u32;
                    if let Some(frame) = frames.last_mut() {
                        frame.pc = target;
                    }
                    Event::Branch(target)
                }
                Tag::Named => self.named(),
                Tag::Opaque => Event::Opaque,
                tag => {
                    let (place, len) = (self.place(), self.bytes.number());
                    if tag == Tag::Fresh && place.region == FRAMES && local.is_none() {
                        local = Some(place.at);
                    }
                    self.memory(tag, place, len)
                }
            };
            watch.event(event);
        }
        Ok(())
    }

    fn memory(&mut self, tag: Tag, place: Place, len: u64) -> Event {
        match tag {
            Tag::Load => Event::Load(place, len),
            Tag::Store => Event::Store(place, len),
            Tag::Copy => Event::Copy(place, self.place(), len),
            Tag::Set => Event::Set(place, len),
            Tag::Fresh => Event::Fresh(place, len),
            Tag::Argument => Event::Argument(place, len, self.bytes.number() as u32),
            Tag::Given => Event::Given(place, len),
            Tag::Input => Event::Input(place, len, unzigzag(self.bytes.number()) as i32),
            _ => Event::Output(place, len, unzigzag(self.bytes.number()) as i32),
        }
    }

    fn named(&mut self) -> Event {
        let what = self.bytes.number();
        let len = self.bytes.number() as usize;
        let end = (self.bytes.at + len).min(self.bytes.chunk.len());
        let name = self.bytes.chunk[self.bytes.at.min(end)..end].to_vec();
        self.bytes.at = end;
        let memory = (self.bytes.number() != 0).then(|| (self.place(), self.bytes.number()));
        match (what, memory) {
            (0, Some((place, len))) => Event::Symbolic(place, len),
            (2, _) => Event::NamedOutput(name),
            _ => Event::Assume,
        }
    }
}

impl Trace {
    /// Everything that happened, as text, for tests and for looking closely.
    pub fn told(&self, program: &Program) -> Result<Vec<String>, TraceError> {
        let mut told = Told(Vec::new());
        replay(program, self, &mut told)?;
        Ok(told.0)
    }
}

struct Told(Vec<String>);

impl Watch for Told {
    fn step(&mut self, function: FuncId, pc: u32) {
        self.0.push(format!("{} {pc}", function.0));
    }

    fn event(&mut self, event: Event) {
        let at = |place: Place| format!("{}:{}", place.region, place.at);
        self.0.push(match event {
            Event::Load(place, len) => format!("load {} {len}", at(place)),
            Event::Store(place, len) => format!("store {} {len}", at(place)),
            Event::Copy(to, from, len) => format!("copy {} {} {len}", at(to), at(from)),
            Event::Set(place, len) => format!("set {} {len}", at(place)),
            Event::Fresh(place, len) => format!("fresh {} {len}", at(place)),
            Event::Argument(place, len, reg) => format!("argument {} {len} {reg}", at(place)),
            Event::Given(place, len) => format!("given {} {len}", at(place)),
            Event::Input(place, len, fd) => format!("input {} {len} {fd}", at(place)),
            Event::Output(place, len, fd) => format!("output {} {len} {fd}", at(place)),
            Event::Symbolic(place, len) => format!("symbolic {} {len}", at(place)),
            Event::Assume => "assume".into(),
            Event::NamedOutput(name) => format!("named {}", String::from_utf8_lossy(&name)),
            Event::Enter(function, _) => format!("enter {}", function.0),
            Event::Leave => "leave".into(),
            Event::Branch(target) => format!("branch {target}"),
            Event::Opaque => "opaque".into(),
            Event::Land(_) => return,
        });
    }
}
