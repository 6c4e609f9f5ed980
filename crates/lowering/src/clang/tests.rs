use super::*;
use expect_test::{Expect, expect};
use hydrogen_ir::EdgeKind;
use hydrogen_statements::build;
use std::fmt::Write as _;

/// Pieces and edges of every function, as the syntax tree has them.
fn graph(source: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("unit.c");
    std::fs::write(&file, source).unwrap();
    let arguments =
        ["clang", "-std=gnu17", "-w", file.to_str().unwrap()].map(|argument| argument.as_bytes().to_vec());
    let unit = ParsedUnit::parse(&arguments).unwrap();
    let mut out = String::new();
    for function in unit.functions(&|_| Wanted::Statements, &mut |_| FileId(0)) {
        writeln!(out, "{}", function.signature).unwrap();
        let graph = build(&function.body);
        for (index, piece) in graph.pieces.iter().enumerate() {
            write!(out, "{index} {:?} `{}`", piece.role, piece.text).unwrap();
            for edge in graph.flow.iter().filter(|edge| edge.from.index() == index) {
                match &edge.kind {
                    EdgeKind::Next => write!(out, " →{}", edge.to.0).unwrap(),
                    EdgeKind::Case(label) => write!(out, " {label}→{}", edge.to.0).unwrap(),
                    kind => write!(out, " {kind:?}→{}", edge.to.0).unwrap(),
                }
            }
            out.push('\n');
        }
    }
    out
}

fn check(source: &str, expected: Expect) {
    expected.assert_eq(&graph(source));
}

#[test]
fn plain_statements_and_declarations() {
    check(
        "int f(void);\nstatic int  g(int x) /* why */ {\n  int a, *b = f(), c[3] = {1, 2};\n  extern int e; typedef int t;\n  x = a;\n  ;\n  return x;\n}",
        expect![[r#"
            static int g(int x)
            0 Entry `` →2
            1 Exit ``
            2 Declaration `int a` →3
            3 Declaration `int *b = f()` →4
            4 Declaration `int c[3] = {1, 2}` →5
            5 Expression `x = a` →6
            6 Return `return x` →1
        "#]],
    );
}

#[test]
fn loops() {
    check(
        "void g(int); void f(int n) { for (int i = 0; i < n; i++) g(i); for (; n;) n--; for (n = 1;; n++) { if (n) break; else continue; } while (1) g(2); }",
        expect![[r#"
            void f(int n)
            0 Entry `` →2
            1 Exit ``
            2 Declaration `int i = 0` →3
            3 For `i < n` True→4 False→6
            4 Expression `g(i)` →5
            5 ForStep `i++` →3
            6 For `n` True→7 False→8
            7 Expression `n--` →6
            8 Expression `n = 1` →9
            9 For `` True→10
            10 If `n` True→11 False→12
            11 Break `break` →14
            12 Continue `continue` →13
            13 ForStep `n++` →9
            14 While `1` True→15
            15 Expression `g(2)` →14
        "#]],
    );
}

#[test]
fn conditions() {
    check(
        "int g(int); int f(int a, int b) { if ((a && !b) || !(a || b)) g(1); a = b ? g(2) : a ?: 3; return g(b ? 1 : 2) && a; }",
        expect![[r#"
            int f(int a, int b)
            0 Entry `` →2
            1 Exit ``
            2 If `a` True→3 False→4
            3 If `!b` False→4 True→6
            4 If `a` False→5 True→7
            5 If `b` False→6 True→7
            6 Expression `g(1)` →7
            7 Condition `b` True→8 False→9
            8 Arm `g(2)` →11
            9 Condition `a` False→10 True→11
            10 Arm `3` →11
            11 Expression `a = b ? g(2) : a ?: 3` →12
            12 Condition `g(b ? 1 : 2)` True→13 False→14
            13 Condition `a` →14
            14 Return `return g(b ? 1 : 2) && a` →1
        "#]],
    );
}

#[test]
fn macros() {
    check(
        "#define EACH(i, n) for (int i = 0; i < (n); i++)\n#define FAIL(x) do { if (x) return -1; } while (0)\n#define TRACE(x)\n#define SWAP(a, b) int t = a; a = b; b = t\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\nint g(int); int f(int a, int b) { EACH(i, a) { g(i); }\n FAIL(a == b);\n TRACE(a);\n SWAP(a, b);\n if (MAX(a, b) && b) g(1);\n return MAX(a, b); }",
        expect![[r#"
            int f(int a, int b)
            0 Entry `` →2
            1 Exit ``
            2 For `EACH(i, a)` True→3 False→4
            3 Expression `g(i)` →2
            4 Expression `FAIL(a == b)` →5
            5 Expression `TRACE(a)` →6
            6 Expression `SWAP(a, b)` →7
            7 If `MAX(a, b)` True→8 False→10
            8 If `b` True→9 False→10
            9 Expression `g(1)` →10
            10 Return `return MAX(a, b)` →1
        "#]],
    );
}

#[test]
fn jumps() {
    check(
        "int g(int); int f(int a, void *p) { switch (a) { case 1: case 2 ... 3: g(1); break; default: g(2); __attribute__((fallthrough)); case 9: goto out; }\n asm(\"nop\"); asm goto(\"\" : : : : out); static void *t[] = {&&out}; goto *p; out: return ({ int q = a; q && p; }); }",
        expect![[r#"
            int f(int a, void *p)
            0 Entry `` →2
            1 Exit ``
            2 Switch `a` 1→3 2 ... 3→3 Default→5 9→6
            3 Expression `g(1)` →4
            4 Break `break` →7
            5 Expression `g(2)` →6
            6 Goto `goto out` →11
            7 Asm `asm("nop")` →8
            8 Asm `asm goto("" : : : : out)` →9 Indirect→11
            9 Declaration `static void *t[] = {&&out}` →10
            10 Goto `goto *p` Indirect→11
            11 Declaration `int q = a` →12
            12 Condition `q` True→13 False→14
            13 Condition `p` →14
            14 Expression `q && p` →15
            15 Return `return ({ int q = a; q && p; })` →1
        "#]],
    );
}

#[test]
fn macro_arguments() {
    check(
        "#define ID(x) x\n#define CALL(p) g p\nint g(int); void f(int a) { ID( a = g(1); )\n CALL((a));\n a = ID(a ? g(1) : 2); }",
        expect![[r#"
            void f(int a)
            0 Entry `` →2
            1 Exit ``
            2 Expression `ID( a = g(1); )` →3
            3 Expression `CALL((a))` →4
            4 Expression `a = ID(a ? g(1) : 2)` →1
        "#]],
    );
}
