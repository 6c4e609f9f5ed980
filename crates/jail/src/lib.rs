//! Starting, limiting, confining and ending every foreign process: compilers, builds, tests, native replays, solvers.
//!
//! This crate does not know what it runs. A [`Command`] says what to start, a [`Policy`] what it may touch and use. A confined
//! process is started by the small program `hydrogen-jail`, which stands beside the tool: it enters namespaces of its own (processes,
//! files, network), closes the doors (Landlock, seccomp, limits) and then becomes the foreign program. When the program ends, when its
//! [`Process`] is dropped, or when the tool itself dies, everything it started ends too, also what detached itself.
//!
//! What foreign code wrote or named is read by [`inside`] alone.
//!
//! A protection that the kernel does not offer is said once per run ([`offered`]); one that it offers and then refuses is an error, and
//! nothing is run.

mod command;
mod environment;
pub mod inside;
pub mod order;
mod policy;
pub mod private;
mod process;
mod protection;
mod run;

pub use command::Command;
pub use environment::{Permissions, allowed, allowed_names, permit, permitted};
pub use policy::{Limits, Policy};
pub use process::{Error, Process, end_all, find_helper};
pub use protection::{Namespaces, Offered, offered};
pub use run::{End, Exceeded, Finished, Kept, Watch, run};
