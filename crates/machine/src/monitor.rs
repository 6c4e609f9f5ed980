//! Watching a run: what symbolic execution and dependence recording are built on.
//!
//! The interpreter is generic over a [`Monitor`]. [`Off`] costs nothing: every call is behind a constant that is false.

use crate::code::{Code, Instr};
use crate::memory::{Memory, STACK, Site, is_near};
use crate::world::{Stream, StreamEvent, World};

/// An instruction that is about to be executed.
#[derive(Clone, Copy)]
pub struct Step<'a> {
    /// Where.
    pub site: Site,
    /// How many calls deep; the entry point is 0.
    pub depth: usize,
    /// The function.
    pub code: &'a Code,
    /// The instruction; [`Code::accesses`] lists the registers it reads and writes.
    pub instr: &'a Instr,
    /// The registers of the function, before the instruction.
    pub registers: &'a [u64],
    /// Memory, before the instruction.
    pub view: View<'a>,
}

/// A place in memory. Each byte of memory has one place for as long as it lives, whatever pointer leads there, so a
/// monitor can keep its own facts per byte by (`region`, `at`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// 0: globals and heap; 1: local variables.
    pub region: usize,
    /// The byte.
    pub at: usize,
}

/// What happens to memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemoryEvent {
    /// An instruction reads.
    Load(Place, u64),
    /// An instruction writes.
    Store(Place, u64),
    /// Bytes are copied (`to`, `from`, length) inside memory.
    Copy(Place, Place, u64),
    /// The machine writes by itself: one byte many times, a word of its own, the answer of a system call, or that a variable has no value.
    Set(Place, u64),
    /// A new object or a new frame: nothing of what was there counts any more.
    Fresh(Place, u64),
    /// A variable argument is laid down for the callee, from this register of the caller.
    Argument(Place, u64, crate::code::Reg),
    /// Text that the program is started with: the n-th argument or variable of the environment.
    Given(Place, u64, Given),
    /// Bytes come in from the outside: a file descriptor and the place in its stream.
    Input(Place, u64, i32, u64),
    /// Bytes go out.
    Output(Place, u64, i32),
}

/// A look into memory.
#[derive(Clone, Copy)]
pub struct View<'a>(pub(crate) &'a Memory);

/// A live object of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// The address of its first byte.
    pub address: u64,
    /// The place of its first byte.
    pub place: Place,
    /// Its size in bytes.
    pub size: u64,
    /// Whether it may be written to.
    pub writable: bool,
}

/// A function without a body, what it was given, and what it did.
#[derive(Debug, Clone, Copy)]
pub struct Answered<'a> {
    /// The function.
    pub function: crate::program::FuncId,
    /// What it was given.
    pub arguments: &'a [hydrogen_evidence::Value],
    /// Where its result is, if it has one.
    pub result: Option<crate::code::Reg>,
    /// The bytes that had no value before.
    pub filled: &'a [Filled],
}

/// A byte that a function without a body gave its first value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Filled {
    /// The number of the argument that leads there.
    pub argument: usize,
    /// So many bytes behind it.
    pub at: u64,
    /// Where it is.
    pub place: Place,
}

/// What the function of a call leaves behind, by the numbers and names of [`After`](crate::After).
#[derive(Debug, Clone, Copy)]
pub struct Leaving<'a> {
    /// The objects; `None` once one is freed.
    pub objects: &'a [Option<Extent>],
    /// Global variables of the program.
    pub globals: &'a [(String, Extent)],
}

impl Extent {
    /// Whether an address is inside of the object, or so near to it that no other one can be there.
    pub fn is_near(&self, address: u64) -> bool {
        is_near(self.address, self.size, address)
    }
}

impl View<'_> {
    /// The bytes at a place.
    pub fn bytes(&self, place: Place, len: u64) -> &[u8] {
        let bytes = &self.0.arenas[place.region].bytes;
        bytes.get(place.at..place.at.saturating_add(len as usize)).unwrap_or(&[])
    }

    /// Whether the program, or somebody for it, has given the byte at a place a value.
    pub fn is_defined(&self, place: Place) -> bool {
        self.0.arenas[place.region].defined.get(place.at) == Some(&u8::MAX)
    }

    /// The object that a pointer leads into.
    pub fn object(&self, address: u64) -> Option<Extent> {
        let object = self.0.object(address)?;
        Some(Extent {
            address: object.base,
            place: Place { region: usize::from(address >= STACK), at: object.start as usize },
            size: object.size,
            writable: object.writable > 0,
        })
    }
}

/// What a program is started with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Given {
    /// The n-th argument; 0 is the program's name.
    Argument(usize),
    /// The n-th variable of the environment.
    Environment(usize),
}

/// Someone who watches a run.
pub trait Monitor {
    /// Whether anything is watched at all.
    const ACTIVE: bool = true;
    /// Whether the program may start threads: who watches then sees the calls of several stacks, without being told whose they are.
    const THREADS: bool = false;

    /// Before each instruction.
    fn step(&mut self, _step: Step<'_>) {}
    /// Memory is touched by the current instruction, before a load or store, after anything else. `address` is the pointer
    /// that was used; 0 for locals.
    fn memory(&mut self, _address: u64, _event: MemoryEvent, _view: View<'_>) {}
    /// An access that is not allowed: the run ends with it. Told once, in place of the event.
    fn denied(&mut self, _address: u64, _bytes: u64, _write: bool, _view: View<'_>) {}
    /// The current instruction was a fault, and the run goes on behind it.
    fn went_on(&mut self) {}
    /// Something happens to a stream; the bytes that go in or out follow as an event of memory.
    fn stream(&mut self, _stream: Stream, _event: StreamEvent, _world: &World) {}
    /// The program named something of its own: memory for input (with its place), an assumption, an output.
    fn named(&mut self, _what: crate::program::Builtin, _name: &[u8], _memory: Option<(Place, u64)>) {}
    /// A branch or switch goes to this instruction.
    fn branch(&mut self, _target: u32) {}
    /// The function of a call was entered, instead of the program; the call's objects lie at these places.
    fn called(
        &mut self,
        _function: crate::program::FuncId,
        _call: &hydrogen_evidence::Call,
        _objects: &[Extent],
        _view: View<'_>,
    ) {
    }
    /// The function of a call returns; its frame is still there.
    fn returned(&mut self, _left: &Leaving<'_>, _view: View<'_>) {}
    /// A function with a body is entered.
    fn enter(&mut self, _function: crate::program::FuncId, _depth: usize) {}
    /// The current function returns, or a `longjmp` leaves it; `depth` is what remains.
    fn leave(&mut self, _depth: usize) {}
    /// A function without a body answers as the call says.
    fn answered(&mut self, _answered: Answered<'_>) {}
    /// The machine itself computed the result of the current instruction (a built-in function, a system call).
    fn opaque(&mut self) {}
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Off;

impl Monitor for Off {
    const ACTIVE: bool = false;
    const THREADS: bool = true;
}
