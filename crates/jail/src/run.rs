//! Running a command to its end.

use std::collections::VecDeque;
use std::io::Read;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::{Deserialize, Serialize};

use crate::{Command, Error, Policy, Process};

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// With an exit code.
    Exit(i32),
    /// By a signal.
    Signal(i32),
    /// The time was up.
    TimeOut,
    /// The user wants to stop.
    Cancelled,
    /// It used up more than it may.
    Exceeded(Exceeded),
    /// The program cannot be started.
    NotStarted(String),
}

/// A limit that was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Exceeded {
    /// Resident memory.
    Memory,
    /// Processes at the same time.
    Processes,
    /// Bytes on disk.
    Disk,
    /// Bytes printed.
    Output,
}

impl std::fmt::Display for Exceeded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Exceeded::Memory => "it used more memory than it may",
            Exceeded::Processes => "it started more processes than it may",
            Exceeded::Disk => "it wrote more to the disk than it may",
            Exceeded::Output => "it printed more than it may",
        })
    }
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            End::Exit(code) => write!(f, "exit code {code}"),
            End::Signal(signal) => write!(f, "killed by signal {signal}"),
            End::TimeOut => f.write_str("the time was up"),
            End::Cancelled => f.write_str("interrupted"),
            End::Exceeded(what) => write!(f, "stopped: {what}"),
            End::NotStarted(reason) => f.write_str(reason),
        }
    }
}

impl End {
    /// Whether it ended with the exit code 0.
    pub fn success(&self) -> bool {
        *self == End::Exit(0)
    }
}

/// What is kept of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kept {
    /// The streams go where the command says.
    Nothing,
    /// The first so many bytes of each stream; both in [`Finished::output`], in the order of writing.
    Together(usize),
    /// The first so many bytes of each stream, apart.
    Apart(usize),
}

/// How a run is watched.
pub struct Watch<'a> {
    /// When it must be done.
    pub deadline: Instant,
    /// Becomes true when the user wants to stop.
    pub cancel: Option<&'a AtomicBool>,
    /// What is kept of the output.
    pub kept: Kept,
    /// More output than this ends the run; only what is kept is counted.
    pub most_output: u64,
    /// Gets every line of output as it is printed.
    pub lines: Option<&'a (dyn Fn(&str) + Sync)>,
}

impl<'a> Watch<'a> {
    /// A run of limited time that keeps nothing.
    pub fn new(time: Duration) -> Self {
        Self {
            deadline: Instant::now() + time,
            cancel: None,
            kept: Kept::Nothing,
            most_output: 64 << 20,
            lines: None,
        }
    }

    /// Ends when the flag is set.
    pub fn until(mut self, cancel: &'a AtomicBool) -> Self {
        self.cancel = Some(cancel);
        self
    }

    /// Keeps output.
    pub fn keeping(mut self, kept: Kept) -> Self {
        self.kept = kept;
        self
    }
}

/// A run that ended.
#[derive(Clone, Debug)]
pub struct Finished {
    /// How.
    pub end: End,
    /// What was kept of standard output.
    pub output: Vec<u8>,
    /// What was kept of standard error.
    pub errors: Vec<u8>,
    /// The last lines of both streams.
    pub tail: String,
    /// How long it took.
    pub time: Duration,
}

/// How often a flag is looked at.
const TICK: Duration = Duration::from_millis(20);
/// How much of the output's end is kept.
const TAIL: usize = 1500;

/// Runs a command to its end. When this returns, nothing that it started is left.
pub fn run(mut command: Command, policy: &Policy, watch: &Watch<'_>) -> Result<Finished, Error> {
    let program = command.program.to_string_lossy().into_owned();
    let io = |error| Error::Io { program: program.clone(), error };
    let started = Instant::now();
    let mut streams = Vec::new();
    let most = match watch.kept {
        Kept::Nothing => 0,
        Kept::Together(most) => {
            let (reader, writer) = std::io::pipe().map_err(io)?;
            command = command.stdout(writer.try_clone().map_err(io)?).stderr(writer);
            streams.push(Stream::new(reader.into()));
            most
        }
        Kept::Apart(most) => {
            for errors in [false, true] {
                let (reader, writer) = std::io::pipe().map_err(io)?;
                command = if errors { command.stderr(writer) } else { command.stdout(writer) };
                streams.push(Stream::new(reader.into()));
            }
            most
        }
    };
    let mut process = Process::start(command, policy)?;
    let mut tail = VecDeque::new();
    let mut printed = 0;
    let end = loop {
        wait_for_news(&process, &streams, TICK);
        // First the state, then the output: what the last process printed is not missed.
        let ended = process.wait(Duration::ZERO)?;
        for stream in &mut streams {
            printed += stream.read(most, &mut tail, watch.lines);
        }
        let reason = match ended {
            Some(end) => {
                for stream in &mut streams {
                    while stream.read(most, &mut tail, watch.lines) > 0 {}
                }
                break end;
            }
            None if watch.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed)) => End::Cancelled,
            None if Instant::now() >= watch.deadline || hydrogen_stop::is_over() => End::TimeOut,
            None if printed > watch.most_output => End::Exceeded(Exceeded::Output),
            None => continue,
        };
        process.kill();
        break reason;
    };
    if !policy.trusted {
        policy.write.iter().for_each(|folder| crate::private::mask(folder.as_ref()));
    }
    let mut kept = streams.into_iter().map(|stream| stream.kept);
    let (output, errors) = (kept.next().unwrap_or_default(), kept.next().unwrap_or_default());
    Ok(Finished { end, output, errors, tail: last_lines(&tail), time: started.elapsed() })
}

/// Sleeps until there is output, everything has ended, or the time is up.
fn wait_for_news(process: &Process, streams: &[Stream], most: Duration) {
    let mut watched: Vec<PollFd<'_>> = Vec::new();
    for fd in streams.iter().filter(|stream| stream.open).map(|stream| &stream.from).chain(process.ended()) {
        watched.push(PollFd::from_borrowed_fd(fd.as_fd(), PollFlags::IN));
    }
    let most = if process.ended().is_some() { most } else { Duration::from_millis(2) };
    let time = Timespec::try_from(most).ok();
    // A signal ends the sleep early, which does no harm.
    let _ = poll(&mut watched, time.as_ref());
}

/// One stream of output.
struct Stream {
    from: OwnedFd,
    open: bool,
    kept: Vec<u8>,
    line: Vec<u8>,
}

impl Stream {
    fn new(from: OwnedFd) -> Self {
        Self { from, open: true, kept: Vec::new(), line: Vec::new() }
    }

    /// Reads what is there, without waiting; says how much it was.
    fn read(&mut self, most: usize, tail: &mut VecDeque<u8>, lines: Option<&(dyn Fn(&str) + Sync)>) -> u64 {
        let ready = |stream: &Self| {
            let mut watched = [PollFd::from_borrowed_fd(stream.from.as_fd(), PollFlags::IN)];
            let now = Timespec { tv_sec: 0, tv_nsec: 0 };
            matches!(poll(&mut watched, Some(&now)), Ok(1..))
        };
        if !self.open || !ready(self) {
            return 0;
        }
        let mut buffer = [0; 1 << 16];
        let count = rustix::io::read(&self.from, &mut buffer).unwrap_or(0);
        self.open = count > 0;
        let new = &buffer[..count];
        let room = most.saturating_sub(self.kept.len());
        self.kept.extend_from_slice(&new[..count.min(room)]);
        tail.extend(new);
        tail.drain(..tail.len().saturating_sub(TAIL));
        if let Some(lines) = lines {
            self.line.extend_from_slice(new);
            while let Some(end) = self.line.iter().position(|byte| *byte == b'\n') {
                lines(&String::from_utf8_lossy(&self.line[..end]));
                self.line.drain(..=end);
            }
            // A line without an end is shown in pieces.
            if self.line.len() > 1 << 16 {
                lines(&String::from_utf8_lossy(&self.line));
                self.line.clear();
            }
        }
        count as u64
    }
}

fn last_lines(tail: &VecDeque<u8>) -> String {
    let mut bytes = Vec::new();
    // Reading from memory cannot fail.
    let _ = tail.clone().read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes).into_owned();
    // Not half a line at the beginning.
    let whole =
        if bytes.len() < TAIL { &text } else { text.split_once('\n').map_or(&*text, |(_, rest)| rest) };
    whole.trim_end().to_owned()
}
