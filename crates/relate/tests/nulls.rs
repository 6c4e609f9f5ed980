//! Whether callers can pass null.
#![allow(clippy::unwrap_used)]

mod common;

use hydrogen_relate::never_null;

fn check(code: &str, expected: &[usize]) {
    let module = common::compile(code);
    let id = common::function(&module, "f");
    assert_eq!(never_null(&module, id), expected.iter().copied().collect(), "{code}");
}

#[test]
fn callers_say_what_comes_in() {
    check("static int f(char *s) { return *s; } int g(void) { char b[4] = \"abc\"; return f(b); }", &[0]);
    check("static int f(char *s) { return *s; } int g(char *p) { return f(p); }", &[]);
    check("int f(char *s) { return *s; } int g(void) { char b[4] = \"abc\"; return f(b); }", &[]);
    check("static int f(char *s) { return s != 0; } int g(void) { return f(0) + f(\"a\"); }", &[]);
    check(
        "static char *skip(char *s) { while (*s == ' ') s++; return s; }\n\
         static int f(char *s, char *end) { return end - s; }\n\
         int g(void) { char b[9] = \"  a\", *at = b; at = skip(at); return f(skip(at), b + 9); }",
        &[0, 1],
    );
    check(
        "static int f(char *s) { return s != 0; } int (*p)(char *) = f; int g(void) { return f(\"a\"); }",
        &[],
    );
    check("static int f(char *s) { return s != 0; } int g(void) { char *q; return f(q); }", &[]);
    check(
        "void set(char **); static int f(char *s) { return s != 0; }\n\
         int g(void) { char *q = \"a\"; set(&q); return f(q); }",
        &[],
    );
    check(
        "static int f(char *s, int n) { return n ? f(s + 1, n - 1) : *s; } int g(void) { return f(\"abc\", 2); }",
        &[0],
    );
}
