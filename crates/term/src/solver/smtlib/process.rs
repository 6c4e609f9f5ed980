//! A solver's process: written to and read from by threads of their own, so that no full pipe and no hanging solver can stop us.

use std::{
    io::{BufRead, BufReader, Read, Write},
    process::Stdio,
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread,
    time::{Duration, Instant},
};

use hydrogen_jail::{Command, Limits, Policy};

use super::super::Reason;

/// A running solver. Dropping it kills it.
pub(super) struct Process {
    process: hydrogen_jail::Process,
    input: Sender<String>,
    output: Receiver<String>,
    errors: Receiver<String>,
    questions: u64,
}

/// So often it is looked whether anybody still waits for the answer.
const TICK: Duration = Duration::from_millis(100);

/// The longest answer that is read; a solver that writes more is broken.
const LONGEST_ANSWER: usize = 64 << 20;

impl Process {
    /// Starts the program.
    pub fn start(program: &str, arguments: &[String]) -> Result<Self, Reason> {
        let command = Command::new(program, ".").args(arguments);
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // The user chose it and it reads only what we write: it is limited, not confined.
        let mut process = hydrogen_jail::Process::start(command, &Policy::trusted(Limits::default()))
            .map_err(|error| Reason::Missing(error.to_string()))?;
        let mut stdin = process.take_stdin().expect("standard input was asked for");
        let stdout = process.take_stdout().expect("standard output was asked for");
        let stderr = process.take_stderr().expect("standard error was asked for");
        let (input, commands) = channel::<String>();
        thread::spawn(move || {
            // A closed pipe shows as the end of the output, too.
            while let Ok(text) = commands.recv() {
                if stdin.write_all(text.as_bytes()).and_then(|()| stdin.flush()).is_err() {
                    break;
                }
            }
        });
        let (lines, output) = channel();
        thread::spawn(move || {
            let mut reader = BufReader::new(stdout);
            let mut line = Vec::new();
            while matches!(reader.by_ref().take(LONGEST_ANSWER as u64).read_until(b'\n', &mut line), Ok(1..))
            {
                if lines.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                    break;
                }
                line.clear();
            }
        });
        let (complaint, errors) = channel();
        thread::spawn(move || {
            let mut text = Vec::new();
            let _ = stderr.take(4096).read_to_end(&mut text);
            let _ = complaint.send(String::from_utf8_lossy(&text).trim().to_owned());
        });
        Ok(Self { process, input, output, errors, questions: 0 })
    }

    /// Limits its memory.
    pub fn limit_memory(&self, bytes: u64) {
        self.process.limit_address_space(bytes);
    }

    /// Sends commands and returns all that is printed for them.
    pub fn ask(&mut self, commands: &str, deadline: Instant) -> Result<String, Reason> {
        self.questions += 1;
        // The mark is a number of our own, so an answer cannot contain it by chance.
        let mark = format!("hydrogen-mark-{}", self.questions);
        let text = format!("{commands}\n(echo \"{mark}\")\n");
        if self.input.send(text).is_err() {
            return Err(self.crashed());
        }
        let mut answer = String::new();
        loop {
            let left = deadline.saturating_duration_since(Instant::now()).min(hydrogen_stop::left());
            match self.output.recv_timeout(left.min(TICK)) {
                Ok(line) if line.trim().trim_matches('"') == mark => return Ok(answer),
                Ok(line) => answer.push_str(&line),
                Err(RecvTimeoutError::Timeout) if left > TICK && !hydrogen_bitwuzla::is_interrupted() => {}
                Err(RecvTimeoutError::Timeout) => return Err(Reason::Timeout),
                Err(RecvTimeoutError::Disconnected) if is_about_memory(&answer) => {
                    return Err(Reason::Memory);
                }
                Err(RecvTimeoutError::Disconnected) => return Err(self.crashed()),
            }
            if answer.len() > LONGEST_ANSWER {
                return Err(Reason::Crashed("it does not stop writing".to_owned()));
            }
        }
    }

    /// What is known about the end of the process.
    fn crashed(&mut self) -> Reason {
        let complaint = self.errors.recv_timeout(Duration::from_millis(200)).unwrap_or_default();
        if is_about_memory(&complaint) {
            return Reason::Memory;
        }
        let end = self.process.wait(Duration::from_millis(200));
        self.process.kill();
        let status = match end {
            Ok(Some(end)) => end.to_string(),
            Ok(None) => "it does not answer".to_owned(),
            Err(error) => error.to_string(),
        };
        Reason::Crashed(if complaint.is_empty() { status } else { format!("{status}: {complaint}") })
    }
}

/// Whether a complaint says that memory ran out.
pub(super) fn is_about_memory(text: &str) -> bool {
    let text = text.to_lowercase();
    ["out of memory", "memout", "memory limit", "bad_alloc", "max. memory"]
        .iter()
        .any(|phrase| text.contains(phrase))
}
