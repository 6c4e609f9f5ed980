//! A signal ends every command within a second, whatever it is doing; and a budget is what a command takes.
//!
//! `HYDROGEN_MOMENTS=5` sends signals at more moments.

use crate::project::Project;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Loops whose conditions become large terms, with an input that matters to all of them.
const SLOW: &str = r#"
#include <stdio.h>
#include <stdlib.h>
int table[256];
unsigned mix(unsigned k, unsigned n) {
    unsigned s = 0;
    for (unsigned i = 0; i < n; i++) { s = s * 31 + (k ^ i) / (i + 1); if (s % 7 == 3) s ^= k * i; }
    return s;
}
const char *greet(int k) { return "hello" + (k & 1); }
int main(int argc, char **argv) {
    unsigned k = argc > 1 ? atoi(argv[1]) : 0;
    for (int i = 0; i < 3000; i++) {
        table[(k + i) & 255] ^= table[(k * i) & 255] + i;
        k = k * 1103515245 + table[k & 255];
    }
    for (int i = 0; i < 256; i++)
        if (table[i] % 3 == 0) printf("%d %u %s ", table[i], mix(k, i & 15), greet(k));
    return 0;
}
"#;

/// A build that does not end, for commands that build.
const HANGS: &str = "all:\n\tcc -c a.c\n\tsleep 300\n";

fn project(makefile: Option<&str>) -> Project {
    let project = Project::new();
    let new =
        SLOW.replace("% 3 == 0", "% 3 == 1").replace("s % 7 == 3", "s % 7 == 4").replace("hello", "hallo");
    for (text, tag) in [(SLOW, "v1"), (&new, "v2")] {
        project.commit(&[("a.c", text)]);
        if let Some(makefile) = makefile {
            project.commit(&[("Makefile", makefile)]);
        }
        project.git(&["tag", tag]);
    }
    project.write("tests.txt", "7\n123456\n");
    project
}

/// Commands that take long here, each in its own way.
const COMMANDS: &[&[&str]] = &[
    &["compare", "v1..v2"],
    &["compare", "v1..v2", "--inputs", "arg:1:6", "--", "123456"],
    &["compare", "v1..v2", "--function", "mix", "--check-proofs"],
    &["explore", "a.c", "--symbolic", "arg:1:6", "--", "123456"],
    &["explore", "a.c", "--function", "mix"],
    &["expose", "v1..v2"],
    &["why", "v1", "v2", "--", "123456"],
    &["check", "v1..v2", "--fresh"],
    &["impact", "--bug", "a.c:6@v2", "--fresh", "v1", "v2"],
    &["verify", "v1..v2", "--bug", "a.c:7", "--fresh"],
    &["review", "v1..v2"],
    &["select", "v1..v2", "--tests", "tests.txt"],
    &["run", "a.c", "--", "123456"],
    &["slice", "a.c", "--", "123456"],
    &["interact", "v1..v2", "--tests"],
    &["mine", "introduced", "--good", "v1", "--bad", "v2", "--build", "sleep 200", "--test", "true"],
    &["watch"],
];

/// Those that build, where the build does not end.
const BUILDING: &[&[&str]] = &[
    &["ir", "v1"],
    &["functions", "v1", "v2"],
    &["graph", "v1", "v2"],
    &["diff", "v1", "v2"],
    &["check", "v1..v2"],
    &["expose", "v1..v2"],
    &["why", "v1", "v2", "--", "7"],
    &["review", "v1..v2"],
    &["versions", "v1"],
];

/// How long a command may go on after a signal: a second, and what a busy machine takes to end a process.
const SOON: Duration = Duration::from_millis(1500);

fn start(project: &Project, words: &[&str]) -> Child {
    let mut command = project.command();
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// Waits; nothing when it goes on for longer.
fn ended(child: &mut Child, most: Duration) -> Option<ExitStatus> {
    let end = Instant::now() + most;
    loop {
        match child.try_wait().unwrap() {
            Some(status) => return Some(status),
            None if Instant::now() >= end => return None,
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    }
}

fn moments() -> Vec<Duration> {
    let all = [700, 2500, 150, 20, 5000].map(Duration::from_millis);
    let wanted = std::env::var("HYDROGEN_MOMENTS").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    all.into_iter().take(wanted).collect()
}

fn check(project: &Project, words: &[&str]) {
    for moment in moments() {
        for (signal, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
            let mut child = start(project, words);
            if ended(&mut child, moment).is_some() {
                continue;
            }
            kill(Pid::from_raw(child.id() as i32), signal).unwrap();
            let sent = Instant::now();
            let Some(status) = ended(&mut child, Duration::from_secs(20)) else {
                child.kill().unwrap();
                panic!("{words:?} ignores {signal} after {moment:?}");
            };
            let took = sent.elapsed();
            assert!(took < SOON, "{words:?} ended {took:?} after {signal} at {moment:?}");
            // It may have been about to end, or had not begun to listen.
            let is_own = status.code().is_some_and(|found| found == code || found < 4);
            assert!(
                is_own || status.signal() == Some(signal as i32),
                "{words:?} after {moment:?}: {status:?}"
            );
        }
    }
}

#[test]
fn signals_end_work() {
    let project = project(None);
    COMMANDS.iter().for_each(|words| check(&project, words));
}

#[test]
fn signals_end_builds() {
    let project = project(Some(HANGS));
    BUILDING.iter().for_each(|words| check(&project, words));
}

/// What says how a command ended that was stopped in the middle.
#[test]
fn a_command_that_was_stopped_says_so() {
    let project = project(None);
    for words in [&["compare", "v1..v2"][..], &["expose", "v1..v2"], &["why", "v1", "v2", "--", "123456"]] {
        for (signal, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143)] {
            let mut child = start(&project, words);
            if ended(&mut child, Duration::from_millis(1500)).is_some() {
                continue;
            }
            kill(Pid::from_raw(child.id() as i32), signal).unwrap();
            let status = ended(&mut child, Duration::from_secs(20)).expect("it ends");
            // 1: it had found something, and says it.
            assert!([Some(code), Some(1)].contains(&status.code()), "{words:?}: {status:?}");
        }
    }
}

#[test]
fn budgets_hold() {
    let project = project(None);
    // What is done once on a machine is done before.
    project.hydrogen(&["run", "a.c", "--", "1"]);
    let budget = Duration::from_secs(4);
    // What was promised, and a second for the unoptimised programs that tests are.
    let most = budget.mul_f64(1.1) + Duration::from_secs(3);
    for words in COMMANDS {
        if matches!(words[0], "run" | "slice" | "mine" | "watch") {
            continue;
        }
        let at = words.iter().position(|word| *word == "--").unwrap_or(words.len());
        let all = [&words[..at], &["--budget", "4s"], &words[at..]].concat();
        let started = Instant::now();
        let mut child = start(&project, &all);
        let status = ended(&mut child, most * 4);
        let took = started.elapsed();
        let _ = child.kill();
        assert!(took < most, "{all:?} took {took:?}: {status:?}");
        assert!(
            status.is_some_and(|status| status.code().is_some_and(|code| code < 4)),
            "{all:?}: {status:?}"
        );
    }
}
