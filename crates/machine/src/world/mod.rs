//! What is outside of the program: arguments, environment, files, clock. It begins at the system call.
//!
//! Nothing here touches the host but folders that were mapped, and those are only read. The same world gives the same
//! answers in every run. What cannot be done is noted in the ledger.

mod files;
mod input;
mod io;
mod names;
mod paths;
mod process;
mod refusals;
mod timers;

use crate::memory::{Memory, Region};
use bstr::BString;
use files::{Files, NodeId};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

pub(crate) use process::PROCESS;
pub use refusals::Refusals;

/// The answer to a system call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effect {
    /// The result; errors are negative.
    Value(i64),
    /// The program ends.
    Exit(i32),
    /// The program is killed.
    Signal(i32),
    /// The program's own handler of a signal must be called.
    Handler { handler: u64, signal: i32 },
    /// The program gave memory that it may not use.
    BadAccess { address: u64, bytes: u64, write: bool },
}

/// Bytes that went between the program and the outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Transfer {
    In {
        address: u64,
        region: Region,
        at: usize,
        len: u64,
        fd: i32,
        offset: u64,
    },
    Out {
        address: u64,
        region: Region,
        at: usize,
        len: u64,
        fd: i32,
    },
    /// What happens to the stream itself, before the bytes.
    Stream(Stream, StreamEvent),
}

/// Where bytes come from or go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Stream {
    /// Standard input.
    Stdin,
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
    /// A file, by its number in the world: two files of one name, one after the other, are two.
    Node(usize),
}

/// What happens to a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamEvent {
    /// It is read at an offset: so many bytes were wanted, so many were there.
    Read {
        /// Where in the stream.
        offset: u64,
        /// How many bytes the program asked for.
        wanted: u64,
        /// How many it got.
        got: u64,
    },
    /// It is written at an offset.
    Write {
        /// Where in the stream.
        offset: u64,
    },
    /// Its size is set; what is behind the old or new end is zero or gone.
    Resize {
        /// The new size.
        size: u64,
    },
}

#[derive(Debug, Clone, Copy)]
struct Open {
    stream: Stream,
    offset: u64,
    readable: bool,
    writable: bool,
    append: bool,
}

/// A call of a function without a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stranger {
    /// The function.
    pub name: String,
    /// All that it is given and can read; nothing where that is not known, because it leads to memory that may depend on anything.
    pub given: Option<Vec<Visible>>,
}

/// What a function without a body is given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Visible {
    /// A number, or null.
    Number(u64),
    /// The address of a function.
    Function(String),
    /// A pointer to a constant: what it holds from there on, and how much comes before.
    Constant(u64, Vec<u8>),
}

/// The outside of a program.
#[derive(Debug, Clone)]
pub struct World {
    /// The arguments, the program's name first.
    pub args: Vec<BString>,
    /// `NAME=value`, in order.
    pub environment: Vec<BString>,
    /// The function to start with.
    pub entry: String,
    /// The call that is made instead.
    pub call: Option<Arc<hydrogen_evidence::Call>>,
    stdin: Arc<Vec<u8>>,
    /// What the program wrote to its standard output.
    pub stdout: Vec<u8>,
    /// What the program wrote to its standard error.
    pub stderr: Vec<u8>,
    /// Inputs by name, for `hydrogen_symbolic`.
    pub named: BTreeMap<BString, Vec<u8>>,
    /// How often each name was used for an input so far.
    pub(crate) named_uses: BTreeMap<BString, u64>,
    /// What the program gave to `hydrogen_output`, in order.
    pub named_outputs: Vec<(BString, u64)>,
    /// Faults that the run went on behind, the first of each place.
    pub faults: Vec<crate::fault::Fault>,
    /// How many threads the program started in a run that was watched: they took turns in one order of many.
    pub threads: u64,
    files: Files,
    /// Open files; descriptors that share one share its position.
    open: Vec<Open>,
    descriptors: BTreeMap<i32, usize>,
    folder: NodeId,
    /// Nanoseconds since 1970; only sleeping and asking move it.
    clock: u64,
    /// Bytes written in all.
    pub(crate) written: u64,
    pub(crate) transfers: Vec<Transfer>,
    /// What could not be done as on a real system, with how often.
    ledger: BTreeMap<String, u64>,
    /// The functions without a body that were called, in order, see [`Self::strangers`].
    pub(crate) strangers: Vec<Stranger>,
    /// Handlers by signal: address, flags, restorer, mask.
    handlers: BTreeMap<i32, [u64; 4]>,
    break_end: u64,
    break_start: u64,
    random: u64,
    /// The timer that runs, and how many instructions were executed when the current system call was made.
    timer: Option<timers::Timer>,
    pub(crate) steps: u64,
    /// The files that are pipes.
    pipes: BTreeSet<NodeId>,
    /// How far the addresses of objects that the run makes are moved.
    pub(crate) shift: u32,
    /// Which thread runs when: 0 for turns of the same length in a fixed order, another number for turns that follow from it.
    pub schedule: u64,
    /// Which requests for memory find none.
    pub memory: Refusals,
}

/// 2020-01-01 00:00:00 UTC.
const EPOCH: u64 = 1_577_836_800 * 1_000_000_000;

impl Default for World {
    fn default() -> Self {
        let stream =
            |stream, readable| Open { stream, offset: 0, readable, writable: !readable, append: false };
        Self {
            args: vec!["program".into()],
            environment: Vec::new(),
            entry: "main".into(),
            call: None,
            stdin: Arc::default(),
            stdout: Vec::new(),
            stderr: Vec::new(),
            named: BTreeMap::new(),
            memory: Refusals::default(),
            named_uses: BTreeMap::new(),
            named_outputs: Vec::new(),
            faults: Vec::new(),
            threads: 0,
            files: Files::default(),
            open: vec![
                stream(Stream::Stdin, true),
                stream(Stream::Stdout, false),
                stream(Stream::Stderr, false),
            ],
            descriptors: (0..3).map(|fd| (fd, fd as usize)).collect(),
            folder: 0,
            clock: EPOCH,
            written: 0,
            transfers: Vec::new(),
            ledger: BTreeMap::new(),
            strangers: Vec::new(),
            handlers: BTreeMap::new(),
            break_end: 0,
            break_start: 0,
            random: 0x9e37_79b9_7f4a_7c15,
            timer: None,
            steps: 0,
            pipes: BTreeSet::new(),
            shift: 0,
            schedule: 0,
        }
    }
}

impl World {
    /// A world with these arguments, the program's name first.
    pub fn new(args: impl IntoIterator<Item = impl Into<BString>>) -> Self {
        Self { args: args.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// The same with this standard input.
    pub fn with_stdin(mut self, stdin: impl Into<Vec<u8>>) -> Self {
        self.stdin = Arc::new(stdin.into());
        self
    }

    /// The same with the content of a folder of the host at `at`; it is never written to.
    pub fn with_folder(mut self, path: &Path, at: &str) -> std::io::Result<Self> {
        self.files.map(path, at.as_bytes())?;
        Ok(self)
    }

    /// The same where the root is found under another name too.
    pub fn with_root_at(mut self, at: &str) -> Self {
        self.files.alias(at.as_bytes());
        self
    }

    /// The same with another current folder.
    pub fn in_folder(mut self, path: &str) -> std::io::Result<Self> {
        let missing = |_| std::io::Error::from(std::io::ErrorKind::NotFound);
        self.folder = self.files.find(0, path.as_bytes()).map_err(missing)?;
        Ok(self)
    }

    /// The same with a file; a relative name starts from the current folder.
    pub fn with_file(mut self, at: &str, content: impl Into<Vec<u8>>) -> Self {
        self.files.put(self.folder, at.as_bytes(), content.into());
        self
    }

    /// The standard input.
    pub fn stdin(&self) -> &[u8] {
        &self.stdin
    }

    /// The content of a file, before or after a run.
    pub fn file(&self, name: &[u8]) -> Option<Vec<u8>> {
        let mut files = self.files.clone();
        let id = files.find(self.folder, name).ok()?;
        files.load(id).ok()?;
        match &files.nodes[id] {
            files::Node::File { content, .. } => Some(content.to_vec()),
            _ => None,
        }
    }

    /// The stream of a file, before or after a run.
    pub fn stream_of(&self, name: &[u8]) -> Option<Stream> {
        self.files.clone().find(self.folder, name).ok().map(Stream::Node)
    }

    /// The same with the clock at this time, in seconds since 1970.
    pub fn with_clock(mut self, seconds: u64) -> Self {
        self.clock = seconds.saturating_mul(1_000_000_000);
        self
    }

    /// The same with other random numbers from the system; the seed is not 0.
    pub fn with_random(mut self, seed: u64) -> Self {
        self.random = seed.max(1);
        self
    }

    /// The same where objects that the run makes lie so many bytes further on.
    pub fn with_shift(mut self, bytes: u32) -> Self {
        self.shift = bytes;
        self
    }

    /// Files that the program made or changed, with their content, by name.
    pub fn changed_files(&self) -> Vec<(BString, Arc<Vec<u8>>)> {
        self.files.known(true)
    }

    /// Files that the program read and did not change, with their content, by name.
    pub fn read_files(&self) -> Vec<(BString, Arc<Vec<u8>>)> {
        self.files.known(false)
    }

    /// The name of a stream: `stdin`, `stdout`, `stderr`, or a file's path.
    pub fn name_of(&self, stream: Stream) -> BString {
        match stream {
            Stream::Stdin => "stdin".into(),
            Stream::Stdout => "stdout".into(),
            Stream::Stderr => "stderr".into(),
            Stream::Node(id) => self.files.path_of(id).unwrap_or_else(|| format!("file #{id}").into()),
        }
    }

    /// The functions without a body that were called, in order: a program's surroundings see these calls.
    pub fn strangers(&self) -> &[Stranger] {
        &self.strangers
    }

    /// What could not be done as on a real system, and how often.
    pub fn ledger(&self) -> impl Iterator<Item = (&str, u64)> {
        self.ledger.iter().map(|(note, count)| (note.as_str(), *count))
    }

    /// Writes something into the ledger.
    pub(crate) fn note(&mut self, note: &str) {
        match self.ledger.get_mut(note) {
            Some(count) => *count += 1,
            None => {
                self.ledger.insert(note.to_owned(), 1);
            }
        }
    }

    /// Does what the program asks of the system.
    pub(crate) fn system_call(&mut self, memory: &mut Memory, number: u64, args: [u64; 6]) -> Effect {
        match self.dispatch(memory, number, args) {
            Ok(effect) => effect,
            Err(Failure::Error(error)) => Effect::Value(-error),
            Err(Failure::Access { address, bytes, write }) => Effect::BadAccess { address, bytes, write },
        }
    }

    fn dispatch(&mut self, memory: &mut Memory, number: u64, args: [u64; 6]) -> Answer {
        if let Some(answer) = self.input_output(memory, number, args) {
            return answer;
        }
        if let Some(answer) = self.path_call(memory, number, args) {
            return answer;
        }
        if let Some(answer) = self.process_call(memory, number, args) {
            return answer;
        }
        match names::name(number) {
            Some(name) => self.note(&format!("the system call `{name}` is not supported")),
            None => self.note(&format!("the system call {number} is not supported")),
        }
        Err(Failure::Error(ENOSYS))
    }
}

const ENOSYS: i64 = 38;
const EBADF: i64 = 9;
const EINVAL: i64 = 22;

/// Why a system call did not do what it was asked.
#[derive(Debug, Clone, Copy)]
enum Failure {
    Error(i64),
    Access { address: u64, bytes: u64, write: bool },
}

type Answer = Result<Effect, Failure>;

impl From<i64> for Failure {
    fn from(error: i64) -> Self {
        Failure::Error(error)
    }
}

fn ok(value: u64) -> Answer {
    Ok(Effect::Value(value as i64))
}

/// Bytes of the program's memory.
fn read(memory: &Memory, address: u64, len: u64) -> Result<&[u8], Failure> {
    let access = Failure::Access { address, bytes: len, write: false };
    let (region, at) = memory.range(address, len, false).ok_or(access)?;
    Ok(&memory.arenas[region].bytes[at..at + len as usize])
}

/// Writes into the program's memory.
fn write(memory: &mut Memory, address: u64, bytes: &[u8]) -> Result<(Region, usize), Failure> {
    let access = Failure::Access { address, bytes: bytes.len() as u64, write: true };
    let place = memory.range(address, bytes.len() as u64, true).ok_or(access)?;
    if !bytes.is_empty() {
        memory.fill(place, bytes);
        memory.changed.push((place.0, place.1, bytes.len(), false));
    }
    Ok(place)
}

/// A string of the program's memory.
fn string(memory: &Memory, address: u64) -> Result<BString, Failure> {
    let mut bytes = BString::default();
    loop {
        let [byte] = *read(memory, address.wrapping_add(bytes.len() as u64), 1)? else {
            return Err(Failure::Error(EINVAL));
        };
        if byte == 0 {
            return Ok(bytes);
        }
        bytes.push(byte);
        if bytes.len() > 4096 {
            return Err(Failure::Error(36));
        }
    }
}

/// What a run leaves behind is what it wrote.
impl hydrogen_evidence::Left for World {
    fn stdout(&self) -> &[u8] {
        &self.stdout
    }

    fn stderr(&self) -> &[u8] {
        &self.stderr
    }

    fn files(&self) -> BTreeMap<BString, Vec<u8>> {
        self.changed_files().into_iter().map(|(name, content)| (name, content.to_vec())).collect()
    }

    fn named(&self) -> &[(BString, u64)] {
        &self.named_outputs
    }

    fn faults(&self) -> Vec<hydrogen_evidence::FaultKind> {
        self.faults.iter().map(|fault| fault.kind).collect()
    }
}
