//! The examples of the specification, and what is like them.

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
        out += &format!("{}{}\n", if delta.certainty == hydrogen_evidence::delta::Certainty::Exact { "" } else { "? " }, delta.sentence());
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
fn continue_became_break() {
    let with = |word: &str| format!("{HEAD} int f(int n) {{ int s = 0; for (int i = 0; i < n; i++) {{ if (i == 7) {word}; s += ask(i); }} return s; }}");
    check(&with("continue"), &with("break"), expect![[r#"
        always: leaves the loop instead of going on with the next iteration
    "#]]);
}

#[test]
fn a_copy_is_guarded() {
    check(
        &format!("{HEAD} void f(char *d, const char *s, size_t len) {{ memcpy(d, s, len); log_it(1); }}"),
        &format!("{HEAD} void f(char *d, const char *s, size_t len) {{ if (len) memcpy(d, s, len); log_it(1); }}"),
        expect![[r#"
            when len == 0: no longer calls memcpy(d, s, len)
        "#]],
    );
}

#[test]
fn a_bound_moves() {
    let with = |op: &str| format!("{HEAD} int f(int n) {{ int i = 0; while (i {op} n) {{ log_it(i); i++; }} return i; }}");
    check(&with("<"), &with("<="), expect![[r#"
        when i == n: stays in the loop instead of leaving it
    "#]]);
}

#[test]
fn a_dead_variable() {
    check(
        "int f(int a, int b) { int x, y; x = a + b; y = x; return y; }",
        "int f(int a, int b) { int x, y; y = a + b; return y; }",
        expect![[r#"
            no delta
        "#]],
    );
}

#[test]
fn an_option_is_added() {
    let with = |more: &str| format!("{HEAD} int opt; void f(int n, char **v) {{ for (int i = 1; i < n; i++) {{ char *a = v[i]; if (!strcmp(a, \"-a\")) {{ log_it(1); continue; }} {more} log_it(ask(i)); }} }}");
    check(&with(""), &with("else if (!strcmp(a, \"-s\")) { opt = 1; continue; }"), expect![[r#"
        when strcmp(a, "-s") == 0: goes on with the next iteration instead of going on with `log_it(ask(i))` (line 4); sets opt to 1
    "#]]);
}

#[test]
fn a_type_becomes_unsigned() {
    let with = |ty: &str| format!("{HEAD} int f({ty} n, size_t cap) {{ if (n * 2 > cap) return 1; return 0; }}");
    check(&with("int"), &with("size_t"), expect![[r#"
        when a signed number of the old version overflows: returns 1 instead of 0
        when a signed number of the old version overflows: returns 0 instead of 1
    "#]]);
}

#[test]
fn a_member_is_inserted() {
    let with = |more: &str| format!("{HEAD} struct prop {{ int width; {more} int height; }}; int f(struct prop *p) {{ p->height = p->width; return p->height; }}");
    check(&with(""), &with("int kind;"), expect![[r#"
        no delta
    "#]]);
}

#[test]
fn an_error_path_frees() {
    check(
        &format!("{HEAD} int f(int n) {{ char *p = malloc(8); if (n < 0) return -1; log_it(n); free(p); return 0; }}"),
        &format!("{HEAD} int f(int n) {{ char *p = malloc(8); if (n < 0) goto fail; log_it(n); free(p); return 0; fail: free(p); return -1; }}"),
        expect![[r#"
            always: calls free(p)
        "#]],
    );
}

#[test]
fn two_hunks_are_two_deltas() {
    let with = |a: &str, b: &str| format!("{HEAD} int f(int n) {{ int x = ask(n); {a} log_it(x); log_it(n); {b} return x; }}");
    check(&with("", ""), &with("if (x > 9) x = 9;", "log_it(3);"), expect![[r#"
        when x >= 10: sets x to 9
        always: calls log_it(3)
    "#]]);
}

#[test]
fn hunks_make_up_for_each_other() {
    check(
        &format!("{HEAD} char buf[99]; void f(int len) {{ int n = len + 1; log_it(len); buf[n] = 0; }}"),
        &format!("{HEAD} char buf[99]; void f(int len) {{ int n = len; log_it(len); buf[n + 1] = 0; }}"),
        expect![[r#"
            no delta
        "#]],
    );
}

#[test]
fn a_buffer_grows() {
    let with = |n: u32| format!("{HEAD} void fill(char *); int f(void) {{ char b[{n}]; fill(b); return b[0]; }}");
    check(&with(10), &with(20), expect![[r#"
        b has 20 bytes, had 10
    "#]]);
}

#[test]
fn a_loop_does_not_end() {
    let with = |step: &str| format!("{HEAD} int f(int i, int n) {{ while (i < n) {step} return i; }}");
    check(&with("i++;"), &with(";"), expect![[r#"
        always: no longer sets i to i + 1
    "#]]);
}

#[test]
fn a_null_check_is_added() {
    check(
        &format!("{HEAD} struct s {{ int *q; int n; }}; int f(struct s *p) {{ p->n = 1; return *p->q; }}"),
        &format!("{HEAD} struct s {{ int *q; int n; }}; int f(struct s *p) {{ p->n = 1; if (!p->q) return -1; return *p->q; }}"),
        expect![[r#"
            when p->q == NULL: no longer uses a null pointer; returns -1
        "#]],
    );
}

#[test]
fn names_and_lines_do_not_count() {
    check(
        "int f(int a) {\n int sum = 0; for (int i = 0; i < a; i++) sum += i; return sum; }",
        "\n\nint f(int count) { int total = 0;\n\n for (int k = 0; k < count; k++) total += k; return total; }",
        expect![[r#"
            no delta
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
        &format!("{HEAD} struct s {{ int mode, size; }}; void f(struct s *p, int k) {{ if (k > 3) p->mode = 1; log_it(k); }}"),
        &format!("{HEAD} struct s {{ int mode, size; }}; void f(struct s *p, int k) {{ if (k > 3) {{ p->mode = 2; p->size = k * 2; }} log_it(k); }}"),
        expect![[r#"
            always: sets p->mode to 2 instead of 1; sets p->size to k * 2
        "#]],
    );
}
