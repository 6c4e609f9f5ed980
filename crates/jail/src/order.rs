//! What the tool and its program `hydrogen-jail` say to each other, over one socket: an order, and one report at the end.

use std::ffi::OsString;
use std::io::{self, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{Exceeded, Offered, Policy};

/// What to run, and how.
#[derive(Debug, Serialize, Deserialize)]
pub struct Order {
    /// The protections to put up; one of these that fails is an error.
    pub offered: Offered,
    /// What may be touched and used.
    pub policy: Policy,
    /// The program.
    pub program: OsString,
    /// The name it sees itself called by.
    pub called: Option<OsString>,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Its folder.
    pub directory: OsString,
    /// Its whole environment.
    pub environment: Vec<(OsString, OsString)>,
}

/// How it went.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Report {
    /// It ended with this status, as the kernel writes it.
    Ended(i32),
    /// It used up more than it may.
    Exceeded(Exceeded),
    /// The program cannot be started.
    NotStarted(String),
    /// A protection that was ordered cannot be put up; nothing was run.
    Refused(String),
}

/// A program that its starter traces: `hydrogen-jail --traced FILE`, the order in the file. The helper asks to be traced, stops itself
/// once, and becomes the program. It confines nothing: the program is the user's own, or every call of it is answered by the tracer.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Traced {
    /// The program's file.
    pub program: OsString,
    /// Its arguments, with the name it sees itself called by.
    pub arguments: Vec<OsString>,
    /// Its folder.
    pub directory: OsString,
    /// Its whole environment: NAME=VALUE.
    pub environment: Vec<OsString>,
    /// The mask of modes of new files.
    pub umask: u32,
    /// Limits by number: soft and hard. Those that may not be raised stay.
    pub limits: Vec<(u64, u64)>,
    /// Whether reading the processor's clock is a signal, which its tracer answers.
    pub traps_clock: bool,
    /// A folder of the tracer's own. Where it is given, files are read as they are, and what is written is gone with the program.
    pub copied: Option<OsString>,
}

/// Writes one message: its length, then itself.
pub fn send(to: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let bytes = postcard::to_stdvec(message).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
    to.write_all(&[&length.to_le_bytes()[..], &bytes].concat())
}

/// Reads one message.
pub fn receive<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<T> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let mut bytes = Vec::new();
    let length = u64::from(u32::from_le_bytes(length));
    from.take(length).read_to_end(&mut bytes)?;
    postcard::from_bytes(&bytes).map_err(io::Error::other)
}
