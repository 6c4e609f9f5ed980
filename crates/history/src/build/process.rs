//! Running one step of a build: confined, with a time limit, in a process group of its own.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::Ordering;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::{BuildOptions, Error, Problem};

/// More output than any honest build has; a loop that prints would fill the disk.
const MOST_OUTPUT: u64 = 64 << 20;
/// How much of the output a message shows.
const TAIL: u64 = 1500;

/// A step to run.
pub(super) struct Step<'a> {
    pub program: OsString,
    pub arguments: Vec<OsString>,
    pub directory: &'a Path,
    /// Added to, and replacing, the environment of the build.
    pub environment: BTreeMap<OsString, OsString>,
}

impl Step<'_> {
    fn shown(&self) -> String {
        let mut line = self.program.to_string_lossy().into_owned();
        for word in &self.arguments {
            line.push(' ');
            line.push_str(&word.to_string_lossy());
        }
        line
    }
}

/// Runs steps for one checkout.
pub(super) struct Runner<'a> {
    pub options: &'a BuildOptions<'a>,
    pub checkout: &'a Path,
    /// When everything must be done.
    pub deadline: Instant,
    pub started: Instant,
    /// The environment of every step.
    pub environment: BTreeMap<OsString, OsString>,
}

impl Runner<'_> {
    /// Runs a step to its end. A step that fails is a problem, not an error: what it recorded counts.
    pub fn run(&self, step: &Step<'_>, problems: &mut Vec<Problem>) -> Result<bool, Error> {
        let log = self.options.scratch.join("build.log");
        let status_file = self.options.scratch.join("confined");
        let output = File::options().create(true).append(true).open(&log).map_err(Error::io("open", &log))?;
        let start = output.metadata().map_err(Error::io("read", &log))?.len();
        let again = output.try_clone().map_err(Error::io("open", &log))?;
        let child = Command::new(self.options.wrapper)
            .arg("--sandbox")
            .args([&status_file, &self.checkout.to_path_buf(), &self.options.scratch.to_path_buf()])
            .arg("--")
            .arg(&step.program)
            .args(&step.arguments)
            .current_dir(step.directory)
            .env_clear()
            .envs(&self.environment)
            .envs(&step.environment)
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(again)
            .process_group(0)
            .spawn()
            .map_err(Error::io("run", self.options.wrapper))?;
        let mut follower = Follower { path: log, at: start, shown: start, line: Vec::new() };
        let status = self.wait(child, step, &mut follower)?;
        if fs::read(&status_file).is_ok_and(|word| word == b"none") {
            problems.push(Problem::NotConfined);
        }
        if !status.success() {
            let (step, status, tail) = (step.shown(), describe(status), follower.tail());
            problems.push(Problem::StepFailed { step, status, tail });
        }
        Ok(status.success())
    }

    fn wait(&self, child: Child, step: &Step<'_>, follower: &mut Follower) -> Result<ExitStatus, Error> {
        let mut group = Group(child);
        let mut pause = Duration::from_millis(1);
        loop {
            // First the state, then the output: what the last process printed is not missed.
            let ended = group.0.try_wait().map_err(Error::io("wait for", self.options.wrapper))?;
            let printed = follower.follow(self.options.log);
            if let Some(status) = ended {
                return Ok(status);
            }
            if self.options.cancel.load(Ordering::Relaxed) {
                return Err(Error::Cancelled);
            }
            if Instant::now() >= self.deadline {
                let (step, after) = (step.shown(), self.started.elapsed());
                return Err(Error::Timeout { step, after, tail: follower.tail() });
            }
            if printed > MOST_OUTPUT {
                let (step, limit) = (step.shown(), MOST_OUTPUT);
                return Err(Error::TooMuchOutput { step, limit, tail: follower.tail() });
            }
            sleep(pause);
            pause = (pause * 2).min(Duration::from_millis(20));
        }
    }
}

/// A running step. However it ends, the whole group ends with it: background processes too.
struct Group(Child);

impl Drop for Group {
    fn drop(&mut self) {
        if let Some(group) = Pid::from_raw(self.0.id().cast_signed()) {
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.0.wait();
    }
}

/// Reads the output while it grows.
struct Follower {
    path: PathBuf,
    at: u64,
    shown: u64,
    line: Vec<u8>,
}

impl Follower {
    /// Hands on the lines that are new, and says how much was printed since the start.
    fn follow(&mut self, log: Option<&(dyn Fn(&str) + Sync)>) -> u64 {
        let length = fs::metadata(&self.path).map_or(self.shown, |found| found.len());
        if let Some(log) = log
            && length > self.shown
            && let Ok(mut file) = File::open(&self.path)
            && file.seek(SeekFrom::Start(self.shown)).is_ok()
        {
            let mut new = Vec::new();
            let read = file.take(length - self.shown).read_to_end(&mut new).unwrap_or(0);
            self.shown += read as u64;
            self.line.append(&mut new);
            while let Some(end) = self.line.iter().position(|b| *b == b'\n') {
                log(&String::from_utf8_lossy(&self.line[..end]));
                self.line.drain(..=end);
            }
        }
        length.saturating_sub(self.at)
    }

    /// The last lines of this step.
    fn tail(&self) -> String {
        let read = || -> std::io::Result<String> {
            let mut file = File::open(&self.path)?;
            let end = file.metadata()?.len();
            let from = end.saturating_sub(TAIL).max(self.at);
            file.seek(SeekFrom::Start(from))?;
            let mut bytes = Vec::new();
            file.take(TAIL).read_to_end(&mut bytes)?;
            let text = String::from_utf8_lossy(&bytes).into_owned();
            // Not half a line at the beginning.
            Ok(if from > self.at {
                text.split_once('\n').map_or(text.clone(), |(_, rest)| rest.into())
            } else {
                text
            })
        };
        read().unwrap_or_default().trim_end().to_string()
    }
}

fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (None, Some(signal)) => format!("killed by signal {signal}"),
        (None, None) => "no exit code".to_string(),
    }
}
