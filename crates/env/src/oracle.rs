//! What counts as passing.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::tracer::Ran;

/// Who says whether a run passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Oracle {
    /// The program exits with this.
    Exit(i32),
    /// It still runs after so long.
    Alive(Duration),
    /// A command of the shell exits with 0. It is given the file with what the program wrote, and the status it exited with.
    Command(String),
}

/// What is said of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// As it should be.
    Passes,
    /// It fails.
    Fails,
    /// It says nothing, for this reason.
    Unresolved(String),
}

impl Oracle {
    /// How long a run may take.
    pub fn most(&self, limit: Duration) -> Duration {
        match self {
            Self::Alive(time) => *time,
            _ => limit,
        }
    }

    /// Judges a run.
    pub fn judge(&self, ran: &Ran, output: &Path) -> Verdict {
        if let Some(reason) = &ran.stopped {
            return Verdict::Unresolved(reason.clone());
        }
        if let Self::Alive(_) = self {
            return if ran.timed_out { Verdict::Passes } else { Verdict::Fails };
        }
        if ran.timed_out {
            return Verdict::Unresolved("its time was over".into());
        }
        let Some(status) = ran.status else { return Verdict::Unresolved("how it ended is not known".into()) };
        let passes = match self {
            Self::Exit(expected) => status & 0x7f == 0 && status >> 8 & 0xff == *expected,
            Self::Alive(_) => false,
            Self::Command(command) => {
                let code = if status & 0x7f == 0 { status >> 8 & 0xff } else { 128 + (status & 0x7f) };
                let asked = Command::new("sh")
                    .args(["-c", command, "oracle"])
                    .arg(output)
                    .arg(code.to_string())
                    .stdin(std::process::Stdio::null())
                    .stdout(std::process::Stdio::null())
                    .status();
                match asked.map(|status| status.code()) {
                    Ok(Some(0)) => true,
                    // As `git bisect run` has it.
                    Ok(Some(125)) => return Verdict::Unresolved("the oracle skips it".into()),
                    Ok(_) => false,
                    Err(error) => return Verdict::Unresolved(format!("the oracle does not run: {error}")),
                }
            }
        };
        if passes { Verdict::Passes } else { Verdict::Fails }
    }
}
