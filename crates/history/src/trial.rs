//! Running a user's test in a checkout: in a process group of its own, with a time limit.

use std::fs::File;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// What a test said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trial {
    /// It ended with 0.
    Pass,
    /// It ended with another code.
    Fail,
    /// It cannot be decided here: the code 125 (as for `git bisect run`), or the time was over.
    Skip(String),
    /// It could not be started, or was interrupted: nothing can be said about any version.
    Broken(String),
}

/// How often an unfinished test is looked at.
const INTERVAL: Duration = Duration::from_millis(10);

/// What a command did: how it ended, and what it wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Its exit code; 128 and the number of the signal that ended it.
    pub code: i32,
    /// What it wrote to standard output and standard error, in the order of writing, as far as it was kept.
    pub output: Vec<u8>,
}

/// Runs a shell command in a folder. Its output is thrown away.
pub fn run(folder: &Path, command: &str, limit: Duration, stop: &AtomicBool) -> Trial {
    match ended(folder, command, limit, stop, [Stdio::null(), Stdio::null()]) {
        Ok(0) => Trial::Pass,
        Ok(_) => Trial::Fail,
        Err(trial) => trial,
    }
}

/// Runs a shell command in a folder and keeps the first `most` bytes of its output, by way of a file that is made at `log`.
pub fn see(
    folder: &Path,
    command: &str,
    limit: Duration,
    stop: &AtomicBool,
    (log, most): (&Path, u64),
) -> Result<Seen, Trial> {
    let broken = |error: std::io::Error| Trial::Broken(format!("cannot write {}: {error}", log.display()));
    let file = File::create(log).map_err(broken)?;
    let outputs = [file.try_clone().map_err(broken)?.into(), file.into()];
    let code = ended(folder, command, limit, stop, outputs)?;
    let mut output = Vec::new();
    File::open(log).and_then(|file| file.take(most).read_to_end(&mut output)).map_err(broken)?;
    Ok(Seen { code, output })
}

/// Runs a command to its end: its exit code, or why that says nothing.
fn ended(
    folder: &Path,
    command: &str,
    limit: Duration,
    stop: &AtomicBool,
    [out, err]: [Stdio; 2],
) -> Result<i32, Trial> {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(folder).process_group(0);
    shell.stdin(Stdio::null()).stdout(out).stderr(err);
    let mut child = match shell.spawn() {
        Ok(child) => child,
        Err(error) => return Err(Trial::Broken(format!("cannot run `{command}`: {error}"))),
    };
    let started = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if stop.load(Ordering::Relaxed) => {
                end(&mut child);
                return Err(Trial::Broken("interrupted".into()));
            }
            Ok(None) if started.elapsed() > limit => {
                end(&mut child);
                return Err(Trial::Skip(format!("`{command}` took longer than {} s", limit.as_secs())));
            }
            Ok(None) => sleep(INTERVAL),
            Err(error) => return Err(Trial::Broken(format!("cannot wait for `{command}`: {error}"))),
        }
    };
    // What it left running must not disturb the next version.
    end(&mut child);
    match status.code() {
        Some(125) => Err(Trial::Skip(format!("`{command}` says that this version cannot be tested"))),
        Some(126 | 127) => Err(Trial::Broken(format!("`{command}` names a program that cannot be run"))),
        Some(code) => Ok(code),
        None => Ok(128 + status.signal().unwrap_or(0)),
    }
}

/// Ends the process and everything it started.
fn end(child: &mut Child) {
    if let Some(group) = Pid::from_raw(child.id() as i32) {
        // It may be gone already.
        let _ = kill_process_group(group, Signal::KILL);
    }
    drop(child.wait());
}
