//! Usual starts of a program: which faults they show, and that they show no others.
#![allow(clippy::unwrap_used)]

#[path = "../../query/tests/common/mod.rs"]
mod common;
mod support;

use common::{Code, compile};
use hydrogen_evidence::{Class, Input, Replay};
use hydrogen_graph::VersionId;
use hydrogen_query::{Attempt, Confirm, Ran};
use hydrogen_witness::Runner;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use support::Compiled;

/// What usual starts show at the line that has this text, in its function.
fn shown(source: &str, kind: Class, function: &str, text: &str) -> Option<Ran> {
    shown_until(source, kind, function, text, None)
}

/// As [`shown`], where runs end at some time.
fn shown_until(source: &str, kind: Class, function: &str, text: &str, until: Option<Instant>) -> Option<Ran> {
    let code: Code = vec![vec![compile(source)]];
    let line = source.lines().position(|line| line.contains(text)).unwrap() as u32 + 1;
    let attempt = Attempt {
        version: VersionId::at(0),
        kind,
        function: function.to_owned(),
        file: "main.c".to_owned(),
        lines: BTreeSet::from([line]),
        input: Input::default(),
        without_memory: BTreeSet::new(),
        answers: BTreeSet::new(),
        files: vec!["main.c".to_owned()],
    };
    let runner = Runner::new(Compiled(&code), None);
    match until {
        Some(until) => runner.until(until).by_chance(&attempt),
        None => runner.by_chance(&attempt),
    }
}

const COPIES: &str = "#include <string.h>
static char name[64];
static void take(const char *text) {
  strcpy(name, text);
}
static void take_care(const char *text) {
  strncpy(name, text, sizeof name - 1);
}
int main(int argc, char **argv) {
  if (argc == 2)
    take(argv[1]);
  if (argc == 3)
    take_care(argv[2]);
  return name[0] == 'x';
}";

#[test]
fn a_long_argument_is_found_and_made_short() {
    if hydrogen_testkit::archive().is_none() {
        return;
    }
    let ran = shown(COPIES, Class::Overflow, "take", "strcpy").unwrap();
    assert_eq!(ran.replay, Replay::Confirmed);
    // As long as it must be, and no longer: 64 characters and the end.
    assert_eq!(ran.input.args[&1].len(), 64);
}

#[test]
fn what_is_right_shows_nothing() {
    if hydrogen_testkit::archive().is_none() {
        return;
    }
    assert_eq!(shown(COPIES, Class::Overflow, "take_care", "strncpy"), None);
    // The fault of another kind, or of another function, is not the one that was asked for.
    assert_eq!(shown(COPIES, Class::Null, "take", "strcpy"), None);
    assert_eq!(shown(COPIES, Class::Overflow, "take_care", "strcpy"), None);
}

#[test]
fn lines_of_standard_input_fill_tables() {
    if hydrogen_testkit::archive().is_none() {
        return;
    }
    let source = "#include <stdio.h>
int main(void) {
  int table[32], n = 0, c;
  while ((c = getchar()) != EOF)
    if (c == '\\n')
      table[n++] = c;
  return n > 0 && table[0] == 'x';
}";
    let ran = shown(source, Class::Overflow, "main", "table[n++]").unwrap();
    assert_eq!(ran.replay, Replay::Confirmed);
    assert_eq!(ran.input.stdin.iter().filter(|&&byte| byte == b'\n').count(), 33);
    let right = source.replace("if (c ==", "if (n < 32 && c ==");
    assert_eq!(shown(&right, Class::Overflow, "main", "table[n++]"), None);
}

#[test]
fn numbers_at_their_limits() {
    if hydrogen_testkit::archive().is_none() {
        return;
    }
    let source = "#include <stdlib.h>
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1;
  int more = n + 1;
  return 100 / (n ? n : 1) == more;
}";
    let ran = shown(source, Class::SignedOverflow, "main", "n + 1").unwrap();
    assert_eq!(ran.input.args[&1], b"2147483647");
    assert_eq!(shown(source, Class::Division, "main", "100 /"), None);
}

/// What is no program is not started.
#[test]
fn a_library_has_no_starts() {
    if hydrogen_testkit::archive().is_none() {
        return;
    }
    let source = COPIES.replace("int main(", "int entry(");
    assert_eq!(shown(&source, Class::Overflow, "take", "strcpy"), None);
}

#[test]
fn nothing_is_run_when_the_time_is_over() {
    if hydrogen_testkit::archive().is_none() {
        return;
    }
    let in_time = Instant::now() + Duration::from_secs(600);
    let found = |until| shown_until(COPIES, Class::Overflow, "take", "strcpy", Some(until));
    assert!(found(in_time).is_some());
    assert!(found(Instant::now()).is_none());
}

#[test]
fn options_are_tried_with_their_arguments() {
    if hydrogen_testkit::archive().is_none() {
        return;
    }
    let source = "#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int c, parts = 1;
  while ((c = getopt(argc, argv, \"vp:\")) != -1) {
    if (c == 'p')
      parts = atoi(optarg);
  }
  return 100 / parts > 3;
}";
    let ran = shown(source, Class::Division, "main", "100 / parts").unwrap();
    assert_eq!(ran.replay, Replay::Confirmed);
    // What is no number counts as zero, so that nothing need stand behind the letter.
    let words: Vec<&[u8]> = ran.input.args.values().map(Vec::as_slice).collect();
    assert_eq!(words, [&b"-p"[..], b""]);
}
