//! Each program gives the same output, errors and status in the machine and natively.

use super::support::{has_native, limits, load, native, run_native, seen, tools};
use hydrogen_machine::{End, World};
use std::path::Path;

fn check(name: &str, args: &[&str]) {
    let Some(tools) = tools() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/programs");
    let source = folder.join(name).with_extension("c");
    let input = folder.join(name).with_extension("in");
    let stdin = std::fs::read(&input).unwrap_or_default();
    let program = load(tools, &source, &[]);
    let mut all = vec!["program"];
    all.extend(args);
    let run = program.run(World::new(all).with_stdin(stdin), limits());
    let found = seen(&run);
    assert!(!matches!(run.end, End::Fault(_)));
    if !has_native() {
        return hydrogen_testkit::skip("musl's own libc.a is missing (musl-dev)");
    }
    let build = tempfile::tempdir().unwrap();
    let binary = build.path().join("native");
    native(&source, &[], &binary);
    let stdin = if input.exists() { input } else { "/dev/null".into() };
    let mut expected = run_native(&binary, args, &stdin);
    // An assertion names the file by the path it was compiled with.
    expected.stderr = expected.stderr.replace(&format!("{}/", folder.display()), "");
    assert_eq!(found, expected);
}

macro_rules! programs {
    ($($name:ident),*) => {$(
        #[test]
        fn $name() {
            check(stringify!($name), &[]);
        }
    )*};
}

programs!(
    aborts,
    aggregates,
    atomics,
    bit_fields,
    complex_numbers,
    control,
    destructors,
    files,
    floats,
    formats,
    integers,
    jumps,
    long_double,
    numbers,
    pointers,
    recursion,
    scanning,
    signals,
    sorting,
    strings,
    varargs,
    vectors
);

#[test]
fn times() {
    check("times", &["-a", "-b5", "rest"]);
}

#[test]
fn two_runs_are_the_same_addresses_included() {
    let Some(tools) = tools() else { return };
    let source = "#include <stdio.h>\n#include <stdlib.h>\nint g; int main(void) { int l; \
                  printf(\"%p %p %p %p\\n\", (void *)&g, (void *)&l, malloc(3), (void *)main); return 0; }";
    let (_folder, path) = super::support::file(source);
    let program = load(tools, &path, &[]);
    let first = program.run(World::default(), limits());
    let second = program.run(World::default(), limits());
    assert_eq!(seen(&first), seen(&second));
    assert_eq!(first.statistics, second.statistics);
    let third = load(tools, &path, &[]).run(World::default(), limits());
    assert_eq!(seen(&first), seen(&third));
}
