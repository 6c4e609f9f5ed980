//! The examples of the specification (hydrogen.md §4).
#![allow(missing_docs)]

mod support;
use expect_test::expect;
use support::check;

#[test]
fn e1_privilege_and_overflow() {
    check(
        "void handle(const char *b) {\n  get_privilege();\n  char a[16];\n  strcpy(a, b);\n  drop_privilege();\n}\n",
        expect![[r#"
            handle(b)
              0 entry →2
              2 get_privilege() [get_privilege] →3
              3 Declaration char a[16] →4
              4 strcpy(a, b) [strcpy] →5
              5 drop_privilege() [drop_privilege] →1
        "#]],
    );
    check(
        "void handle(const char *b) {\n  get_privilege();\n  char *a = NULL; size_t len = 0;\n  len = strlen(b);\n  a = malloc(len);\n  strcpy(a, b);\n  drop_privilege();\n}\n",
        expect![[r#"
            handle(b)
              0 entry →2
              2 get_privilege() [get_privilege] →3
              3 Declaration char *a = NULL →4
              4 Declaration size_t len = 0 →5
              5 len = strlen(b) [strlen] →6
              6 a = malloc(len) [malloc] →7
              7 strcpy(a, b) [strcpy] →8
              8 drop_privilege() [drop_privilege] →1
        "#]],
    );
    check(
        "void handle(const char *b) {\n  get_privilege();\n  char *a = NULL; size_t len = 0;\n  len = strlen(b);\n  a = malloc(len);\n  if (a == NULL) {\n    report();\n    return;\n  }\n  strcpy(a, b);\n  drop_privilege();\n}\n",
        expect![[r#"
            handle(b)
              0 entry →2
              2 get_privilege() [get_privilege] →3
              3 Declaration char *a = NULL →4
              4 Declaration size_t len = 0 →5
              5 len = strlen(b) [strlen] →6
              6 a = malloc(len) [malloc] →7
              7 If a == NULL →T8 →F10
              8 report() [report] →9
              9 Return return →1
              10 strcpy(a, b) [strcpy] →11
              11 drop_privilege() [drop_privilege] →1
        "#]],
    );
    check(
        "void handle(const char *b) {\n  get_privilege();\n  char *a = NULL; size_t len = 0;\n  len = strlen(b) + 1;\n  a = malloc(len);\n  if (a == NULL) {\n    report();\n    drop_privilege();\n    return;\n  }\n  strcpy(a, b);\n  drop_privilege();\n}\n",
        expect![[r#"
            handle(b)
              0 entry →2
              2 get_privilege() [get_privilege] →3
              3 Declaration char *a = NULL →4
              4 Declaration size_t len = 0 →5
              5 len = strlen(b) + 1 [strlen] →6
              6 a = malloc(len) [malloc] →7
              7 If a == NULL →T8 →F11
              8 report() [report] →9
              9 drop_privilege() [drop_privilege] →10
              10 Return return →1
              11 strcpy(a, b) [strcpy] →12
              12 drop_privilege() [drop_privilege] →1
        "#]],
    );
}

#[test]
fn e2_integer_overflow() {
    check(
        "int start(int j)\n{\n  j = 8 * j;\n  drop_privilege();\n  return j;\n}\n",
        expect![[r#"
        start(j)
          0 entry →2
          2 j = 8 * j →3
          3 drop_privilege() [drop_privilege] →4
          4 Return return j →1
    "#]],
    );
    check(
        "int start(int j)\n{\n  j = 8 * j;\n  if (j < 0) {\n    printf(\"overflow\");\n    j = ERR; }\n  drop_privilege();\n  return j;\n}\n",
        expect![[r#"
            start(j)
              0 entry →2
              2 j = 8 * j →3
              3 If j < 0 →T4 →F6
              4 printf("overflow") [printf] →5
              5 j = ERR →6
              6 drop_privilege() [drop_privilege] →7
              7 Return return j →1
        "#]],
    );
    check(
        "int start(int j)\n{\n  if (!isMultiplicationSafe(8, j)) {\n    printf(\"overflow\");\n    j = ERR;\n  } else {\n    j = 8 * j; }\n  drop_privilege();\n  return j;\n}\n",
        expect![[r#"
            start(j)
              0 entry →2
              2 If !isMultiplicationSafe(8, j) [isMultiplicationSafe] →T3 →F5
              3 printf("overflow") [printf] →4
              4 j = ERR →6
              5 j = 8 * j →6
              6 drop_privilege() [drop_privilege] →7
              7 Return return j →1
        "#]],
    );
    check(
        "int start(int j)\n{\n  safe_multiply(8, j, &j);\n  return j;\n}\n",
        expect![[r#"
        start(j)
          0 entry →2
          2 safe_multiply(8, j, &j) [safe_multiply] →3
          3 Return return j →1
    "#]],
    );
}

#[test]
fn e3_union_of_two_graphs() {
    check(
        "int p(int j) { if (j < 0) { printf(\"overflow\"); j = ERR; } return j; }",
        expect![[r#"
        p(j)
          0 entry →2
          2 If j < 0 →T3 →F5
          3 printf("overflow") [printf] →4
          4 j = ERR →5
          5 Return return j →1
    "#]],
    );
    check(
        "int p(int j) { if (j < 0) { printf(\"overflow\"); j = ERR; } else { drop_priv(); s = 1; } return j; }",
        expect![[r#"
            p(j)
              0 entry →2
              2 If j < 0 →T3 →F5
              3 printf("overflow") [printf] →4
              4 j = ERR →7
              5 drop_priv() [drop_priv] →6
              6 s = 1 →7
              7 Return return j →1
        "#]],
    );
}

#[test]
fn e10_switch_loses_a_case() {
    check(
        "int f(int x) { int r = 0; switch(x){case 1: r=1; break; case 2: r=2; break;} return r; }",
        expect![[r#"
        f(x)
          0 entry →2
          2 Declaration int r = 0 →3
          3 Switch x →1:4 →2:6 →default:8
          4 r=1 →5
          5 Break break →8
          6 r=2 →7
          7 Break break →8
          8 Return return r →1
    "#]],
    );
    check(
        "int f(int x) { int r = 0; switch(x){case 1: r=1; break;} return r; }",
        expect![[r#"
        f(x)
          0 entry →2
          2 Declaration int r = 0 →3
          3 Switch x →1:4 →default:6
          4 r=1 →5
          5 Break break →6
          6 Return return r →1
    "#]],
    );
}
