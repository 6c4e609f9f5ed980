//! Paths of the specification's examples, and what an instruction each is followed through.

use crate::support::{check, check_with, options, paths, paths_with, summary};
use hydrogen_evidence::Input;
use hydrogen_explore::{Kind, Options};

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
    assert!(found.is_complete(), "{:?}", found.missing);
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
        &["1 assumption", "2 r=5", "3 r=0", "3 r=9"],
    );
}

/// E-28: the index is followed, so that both sides of what it decides are found, and what is outside of the array.
#[test]
fn e28_array_index() {
    let source = "int main(void) { int x, y, out, a[2] = {0, 1}; hydrogen_symbolic(&x, 4, \"x\");\n\
         hydrogen_symbolic(&y, 4, \"y\");\n\
         if (x > 0) out = 5;\n\
         if (a[x] > 0) { if (y > 0) out = 1; else out = -1; } else out = 0;\n\
         hydrogen_output(\"out\", out); return 0; }";
    check(source, &["2 out=0", "3 out=-1", "3 out=1"]);
    let faults = Options { faults: true, ..options() };
    let shown = summary(&mut paths_with(source, &faults));
    assert!(shown.iter().any(|one| one.ends_with("out-of-bounds-read 4")), "{shown:?}");
}

/// E-31: what an array holds decides.
#[test]
fn e31_array_definitions() {
    check(
        "int main(void) { int i, out = 0, a[2]; hydrogen_symbolic(&i, 4, \"i\"); a[0] = 0; a[1] = 1;\n\
         if (a[i] > 0) out = 2; hydrogen_output(\"out\", out); return 0; }",
        &["1 out=0", "1 out=2"],
    );
}

/// E-33: without looking for faults the write outside stays hidden; with it, it is found.
#[test]
fn e33_faults_are_found_when_asked_for() {
    let source = "char p[4]; int main(void) { int x; unsigned i; hydrogen_symbolic(&x, 4, \"x\");\n\
         hydrogen_symbolic(&i, 4, \"i\");\n\
         if (x > 0) { p[i] = 0; }\n\
         hydrogen_output(\"out\", 1); return 0; }";
    check(source, &["1 out=1", "1 out=1"]);
    check_with(
        source,
        &Options { faults: true, ..options() },
        &["1 out-of-bounds-write 3", "1 out=1", "1 out=1"],
    );
}

#[test]
fn overflow_shifts_and_division_are_found() {
    check_with(
        "int main(void) { int x, y; hydrogen_symbolic(&x, 4, \"x\"); hydrogen_symbolic(&y, 4, \"y\");\n\
         hydrogen_assume(y >= 0);\n\
         int s = x + 1;\n\
         int t = 1u << y;\n\
         int d = s / (y - 3);\n\
         hydrogen_output(\"o\", s ^ t ^ d); return 0; }",
        &Options { faults: true, ..options() },
        &[
            "0 bad-shift 4",
            "0 division-by-zero 5",
            "0 o=x + 1 ^ 1 << y ^ (x + 1) / (y - 3)",
            "0 signed-overflow 3",
        ],
    );
}

#[test]
fn a_symbolic_write_is_seen_by_later_reads() {
    check(
        "unsigned char a[8]; int main(void) { unsigned char i, j; hydrogen_symbolic(&i, 1, \"i\"); hydrogen_symbolic(&j, 1, \"j\");\n\
         a[i & 7] = 1; a[3] = 2; int r = a[j & 7]; if (r == 1) hydrogen_output(\"hit\", 1);\n\
         else if (r == 2) hydrogen_output(\"three\", 1); else hydrogen_output(\"none\", 1); return 0; }",
        &["1 hit=1", "2 none=1", "2 three=1"],
    );
}

#[test]
fn pointers_that_depend_on_the_input_lead_to_all_objects() {
    check(
        "int a = 1, b = 2, c = 3; int *t[3] = {&a, &b, &c}; int main(void) { unsigned i; hydrogen_symbolic(&i, 4, \"i\");\n\
         hydrogen_assume(i < 3); hydrogen_output(\"v\", *t[i]); return 0; }",
        &["1 v=1", "2 v=2", "3 v=3"],
    );
}

#[test]
fn functions_that_depend_on_the_input_are_all_called() {
    check(
        "int f(void) { return 1; } int g(void) { return 2; } int (*t[2])(void) = {f, g};\n\
         int main(void) { unsigned char i; hydrogen_symbolic(&i, 1, \"i\"); hydrogen_output(\"v\", t[i & 1]()); return 0; }",
        &["1 v=1", "2 v=2"],
    );
}

#[test]
fn wide_numbers_structures_and_choices_are_followed() {
    check(
        "struct s { int a; char b; long c; }; static struct s make(int x) { struct s r = {x, 1, x}; return r; }\n\
         static long sum(struct s v) { return v.a + v.c; }\n\
         int main(void) { int x; hydrogen_symbolic(&x, 4, \"x\"); unsigned __int128 w = (unsigned __int128)(unsigned)x << 70;\n\
         if (w >> 70 == 5) hydrogen_output(\"five\", x); else if (sum(make(x)) == 14) hydrogen_output(\"seven\", x);\n\
         else { int m = __builtin_bswap32(x) == 0x01000000; hydrogen_output(\"m\", m ? 3 : x); } return 0; }",
        // `m ? 3 : x` has a branch, the comparison of swapped bytes has none.
        &["1 five=x", "2 seven=x", "3 m=3", "3 m=x"],
    );
}

#[test]
fn a_structure_is_copied_out_of_a_table() {
    check(
        "struct e { char name[3]; int value; } t[4] = {{\"a\", 5}, {\"b\", 6}, {\"c\", 5}, {\"d\", 7}};\n\
         int main(void) { unsigned i; hydrogen_symbolic(&i, 4, \"i\"); struct e v = t[i]; if (v.value == 5) { if (v.name[0] == 'a') return 1; return 0; }\n\
         hydrogen_output(\"name\", v.name[0]); return 0; }",
        &["1 name=(uint8_t)i + 97", "2", "2 exit 1"],
    );
}

/// Two thresholds between which no integer lies: only the theory of floating point finds the middle.
#[test]
fn floating_point_is_followed() {
    check(
        "int main(void) { double x; hydrogen_symbolic(&x, 8, \"x\"); if (x > 1.5) { if (x < 1.75) hydrogen_output(\"o\", 2); else hydrogen_output(\"o\", 1); }\n\
         else hydrogen_output(\"o\", 0); return 0; }",
        &["1 o=0", "2 o=1", "2 o=2"],
    );
    check(
        "int main(void) { int n; hydrogen_symbolic(&n, 4, \"n\"); float f = n; float r = f * f - 2 * f + 1; if (n > -9 && n < 9 && r == 0) return 1; return 0; }",
        &["1", "2", "3", "3 exit 1"],
    );
    check(
        "#include <math.h>\nint main(void) { float x; hydrogen_symbolic(&x, 4, \"x\"); if (isnan(x)) return 1; if (fabsf(x) > 1e30f) return 2; int n = x * 2; if (n == 7) return 3; return 0; }",
        &["1 exit 1", "2 exit 2", "3", "3 exit 3"],
    );
}

#[test]
fn what_cannot_be_followed_is_said() {
    let found = paths(
        "int main(void) { int x; hydrogen_symbolic(&x, 4, \"x\"); long double d = x; if (d > 2.5) return 1; return 0; }",
    );
    assert!(!found.is_complete());
    let why: Vec<&str> = found.missing.concretised.keys().map(|key| key.0.as_str()).collect();
    assert_eq!(why, ["floating point that has no terms: long double, or a remainder"]);
    assert_eq!(found.tests[0].path.iter().filter(|one| one.kind == Kind::Concrete).count(), 1);
}

#[test]
fn behind_a_fault_the_path_goes_on() {
    let source = "int main(void) { int n; hydrogen_symbolic(&n, sizeof n, \"n\"); int m = n + 1; if (m < n) return 3; return 0; }";
    let limits = hydrogen_machine::Limits { go_on: true, ..options().limits };
    let found = paths_with(source, &Options { faults: true, limits, ..options() });
    assert_eq!(found.alarms, []);
    assert!(found.is_complete(), "{:?}", found.missing);
    let mut ends: Vec<String> = found.tests.iter().map(crate::support::end).collect();
    ends.sort();
    assert_eq!(ends, ["exit 0", "exit 3"]);
    assert_eq!(found.tests.iter().filter(|test| !test.world.faults.is_empty()).count(), 1);
}
