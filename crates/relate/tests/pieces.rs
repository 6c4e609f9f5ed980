//! Functions that are compared piece by piece: what did not change costs nothing, what did is proved, and nothing more than that is said.
#![allow(clippy::unwrap_used)]

mod common;

use common::{compile, function};
use hydrogen_relate::{Method, Options, Subject, Verdict, check, compare};
use hydrogen_term::Smtlib;
use std::time::Duration;

/// What is said of the functions `f`; a proof is gone through again with another solver.
fn said(old: &str, new: &str) -> Option<Method> {
    let (old, new) = (compile(old), compile(new));
    let one = Subject { module: &old, function: function(&old, "f") };
    let other = Subject { module: &new, function: function(&new, "f") };
    let Verdict::Equal(proof) = compare(one, other, &Options::default()) else { return None };
    let certificate = proof.certificate.unwrap();
    check(&certificate, one, other, Box::new(Smtlib::z3()), Duration::from_secs(60)).unwrap();
    Some(proof.method)
}

/// A long function with this in its middle: branches that double the paths, calls that may do anything, a loop.
fn long(middle: &str) -> String {
    let mut before = String::new();
    let mut after = String::new();
    for n in 0..14 {
        before += &format!("if (s->m[{n}] > k) {{ r += next(s, {n}); s->m[{n}] = r; }} else s->k ^= {n};\n");
        after +=
            &format!("while (s->m[{n}] & 1) {{ s->m[{n}] = next(s, r); if (s->k == {n}) return {n}; }}\n");
    }
    format!(
        "struct s {{ int k; int m[14]; }};\nint next(struct s *, int);\nstatic int twice(int x) {{ return 2 * x; }}\n\
         int f(struct s *s, int k) {{ int r = 0; int t = 0;\n{before}{middle}\n{after} return r + t + twice(0); }}"
    )
}

#[test]
fn a_change_in_the_middle_of_much_is_proved() {
    let old = long("if (k > 3 && k < 90) t = k * 2; else t = 0;");
    for middle in [
        "if (k <= 3 || k >= 90) t = 0; else t = k + k;",
        "{ int inside = k > 3 && 90 > k; t = inside ? 2 * k : 0; }",
    ] {
        assert!(said(&old, &long(middle)).is_some(), "{middle}");
    }
}

#[test]
fn a_change_of_what_is_computed_is_not_proved() {
    let old = long("if (k > 3 && k < 90) t = k * 2; else t = 0;");
    for middle in [
        "if (k <= 3 || k > 90) t = 0; else t = k + k;",
        "if (k > 3 && k < 90) r = k * 2; else t = 0;",
        "if (k > 3 && k < 90) t = next(s, k); else t = 0;",
        "if (k > 3 && k < 90) t = k * 2; else t = 0; s->k = s->k + 0 * k;s->m[3] = 0;",
    ] {
        assert!(said(&old, &long(middle)).is_none(), "{middle}");
    }
}

#[test]
fn renamed_variables_and_moved_declarations_need_no_solver() {
    let old = long("if (k > 3 && k < 90) t = k * 2; else t = 0;");
    let new = old.replace(" int t = 0;", "").replace("int r = 0;", "int sum = 0, extra; extra = 0;");
    let new = new.replace("r += ", "sum += ").replace("= r;", "= sum;").replace("(s, r)", "(s, sum)");
    let new = new.replace("t = k * 2; else t = 0", "extra = k * 2; else extra = 0");
    let new = new.replace("return r + t", "return sum + extra");
    assert_eq!(said(&old, &new), Some(Method::SameForm));
}

#[test]
fn volatile_accesses_are_equal_in_the_same_order_alone() {
    let old = "volatile int port; int f(int x) { port = x; int y = port; if (y > 3) port = 1; return y; }";
    let new =
        "volatile int port; int f(int a) { port = a; int b = port; if (3 < b) { port = 1; } return b; }";
    assert!(said(old, new).is_some());
    for wrong in [
        "volatile int port; int f(int x) { port = x; int y = x; if (y > 3) port = 1; return y; }",
        "volatile int port; int f(int x) { port = x; int y = port; if (y > 3) port = 1; return port; }",
        "volatile int port; int f(int x) { int y = port; port = x; if (y > 3) port = 1; return y; }",
    ] {
        assert!(said(old, wrong).is_none(), "{wrong}");
    }
}

#[test]
fn variable_arguments_are_the_same_for_both() {
    let old = "#include <stdarg.h>\nint put(const char *, va_list); int f(const char *s, ...) { va_list l; va_start(l, s); int r = put(s, l); va_end(l); return r < 0 ? -1 : r; }";
    let new = old.replace(
        "int r = put(s, l); va_end(l); return r < 0 ? -1 : r;",
        "int n; n = put(s, l); va_end(l); if (n < 0) n = -1; return n;",
    );
    assert!(said(old, &new).is_some());
    let wrong = old.replace("int r = put(s, l);", "int r = put(s, l); r = put(s, l);");
    assert!(said(old, &wrong).is_none());
}
