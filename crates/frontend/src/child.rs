//! One child process and its pipes.

use crate::protocol::{self, Reply, Request};
use hydrogen_jail::{Command, End, Limits, Policy, Process};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// A running child that answers one request after the other.
pub(crate) struct Child {
    process: Process,
    requests: ChildStdin,
    replies: Receiver<io::Result<Option<Reply>>>,
    complaints: Arc<Mutex<Vec<u8>>>,
    listener: JoinHandle<()>,
    pub(crate) answered: usize,
    /// The folders that it can read besides the system's.
    pub(crate) reads: Vec<PathBuf>,
}

/// Why no answer came.
pub(crate) enum Silence {
    /// The time was up.
    TimeOut,
    /// The caller gave up.
    Cancelled,
    /// The child died; what it last wrote to its error stream.
    Died(String),
    /// The child gave up because the source is beyond a limit; which one.
    Refused(String),
}

impl Child {
    /// Starts a child that can read the system's headers and these folders, and can neither write nor reach anything else.
    pub(crate) fn start(program: &Path, reads: &[PathBuf]) -> Result<Self, hydrogen_jail::Error> {
        let io = |error| hydrogen_jail::Error::Io { program: program.display().to_string(), error };
        let program = program.canonicalize().map_err(io)?;
        let mut policy = Policy::of_the_system().reading(&program).only_reading();
        policy = reads.iter().fold(policy, Policy::reading).limited(Limits::of_a_compiler());
        let mut command = Command::new(&program, "/");
        // Where clang's own headers are, if the user says so.
        if let Some(folder) = std::env::var_os(RESOURCES).filter(|folder| !folder.is_empty()) {
            policy = policy.reading(&folder);
            command = command.env(RESOURCES, folder);
        }
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = Process::start(command, &policy)?;
        let requests = process.take_stdin().expect("stdin is piped");
        let out = process.take_stdout().expect("stdout is piped");
        let mut errors = process.take_stderr().expect("stderr is piped");
        let (sender, replies) = channel();
        // A thread per child reads its answers, so that waiting for one can have a time limit.
        std::thread::spawn(move || {
            let mut out: BufReader<ChildStdout> = BufReader::new(out);
            loop {
                let reply = protocol::read(&mut out);
                let last = !matches!(reply, Ok(Some(_)));
                if sender.send(reply).is_err() || last {
                    return;
                }
            }
        });
        let complaints = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&complaints);
        let listener = std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            while let Ok(count @ 1..) = errors.read(&mut buffer) {
                let mut kept = kept.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                kept.extend_from_slice(&buffer[..count]);
                let excess = kept.len().saturating_sub(KEPT);
                kept.drain(..excess);
            }
        });
        Ok(Self { process, requests, replies, complaints, listener, answered: 0, reads: reads.to_vec() })
    }

    pub(crate) fn ask(
        &mut self,
        request: &Request,
        limit: Duration,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Reply, Silence> {
        if protocol::write(&mut self.requests, request).is_err() {
            return Err(self.death());
        }
        let mut waited = Duration::ZERO;
        loop {
            match self.replies.recv_timeout(TICK) {
                Ok(Ok(Some(reply))) => {
                    self.answered += 1;
                    return Ok(reply);
                }
                Ok(_) | Err(RecvTimeoutError::Disconnected) => return Err(self.death()),
                Err(RecvTimeoutError::Timeout) => {
                    waited += TICK;
                    if cancelled() {
                        return Err(Silence::Cancelled);
                    }
                    if waited >= limit {
                        return Err(Silence::TimeOut);
                    }
                }
            }
        }
    }

    fn death(&mut self) -> Silence {
        // A child that closed its pipe is about to end, and its last words are on their way; one that wrote
        // garbage may go on for ever.
        let end = self.process.wait(PATIENCE);
        self.process.kill();
        for _ in 0..10 {
            if self.listener.is_finished() {
                break;
            }
            std::thread::sleep(TICK / 10);
        }
        let refused = matches!(end, Ok(Some(End::Exit(LIMIT_MET))));
        let status = match end {
            Ok(Some(end)) => end.to_string(),
            Ok(None) => "it goes on without an answer".into(),
            Err(error) => error.to_string(),
        };
        let complaints = self.complaints.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let text = String::from_utf8_lossy(&complaints);
        let tail: Vec<&str> = text.lines().rev().take(12).collect();
        if let Some(limit) = tail.first().filter(|_| refused) {
            return Silence::Refused((*limit).to_owned());
        }
        let tail: Vec<&str> = tail.into_iter().rev().collect();
        Silence::Died(format!("{status}\n{}", tail.join("\n")))
    }
}

/// How often a waiting caller looks up.
const TICK: Duration = Duration::from_millis(50);
/// What a child ends with that met a limit.
const LIMIT_MET: i32 = 71;
/// How long a dying child gets.
const PATIENCE: Duration = Duration::from_millis(500);
/// Names the folder with clang's own headers.
const RESOURCES: &str = "HYDROGEN_RESOURCE_DIR";
/// How much of a child's error stream is kept.
const KEPT: usize = 16 * 1024;
