//! Paths of the specification's examples.
#![allow(clippy::unwrap_used)]

use bstr::BString;
use hydrogen_explore::{Exploration, Input, Kind, Options, Symbolic, explore};
use hydrogen_frontend::{Command, Pool};
use hydrogen_machine::{Library, Limits, Program, World};
use hydrogen_term::{Engine, standard};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::time::Duration;

const HEADER: &str = "void hydrogen_symbolic(void *, unsigned long, const char *);\n\
    void hydrogen_assume(unsigned long);\nvoid hydrogen_output(const char *, long long);\n";

/// The model of a program.
fn model(source: &str, pool: &Pool) -> hydrogen_ir::Module {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("test.c");
    std::fs::write(&path, source).unwrap();
    let bytes = |path: &Path| BString::from(path.as_os_str().as_bytes());
    let mut arguments: Vec<BString> = vec!["cc".into(), "-c".into()];
    arguments.extend(Library::find().map(|library| library.arguments()).unwrap_or_default());
    arguments.push(bytes(&path));
    let (directory, file) = (bytes(folder.path()), bytes(&path));
    let command = Command { directory: directory.clone(), root: directory, file, arguments };
    hydrogen_ir::decode(&pool.model(&command).unwrap().module).unwrap()
}

fn options() -> Options {
    Options {
        symbolic: Symbolic::default(),
        limits: Limits { steps: 1_000_000, ..Limits::default() },
        runs: 100,
        time: Duration::from_secs(20),
    }
}

/// Explores a program that has no use for the C library, from an input of zeros.
fn paths(source: &str) -> Exploration {
    let pool = Pool::new(Pool::default_program(), Default::default(), || false);
    let module = model(&format!("{HEADER}{source}"), &pool);
    let program = Program::load(vec![module], None);
    let mut engine = Engine::new(standard(), Default::default());
    explore(&program, &World::default(), Input::default(), &options(), &mut engine)
}

/// Every path's branches and outputs, sorted; the exploration must be complete and without alarm.
fn check(source: &str, expect: &[&str]) {
    let found = paths(source);
    assert_eq!(found.alarms, []);
    assert!(found.complete, "{:?}", found.concretised);
    let show = |test: &hydrogen_explore::Test| {
        let branches = test.path.iter().filter(|one| one.kind == Kind::Branch).count();
        let outputs: Vec<String> =
            test.outputs.iter().map(|one| format!("{}={}", one.name, found.pool.to_c(one.value))).collect();
        format!("{branches} {}", outputs.join(" "))
    };
    let mut shown: Vec<String> = found.tests.iter().map(show).collect();
    shown.sort();
    assert_eq!(shown, expect);
}

#[test]
fn e1_has_three_paths() {
    check(
        "int main(void) { int x, y, o; hydrogen_symbolic(&x, sizeof x, \"x\"); hydrogen_symbolic(&y, sizeof y, \"y\");\n\
         if (x > 0) { y = y + 1; if (y > 0) o = 10; else o = 20; } else o = 30;\n\
         hydrogen_output(\"o\", o); return 0; }",
        &["1 o=30", "2 o=10", "2 o=20"],
    );
}

#[test]
fn e25_has_eight_paths() {
    let found = paths(
        "int main(void) { int x, y, z, a, b = 2, s; hydrogen_symbolic(&x, 4, \"x\"); hydrogen_symbolic(&y, 4, \"y\");\n\
         hydrogen_symbolic(&z, 4, \"z\"); if (x - y > 0) a = x; else a = y; if (x + y > 10) b = a;\n\
         if (z * z > 3) s = 1; else s = 2; hydrogen_output(\"out\", b); return 0; }",
    );
    assert_eq!(found.alarms, []);
    assert!(found.complete);
    assert_eq!(found.tests.len(), 8);
    let inputs: std::collections::BTreeSet<&Input> = found.tests.iter().map(|test| &test.input).collect();
    assert_eq!(inputs.len(), 8);
}

#[test]
fn assumptions_cut_paths_and_switches_are_chains() {
    check(
        "int main(void) { unsigned char c; hydrogen_symbolic(&c, 1, \"c\"); hydrogen_assume(c > 2);\n\
         int r; switch (c) { case 1: r = 1; break; case 5: r = 5; break; case 9: r = 9; break; default: r = 0; }\n\
         hydrogen_output(\"r\", r); return 0; }",
        // The first input breaks the assumption; the others pass `c != 1`, which the assumption implies.
        &["1 ", "2 r=5", "3 r=0", "3 r=9"],
    );
}

#[test]
fn symbolic_addresses_are_made_concrete_and_said() {
    let found = paths(
        "int a[2] = {0, 1}; int main(void) { unsigned char x; hydrogen_symbolic(&x, 1, \"x\");\n\
         hydrogen_output(\"a\", a[x & 1]); return 0; }",
    );
    assert!(!found.complete);
    assert_eq!(found.concretised.len(), 1);
    assert_eq!(found.tests[0].path.iter().filter(|one| one.kind == Kind::Concrete).count(), 1);
}

/// Explores a program with the C library, reading symbolic standard input.
#[test]
fn standard_input_is_followed_through_the_library() {
    let Some(library) = Library::find() else { return };
    let lower = Pool::default_program();
    let pool = Pool::new(lower.clone(), Default::default(), || false);
    let archive = library.archive(&pool, &lower, &|_, _| {}).unwrap();
    let source = "#include <stdio.h>\nint main(void) { int a = getchar(), b; if (a != 'k') return 1;\n\
        b = getchar(); if (b == 'o') { puts(\"ok\"); return 0; } return 2; }";
    let module = model(source, &pool);
    let program = Program::load(vec![module], Some(&archive));
    let symbolic = Symbolic { stdin: 2, ..Symbolic::default() };
    let options = Options { symbolic, ..options() };
    let first = Input { stdin: vec![0; 2], ..Input::default() };
    let mut engine = Engine::new(standard(), Default::default());
    let found = explore(&program, &World::default(), first, &options, &mut engine);
    assert_eq!(found.alarms, []);
    assert!(found.complete, "{:?}", found.concretised);
    let mut ends: Vec<String> = found.tests.iter().map(|test| format!("{:?}", test.end)).collect();
    ends.sort();
    assert_eq!(ends, ["Exit(0)", "Exit(1)", "Exit(2)"]);
    assert!(found.tests.iter().any(|test| test.input.stdin == b"ko"));
}
