//! Going on behind faults, where C implementations do.

use crate::support::{file, limits, load, tools};
use hydrogen_machine::{End, FaultKind, Limits, Run, World};

fn run(source: &str) -> Option<Run> {
    let tools = tools()?;
    let (_folder, path) = file(source);
    Some(load(tools, &path, &[]).run(World::default(), Limits { go_on: true, ..limits() }))
}

/// How the run ends, and which faults it went on behind, by kind and line.
fn check(source: &str, end: &End, faults: &[(FaultKind, u32)]) {
    let Some(run) = run(source) else { return };
    assert_eq!(&run.end, end);
    let found: Vec<_> = run.world.faults.iter().map(|fault| (fault.kind, fault.stack[0].line)).collect();
    assert_eq!(found, faults);
}

#[test]
fn overflow_wraps() {
    let source = "#include <limits.h>\nint main(void) { int n = INT_MAX; long l = LONG_MAX; short s = 1;\n n += 1;\n l *= 2;\n\
        for (int i = 0; i < 3; i++)\n  n -= 1 + (n == INT_MIN ? 0 : 0);\n return n == INT_MAX - 2 && l == -2 && s == 1 ? 7 : 1; }";
    let overflow = FaultKind::SignedOverflow;
    check(source, &End::Exit(7), &[(overflow, 3), (overflow, 4), (overflow, 6)]);
}

#[test]
fn what_was_never_written_is_what_is_there() {
    let source = "#include <stdio.h>\nint main(void) { int n, *p = &n; char text[4] = \"ab\"; int m = *p;\n if (m == 77)\n  puts(\"odd\");\n\
        switch (m & 1) {\n case 0: case 1: break; }\n printf(\"%s\\n\", text); return 3; }";
    let unwritten = FaultKind::UninitialisedRead;
    check(source, &End::Exit(3), &[(unwritten, 3), (unwritten, 5)]);
}

#[test]
fn an_access_that_left_its_object_for_another_goes_there() {
    let source = "char a[16] = \"first\", b[16] = \"second\"; static long away(void) { return b - a; }\n\
        int main(void) { long n = away();\n char c = a[n];\n a[n] = 'S';\n return c == 's' && b[0] == 'S' ? 5 : 1; }";
    check(source, &End::Exit(5), &[(FaultKind::OutOfBoundsRead, 3), (FaultKind::OutOfBoundsWrite, 4)]);
}

#[test]
fn other_faults_end_the_run() {
    for (source, kind) in [
        ("int main(void) { int *volatile p = 0; return *p; }", FaultKind::NullDereference),
        ("int main(void) { volatile int z = 0; return 1 / z; }", FaultKind::DivisionByZero),
        (
            "int main(void) { volatile int m = -2147483647 - 1, o = -1; return m / o; }",
            FaultKind::SignedOverflow,
        ),
        (
            "int main(void) { int a[2] = {1, 2}; volatile int i = 2; return a[i]; }",
            FaultKind::OutOfBoundsRead,
        ),
    ] {
        let Some(run) = run(source) else { return };
        let End::Fault(fault) = &run.end else { panic!("{source}: {:?}", run.end) };
        assert_eq!(fault.kind, kind);
        assert_eq!(run.world.faults, []);
    }
}

#[test]
fn a_word_over_the_end_has_the_bytes_that_are_there() {
    let source = "#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\nint main(void) { char *s = malloc(5); memcpy(s, \"abcde\", 5);\n\
        uint64_t w = *(uint64_t *)s; w &= 0xffffffffff; return w == 0x6564636261 ? 4 : 1; }";
    check(source, &End::Exit(4), &[(FaultKind::OverRead, 5)]);
}

#[test]
fn conversions_give_what_x86_gives() {
    let source =
        "int main(void) { volatile double d = 1e10;\n int n = d; return n == -2147483647 - 1 ? 6 : 1; }";
    check(source, &End::Exit(6), &[(FaultKind::BadConversion, 2)]);
}
