//! Small programs that once were too much: floating point, sizes, tables.

use crate::support::{check, end, has_library, options, program};
use hydrogen_evidence::Input;
use hydrogen_explore::{ByPath, Options, explore};
use hydrogen_machine::World;

#[test]
fn d5_floating_point() {
    let source = "int main(void) { double x; hydrogen_symbolic(&x, 8, \"x\"); if (x > 1.5) { if (x < 1.75) hydrogen_output(\"o\", 2); else hydrogen_output(\"o\", 1); }\n\
        else hydrogen_output(\"o\", 0); return 0; }";
    check(source, &["1 o=0", "2 o=1", "2 o=2"]);
}

#[test]
fn d6_a_size_that_is_too_small() {
    if !has_library() {
        return;
    }
    let source = "#include <stdlib.h>\n#include <string.h>\nint main(void) { unsigned n; hydrogen_symbolic(&n, 4, \"n\"); if (n > 5000) return 1; char *p = malloc(n);\n\
        if (!p) return 2; memset(p, 7, n);\n if (n >= 4000)\n  p[4096] = 1;\n free(p); return 0; }";
    let program = program(source, true);
    let found = explore(
        &program,
        &World::default(),
        Input::default(),
        &Options { faults: true, search: hydrogen_explore::Search::Generational, ..options() },
        &ByPath,
    );
    assert_eq!(found.alarms, []);
    let faulty: Vec<u32> = found
        .tests
        .iter()
        .filter(|test| end(test).starts_with("out-of-bounds-write"))
        .map(|test| u32::from_le_bytes(test.input.named[bstr::BStr::new("n")][..4].try_into().unwrap()))
        .collect();
    assert!(faulty.iter().any(|n| (4000..=4096).contains(n)), "{faulty:?}");
}

#[test]
fn d7_a_write_into_a_table() {
    let source = "int main(void) { unsigned char k[8]; unsigned h = 5381; hydrogen_symbolic(k, 8, \"k\"); for (int i = 0; i < 8; i++) h = h * 33 + k[i];\n\
        static int t[1024]; t[h % 1024]++; if (h == 0xdeadbeef) return 1; if (t[7]) return 2; return 0; }";
    let program = program(source, false);
    let found = explore(&program, &World::default(), Input::default(), &options(), &ByPath);
    assert_eq!(found.alarms, []);
    assert!(found.is_complete(), "{:?}", found.missing);
    let mut ends: Vec<String> = found.tests.iter().map(end).collect();
    ends.sort();
    assert_eq!(ends, ["exit 0", "exit 1", "exit 2"]);
}

#[test]
fn d8_a_counted_loop() {
    let source = "int main(void) { unsigned n, s = 0; hydrogen_symbolic(&n, 4, \"n\"); for (unsigned i = 0; i < n; i++) s += i;\n\
        hydrogen_output(\"o\", s == 4950); return 0; }";
    let found = crate::support::paths(source);
    assert_eq!(found.alarms, []);
    assert!(found.is_complete(), "{:?}", found.missing);
    assert_eq!(found.tests.len(), 1);
}

/// The same with a table that is too large for a choice per byte: it is an array of the solver, also when it was written twice, at known places and
/// read at another unknown one.
#[test]
fn d7_a_write_into_a_large_table() {
    let source = "static unsigned char t[40000]; int main(void) { unsigned i, j, k; hydrogen_symbolic(&i, 4, \"i\"); hydrogen_symbolic(&j, 4, \"j\"); hydrogen_symbolic(&k, 4, \"k\");\n\
        if (i >= 40000 || j >= 40000 || k >= 40000) return 9; t[77] = 3; t[i] = 1; t[j] = 2; t[78] = 4; if (t[77] == 2) return 1; if (t[78] != 4) return 8; if (t[k] == 1 && i != k) return 8;\n\
        if (t[k] == 2) return 2; if (t[k] == 3) return 3; return 0; }";
    let program = program(source, false);
    let found = explore(&program, &World::default(), Input::default(), &options(), &ByPath);
    assert_eq!(found.alarms, []);
    assert!(found.is_complete(), "{:?}", found.missing);
    let mut ends: Vec<String> = found.tests.iter().map(end).collect();
    ends.sort();
    ends.dedup();
    assert_eq!(ends, ["exit 0", "exit 1", "exit 2", "exit 3", "exit 9"]);
}

/// How much `fgets` copies follows from where it found the end of the line: a choice of few places.
#[test]
fn lines_are_read_completely() {
    if !has_library() {
        return;
    }
    let source = "#include <stdio.h>\nint main(void) { char line[8]; int n = 0; while (fgets(line, 8, stdin)) n += line[0] == 'a'; return n; }";
    let symbolic = hydrogen_explore::Symbolic { stdin: 3, ..Default::default() };
    let how = Options { symbolic, summaries: true, ..options() };
    let first = Input { stdin: b"abc".to_vec(), exact: true, ..Input::default() };
    let found = explore(&program(source, true), &World::default(), first, &how, &ByPath);
    assert_eq!(found.alarms, []);
    assert!(found.is_complete(), "{:?}", found.missing);
    let mut ends: Vec<String> = found.tests.iter().map(end).collect();
    ends.sort();
    ends.dedup();
    assert_eq!(ends, ["exit 0", "exit 1", "exit 2"]);
}
