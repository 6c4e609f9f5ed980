//! Every row of docs/statements.md.
#![allow(missing_docs)]

mod support;
use expect_test::expect;
use support::{check, check_body, check_defined};

#[test]
fn expressions_and_declarations() {
    check_body(
        "a = b; f(a); ; {} { g(); }",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 a = b →3
          3 f(a) [f] →4
          4 g() [g] →1
    "#]],
    );
    check_body(
        "int x, *y = f(), z[3] = {1, g(a)}; static const char *const s = \"a;b\";",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 Declaration int x →3
          3 Declaration int *y = f() [f] →4
          4 Declaration int z[3] = {1, g(a)} [g] →5
          5 Declaration static const char *const s = "a;b" →1
    "#]],
    );
    check_body(
        "T *p = q; T x; unsigned y; struct s t = {0}; struct { int u; } v; T (*fp)(int) = 0;",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 Declaration T *p = q →3
          3 Declaration T x →4
          4 Declaration unsigned y →5
          5 Declaration struct s t = {0} →6
          6 Declaration struct { int u; } v →7
          7 Declaration T (*fp)(int) = 0 →1
    "#]],
    );
    check_body(
        "typedef int t; struct s { int x; }; enum { A, B }; int g(int); extern int e; struct s;",
        expect![[r#"
        f(a, b, c)
          0 entry →1
    "#]],
    );
    check_body(
        "T *a2 = b, **d; LIST(int) l; typeof(a) t = a; __auto_type u = 1; const T w = h(), x2;",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 Declaration T *a2 = b →3
          3 Declaration T **d →4
          4 Declaration LIST(int) l →5
          5 Declaration typeof(a) t = a →6
          6 Declaration __auto_type u = 1 →7
          7 Declaration const T w = h() [h] →8
          8 Declaration const T x2 →1
    "#]],
    );
}

#[test]
fn if_takes_one_piece_per_leaf() {
    check_body(
        "if (a) x(); else y(); z();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 If a →T3 →F4
          3 x() [x] →5
          4 y() [y] →5
          5 z() [z] →1
    "#]],
    );
    check_body(
        "if (a && b || !c) x();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 If a →T3 →F4
          3 If b →F4 →T5
          4 If !c →F1 →T5
          5 x() [x] →1
    "#]],
    );
    check_body(
        "if (!(a && b)) x();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 If a →T3 →F4
          3 If b →T1 →F4
          4 x() [x] →1
    "#]],
    );
    check_body(
        "if ((a ? b : c) == 1) x();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 Condition a →T3 →F4
          3 Arm b →5
          4 Arm c →5
          5 If (a ? b : c) == 1 →F1 →T6
          6 x() [x] →1
    "#]],
    );
    check_body(
        "if (a ? b : c) x();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 If a →T3 →F4
          3 If b →F1 →T5
          4 If c →F1 →T5
          5 x() [x] →1
    "#]],
    );
    check_body(
        "if (!f(a && b)) x();",
        expect![[r#"
            f(a, b, c)
              0 entry →2
              2 Condition a →T3 →F4
              3 Condition b →4
              4 If !f(a && b) [f] →F1 →T5
              5 x() [x] →1
        "#]],
    );
    check_body(
        "if (a) if (b) x(); else y();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 If a →F1 →T3
          3 If b →T4 →F5
          4 x() [x] →1
          5 y() [y] →1
    "#]],
    );
    check_body(
        "if (a) x(); else if (b) y(); else if (c) z();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 If a →T3 →F4
          3 x() [x] →1
          4 If b →T5 →F6
          5 y() [y] →1
          6 If c →F1 →T7
          7 z() [z] →1
    "#]],
    );
    check_body(
        "if (!a == b) x(); if ((a) && ((b))) y(); if ((x = f(a)) != 0 && x < 3) z();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 If !a == b →T3 →F4
          3 x() [x] →4
          4 If a →T5 →F7
          5 If b →T6 →F7
          6 y() [y] →7
          7 If (x = f(a)) != 0 [f] →F1 →T8
          8 If x < 3 →F1 →T9
          9 z() [z] →1
    "#]],
    );
}

#[test]
fn loops() {
    check_body(
        "while (a && b) x();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 While a →F1 →T3
          3 While b →F1 →T4
          4 x() [x] →2
    "#]],
    );
    check_body(
        "do { x(); if (a) continue; if (b) break; } while (c); y();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 x() [x] →3
          3 If a →T4 →F5
          4 Continue continue →7
          5 If b →T6 →F7
          6 Break break →8
          7 DoWhile c →T2 →F8
          8 y() [y] →1
    "#]],
    );
    check_body(
        "for (int i = 0, j = 1; i < a && j; i++, j--) x(); y();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 Declaration int i = 0 →3
          3 Declaration int j = 1 →4
          4 For i < a →T5 →F8
          5 For j →T6 →F8
          6 x() [x] →7
          7 ForStep i++, j-- →4
          8 y() [y] →1
    "#]],
    );
    check_body(
        "for (;;) { if (a) break; } y();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 For  →T3
          3 If a →F2 →T4
          4 Break break →5
          5 y() [y] →1
    "#]],
    );
    check_body(
        "for (a = 0; ; a++) ;",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 a = 0 →3
          3 For  →T4
          4 ForStep a++ →3
    "#]],
    );
    check_body(
        "while (1) { x(); } y();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 While 1 →T3
          3 x() [x] →2
    "#]],
    );
    check_body(
        "do x(); while (0); y();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 x() [x] →3
          3 y() [y] →1
    "#]],
    );
    check_body(
        "while (a--) ;",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 While a-- →F1 →T2
    "#]],
    );
}

/// Cases may stand in macros, in front of those that are written and behind them.
#[test]
fn macros_bring_cases() {
    check_body(
        "switch (a) { X(A, b + 1)\nX(B, b + 2); case 1: x(); break; REST }",
        expect![[r#"
            f(a, b, c)
              0 entry →2
              2 Switch a →default:1 →X(A,b+1):3 →X(B,b+2):4 →1:5 →REST:7
              3 X(A, b + 1) [X] →4
              4 X(B, b + 2) [X] →5
              5 x() [x] →6
              6 Break break →1
              7 REST →1
        "#]],
    );
}

#[test]
fn switches_labels_and_jumps() {
    check_body(
        "switch (a) { case 1: x(); case B: y(); break; case 'c' ... 'd': case (3): z(); default: w(); }",
        expect![[r#"
            f(a, b, c)
              0 entry →2
              2 Switch a →1:3 →B:4 →'c'...'d':6 →3:6 →default:7
              3 x() [x] →4
              4 y() [y] →5
              5 Break break →1
              6 z() [z] →7
              7 w() [w] →1
        "#]],
    );
    check_body(
        "switch (a) { x(); case 1: { int i = 1; } } y();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 Switch a →1:3 →default:4
          3 Declaration int i = 1 →4
          4 y() [y] →1
    "#]],
    );
    check_body(
        "switch (a) { case 1: while (b) { case 2: x(); continue; } default: break; }",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 Switch a →1:3 →2:4 →default:6
          3 While b →T4 →F6
          4 x() [x] →5
          5 Continue continue →3
          6 Break break →1
    "#]],
    );
    check_body(
        "again: x(); if (a) goto again; goto out; y(); out: ;",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 x() [x] →3
          3 If a →T4 →F5
          4 Goto goto again →2
          5 Goto goto out →1
    "#]],
    );
    check_body(
        "if (a) goto out; x(); out: }  void g(void) { l: m: ;",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 If a →T3 →F4
          3 Goto goto out →1
          4 x() [x] →1
        g()
          0 entry →1
    "#]],
    );
    check_body(
        "goto *t[a]; one: x(); two: y();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 Goto goto *t[a] →*3 →*4
          3 x() [x] →4
          4 y() [y] →1
    "#]],
    );
    check_body(
        "void *t[] = { &&one, &&two }; goto *t[a]; one: x(); two: y();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 Declaration void *t[] = { &&one, &&two } →3
          3 Goto goto *t[a] →*4 →*5
          4 x() [x] →5
          5 y() [y] →1
    "#]],
    );
    check_body(
        "return; x();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 Return return →1
    "#]],
    );
    check_body(
        "if (a) return b && c; return (a);",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 If a →T3 →F6
          3 Condition b →T4 →F5
          4 Condition c →5
          5 Return return b && c →1
          6 Return return (a) →1
    "#]],
    );
}

#[test]
fn control_flow_inside_expressions() {
    check_body(
        "x = a && b;",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 Condition a →T3 →F4
          3 Condition b →4
          4 x = a && b →1
    "#]],
    );
    check_body(
        "x = a || f(b) ? g(1) : h(2);",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 Condition a →F3 →T4
          3 Condition f(b) [f] →T4 →F5
          4 Arm g(1) [g] →6
          5 Arm h(2) [h] →6
          6 x = a || f(b) ? g(1) : h(2) →1
    "#]],
    );
    check_body(
        "x = a ? 1 : 2; y = a ? \"s\" : NULL; z = f(a) ? MAX : -1; w = a ?: b;",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 x = a ? 1 : 2 →3
          3 y = a ? "s" : NULL →4
          4 z = f(a) ? MAX : -1 [f] →5
          5 Condition a →F6 →T7
          6 Arm b →7
          7 w = a ?: b →1
    "#]],
    );
    check_body(
        "x = ({ int t = f(a); t > 0 ? t : g(t); });",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 Declaration int t = f(a) [f] →3
          3 Condition t > 0 →T4 →F5
          4 Arm t →6
          5 Arm g(t) [g] →6
          6 t > 0 ? t : g(t) →7
          7 x = ({ int t = f(a); t > 0 ? t : g(t); }) →1
    "#]],
    );
    check_body(
        "f(a, b && c, g(a ? b : c))[h(b)] = k(a || b);",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 Condition a →F3 →T4
          3 Condition b →4
          4 Condition b →T5 →F6
          5 Condition c →6
          6 Condition a →T7 →F8
          7 Arm b →9
          8 Arm c →9
          9 f(a, b && c, g(a ? b : c))[h(b)] = k(a || b) [k] [g] [f] [h] →1
    "#]],
    );
    check_body(
        "x = a && (b || c) && !d;",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 Condition a →T3 →F6
          3 Condition b →F4 →T5
          4 Condition c →T5 →F6
          5 Condition !d →6
          6 x = a && (b || c) && !d →1
    "#]],
    );
    check_body(
        "a && f(b);",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 Condition a →T3 →F4
          3 Condition f(b) [f] →4
          4 a && f(b) →1
    "#]],
    );
    check_body(
        "x = sizeof(a && b) + sizeof f(a), y = _Generic(a, int: 1, default: f(2));",
        expect![[r#"
            f(a, b, c)
              0 entry →2
              2 x = sizeof(a && b) + sizeof f(a), y = _Generic(a, int: 1, default: f(2)) →1
        "#]],
    );
}

#[test]
fn literal_conditions_are_no_branches() {
    check_body(
        "if (0) x(); else y();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 y() [y] →1
    "#]],
    );
    check_body(
        "if (1 && a) x(); if (!0) y(); if ((int)0 || b) z();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 If a →T3 →F4
          3 x() [x] →4
          4 y() [y] →5
          5 If b →F1 →T6
          6 z() [z] →1
    "#]],
    );
    check(
        "#define DEBUG 0\n#define ON (1)\nvoid f(int a) { if (DEBUG) x(); if (ON) y(); while (true) z(); }",
        expect![[r#"
        f(a)
          0 entry →2
          2 y() [y] →3
          3 While true →T4
          4 z() [z] →3
    "#]],
    );
}

#[test]
fn assembly() {
    check_body(
        "asm volatile(\"nop\" : \"=r\"(a) : \"r\"(b) : \"memory\"); __asm__(\"x\");",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 Asm asm volatile("nop" : "=r"(a) : "r"(b) : "memory") →3
          3 Asm __asm__("x") →1
    "#]],
    );
    check_body(
        "asm goto(\"jmp %l0\" : : : : out); x(); out: y();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 Asm asm goto("jmp %l0" : : : : out) →3 →*4
          3 x() [x] →4
          4 y() [y] →1
    "#]],
    );
}

#[test]
fn calls_in_order_of_evaluation() {
    check_body(
        "f(g(a), h(b)); p->m(a); (*q)(b); t[f(a)](c); a = b(c)(d); ((void)z(a));",
        expect![[r#"
            f(a, b, c)
              0 entry →2
              2 f(g(a), h(b)) [g] [h] [f] →3
              3 p->m(a) [*p->m] →4
              4 (*q)(b) [**q] →5
              5 t[f(a)](c) [f] [*t[f(a)]] →6
              6 a = b(c)(d) [*b] [*b(c)] →7
              7 ((void)z(a)) [z] →1
        "#]],
    );
    check(
        "void f(int (*cb)(int), void *x) { int (*g)(void) = x; cb(1); g(); h(); ((T (*)(int))x)(1); }",
        expect![[r#"
            f(cb, x)
              0 entry →2
              2 Declaration int (*g)(void) = x →3
              3 cb(1) [*cb] →4
              4 g() [*g] →5
              5 h() [h] →6
              6 ((T (*)(int))x)(1) [*(T (*)(int))x] →1
        "#]],
    );
    check_body(
        "if (f(a) && g(b)) h();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 If f(a) [f] →F1 →T3
          3 If g(b) [g] →F1 →T4
          4 h() [h] →1
    "#]],
    );
}

#[test]
fn calls_that_do_not_return() {
    check(
        "__attribute__((noreturn)) void die(int); _Noreturn void end(void) { for (;;) ; }\n\
           void f(int a) { if (a) exit(1); else if (b) { die(2); } else if (c) end(); else x = abort(); (void)abort(); y(); }",
        expect![[r#"
            end() noreturn
              0 entry →2
              2 For  →T2
            f(a)
              0 entry →2
              2 If a →T3 →F4
              3 exit(1) [exit]
              4 If b →T5 →F6
              5 die(2) [die]
              6 If c →T7 →F8
              7 end() [end]
              8 x = abort() [abort] →9
              9 (void)abort() [abort]
        "#]],
    );
}

#[test]
fn known_macros_are_one_piece() {
    check(
        "#define NDEBUG_ASSERT(x) ((void)0)\n#define ALWAYS(X) (X)\n#define F(x) g(x)\nint f(int a);\n#define f(x) 0\n\
         #define A(x) x\n#define A(y) y + 1\n\
         void k(int a, int b) { NDEBUG_ASSERT(a && h(b)); if (ALWAYS(a && b)) x(); if (ALWAYS(a)) y(); F(a || b); f(a && b); A(a && b); }",
        expect![[r#"
            k(a, b)
              0 entry →2
              2 NDEBUG_ASSERT(a && h(b)) [NDEBUG_ASSERT] →3
              3 If ALWAYS(a && b) [ALWAYS] →T4 →F5
              4 x() [x] →5
              5 If ALWAYS(a) [ALWAYS] →T6 →F7
              6 y() [y] →7
              7 F(a || b) [F] →8
              8 Condition a →T9 →F10
              9 Condition b →10
              10 f(a && b) [f] →11
              11 Condition a →T12 →F13
              12 Condition b →13
              13 A(a && b) [A] →1
        "#]],
    );
    check_defined(
        "assert(x)=0 True=((Bool)1)",
        "void f(int a) { assert(a && b); while (True) x(); }",
        expect![[r#"
            f(a)
              0 entry →2
              2 assert(a && b) [assert] →3
              3 While True →T4
              4 x() [x] →3
        "#]],
    );
}

#[test]
fn operators_are_told_apart() {
    check_body(
        "const E *p, *q; for (; a-- && b; ) x(); y = (char)({ z(); }) + ({ w(); a; });",
        expect![[r#"
            f(a, b, c)
              0 entry →2
              2 Declaration const E *p →3
              3 Declaration const E *q →4
              4 For a-- →T5 →F7
              5 For b →T6 →F7
              6 x() [x] →4
              7 z() [z] →8
              8 w() [w] →9
              9 a →10
              10 y = (char)({ z(); }) + ({ w(); a; }) →1
        "#]],
    );
    check_body(
        "x <<= a && b; if (a <= b && b >= c) y(); z = a & &b && c; w = a == b ? c : d = e;",
        expect![[r#"
            f(a, b, c)
              0 entry →2
              2 Condition a →T3 →F4
              3 Condition b →4
              4 x <<= a && b →5
              5 If a <= b →T6 →F8
              6 If b >= c →T7 →F8
              7 y() [y] →8
              8 Condition a & &b →T9 →F10
              9 Condition c →10
              10 z = a & &b && c →11
              11 Condition a == b →T12 →F13
              12 Arm c →14
              13 Arm d →14
              14 w = a == b ? c : d = e →1
        "#]],
    );
    check_body(
        "x = 64 KB; y = \"a\" FMT \"b\"; z = (T)(a) + (U *)(b)(c) + (g)(d); v(sizeof(T), -1)[0]++;",
        expect![[r#"
            f(a, b, c)
              0 entry →2
              2 x = 64 KB →3
              3 y = "a" FMT "b" →4
              4 z = (T)(a) + (U *)(b)(c) + (g)(d) [*b] →5
              5 v(sizeof(T), -1)[0]++ [v] →1
        "#]],
    );
}

#[test]
fn heads() {
    check(
        "static inline int a(void) { return 1; }\nextern inline T *b(T *x, const char *const y[], int (*cb)(int z)) { }\n\
         int main(int argc, char **argv) { }\nunsigned long long c(unsigned, struct s, struct s t, ...) { }\n\
         void (*signal(int n, void (*h)(int)))(int) { }\nint (d)(int x) { }\n\
         struct p { int x; } e(void) { }\nmain2() { }",
        expect![[r#"
            a() internal
              0 entry →2
              2 Return return 1 →1
            b(x, y, cb) mergeable
              0 entry →1
            main(argc, argv)
              0 entry →1
            c(, , t)
              0 entry →1
            signal(n, h)
              0 entry →1
            d(x)
              0 entry →1
            e()
              0 entry →1
            main2()
              0 entry →1
        "#]],
    );
}

#[test]
fn text_and_places() {
    let source =
        "void f(void) {\r\n  x = /* why */ 1 +\r\n\t\\\r\n 2; // done\r\n  if (  a  ) g( ) ;\r\n}\r\n";
    let unit = hydrogen_syntax::read("t.c", source.as_bytes(), &Default::default());
    let shown: Vec<String> = unit.module.functions[0].pieces[2..]
        .iter()
        .map(|piece| {
            let span = piece.span.unwrap();
            format!(
                "{} {}:{}-{}:{}",
                piece.text, span.start.line, span.start.column, span.end.line, span.end.column
            )
        })
        .collect();
    expect![[r#"
        x = 1 + 2 2:3-4:3
        a 5:9-5:10
        g( ) 5:14-5:18"#]]
    .assert_eq(&shown.join("\n"));
}
