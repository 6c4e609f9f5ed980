//! Input goes through musl's own code.

use crate::support::{end, has_library, options, program};
use hydrogen_explore::{ByPath, Exploration, Options, Symbolic, explore, show};
use hydrogen_machine::{Stream, World};

/// Explores a program with the C library; `None` where that is missing.
fn with_library(source: &str, symbolic: Symbolic, world: World) -> Option<Exploration> {
    has_library().then_some(())?;
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

#[test]
fn what_goes_out_says_how_it_depends() {
    let source = "#include <stdio.h>\nint main(void) { int c = getchar(); printf(\"<%c>\\n\", c + 1);\n\
        FILE *f = fopen(\"out\", \"w\"); fputc(c ^ 1, f); fclose(f); return c; }";
    let Some(mut found) = with_library(source, stdin(1), World::default()) else { return };
    assert!(found.is_complete(), "{:?}", found.missing);
    // The library itself looks whether it writes the end of a line.
    assert_eq!(found.tests.len(), 2);
    let test = &found.tests[0];
    let of = |stream: Stream| test.logs.of(stream).collect::<Vec<_>>();
    let out = of(Stream::Stdout);
    assert_eq!(out.iter().map(|one| one.0).collect::<Vec<_>>(), [1]);
    assert_eq!(show(&mut found.pool, out[0].1), "stdin[0] + 1");
    let file = test.logs.streams().find(|one| matches!(one, Stream::Node(_))).unwrap();
    assert_eq!(test.world.name_of(file), "/out");
    let file = of(file);
    assert_eq!(show(&mut found.pool, file[0].1), "stdin[0] ^ 1");
    assert_eq!(show(&mut found.pool, test.status.unwrap()), "stdin[0]");
}

#[test]
fn files_and_environment_are_input_too() {
    let source = "#include <stdio.h>\n#include <stdlib.h>\nint main(void) { FILE *f = fopen(\"data\", \"r\"); int c = getc(f);\n\
        if (c == 'x') return 1; if (getenv(\"MODE\")[1] == 'y') return 2; return 0; }";
    let symbolic = Symbolic {
        files: [("data".into(), 1)].into(),
        environment: [("MODE".into(), 2)].into(),
        ..Symbolic::default()
    };
    let world = World::default().with_file("data", "abc");
    let Some(found) = with_library(source, symbolic, world) else { return };
    assert!(found.is_complete(), "{:?}", found.missing);
    assert_eq!(ends(&found), ["exit 0", "exit 1", "exit 2"]);
    // What of the file is not symbolic stays.
    assert!(found.tests.iter().any(|test| test.input.files[bstr::BStr::new("data")] == b"xbc"));
}

#[test]
fn what_is_written_to_a_file_can_be_read_back() {
    let source = "#include <stdio.h>\nint main(void) { FILE *f = fopen(\"t\", \"w+\"); putc(getchar(), f); rewind(f);\n\
        if (getc(f) == 'q') return 1; return 0; }";
    let Some(found) = with_library(source, stdin(1), World::default()) else { return };
    assert!(found.is_complete(), "{:?}", found.missing);
    assert_eq!(ends(&found), ["exit 0", "exit 1"]);
}

#[test]
fn a_shorter_input_is_another_input() {
    let source = "#include <stdio.h>\nint main(void) { int n = 0; while (getchar() != EOF) n++; return n; }";
    let symbolic = Symbolic { stdin: 3, shorter: true, ..Symbolic::default() };
    let Some(found) = with_library(source, symbolic, World::default()) else { return };
    assert!(found.is_complete(), "{:?}", found.missing);
    assert_eq!(found.tests.len(), 4);
    assert_eq!(ends(&found), ["exit 0", "exit 1", "exit 2", "exit 3"]);
}

/// What the system writes does not depend on the input any more, whatever was there before.
#[test]
fn what_the_system_writes_is_new() {
    let source = "#include <unistd.h>\n#include <time.h>\n#include <sys/stat.h>\n#include <sys/utsname.h>\n\
        union { char c[512]; struct timespec t; struct stat s; struct utsname n; } u;\n\
        int main(void) { int r = 0; read(0, u.c, 64); \n\
        clock_gettime(CLOCK_REALTIME, &u.t); for (int i = 0; i < 16; i++) if (u.c[i] == 1) r++;\n\
        read(0, u.c, 64); fstat(0, &u.s); for (int i = 0; i < 64; i++) if (u.c[i] == 1) r++;\n\
        read(0, u.c, 64); getcwd(u.c, 64); if (u.c[0] == '/') r++; read(0, u.c, 64); uname(&u.n);\n\
        for (int i = 0; i < 64; i++) if (u.c[i] == 1) r++; return 0; }";
    let Some(found) = with_library(source, stdin(256), World::default()) else { return };
    assert_eq!(found.tests.len(), 1);
    assert!(found.is_complete(), "{:?}", found.missing);
}

#[test]
fn numbers_are_printed_digit_by_digit() {
    let source = "#include <stdio.h>\nint main(void) { int c = getchar(); printf(\"%d|%3d|%x\\n\", c, c & 3, c); return 0; }";
    let Some(mut found) = with_library(source, stdin(1), World::default()) else { return };
    assert!(found.is_complete(), "{:?}", found.missing);
    let longest = found.tests.iter().find(|test| test.input.stdin[0] > 99).unwrap();
    let out: Vec<u64> = longest.logs.of(Stream::Stdout).map(|one| one.0).collect();
    assert!(out.starts_with(&[0, 1, 2]), "{out:?}");
    let digit = longest.logs.of(Stream::Stdout).nth(2).unwrap().1;
    assert!(show(&mut found.pool, digit).contains("% 10"), "{}", show(&mut found.pool, digit));
}

/// A size of many values is made concrete; what depends on it later is looked for with other sizes.
#[test]
fn other_sizes_are_tried() {
    let source = "#include <stdlib.h>\n#include <string.h>\nint main(void) { unsigned n; hydrogen_symbolic(&n, 4, \"n\"); if (n > 5000) return 1;\n\
        char *p = malloc(n); if (!p) return 2; memset(p, 7, n);\nif (n >= 4000) p[4096] = 1;\nfree(p); return 0; }";
    let Some(found) = with_library(source, Symbolic::default(), World::default()) else { return };
    assert!(ends(&found).contains(&"out-of-bounds-write 5".to_owned()), "{:?}", ends(&found));
    assert!(!found.is_complete(), "sizes were made concrete");
}
