//! Recording: only what the code does not tell by itself.
//!
//! A conditional branch costs one bit, a load or store through a pointer the distance from the one before. Accesses to
//! local variables at known places cost nothing. Calls, returns and rare instructions are followed by the list of what
//! happened.

use crate::encode::{put, zigzag};
use crate::log::Log;
use hydrogen_machine::code::Instr;
use hydrogen_machine::{
    Builtin, FuncId, MemoryEvent, Monitor, Place, Step, Stream, StreamEvent, View, World,
};

/// Why there is no trace.
#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    /// The temporary file could not be written or read.
    #[error("the trace does not fit in memory, and a temporary file failed: {0}")]
    Io(#[from] std::io::Error),
    /// The run is too long.
    #[error("the run has more than {0} instructions: limit it with --steps")]
    TooLong(u64),
    /// The user stopped it.
    #[error("interrupted")]
    Interrupted,
}

/// What may happen during a call, a return or a rare instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Tag {
    /// Nothing more; execution goes on where it must.
    End,
    /// Nothing more; execution goes on elsewhere in the function: after `longjmp`.
    EndAt,
    Enter,
    Leave,
    Load,
    Store,
    Copy,
    Set,
    Fresh,
    Argument,
    Given,
    Input,
    Output,
    Named,
    Jump,
    Opaque,
}

impl Tag {
    pub(crate) fn of(byte: u8) -> Tag {
        use Tag::*;
        let all = [
            End, EndAt, Enter, Leave, Load, Store, Copy, Set, Fresh, Argument, Given, Input, Output, Named,
            Jump, Opaque,
        ];
        all.get(usize::from(byte)).copied().unwrap_or(End)
    }
}

/// What the current instruction tells of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// At most one access through a pointer.
    Plain,
    /// An access whose place is known.
    Local,
    /// A conditional branch.
    Branch,
    /// A table of targets.
    Switch,
    /// Anything.
    Open,
}

/// Watches a run and records it.
#[derive(Debug)]
pub struct Recorder {
    bytes: Log,
    bits: Log,
    word: u64,
    used: u32,
    steps: u64,
    mode: Mode,
    /// Where the current branch goes when its condition holds.
    then: u32,
    last: usize,
    /// Where execution should go on.
    next: u32,
    returns: Vec<u32>,
    streams: Vec<Stream>,
}

/// A recorded run.
#[derive(Debug)]
pub struct Trace {
    pub(crate) bytes: Log,
    pub(crate) bits: Log,
    /// How many instructions were executed.
    pub steps: u64,
    /// What was written to, by every output to a descriptor in turn.
    pub(crate) streams: Vec<Stream>,
}

impl Trace {
    /// Bytes that the trace takes, in memory and in a temporary file.
    pub fn size(&self) -> (usize, u64) {
        let ((kept, spilled), (bits, more)) = (self.bytes.len(), self.bits.len());
        (kept + bits, spilled + more)
    }
}

impl Default for Recorder {
    fn default() -> Self {
        Self::new(256 << 20)
    }
}

impl Recorder {
    /// A recorder that keeps so many bytes in memory, and more in a temporary file.
    pub fn new(bound: usize) -> Self {
        Self {
            bytes: Log::new(bound),
            bits: Log::new(bound),
            word: 0,
            used: 0,
            steps: 0,
            mode: Mode::Open,
            then: 0,
            last: 0,
            next: 0,
            returns: Vec::new(),
            streams: Vec::new(),
        }
    }

    /// The trace, after the run.
    pub fn finish(mut self) -> Result<Trace, TraceError> {
        if self.mode == Mode::Open {
            self.bytes.open().push(Tag::End as u8);
        }
        let word = self.word.to_le_bytes();
        self.bits.open().extend(word);
        self.bytes.seal();
        self.bits.seal();
        match self.bytes.error().or(self.bits.error()) {
            Some(error) => Err(error.into()),
            None => {
                let Self { bytes, bits, steps, streams, .. } = self;
                Ok(Trace { bytes, bits, steps, streams })
            }
        }
    }

    fn tag(&mut self, tag: Tag) {
        self.bytes.open().push(tag as u8);
    }

    fn number(&mut self, value: u64) {
        put(self.bytes.open(), value);
    }

    #[inline]
    fn place(&mut self, place: Place) {
        let distance = zigzag(place.at as i64 - self.last as i64);
        self.last = place.at;
        put(self.bytes.open(), distance << 1 | place.region as u64);
    }

    fn range(&mut self, tag: Tag, place: Place, len: u64) {
        self.tag(tag);
        self.place(place);
        self.number(len);
    }

    #[cold]
    fn event(&mut self, event: MemoryEvent) {
        match event {
            MemoryEvent::Load(place, len) => self.range(Tag::Load, place, len),
            MemoryEvent::Store(place, len) => self.range(Tag::Store, place, len),
            MemoryEvent::Copy(to, from, len) => {
                self.range(Tag::Copy, to, len);
                self.place(from);
            }
            MemoryEvent::Set(place, len) => self.range(Tag::Set, place, len),
            MemoryEvent::Fresh(place, len) => self.range(Tag::Fresh, place, len),
            MemoryEvent::Argument(place, len, reg) => {
                self.range(Tag::Argument, place, len);
                self.number(reg.into());
            }
            MemoryEvent::Given(place, len, _) => self.range(Tag::Given, place, len),
            MemoryEvent::Input(place, len, fd, _) => {
                self.range(Tag::Input, place, len);
                self.number(zigzag(fd.into()));
            }
            MemoryEvent::Output(place, len, fd) => {
                self.range(Tag::Output, place, len);
                self.number(zigzag(fd.into()));
            }
        }
    }

    /// Ends the list of what happened.
    fn close(&mut self, pc: u32) {
        if pc == self.next {
            self.tag(Tag::End);
        } else {
            self.tag(Tag::EndAt);
            self.number(pc.into());
        }
        self.bytes.settle();
    }
}

impl Monitor for Recorder {
    #[inline]
    fn step(&mut self, step: Step<'_>) {
        if self.mode == Mode::Open {
            self.close(step.site.pc);
        }
        self.steps += 1;
        self.mode = match step.instr {
            Instr::LoadLocal8 { .. }
            | Instr::LoadLocal16 { .. }
            | Instr::LoadLocal32 { .. }
            | Instr::LoadLocal64 { .. }
            | Instr::StoreLocal8 { .. }
            | Instr::StoreLocal16 { .. }
            | Instr::StoreLocal32 { .. }
            | Instr::StoreLocal64 { .. }
            | Instr::Begin { .. } => Mode::Local,
            Instr::Call { .. } | Instr::Return { .. } | Instr::Complex { .. } => {
                self.next = step.site.pc + 1;
                Mode::Open
            }
            Instr::Branch { then, .. } => {
                self.then = *then;
                Mode::Branch
            }
            Instr::Switch { .. } => Mode::Switch,
            _ => Mode::Plain,
        };
    }

    #[inline]
    fn memory(&mut self, _address: u64, event: MemoryEvent, _view: View<'_>) {
        match (self.mode, event) {
            (Mode::Local, _) => {}
            (Mode::Plain, MemoryEvent::Load(place, _) | MemoryEvent::Store(place, _)) => {
                self.bytes.settle();
                self.place(place);
            }
            _ => self.event(event),
        }
    }

    fn named(&mut self, what: Builtin, name: &[u8], memory: Option<(Place, u64)>) {
        self.tag(Tag::Named);
        self.number(match what {
            Builtin::Symbolic => 0,
            Builtin::Assume => 1,
            _ => 2,
        });
        self.number(name.len() as u64);
        self.bytes.open().extend(name);
        self.number(memory.is_some().into());
        if let Some((place, len)) = memory {
            self.place(place);
            self.number(len);
        }
    }

    #[inline]
    fn branch(&mut self, target: u32) {
        match self.mode {
            Mode::Branch => {
                self.word |= u64::from(target == self.then) << self.used;
                self.used += 1;
                if self.used == 64 {
                    let word = std::mem::take(&mut self.word).to_le_bytes();
                    self.bits.open().extend(word);
                    self.bits.settle();
                    self.used = 0;
                }
            }
            Mode::Switch => {
                self.bytes.settle();
                self.number(target.into());
            }
            _ => {
                self.tag(Tag::Jump);
                self.number(target.into());
                self.next = target;
            }
        }
    }

    fn enter(&mut self, function: FuncId, _depth: usize) {
        self.tag(Tag::Enter);
        self.number(function.0.into());
        self.returns.push(self.next);
        self.next = 0;
    }

    fn leave(&mut self, _depth: usize) {
        self.tag(Tag::Leave);
        self.next = self.returns.pop().unwrap_or(0);
    }

    fn opaque(&mut self) {
        self.tag(Tag::Opaque);
    }

    /// Comes before the output itself.
    fn stream(&mut self, stream: Stream, event: StreamEvent, _world: &World) {
        if let StreamEvent::Write { .. } = event {
            self.streams.push(stream);
        }
    }
}
