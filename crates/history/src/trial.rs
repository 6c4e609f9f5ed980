//! Running a user's test in a checkout: in the jail, with a time limit.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use hydrogen_jail::{Command, End, Kept, Limits, Policy, Watch};

use crate::checkout::Checkout;

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

/// What a command did: how it ended, and what it wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Its exit code; 128 and the number of the signal that ended it.
    pub code: i32,
    /// What it wrote to standard output and standard error, in the order of writing, as far as it was kept.
    pub output: Vec<u8>,
}

/// Runs a shell command in a checkout. Its output is thrown away.
pub fn run(checkout: &Checkout, command: &str, limit: Duration, stop: &AtomicBool) -> Trial {
    match see(checkout, command, limit, stop, 0) {
        Ok(Seen { code: 0, .. }) => Trial::Pass,
        Ok(_) => Trial::Fail,
        Err(trial) => trial,
    }
}

/// Runs a shell command in a checkout and keeps the first `most` bytes of its output. What it left running must not disturb the
/// next version: the jail ends all of it.
pub fn see(
    checkout: &Checkout,
    command: &str,
    limit: Duration,
    stop: &AtomicBool,
    most: usize,
) -> Result<Seen, Trial> {
    let scratch = checkout.scratch();
    let [home, temporary] = ["home", "tmp"].map(|name| scratch.join(name));
    for folder in [&home, &temporary] {
        let made = std::fs::create_dir_all(folder);
        made.map_err(|error| Trial::Broken(format!("cannot make {}: {error}", folder.display())))?;
    }
    let shell = Command::new("sh", checkout.path()).args(["-c", command]);
    let shell = shell.env("HOME", home).env("TMPDIR", temporary);
    let watch = Watch { most_output: MOST_OUTPUT, ..Watch::new(limit) };
    let watch = watch.until(stop).keeping(Kept::Together(most));
    let done = hydrogen_jail::run(shell, &policy(checkout.path(), scratch), &watch);
    let done = done.map_err(|error| Trial::Broken(error.to_string()))?;
    let code = match done.end {
        End::Exit(125) => {
            return Err(Trial::Skip(format!("`{command}` says that this version cannot be tested")));
        }
        End::Exit(126 | 127) => {
            return Err(Trial::Broken(format!("`{command}` names a program that cannot be run")));
        }
        End::Exit(code) => code,
        End::Signal(signal) => 128 + signal,
        End::TimeOut => {
            return Err(Trial::Skip(format!("`{command}` took longer than {} s", limit.as_secs())));
        }
        End::Exceeded(what) => return Err(Trial::Skip(format!("`{command}` was stopped: {what}"))),
        End::Cancelled => return Err(Trial::Broken("interrupted".into())),
        End::NotStarted(reason) => return Err(Trial::Broken(reason)),
    };
    Ok(Seen { code, output: done.output })
}

/// Tests print more than builds.
const MOST_OUTPUT: u64 = 1 << 30;

fn policy(folder: &Path, scratch: &Path) -> Policy {
    Policy::of_the_system().writing(folder).writing(scratch).limited(Limits::of_a_build())
}
