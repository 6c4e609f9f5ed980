//! What in the environment makes a program fail.
//!
//! A run is recorded call by call ([`record_run`]). The same program, failing elsewhere, is run again with some answers as recorded,
//! until the smallest part of the environment is known that makes the difference ([`why`]).

mod compare;
pub mod deps;
mod file;
mod launch;
mod mapped;
mod memory;
mod oracle;
mod packages;
pub mod record;
mod recorder;
mod refine;
mod replay;
mod resource;
mod search;
pub mod show;
mod stage;
mod substitute;
mod sys;
pub mod table;
mod tracer;
mod tracker;
mod watchdog;
mod world;

pub use compare::Difference;
pub use file::{Error as FileError, decode, encode, read, write};
pub use oracle::{Oracle, Verdict};
pub use recorder::{Options, Recorded, here, record as record_run};
pub use refine::Detail;
pub use replay::{Replayed, can_replay, programs, replay};
pub use resource::Resource;
pub use search::{Answer, Boundary, Cause, Outcome, Question, diff, semi_replay, why};
pub use tracer::{Error, Order, Ran};
pub use world::World;
