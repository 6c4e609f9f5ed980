//! The machine: runs a program's model.
//!
//! [`Program::load`] links units and what they need of the C library; [`Program::run`] executes in a [`World`]. Memory
//! is made of objects with bounds, life and defined bits, so undefined behaviour is found at the instruction that does
//! it. Every run is deterministic: the same program, input and world give the same run, addresses included. Someone can
//! watch: see [`Monitor`].

pub mod code;
mod exec;
mod fault;
mod header;
mod memory;
mod monitor;
mod program;
mod world;

pub use exec::{After, Left, Limits, Run};
pub use fault::{End, Fault, FaultKind, FrameInfo, Leak, Limit, ObjectInfo, Statistics};
pub use header::{NATIVE_SOURCE, write_headers};
pub use memory::{ObjectKind, Site, is_address, is_near, next_places, place_of, places_of};
pub use monitor::{Answered, Extent, Filled, Given, Leaving, MemoryEvent, Monitor, Off, Place, Step, View};
pub use program::{
    Archive, ArchiveError, BuildError, Builtin, COMPLEX, Convention, Func, FuncId, FuncKind, Library, Member,
    Passing, Program, Standard, convention, is_record, result_words, stream_for,
};
pub use world::{Refusals, Stranger, Stream, StreamEvent, Visible, World};
