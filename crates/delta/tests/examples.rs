//! What is told, beside the examples of `docs/delta.md`, and what may not be missed.

use expect_test::{Expect, expect};
use hydrogen_delta::{Known, deltas};
use hydrogen_ir::{FunctionId, Module};
use hydrogen_sym::Subject;
use hydrogen_testkit::Compile;

fn function(module: &Module, name: &str) -> FunctionId {
    module.definitions().find(|(_, function)| function.name == name).expect("it is defined").0
}

/// What is said of `f` in two versions, a line for each delta.
fn said(old: &str, new: &str) -> String {
    let (old, new) = (Compile::default().model(old), Compile::default().model(new));
    let known = Known::of(&old, &new);
    let (a, b) = (function(&old, "f"), function(&new, "f"));
    let told = deltas(Subject { module: &old, function: a }, Subject { module: &new, function: b }, &known);
    let mut out = String::new();
    for delta in told.deltas() {
        out += &format!(
            "{}{}\n",
            if delta.certainty == hydrogen_evidence::delta::Certainty::Exact { "" } else { "? " },
            delta.sentence()
        );
    }
    for one in told.declared.iter().chain(&told.ledger) {
        out += &format!("{one}\n");
    }
    if out.is_empty() { "no delta\n".to_owned() } else { out }
}

#[track_caller]
fn check(old: &str, new: &str, expect: Expect) {
    expect.assert_eq(&said(old, new));
}

const HEAD: &str = "#include <string.h>\n#include <stdlib.h>\nvoid log_it(int); int ask(int);\n";

#[test]
fn a_loop_does_not_end() {
    let with = |step: &str| format!("{HEAD} int f(int i, int n) {{ while (i < n) {step} return i; }}");
    check(
        &with("i++;"),
        &with(";"),
        expect![[r#"
        always: no longer sets i to i + 1
    "#]],
    );
}

#[test]
fn arguments_and_results_change() {
    check(
        &format!("{HEAD} int f(int a) {{ log_it(a); return ask(a) + 1; }}"),
        &format!("{HEAD} int f(int a) {{ log_it(a + 1); return ask(a) + 2; }}"),
        expect![[r#"
            always: returns ask(a) + 2 instead of ask(a) + 1; calls log_it(a + 1) instead of log_it(a)
        "#]],
    );
}

#[test]
fn a_member_is_set_under_a_condition() {
    check(
        &format!(
            "{HEAD} struct s {{ int mode, size; }}; void f(struct s *p, int k) {{ if (k > 3) p->mode = 1; log_it(k); }}"
        ),
        &format!(
            "{HEAD} struct s {{ int mode, size; }}; void f(struct s *p, int k) {{ if (k > 3) {{ p->mode = 2; p->size = k * 2; }} log_it(k); }}"
        ),
        expect![[r#"
            always: sets p->mode to 2 instead of 1; sets p->size to k * 2
        "#]],
    );
}

/// Two versions that do not do the same: something has to be said.
#[track_caller]
fn differs(old: &str, new: &str) {
    let told = said(&format!("{HEAD}{old}"), &format!("{HEAD}{new}"));
    assert_ne!(told, "no delta\n", "{old}\n{new}");
}

#[test]
fn a_variable_whose_address_is_taken_later() {
    let with = |value: &str, more: &str| {
        format!("void fill(int *);\nint f(int a) {{\nint x;\nx = {value};\nlog_it(a);\n{more}\nreturn x;\n}}")
    };
    differs(&with("1", ""), &with("2", "fill(&x);"));
    differs(&with("1", "fill(&x);"), &with("2", ""));
}

#[test]
fn static_variables_of_one_name() {
    let with = |first: &str, second: &str| {
        format!(
            "int f(int a) {{\nint r = 0;\n{{ static int n = 1;\n{first}\nr += n; }}\n{{ static int n = 1;\n{second}\nr += 2 * n; }}\nreturn r;\n}}"
        )
    };
    differs(&with("n += a;", ""), &with("", "n += a;"));
}

#[test]
fn labels_change_places() {
    let with = |one: &str, other: &str| {
        format!(
            "int f(int a) {{\nswitch (a) {{\ncase {one}: return ask(1);\ncase {other}: return ask(2);\n}}\nreturn 0;\n}}"
        )
    };
    differs(&with("1", "2"), &with("2", "1"));
    let jump = |last: &str| {
        format!(
            "int f(int a) {{\nstatic void *t[] = {{ &&one, &&two }};\ngoto *t[a & 1];\none: return 1;\ntwo: return {last};\n}}"
        )
    };
    differs(&jump("2"), &jump("3"));
}

#[test]
fn arms_change_places() {
    differs("int f(int a, int b) { return a > 3 ? a : b; }", "int f(int a, int b) { return a > 3 ? b : a; }");
    differs("int f(int a, int b) { return a && ask(b); }", "int f(int a, int b) { return a || ask(b); }");
}

#[test]
fn parameters_change_places() {
    differs("int f(int a, int b) { return a - b; }", "int f(int b, int a) { return a - b; }");
}

#[test]
fn what_is_written_through_pointers() {
    differs("void f(int *p, int *q) { *p = 1; *q = 2; }", "void f(int *p, int *q) { *q = 2; *p = 1; }");
    differs("void f(char *p) { *(int *)p = 1; log_it(0); }", "void f(char *p) { *p = 1; log_it(0); }");
    differs(
        "union u { int i; char c[4]; }; int f(union u *p) { p->i = 0; p->c[1] = 1; return p->i; }",
        "union u { int i; char c[4]; }; int f(union u *p) { p->c[1] = 1; p->i = 0; return p->i; }",
    );
}

#[test]
fn a_loop_that_does_something_else() {
    let with = |body: &str| {
        format!("int f(int n) {{\nint s = 0;\nfor (int i = 0; i < n; i++) {{\n{body}\n}}\nreturn s;\n}}")
    };
    differs(&with("s += i;"), &with("s += i + 1;"));
    differs(&with("s += i;"), &with("s += i;\ni++;"));
    differs(
        "int f(int n) { int s = 0; while (n) { s += n; n--; } return s; }",
        "int f(int n) { int s = 0; do { s += n; n--; } while (n); return s; }",
    );
    differs(
        "int f(int n) { for (int i = 0; i < n; i++) log_it(i); return 0; }",
        "int f(int n) { for (int i = n - 1; i >= 0; i--) log_it(i); return 0; }",
    );
}

#[test]
fn a_helper_that_came_into_the_file_is_no_change() {
    let told = said(
        &format!("{HEAD}int help(int);\nint f(int a) {{ return help(a) + 1; }}"),
        &format!("{HEAD}int help(int a) {{ return ask(a); }}\nint f(int a) {{ return help(a) + 1; }}"),
    );
    assert_eq!(told, "no delta\n");
}

#[test]
fn a_helper_that_was_taken_out_is_looked_into() {
    check(
        &format!("{HEAD} int f(int a) {{\nif (a > 9) log_it(a);\nreturn ask(a);\n}}"),
        &format!(
            "{HEAD} static void tell(int v) {{ if (v > 9) log_it(v); }}\nint f(int a) {{\ntell(a);\nreturn ask(a);\n}}"
        ),
        expect![[r#"
            no delta
        "#]],
    );
}

/// A call in the place of another one: used as before, it is told alone; where its answer is used otherwise, each has its own answer.
#[test]
fn another_function_is_asked() {
    let with = |asks: &str| {
        format!(
            "{HEAD} int busy(void); int free_to_go(void); int f(int a) {{ if ({asks}) return -1; log_it(a); return 0; }}"
        )
    };
    check(
        &with("busy()"),
        &with("free_to_go()"),
        expect![[r#"
        always: calls free_to_go() instead of busy()
    "#]],
    );
    check(
        &with("busy()"),
        &with("!free_to_go()"),
        expect![[r#"
        when free_to_go() != 0 && busy() != 0: goes on with `log_it(a)` (line 4) instead of `return -1` (line 4)
        when busy() == 0 && free_to_go() == 0: goes on with `return -1` (line 4) instead of `log_it(a)` (line 4)
        always: calls free_to_go() instead of busy()
    "#]],
    );
}

/// What both versions just tested holds in front of a region, so that it is not asked again.
#[test]
fn branches_in_front_of_a_region_hold() {
    let with = |first: &str| {
        format!(
            "{HEAD} int f(const char *a, int n) {{ if (n < 0) return -1; {first} if (!strcmp(a, \"x\")) log_it(1); else log_it(2); return n; }}"
        )
    };
    check(
        &with(""),
        &with("if (n > 9 || n < -5) return -2;"),
        expect![[r#"
        when n >= 10: returns -2 instead of going on with `if (!strcmp(a, "x"))` (line 4)
    "#]],
    );
    let with = |first: &str| {
        format!(
            "#include <assert.h>\n{HEAD} int f(int *p, int n) {{ assert(p); {first} log_it(n); return *p; }}"
        )
    };
    check(
        &with(""),
        &with("assert(n > 0);"),
        expect![[r#"
        when n < 1: ends in assert(n > 0) instead of going on with `log_it(n)` (line 5)
    "#]],
    );
}

/// Whether a branch holds is told as the source writes it, whichever way the compiler turned it.
#[test]
fn negated_branches_hold_as_written() {
    let with = |first: &str| {
        format!(
            "{HEAD} int f(const char *a, int n) {{\n  if (!strcmp(a, \"y\"))\n    return 7;\n  {first}if (!n)\n    log_it(3);\n  return n; }}"
        )
    };
    expect![[r#"
        Some("`!strcmp(a, \"y\")` does not hold")
    "#]]
    .assert_eq(&under(&with(""), &with("if (a[0] == 'x') return 8;\n")));
    let with = |what: &str| {
        format!(
            "{HEAD} int f(const char *a, int n) {{\n  if (!n)\n    log_it({what});\n  while (!(n > 3)) n = ask(n + {what});\n  return n; }}"
        )
    };
    expect![[r#"
        Some("`!n` holds")
        None
    "#]]
    .assert_eq(&under(&with("1"), &with("2")));
}

/// The branches that regions of `f` lie behind.
fn under(old: &str, new: &str) -> String {
    let (old, new) = (Compile::default().model(old), Compile::default().model(new));
    let known = Known::of(&old, &new);
    let (a, b) = (function(&old, "f"), function(&new, "f"));
    let told = deltas(Subject { module: &old, function: a }, Subject { module: &new, function: b }, &known);
    told.regions.iter().map(|region| format!("{:?}\n", region.under)).collect()
}

#[test]
fn freeing_nothing_does_nothing() {
    let with = |what: &str| format!("{HEAD} void f(char *p) {{ log_it(1); {what} }}");
    check(
        &with("if (p) free(p);"),
        &with("free(p);"),
        expect![[r#"
        no delta
    "#]],
    );
}
