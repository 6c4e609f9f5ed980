//! Running a user's test in a checkout: in a process group of its own, with a time limit.

use std::os::unix::process::CommandExt;
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

/// Runs a shell command in a folder. Its output is thrown away.
pub fn run(folder: &Path, command: &str, limit: Duration, stop: &AtomicBool) -> Trial {
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(folder).process_group(0);
    shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = match shell.spawn() {
        Ok(child) => child,
        Err(error) => return Trial::Broken(format!("cannot run `{command}`: {error}")),
    };
    let started = Instant::now();
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if stop.load(Ordering::Relaxed) => {
                end(&mut child);
                return Trial::Broken("interrupted".into());
            }
            Ok(None) if started.elapsed() > limit => {
                end(&mut child);
                return Trial::Skip(format!("`{command}` took longer than {} s", limit.as_secs()));
            }
            Ok(None) => sleep(INTERVAL),
            Err(error) => return Trial::Broken(format!("cannot wait for `{command}`: {error}")),
        }
    };
    // What it left running must not disturb the next version.
    end(&mut child);
    match status.code() {
        Some(0) => Trial::Pass,
        Some(125) => Trial::Skip(format!("`{command}` says that this version cannot be tested")),
        Some(126 | 127) => Trial::Broken(format!("`{command}` names a program that cannot be run")),
        _ => Trial::Fail,
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
