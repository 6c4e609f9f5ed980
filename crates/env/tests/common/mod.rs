//! A program, an environment in which it passes, and one in which it fails.
#![allow(dead_code, clippy::unwrap_used)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use hydrogen_env::record::{Record, Start};
use hydrogen_env::{Answer, Options, Oracle, Question, here, record_run, why};

/// One real program in two environments.
#[derive(Clone, Copy)]
pub struct Case {
    /// What it is about.
    pub name: &'static str,
    /// What is done in an empty folder before the run that passes.
    pub good: &'static str,
    /// What is done there before the run that fails.
    pub bad: &'static str,
    /// The program, for `sh -c`, or words.
    pub command: &'static [&'static str],
    /// Variables of the run that passes, and of the run that fails: NAME=VALUE.
    pub good_vars: &'static [&'static str],
    /// The others.
    pub bad_vars: &'static [&'static str],
    /// What else is changed at the start of the run that fails.
    pub bad_start: fn(&mut Start),
    /// What passing means.
    pub oracle: Option<&'static str>,
    /// The cause: its kind and its name.
    pub cause: (&'static str, &'static str),
    /// Words that stand in the details.
    pub detail: &'static str,
}

/// A case in which nothing special is done.
pub const PLAIN: Case = Case {
    name: "",
    good: "",
    bad: "",
    command: &[],
    good_vars: &[],
    bad_vars: &[],
    bad_start: |_| {},
    oracle: None,
    cause: ("", ""),
    detail: "",
};

fn shell(folder: &Path, script: &str) {
    let status =
        Command::new("sh").args(["-ec", script]).current_dir(folder).stdout(Stdio::null()).status().unwrap();
    assert!(status.success(), "{script}");
}

/// A program's start in a folder, with few variables.
pub fn start(folder: &Path, command: &[&str], vars: &[&str]) -> Start {
    let words: Vec<_> = command.iter().map(Into::into).collect();
    let mut start = here(&words).unwrap();
    start.folder = folder.to_str().unwrap().into();
    let base = ["PATH=/usr/bin:/bin", "LANG=C.UTF-8", "HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1"];
    let mut all: Vec<&str> = base.into_iter().chain(vars.iter().copied()).collect();
    // The later one counts.
    all.reverse();
    let mut names = std::collections::BTreeSet::new();
    all.retain(|variable| names.insert(variable.split('=').next().unwrap().to_owned()));
    all.reverse();
    start.variables = all
        .into_iter()
        .map(|variable| variable.replace("$PWD", folder.to_str().unwrap()).into_bytes())
        .collect();
    start
}

/// Records a run without input and output.
pub fn recorded(start: Start) -> Record {
    let options = Options {
        streams: [Stdio::null(), Stdio::null(), Stdio::null()],
        most: Some(Duration::from_secs(60)),
        linger: Some(Duration::from_secs(1)),
        cancel: Arc::new(AtomicBool::new(false)),
    };
    record_run(start, options).unwrap().record
}

/// Asks why a program fails.
pub fn ask(record: &Record, start: &Start, oracle: Option<Oracle>) -> Answer {
    let silent = |_: String| {};
    let question = Question {
        record,
        start,
        oracle,
        limit: Duration::from_secs(20),
        most_runs: 300,
        trusts_code: true,
        in_place: false,
        network: false,
        cancel: Arc::new(AtomicBool::new(false)),
        progress: &silent,
    };
    why(&question).unwrap()
}

impl Case {
    /// Records in the good environment and asks in the bad one.
    pub fn answer(&self) -> Answer {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        shell(&path, self.good);
        // Scripts and programs that the set-up made are found in the folder.
        let command: Vec<String> =
            self.command.iter().map(|word| word.replace("$PWD", path.to_str().unwrap())).collect();
        let command: Vec<&str> = command.iter().map(String::as_str).collect();
        let record = recorded(start(&path, &command, self.good_vars));
        shell(&path, self.bad);
        let mut here = start(&path, &command, self.bad_vars);
        (self.bad_start)(&mut here);
        let oracle = self.oracle.map(|oracle| Oracle::Command(oracle.to_owned()));
        ask(&record, &here, oracle)
    }

    /// Whether the answer names the cause, and whether it names what of it matters; with the answer in words.
    pub fn judge(&self, answer: &Answer) -> (bool, bool, String) {
        let mut words = format!("{}: {:?}", self.name, answer.outcome);
        let (mut cause, mut detail) = (false, self.detail.is_empty());
        for one in &answer.causes {
            let difference = &one.difference;
            let named = (difference.resource.kind(), &difference.resource.to_string()[..]) == self.cause;
            cause |= named;
            let told = format!("{:?} {} {}", one.details, difference.recorded, difference.here);
            detail |= named && told.contains(self.detail);
            words += &format!(
                "\n    {} {}: {:?}\n      {}\n      {}",
                difference.resource.kind(),
                difference.resource,
                one.details,
                difference.recorded,
                difference.here
            );
        }
        if let Some(boundary) = &answer.boundary {
            words += &format!(
                "\n    call {} of {}: {} ({} replays)",
                boundary.call, answer.calls, boundary.shown, boundary.replays
            );
        }
        words += &format!(
            "\n    {} runs; differs: {:?}; {:?}",
            answer.runs,
            answer.differences.iter().map(|one| one.resource.to_string()).collect::<Vec<_>>(),
            answer.notes
        );
        (cause && answer.causes.len() == 1, detail, words)
    }
}
