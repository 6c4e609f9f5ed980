//! What is no C by itself, or only with its macros: the function stays, and the damage stays where it is.
#![allow(missing_docs)]

mod support;
use expect_test::expect;
use support::{check, check_body, check_defined};

#[test]
fn heads_with_macros_and_old_style_parameters() {
    check(
        "LOCAL int ZEXPORT f(a, b) int a; const char *b; { x(); }\nZLIB_INTERNAL void g(int c) { y(); }\n\
         int ZEXPORT h(strm) z_streamp strm; { return 1; }\nSTATIC_INLINE U32 k(const void* p) { return 2; }\n\
         LUA_API int (lua_gettop) (lua_State *L) { z(); }\nMODULE_LICENSE(\"GPL\")\nint m(void) { }\n\
         int n(int x) UNUSED(y) { }\nint o(int x) __attribute__((noinline)) ATTR { }\n\
         PNG_FUNCTION(void, PNGAPI png_error, (png_structp p, const char *m), PNG_NORETURN) { w(); }\n\
         EXPORT(int) q(int z) { }\nstatic __attribute__((unused)) void r(void) { }\n[[nodiscard]] int s(void) { }",
        expect![[r#"
            f(a, b) internal
              0 entry →2
              2 x() [x] →1
            g(c)
              0 entry →2
              2 y() [y] →1
            h(strm)
              0 entry →2
              2 Return return 1 →1
            k(p) internal
              0 entry →2
              2 Return return 2 →1
            lua_gettop(L)
              0 entry →2
              2 z() [z] →1
            m()
              0 entry →1
            n(x)
              0 entry →1
            o(x)
              0 entry →1
            png_error(p, m) noreturn
              0 entry →2
              2 w() [w] →1
            q(z)
              0 entry →1
            r() internal
              0 entry →1
            s()
              0 entry →1
        "#]],
    );
}

#[test]
fn macros_used_as_statements() {
    check_body(
        "FOR_EACH(a, b) { x(); if (a) break; }\ny();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 While FOR_EACH(a, b) [FOR_EACH] →T3 →F6
          3 x() [x] →4
          4 If a →F2 →T5
          5 Break break →6
          6 y() [y] →1
    "#]],
    );
    check_body(
        "IF_DEBUG(a) { x(); }\ny();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 If IF_DEBUG(a) [IF_DEBUG] →T3 →F4
          3 x() [x] →4
          4 y() [y] →1
    "#]],
    );
    check(
        "#define REPEAT(n) for (int i = 0; i < (n); i++)\nvoid f(void) { REPEAT(3) { x(); } y(); }",
        expect![[r#"
        f()
          0 entry →2
          2 While REPEAT(3) [REPEAT] →T3 →F4
          3 x() [x] →2
          4 y() [y] →1
    "#]],
    );
    check_body(
        "MACRO(a)\nx();\nOTHER(b)\n{ y(); }\nif (a) THIRD(c) else z();\nLAST\nreturn;",
        expect![[r#"
            f(a, b, c)
              0 entry →2
              2 MACRO(a) [MACRO] →3
              3 x() [x] →4
              4 If OTHER(b) [OTHER] →T5 →F6
              5 y() [y] →6
              6 If a →T7 →F8
              7 THIRD(c) [THIRD] →9
              8 z() [z] →9
              9 LAST →10
              10 Return return →1
        "#]],
    );
    check_body(
        "DECLARE(foo); forever { x(); }",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 DECLARE(foo) [DECLARE] →3
          3 While forever →F1 →T4
          4 x() [x] →3
    "#]],
    );
    check_body(
        "UNUSED int x = f(); register T y UNUSED = 1; MACRO g(x); VVA_ONLY(rc =) h(a);",
        expect![[r#"
            f(a, b, c)
              0 entry →2
              2 Declaration UNUSED int x = f() [f] →3
              3 Declaration register T y UNUSED = 1 →4
              4 MACRO g(x) [g] →5
              5 VVA_ONLY(rc =) h(a) [VVA_ONLY] [h] →1
        "#]],
    );
    check_body(
        "x = va_arg(ap, char *); y = cast(unsigned char, a); z = ALLOC(struct s, 3); CMP(a, <, b);",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 x = va_arg(ap, char *) [va_arg] →3
          3 y = cast(unsigned char, a) [cast] →4
          4 z = ALLOC(struct s, 3) [ALLOC] →5
          5 CMP(a, <, b) [CMP] →1
    "#]],
    );
    check_body(
        "SimulateIOError( return 1; );\nTESTONLY( if (a) b++; )\nx();",
        expect![[r#"
            f(a, b, c)
              0 entry →2
              2 SimulateIOError( return 1; ) [SimulateIOError] →3
              3 TESTONLY( if (a) b++; ) [TESTONLY] →4
              4 x() [x] →1
        "#]],
    );
    check_body(
        "__attribute__((fallthrough)); __extension__ x(); [[maybe_unused]] int t = 1;",
        expect![[r#"
            f(a, b, c)
              0 entry →2
              2 __extension__ x() [x] →3
              3 Declaration int t = 1 →1
        "#]],
    );
}

#[test]
fn gnu_extensions() {
    check_body(
        "int g(int x) { return x; } y();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 Opaque int g(int x) { return x; } [g] →3
          3 y() [y] →1
        ! 2:1 a function inside a function is not read
    "#]],
    );
    check_body(
        "struct s t = { .x = f(a), [3] = b ? 1 : g(c), y: 2 }; h((struct s){ 1, k(a) });",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 Condition b →T3 →F4
          3 Arm 1 →5
          4 Arm g(c) [g] →5
          5 Declaration struct s t = { .x = f(a), [3] = b ? 1 : g(c), y: 2 } [f] →6
          6 h((struct s){ 1, k(a) }) [k] [h] →1
    "#]],
    );
}

#[test]
fn broken_code_stays_where_it_is() {
    check_body(
        "x(); ) y(); if a b; z(; w();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 x() [x] →3
          3 Opaque ) →4
          4 y() [y] →5
          5 Opaque if a b →6
          6 Opaque z( [z] →7
          7 w() [w] →1
        ! 2:6 this is not C as far as it can be read without its macros
        ! 2:13 this is not C as far as it can be read without its macros
        ! 2:21 this is not C as far as it can be read without its macros
    "#]],
    );
    check_body(
        "x(); else y(); case 1: do x(); while a; z();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 x() [x] →3
          3 Opaque else y() [y] →4
          4 x() [x] →5
          5 DoWhile do →T4 →F6
          6 Opaque while a →7
          7 z() [z] →1
        ! 2:6 this is not C as far as it can be read without its macros
        ! 2:24 this is not C as far as it can be read without its macros
        ! 2:32 this is not C as far as it can be read without its macros
    "#]],
    );
    check_body(
        "x(); @ # ` $ \\ y();",
        expect![[r#"
            f(a, b, c)
              0 entry →2
              2 x() [x] →3
              3 Opaque @ # ` $ \ y() [y] →1
            ! 2:6 this is not C as far as it can be read without its macros
        "#]],
    );
    check_body(
        "if (a",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 Opaque if (a →1
        ! 2:1 this is not C as far as it can be read without its macros
    "#]],
    );
    check(
        "int f(void) { x();\nint g(void) { y(); }\n",
        expect![[r#"
        f()
          0 entry →2
          2 x() [x] →3
          3 Opaque int g(void) { [g] →4
          4 y() [y] →1
        ! 1:13 the brace is not closed
        ! 2:1 a function inside a function is not read
    "#]],
    );
    check(
        "int f(void) { if (a) { x();\n}\nint g(void) { y(); }\nint h(void) { z(); }\n",
        expect![[r#"
        f()
          0 entry →2
          2 If a →F1 →T3
          3 x() [x] →1
        g()
          0 entry →2
          2 y() [y] →1
        h()
          0 entry →2
          2 z() [z] →1
        ! 1:13 the brace is not closed
    "#]],
    );
    check(
        "} int f(void) { } } int g(void) { }",
        expect![[r#"
        f()
          0 entry →1
        g()
          0 entry →1
    "#]],
    );
}

#[test]
fn conditionals_between_statements_are_kept() {
    check_body(
        "a();\n#ifdef X\nb();\n#elif defined(Y) && Z\nc();\n#else\nd();\n#endif\ne();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 a() [*a] →3
          3 Config #if defined(X) →#defined(X):4 →#defined(Y) && Z:5 →#else:6
          4 b() [*b] →7
          5 c() [*c] →7
          6 d() [d] →7
          7 e() [e] →1
    "#]],
    );
    check_body(
        "#ifndef X\nb();\n# if Y > 2\nc();\n# endif\n#endif",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 Config #if !defined(X) →#else:1 →#!defined(X):3
          3 b() [*b] →4
          4 Config #if Y > 2 →#else:1 →#Y > 2:5
          5 c() [*c] →1
    "#]],
    );
    check_body(
        "switch (a) {\ncase 1: x(); break;\n#ifdef X\ncase 2: y(); break;\n#endif\ndefault: z(); }",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 Switch a →1:3 →2:5 →default:7
          3 x() [x] →4
          4 Break break →1
          5 y() [y] →6
          6 Break break →1
          7 z() [z] →1
    "#]],
    );
    check_body(
        "#if 0\nx();\n#else\ny();\n#endif\n#if 1\nz();\n#endif",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 y() [y] →3
          3 z() [z] →1
    "#]],
    );
    check_body(
        "#ifdef X\nint x = 1;\n#endif\n#define Q 3\n#pragma once\nx();\n#include \"body.inc\"\ny();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 Config #if defined(X) →#defined(X):3 →#else:4
          3 Declaration int x = 1 →4
          4 x() [*x] →5
          5 Opaque #include "body.inc" →6
          6 y() [y] →1
    "#]],
    );
}

#[test]
fn conditionals_that_cut_statements_are_read_one_way() {
    check_body(
        "if (a\n#ifdef X\n && b\n#endif\n) x();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 If a →F1 →T3
          3 If b →F1 →T4
          4 x() [x] →1
        ! 3:1 the conditional cuts through a statement; one alternative is read
    "#]],
    );
    check_body(
        "f(a,\n#ifdef X\n b,\n#else\n c,\n#endif\n d);",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 f(a, #ifdef X b, #else c, #endif d) [f] →1
        ! 3:1 the conditional cuts through a statement; one alternative is read
    "#]],
    );
    check_body(
        "if (a) x();\n#ifdef X\nelse if (b) y();\n#endif\nelse z();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 If a →T3 →F4
          3 x() [x] →1
          4 If b →T5 →F6
          5 y() [y] →1
          6 z() [z] →1
        ! 3:1 the conditional cuts through a statement; one alternative is read
    "#]],
    );
    check_body(
        "#ifdef X\nif (a) {\n#else\nif (b) {\n#endif\nx();\n}\ny();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 If a →T3 →F5
          3 Opaque #else if (b) { #endif →4
          4 x() [x] →5
          5 y() [y] →1
        ! 2:1 the conditional cuts through a statement; one alternative is read
    "#]],
    );
    check_body(
        "#ifdef X\nif (a) {\n#endif\nx();\n#ifdef X\n}\n#endif\ny();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 Opaque #ifdef X if (a) { #endif →3
          3 x() [x] →4
          4 Opaque #ifdef X } #endif →5
          5 y() [y] →1
        ! 2:1 the conditional cuts through a statement; one alternative is read
        ! 6:1 the conditional cuts through a statement; one alternative is read
    "#]],
    );
    check_body(
        "#ifdef X\nif (a) x();\nelse\n#endif\ny();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 If a →T3 →F4
          3 x() [x] →1
          4 y() [y] →1
        ! 2:1 the conditional cuts through a statement; one alternative is read
    "#]],
    );
    check_body(
        "int t[] = {\n1,\n#ifdef X\n2,\n#endif\n3 };\nx();",
        expect![[r#"
        f(a, b, c)
          0 entry →2
          2 Declaration int t[] = { 1, #ifdef X 2, #endif 3 } →3
          3 x() [x] →1
        ! 4:1 the conditional cuts through a statement; one alternative is read
    "#]],
    );
}

#[test]
fn conditionals_at_top_level() {
    check(
        "#ifdef X\nint f(void) { a(); }\n#else\nint f(long x) { b(); }\n#endif\nint g(void) { }",
        expect![[r#"
        f()
          0 entry →2
          2 a() [a] →1
        f(x)
          0 entry →2
          2 b() [b] →1
        g()
          0 entry →1
    "#]],
    );
    check(
        "#ifdef X\nint f(int a)\n#else\nint f(long b)\n#endif\n{ x(); }",
        expect![[r#"
        f(a)
          0 entry →2
          2 x() [x] →1
        ! 1:1 the conditional cuts through a statement; one alternative is read
    "#]],
    );
    check(
        "#ifdef X\nint f(int a) {\n#else\nint f(long b) {\n#endif\n x(); }\nint g(void) { }",
        expect![[r#"
        f(a)
          0 entry →2
          2 Opaque #else int f(long b) { #endif [f] →3
          3 x() [x] →1
        g()
          0 entry →1
        ! 1:1 the conditional cuts through a statement; one alternative is read
    "#]],
    );
    check(
        "#ifdef __cplusplus\nextern \"C\" {\n#endif\nint f(void) { }\n#ifdef __cplusplus\n}\n#endif\nextern \"C\" { int g(void) { } }",
        expect![[r#"
        f()
          0 entry →1
        g()
          0 entry →1
    "#]],
    );
    check(
        "int f(a)\n#ifdef X\nint a;\n#else\nlong a;\n#endif\n{ x(); }",
        expect![[r#"
        f(a)
          0 entry →2
          2 x() [x] →1
        ! 2:1 the conditional cuts through a statement; one alternative is read
    "#]],
    );
}

#[test]
fn a_configuration_decides_conditionals() {
    let source = "#define LOCAL 2\n#ifdef X\nint f(void) { a(); }\n#else\nint f(long x) { b(); }\n#endif\n\
                  void g(int a) {\n#if LOCAL > 1 && defined(Y)\nx();\n#elif V == 3\ny();\n#else\nz();\n#endif\n\
                  if (a\n#ifdef X\n && b\n#endif\n) w();\n#if __has_include(<x.h>)\nq();\n#endif\n#undef LOCAL\n#ifdef LOCAL\nr();\n#endif\n}";
    check_defined(
        "X V=3",
        source,
        expect![[r#"
        f()
          0 entry →2
          2 a() [a] →1
        g(a)
          0 entry →2
          2 y() [y] →3
          3 If a →T4 →F6
          4 If b →T5 →F6
          5 w() [w] →6
          6 Config #if __has_include(<x.h>) →#else:1 →#__has_include(<x.h>):7
          7 q() [q] →1
    "#]],
    );
    check_defined(
        "Y",
        source,
        expect![[r#"
        f(x)
          0 entry →2
          2 b() [b] →1
        g(a)
          0 entry →2
          2 x() [x] →3
          3 If a →T4 →F5
          4 w() [w] →5
          5 Config #if __has_include(<x.h>) →#else:1 →#__has_include(<x.h>):6
          6 q() [q] →1
    "#]],
    );
}
