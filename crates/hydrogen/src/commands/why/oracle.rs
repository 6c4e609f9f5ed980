//! `--oracle CMD`: the user's word on what is right.

use hydrogen_jail::{Command, Limits, Policy, Watch};
use hydrogen_pair::{Ending, Outcome};
use std::io::{Seek, Write};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// An oracle that thinks longer has no opinion.
const LONGEST: Duration = Duration::from_secs(10);

pub struct Judge<'a> {
    command: &'a str,
    interrupt: &'a AtomicBool,
}

impl<'a> Judge<'a> {
    pub fn new(command: &'a str, interrupt: &'a AtomicBool) -> Self {
        Self { command, interrupt }
    }

    /// Whether what came out is right; nothing where the command could not be run.
    pub fn passes(&self, outcome: &Outcome) -> Option<bool> {
        let status = match &outcome.ending {
            Ending::Exit(status) => status.to_string(),
            Ending::Signal(signal) => (128 + signal).to_string(),
            // Undefined behaviour is never right.
            _ => return Some(false),
        };
        let folder = tempfile::tempdir().ok()?;
        let mut stdin = tempfile::tempfile().ok()?;
        stdin.write_all(&outcome.stdout).ok()?;
        stdin.rewind().ok()?;
        let command = Command::new("/bin/sh", folder.path())
            .args(["-c", self.command])
            .environment(hydrogen_jail::allowed())
            .env("STATUS", status)
            .stdin(stdin);
        let policy = Policy::of_the_system().writing(folder.path()).limited(Limits::of_a_run());
        let ended = hydrogen_jail::run(command, &policy, &Watch::new(LONGEST).until(self.interrupt)).ok()?;
        match ended.end {
            hydrogen_jail::End::Exit(code) => Some(code == 0),
            _ => None,
        }
    }
}
