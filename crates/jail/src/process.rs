//! A running process.

use std::collections::BTreeSet;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::FdFlags;
use rustix::process::{Pid, PidfdFlags, Resource, Rlimit, Signal, kill_process_group, pidfd_open, prlimit};

use crate::order::{self, Order, Report};
use crate::{Command, End, Policy, offered};

/// Why a process could not be run.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The helper program is missing.
    #[error(
        "the program hydrogen-jail is missing; it should stand beside hydrogen, or be named by HYDROGEN_JAIL"
    )]
    NoHelper,
    /// The system refused.
    #[error("cannot run {program}: {error}")]
    Io {
        /// What was to be run.
        program: String,
        /// The system's reason.
        error: io::Error,
    },
    /// A protection that the kernel offered could not be put up.
    #[error("{program} was not run: it cannot be confined: {reason}")]
    Refused {
        /// What was to be run.
        program: String,
        /// Which protection, and why.
        reason: String,
    },
}

/// A running process and everything it started. Dropping it ends them all.
#[derive(Debug)]
pub struct Process {
    program: String,
    child: Child,
    ended: Option<OwnedFd>,
    /// To the helper; closing it means: end everything.
    control: Option<UnixStream>,
    trusted: bool,
}

/// The helper program: `HYDROGEN_JAIL`, else beside the running program, or in the folder above (test binaries live deeper).
pub fn find_helper() -> Result<PathBuf, Error> {
    if let Some(path) = std::env::var_os("HYDROGEN_JAIL").filter(|path| !path.is_empty()) {
        return Ok(path.into());
    }
    let own = std::env::current_exe().ok();
    let folders = own.iter().flat_map(|path| path.ancestors().skip(1).take(2));
    folders
        .map(|folder: &Path| folder.join("hydrogen-jail"))
        .find(|path| path.is_file())
        .ok_or(Error::NoHelper)
}

/// The trusted processes that run. All others end with us; these are told to.
static TRUSTED: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// Ends every trusted process that runs, for a program that is about to end itself. What is confined ends with it anyway.
pub fn end_all() {
    let all = std::mem::take(&mut *TRUSTED.lock().unwrap_or_else(PoisonError::into_inner));
    for pid in all.into_iter().filter_map(Pid::from_raw) {
        let _ = kill_process_group(pid, Signal::KILL);
    }
}

/// While a socket is open for the next child, no other child may be started: it would inherit it.
static STARTING: Mutex<()> = Mutex::new(());

impl Process {
    /// Starts a command.
    pub fn start(command: Command, policy: &Policy) -> Result<Self, Error> {
        let program = command.program.to_string_lossy().into_owned();
        let io = |error| Error::Io { program: program.clone(), error };
        let process =
            if policy.trusted { Self::plain(command, policy) } else { Self::confined(command, policy) };
        let (child, control) = process.map_err(|error| match error {
            Error::Io { error, .. } => io(error),
            other => other,
        })?;
        // Without it (an old kernel), waiting looks again every few milliseconds.
        let ended = pidfd_open(Pid::from_child(&child), PidfdFlags::empty()).ok();
        Ok(Self { program, child, ended, control, trusted: policy.trusted })
    }

    fn plain(command: Command, policy: &Policy) -> Result<(Child, Option<UnixStream>), Error> {
        let io = |error| Error::Io { program: String::new(), error };
        let mut start = std::process::Command::new(&command.program);
        start.args(&command.arguments).env_clear().envs(&command.environment);
        start.current_dir(&command.directory).process_group(0);
        if let Some(name) = &command.called {
            start.arg0(name);
        }
        start.stdin(command.input).stdout(command.output).stderr(command.errors);
        let guard = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
        let child = start.spawn().map_err(io)?;
        drop(guard);
        let pid = Pid::from_child(&child);
        TRUSTED.lock().unwrap_or_else(PoisonError::into_inner).insert(pid.as_raw_nonzero().get());
        let limit = |resource, value: Option<u64>| {
            if let Some(value) = value {
                // Limits from outside come a moment late, which a trusted process does not use.
                let _ = prlimit(Some(pid), resource, Rlimit { current: Some(value), maximum: Some(value) });
            }
        };
        let limits = &policy.limits;
        limit(Resource::As, limits.address_space);
        limit(Resource::Fsize, limits.file);
        limit(Resource::Cpu, limits.cpu.map(|time| time.as_secs().max(1)));
        Ok((child, None))
    }

    fn confined(command: Command, policy: &Policy) -> Result<(Child, Option<UnixStream>), Error> {
        let io = |error| Error::Io { program: String::new(), error };
        let helper = find_helper()?;
        let order = Order {
            offered: offered(),
            policy: policy.clone(),
            program: command.program,
            called: command.called,
            arguments: command.arguments,
            directory: command.directory.into_os_string(),
            environment: command.environment.into_iter().collect(),
        };
        let (mut ours, theirs) = UnixStream::pair().map_err(io)?;
        let mut start = std::process::Command::new(helper);
        start.arg(theirs.as_raw_fd().to_string()).env_clear();
        start.stdin(command.input).stdout(command.output).stderr(command.errors);
        let guard = STARTING.lock().unwrap_or_else(PoisonError::into_inner);
        rustix::io::fcntl_setfd(&theirs, FdFlags::empty()).map_err(|error| io(error.into()))?;
        let child = start.spawn();
        drop(theirs);
        drop(guard);
        let child = child.map_err(io)?;
        // A helper that died already shows as its end.
        let _ = order::send(&mut ours, &order);
        Ok((child, Some(ours)))
    }

    /// The number of the process, or of the helper that guards it.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Limits the address space of a trusted process from now on. Where that is not allowed, only time limits it.
    pub fn limit_address_space(&self, bytes: u64) {
        let pid = Pid::from_child(&self.child);
        let _ = prlimit(Some(pid), Resource::As, Rlimit { current: Some(bytes), maximum: None });
    }

    /// The writing end of standard input, if it was asked for.
    pub fn take_stdin(&mut self) -> Option<ChildStdin> {
        self.child.stdin.take()
    }

    /// The reading end of standard output, if it was asked for.
    pub fn take_stdout(&mut self) -> Option<ChildStdout> {
        self.child.stdout.take()
    }

    /// The reading end of standard error, if it was asked for.
    pub fn take_stderr(&mut self) -> Option<ChildStderr> {
        self.child.stderr.take()
    }

    /// What becomes readable when everything has ended.
    pub(crate) fn ended(&self) -> Option<&OwnedFd> {
        self.ended.as_ref()
    }

    /// Waits until everything has ended, at most as long as said.
    pub fn wait(&mut self, most: Duration) -> Result<Option<End>, Error> {
        let program = self.program.clone();
        let io = |error| Error::Io { program: program.clone(), error };
        match &self.ended {
            Some(fd) => {
                let time = Timespec::try_from(most).ok();
                // A signal ends the waiting early; the caller asks again.
                let _ = poll(&mut [PollFd::from_borrowed_fd(fd.as_fd(), PollFlags::IN)], time.as_ref());
            }
            None => std::thread::sleep(most.min(Duration::from_millis(5))),
        }
        let Some(status) = self.child.try_wait().map_err(io)? else { return Ok(None) };
        self.clean();
        let report = self.control.take().map(|mut control| {
            let _ = control.set_read_timeout(Some(Duration::from_secs(1)));
            order::receive::<Report>(&mut control)
        });
        let status = match report {
            None => status,
            Some(Ok(Report::Ended(raw))) => std::process::ExitStatus::from_raw(raw),
            Some(Ok(Report::Exceeded(what))) => return Ok(Some(End::Exceeded(what))),
            Some(Ok(Report::NotStarted(reason))) => return Ok(Some(End::NotStarted(reason))),
            Some(Ok(Report::Refused(reason))) => return Err(Error::Refused { program, reason }),
            // The helper did not come to an end of its own: somebody killed it.
            Some(Err(_)) if status.code().is_some() => {
                let reason = format!("the helper ended with {status}");
                return Err(Error::Refused { program, reason });
            }
            Some(Err(_)) => status,
        };
        Ok(Some(match (status.code(), status.signal()) {
            (Some(code), _) => End::Exit(code),
            (None, signal) => End::Signal(signal.unwrap_or(0)),
        }))
    }

    /// Ends everything, now.
    pub fn kill(&mut self) {
        if self.trusted {
            self.clean();
        } else {
            drop(self.control.take());
            // The helper sees the closed socket at once. Should it hang, its death ends the rest.
            for _ in 0..PATIENCE {
                if !matches!(self.child.try_wait(), Ok(None)) {
                    return;
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }

    /// Ends the group of a trusted process, background processes too.
    fn clean(&mut self) {
        if self.trusted {
            let pid = Pid::from_child(&self.child);
            TRUSTED.lock().unwrap_or_else(PoisonError::into_inner).remove(&pid.as_raw_nonzero().get());
            // It may be gone already.
            let _ = kill_process_group(pid, Signal::KILL);
        }
    }
}

/// Milliseconds that a helper gets to end everything.
const PATIENCE: u32 = 3000;

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
