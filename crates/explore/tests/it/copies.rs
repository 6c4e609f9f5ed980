//! Copies of a length that depends on the input: one term per byte, which says for every length what memory holds.

use crate::support::{end, has_library, options, program};
use bstr::BString;
use hydrogen_evidence::Input;
use hydrogen_explore::{Assignment, ByPath, Exploration, Options, explore, holds};
use hydrogen_machine::{End, Limits, Program, World};
use hydrogen_term::Evaluator;

const HEAD: &str =
    "#include <stdlib.h>\n#include <string.h>\n#define OUT(x) hydrogen_output(\"r\", (unsigned char)(x))\n";

/// The body of `main` with a byte `n` and a text `t` of three bytes that may be anything.
fn explored(body: &str) -> (Program, Exploration) {
    let source = format!(
        "{HEAD}int main(void) {{ unsigned char n, t[3]; hydrogen_symbolic(&n, 1, \"n\"); hydrogen_symbolic(t, 3, \"t\");\n{body}\nreturn 0; }}"
    );
    let program = program(&source, true);
    let options = Options { faults: true, ..options() };
    let found = explore(&program, &World::default(), Input::default(), &options, &ByPath);
    assert_eq!(found.alarms, []);
    (program, found)
}

/// Explores completely in at most so many runs, and compares what the terms say with a run of every length and some texts.
fn check(body: &str, runs: usize) {
    if !has_library() {
        return;
    }
    let (program, found) = explored(body);
    assert!(found.is_complete(), "{:?}", found.missing);
    assert!(found.tests.len() <= runs, "{} runs: {body}", found.tests.len());
    for n in (0..=20).chain([64, 254, 255]) {
        for t in [[0, 0, 0], [b'a', 0, b'c'], [1, 2, 3]] {
            let named = [("n", vec![n]), ("t", t.to_vec())].map(|(name, bytes)| (BString::from(name), bytes));
            let input = Input { named: named.into(), ..Input::default() };
            let run = program.run(World::default().with_input(&input), Limits::default());
            let fitting: Vec<_> = found
                .tests
                .iter()
                .filter(|test| test.path.iter().all(|one| holds(&found.pool, &input, one.term)))
                .collect();
            if let End::Fault(fault) = &run.end {
                // One input of a fault at a place is enough; none of its inputs may be promised to do well.
                let same = |end: &End| matches!(end, End::Fault(other) if other.kind == fault.kind);
                assert!(fitting.iter().all(|test| same(&test.end)), "{n} {t:?}: {body}");
                let found = found.tests.iter().any(|test| matches!(test.end, End::Fault(_)));
                assert!(found, "{n} {t:?}: {body}");
                continue;
            }
            assert_eq!(fitting.len(), 1, "{n} {t:?}: {body}");
            let terms: Vec<_> = fitting[0].outputs.iter().map(|one| one.value).collect();
            let model = input.model(&found.pool, &found.pool.variables(&terms));
            let mut evaluator = Evaluator::new(&found.pool, &model);
            let said: Vec<u64> = terms.iter().map(|term| evaluator.bits(*term) as u64).collect();
            let done: Vec<u64> = run.world.named_outputs.iter().map(|one| one.1).collect();
            assert_eq!(said, done, "{n} {t:?}: {body}");
        }
    }
}

#[test]
fn a_length_stays_a_term() {
    check("char a[8] = \"abcdefg\", b[8] = {0}; memcpy(b, a, n); OUT(b[0]); OUT(b[3]); OUT(b[7]);", 2);
    check("char a[12] = \"abcdefghijk\"; memmove(a + 2, a, n); OUT(a[1]); OUT(a[5]); OUT(a[11]);", 2);
    check("char a[16] = {0}; memset(a + 4, t[0], n); OUT(a[3]); OUT(a[4]); OUT(a[15]);", 2);
    check("char a[16] = \"0123456789\"; memcpy(a, a + 4, n); OUT(a[0]); OUT(a[3]);", 2);
}

#[test]
fn a_copy_is_copied() {
    check(
        "char a[8] = \"abcdefg\", b[8] = {0}, c[8] = {0}; memcpy(b, t, n); memcpy(c + 1, b, n); OUT(c[1]); OUT(c[3]); OUT(b[0]); OUT(a[n & 7]);",
        2,
    );
}

/// Where bytes have a value only if the length reached them, reading them is a question of the length.
#[test]
fn what_was_never_written_is_a_fault_of_the_length() {
    check("char a[8] = \"abcdefg\", b[8]; memcpy(b, a, n); if (n > 2) OUT(b[2]);", 3);
    check("char a[8] = \"abcdefg\", b[8]; memcpy(b, a, n); if (b[4] == 'e') OUT(1); else OUT(0);", 3);
    check("char b[8], c[8] = \"zzzzzzz\"; memcpy(c, b, n); if (c[4] == 'z') OUT(1); else OUT(0);", 3);
}

#[test]
fn an_object_as_long_as_the_copy() {
    check("char *p = malloc(n); if (!p) return 2; memset(p, 7, n); if (n > 3) OUT(p[3]); free(p);", 300);
}

#[test]
fn a_text_is_copied_up_to_a_length() {
    check("char b[8] = \"zzzzzzz\"; strncpy(b, \"abc\", n); OUT(b[0]); OUT(b[2]); OUT(b[3]); OUT(b[6]);", 2);
    check(
        "char s[4] = {t[0], t[1], t[2], 0}, b[8] = \"zzzzzzz\"; strncpy(b, s, n); OUT(b[0]); OUT(b[2]); OUT(b[5]);",
        2,
    );
    check("char s[4] = {t[0], t[1], t[2], 0}, b[8]; strncpy(b, s, 5); OUT(b[0]); OUT(b[2]); OUT(b[4]);", 1);
}

/// A size that must be known is tried at 0, 1 and the limits that it is compared with; that is never called complete.
#[test]
fn borders_of_a_size_are_tried() {
    if !has_library() {
        return;
    }
    let source = format!(
        "{HEAD}int main(void) {{ unsigned n; hydrogen_symbolic(&n, 4, \"n\"); if (n > 5000) return 1; char *p = malloc(n); if (!p) return 2; p[n - 1] = 1; free(p); return 0; }}"
    );
    let program = program(&source, true);
    let found = explore(&program, &World::default(), Input::default(), &options(), &ByPath);
    assert_eq!(found.alarms, []);
    let tried: Vec<u32> = found
        .tests
        .iter()
        .map(|test| u32::from_le_bytes(test.input.named[bstr::BStr::new("n")][..4].try_into().unwrap()))
        .collect();
    for border in [0, 1, 5000] {
        assert!(tried.contains(&border), "not {border}: {tried:?}");
    }
    assert!(tried.iter().filter(|n| (2..5000).contains(*n)).count() >= 1, "{tried:?}");
    assert!(!found.is_complete());
    assert!(found.tests.iter().any(|test| end(test).starts_with("out-of-bounds")));
}

/// A value that could not be another one takes nothing away.
#[test]
fn a_value_that_is_certain_loses_nothing() {
    let source = "int main(void) { unsigned char x; hydrogen_symbolic(&x, 1, \"x\"); if (x != 5) return 1; long double d = x; if (d > 2.5L) return 2; return 0; }";
    let found = crate::support::paths(source);
    assert_eq!(found.alarms, []);
    assert!(found.is_complete(), "{:?}", found.missing);
    assert_eq!(found.tests.len(), 2);
}
