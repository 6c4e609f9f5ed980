//! Children that misbehave cost one answer and nothing else.
#![allow(clippy::unwrap_used)]

use hydrogen_frontend::{Error, Limits, Pool};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

fn check(script: &str, expect: impl Fn(&Error) -> bool) {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("child");
    std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let limits = Limits { time: Duration::from_millis(300), answers: 10 };
    let pool = Pool::new(program, limits, || false);
    for _ in 0..2 {
        let error = pool.bitcode(Path::new("some.bc"), Path::new("/")).unwrap_err();
        assert!(expect(&error), "{error}");
        assert!(error.to_string().contains("some.bc"), "{error}");
    }
}

#[test]
fn a_crash_is_an_error_that_names_the_file() {
    check("echo 'stack dump' >&2; kill -SEGV $$", |error| {
        matches!(error, Error::Crashed { .. }) && error.to_string().contains("stack dump")
    });
}

#[test]
fn an_exit_without_answer_is_a_crash() {
    check("exit 0", |error| matches!(error, Error::Crashed { .. }));
}

#[test]
fn garbage_is_a_crash() {
    // One process writes it: starting several takes longer than the limit on a busy machine.
    check(
        "printf 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx'; exec sleep 5",
        |error| matches!(error, Error::Crashed { .. }),
    );
}

#[test]
fn a_hang_ends_at_the_limit() {
    check("sleep 60", |error| matches!(error, Error::TimeOut { .. }));
}

#[test]
fn a_missing_program_says_so() {
    let pool = Pool::new("/nonexistent/hydrogen-lower".into(), Limits::default(), || false);
    let error = pool.bitcode(Path::new("some.bc"), Path::new("/")).unwrap_err();
    assert!(error.to_string().contains("/nonexistent/hydrogen-lower"), "{error}");
}
