//! Input goes through musl's own code.

use crate::support::{end, options, program, tools};
use hydrogen_explore::{ByPath, Exploration, Options, Symbolic, explore};
use hydrogen_machine::World;

/// Explores a program with the C library; `None` where that is missing.
fn with_library(source: &str, symbolic: Symbolic, world: World) -> Option<Exploration> {
    tools().library.as_ref()?;
    let program = program(source, true);
    let first = symbolic.first(&world);
    let options = Options { symbolic, ..options() };
    let found = explore(&program, &world, first, &options, &ByPath);
    assert_eq!(found.alarms, []);
    Some(found)
}

fn stdin(len: usize) -> Symbolic {
    Symbolic { stdin: len, ..Symbolic::default() }
}

fn ends(found: &Exploration) -> Vec<String> {
    let mut ends: Vec<String> = found.tests.iter().map(end).collect();
    ends.sort();
    ends.dedup();
    ends
}

#[test]
fn standard_input_is_followed_through_the_library() {
    let source = "#include <stdio.h>\nint main(void) { int a = getchar(), b; if (a != 'k') return 1;\n\
        b = getchar(); if (b == 'o') { puts(\"ok\"); return 0; } return 2; }";
    let Some(found) = with_library(source, stdin(2), World::default()) else { return };
    assert!(found.is_complete(), "{:?}", found.missing);
    assert_eq!(found.tests.len(), 3);
    assert_eq!(ends(&found), ["exit 0", "exit 1", "exit 2"]);
    assert!(found.tests.iter().any(|test| test.input.stdin == b"ko"));
}

#[test]
fn atoi_of_an_argument_is_complete() {
    let source = "#include <stdlib.h>\nint main(int argc, char **argv) { int n = atoi(argv[1]);\n\
        if (n == 42) return 1; if (n < 0) return 2; return 0; }";
    let symbolic = Symbolic { args: [(1, 3)].into(), ..Symbolic::default() };
    let Some(found) = with_library(source, symbolic, World::default()) else { return };
    assert!(found.is_complete(), "{:?}", found.missing);
    assert_eq!(ends(&found), ["exit 0", "exit 1", "exit 2"]);
}

#[test]
fn strtol_and_scanf_are_complete() {
    let source = "#include <stdlib.h>\nint main(int argc, char **argv) { char *e; long n = strtol(argv[1], &e, 0);\n\
        if (*e) return 3; if (n == 10) return 1; if (n < 0) return 2; return 0; }";
    let symbolic = Symbolic { args: [(1, 2)].into(), ..Symbolic::default() };
    let Some(found) = with_library(source, symbolic, World::default()) else { return };
    assert!(found.is_complete(), "{:?}", found.missing);
    assert_eq!(ends(&found), ["exit 0", "exit 1", "exit 2", "exit 3"]);
    let source = "#include <stdio.h>\nint main(void) { int n; if (scanf(\"%d\", &n) != 1) return 3;\n\
        if (n == 42) return 1; if (n < 0) return 2; return 0; }";
    let Some(found) = with_library(source, stdin(2), World::default()) else { return };
    assert!(found.is_complete(), "{:?}", found.missing);
    assert_eq!(ends(&found), ["exit 0", "exit 1", "exit 2", "exit 3"]);
}
