//! Asking another command, in a process of its own.

use crate::context::Context;
use anyhow::{Context as _, Result};
use hydrogen_jail::{Command, End, Kept, Limits, Policy, Watch};
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// An answer has at most so many bytes.
const MOST: usize = 256 << 20;
/// What a command is given to write its answer when its budget is over, before it is ended.
const GRACE: Duration = Duration::from_secs(3);
/// The share of what is left that a command is given as its budget: on a busy machine it ends what it has begun later than it should.
const OWN: f64 = 0.85;
/// What is left for a part is at least this.
const LEAST: Duration = Duration::from_millis(500);

/// A command and its arguments.
#[derive(Clone)]
pub struct Part {
    pub command: String,
    arguments: Vec<String>,
    /// The versions as they are given to commands, and as the reader calls them.
    given: (String, String),
    called: (String, String),
    budget: bool,
}

impl Part {
    pub fn new(command: &str, arguments: &[&str], given: (&str, &str), called: (&str, &str)) -> Self {
        let owned = |(a, b): (&str, &str)| (a.to_owned(), b.to_owned());
        Part {
            command: command.to_owned(),
            arguments: arguments.iter().map(|word| (*word).to_owned()).collect(),
            given: owned(given),
            called: owned(called),
            budget: false,
        }
    }

    /// The command takes a budget of its own and then prints what it knows.
    pub fn with_budget(mut self) -> Self {
        self.budget = true;
        self
    }

    /// What the old version is called in the answer.
    pub fn old(&self) -> &str {
        &self.called.0
    }

    pub fn new_version(&self) -> &str {
        &self.called.1
    }

    /// The versions of the answer in the reader's words.
    pub fn renamed(&self, text: &str) -> String {
        text.replace(&self.given.0, &self.called.0).replace(&self.given.1, &self.called.1)
    }

    /// As the reader would type it.
    pub fn shown(&self) -> String {
        let words: Vec<String> = self.arguments.iter().map(|word| shortened(word)).collect();
        format!("hydrogen {} {}", self.command, words.join(" "))
    }
}

/// Full hashes are no help to readers.
fn shortened(word: &str) -> String {
    const FULL: usize = 40;
    let is_hash = |part: &str| part.len() == FULL && part.bytes().all(|byte| byte.is_ascii_hexdigit());
    let part = |part: &str| if is_hash(part) { part[..10].to_owned() } else { part.to_owned() };
    let range: Vec<String> = word.split("..").map(part).collect();
    let word = range.join("..");
    match word.rsplit_once('@') {
        Some((place, version)) if is_hash(version) => format!("{place}@{}", &version[..10]),
        _ => word,
    }
}

/// Who asks.
pub struct Asker<'a> {
    context: &'a Context,
    deadline: Instant,
    program: PathBuf,
    cancel: Arc<AtomicBool>,
}

impl<'a> Asker<'a> {
    pub fn new(context: &'a Context, deadline: Instant, cancel: &Arc<AtomicBool>) -> Result<Self> {
        let program = std::env::current_exe().context("cannot find this program itself")?;
        Ok(Asker { context, deadline, program, cancel: Arc::clone(cancel) })
    }

    /// The answers of all parts, in their order; two at a time where there are two processors.
    pub fn ask(&self, parts: &[Part]) -> Vec<(Part, Result<Value, String>)> {
        let spinner = crate::progress::spinner(self.context.is_quiet());
        let names: Vec<&str> = parts.iter().map(|part| part.command.as_str()).collect();
        spinner.set_message(format!("asking {}", names.join(", ")));
        let answers: Vec<Result<Value, String>> = std::thread::scope(|scope| {
            let threads: Vec<_> = parts.iter().map(|part| scope.spawn(|| self.one(part))).collect();
            let lost = || Err("it was lost, by a bug of ours".to_owned());
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| lost())).collect()
        });
        spinner.finish_and_clear();
        parts.iter().cloned().zip(answers).collect()
    }

    fn one(&self, part: &Part) -> Result<Value, String> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left < LEAST {
            return Err("the budget was used up before it was asked".to_owned());
        }
        let mut command = Command::new(&self.program, self.context.here())
            .arg(&part.command)
            .args(&part.arguments)
            .args(["--format", "json", "--quiet"])
            .args(self.context.passed_on())
            .environment(std::env::vars_os().collect());
        if part.budget {
            let own = left.mul_f64(OWN);
            command = command.args(["--budget".to_owned(), format!("{}ms", own.as_millis())]);
        }
        let watch = Watch::new(left + if part.budget { GRACE } else { Duration::ZERO })
            .until(&self.cancel)
            .keeping(Kept::Apart(MOST));
        let done = hydrogen_jail::run(command, &Policy::trusted(Limits::default()), &watch)
            .map_err(|error| error.to_string())?;
        // With most of a version missing, a list of what changed is no list.
        if part.command == "functions" && done.end == End::Exit(3) {
            return Err(reason(&done.end, &done.errors));
        }
        match serde_json::from_slice(&done.output) {
            Ok(value) => Ok(value),
            Err(_) => Err(reason(&done.end, &done.errors)),
        }
    }
}

/// Why there is no answer, in one line.
fn reason(end: &End, errors: &[u8]) -> String {
    let errors = String::from_utf8_lossy(errors);
    let said =
        errors.lines().map(str::trim).find(|line| line.starts_with("error") || line.starts_with("hydrogen:"));
    let said = said.or_else(|| errors.lines().map(str::trim).find(|line| !line.is_empty()));
    match (end, said) {
        (End::Exit(_), Some(said)) => said.trim_start_matches("error:").trim().to_owned(),
        (end, _) => format!("it ended without an answer: {end}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_shown_as_people_type_them() {
        let hash = "0123456789012345678901234567890123456789";
        let range = format!("{hash}..{hash}");
        let part = Part::new("check", &[&range, &format!("a.c:7@{hash}"), "x=/tmp"], ("", ""), ("", ""));
        assert_eq!(part.shown(), "hydrogen check 0123456789..0123456789 a.c:7@0123456789 x=/tmp");
    }
}
