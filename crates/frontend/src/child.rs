//! One child process and its pipes.

use crate::protocol::{self, Reply, Request};
use std::io::{self, BufReader, Read};
use std::path::Path;
use std::process::{Child as Process, ChildStdin, ChildStdout, Command, Stdio};
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
}

/// Why no answer came.
pub(crate) enum Silence {
    /// The time was up.
    TimeOut,
    /// The caller gave up.
    Cancelled,
    /// The child died; what it last wrote to its error stream.
    Died(String),
}

impl Child {
    pub(crate) fn start(program: &Path) -> io::Result<Self> {
        let mut process = Command::new(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let requests = process.stdin.take().expect("stdin is piped");
        let out = process.stdout.take().expect("stdout is piped");
        let mut errors = process.stderr.take().expect("stderr is piped");
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
        Ok(Self { process, requests, replies, complaints, listener, answered: 0 })
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
        let ended = |child: &mut Self| matches!(child.process.try_wait(), Ok(Some(_)));
        for _ in 0..PATIENCE {
            if ended(self) && self.listener.is_finished() {
                break;
            }
            std::thread::sleep(TICK / 10);
        }
        let _ = self.process.kill();
        let status = self.process.wait().map(|status| status.to_string()).unwrap_or_default();
        let complaints = self.complaints.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let text = String::from_utf8_lossy(&complaints);
        let tail: Vec<&str> = text.lines().rev().take(12).collect();
        let tail: Vec<&str> = tail.into_iter().rev().collect();
        Silence::Died(format!("{status}\n{}", tail.join("\n")))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // It may be in the middle of an answer that nobody waits for any more.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// How often a waiting caller looks up.
const TICK: Duration = Duration::from_millis(50);
/// How many tenths of a tick a dying child gets.
const PATIENCE: u32 = 100;
/// How much of a child's error stream is kept.
const KEPT: usize = 16 * 1024;
