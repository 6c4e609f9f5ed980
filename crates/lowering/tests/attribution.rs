//! The pieces and edges of compiled functions, and what attribution promises about them.

#![allow(clippy::unwrap_used)] // A test's helpers fail as the test does.

mod support;

use expect_test::{Expect, expect};
use hydrogen_ir::{EdgeKind, Function, Module};
use hydrogen_lowering::{lower, pieces, unit};
use std::fmt::Write as _;

fn model(source: &str) -> Module {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("unit.c");
    std::fs::write(&file, source).unwrap();
    let command = support::command(&file, &["-std=gnu17"]);
    let compiled = unit::compile(&command).unwrap();
    let mut module = lower(&compiled.module, &unit::origin(&command)).unwrap();
    let parsed = pieces::parse(&command).unwrap();
    let (statistics, broken) = pieces::add_pieces_checked(&mut module, &parsed, &command);
    assert_eq!(broken, Vec::<String>::new());
    assert_eq!(statistics.unattributed, Vec::new());
    module
}

/// A line per piece: number, role, part, text, how many instructions it has, edges.
fn print(function: &Function) -> String {
    let mut out = format!("{}\n", function.signature);
    let body = function.body.as_ref().unwrap();
    for (index, piece) in function.pieces.iter().enumerate() {
        let count = body.instructions.iter().filter(|one| one.piece.index() == index).count();
        let part = if piece.part > 0 { format!("#{}", piece.part) } else { String::new() };
        write!(out, "{index} {:?}{part} `{}` {count}", piece.role, piece.text).unwrap();
        for edge in function.flow.iter().filter(|edge| edge.from.index() == index) {
            match &edge.kind {
                EdgeKind::Next => write!(out, " →{}", edge.to.0).unwrap(),
                EdgeKind::Case(label) => write!(out, " {label}→{}", edge.to.0).unwrap(),
                kind => write!(out, " {kind:?}→{}", edge.to.0).unwrap(),
            }
        }
        out.push('\n');
    }
    out
}

fn check(source: &str, expected: Expect) {
    let module = model(source);
    let text: Vec<String> = module.definitions().map(|(_, function)| print(function)).collect();
    expected.assert_eq(&text.concat());
}

const HEAD: &str = "#include <stdlib.h>\n#include <string.h>\nvoid get_privilege(void), drop_privilege(void), report(void);\n";
const E1: [&str; 4] = [
    "void handle(const char *b) {
  get_privilege();
  char a[16];
  strcpy(a, b);
  drop_privilege();
}",
    "void handle(const char *b) {
  get_privilege();
  char *a = NULL; size_t len = 0;
  len = strlen(b);
  a = malloc(len);
  strcpy(a, b);
  drop_privilege();
}",
    "void handle(const char *b) {
  get_privilege();
  char *a = NULL; size_t len = 0;
  len = strlen(b);
  a = malloc(len);
  if (a == NULL) {
    report();
    return;
  }
  strcpy(a, b);
  drop_privilege();
}",
    "void handle(const char *b) {
  get_privilege();
  char *a = NULL; size_t len = 0;
  len = strlen(b) + 1;
  a = malloc(len);
  if (a == NULL) {
    report();
    drop_privilege();
    return;
  }
  strcpy(a, b);
  drop_privilege();
}",
];

#[test]
fn e1_has_the_printed_nodes_and_edges() {
    let expected = [
        expect![[r#"
            void handle(const char *b)
            0 Entry `` 2 →2
            1 Exit `` 1
            2 Expression `get_privilege()` 1 →3
            3 Declaration `char a[16]` 1 →4
            4 Expression `strcpy(a, b)` 3 →5
            5 Expression `drop_privilege()` 1 →1
        "#]],
        expect![[r#"
            void handle(const char *b)
            0 Entry `` 2 →2
            1 Exit `` 1
            2 Expression `get_privilege()` 1 →3
            3 Declaration `char *a = NULL` 2 →4
            4 Declaration `size_t len = 0` 2 →5
            5 Expression `len = strlen(b)` 3 →6
            6 Expression `a = malloc(len)` 3 →7
            7 Expression `strcpy(a, b)` 3 →8
            8 Expression `drop_privilege()` 1 →1
        "#]],
        expect![[r#"
            void handle(const char *b)
            0 Entry `` 2 →2
            1 Exit `` 1
            2 Expression `get_privilege()` 1 →3
            3 Declaration `char *a = NULL` 2 →4
            4 Declaration `size_t len = 0` 2 →5
            5 Expression `len = strlen(b)` 3 →6
            6 Expression `a = malloc(len)` 3 →7
            7 If `a == NULL` 3 True→8 False→10
            8 Expression `report()` 1 →9
            9 Return `return` 1 →1
            10 Expression `strcpy(a, b)` 3 →11
            11 Expression `drop_privilege()` 2 →1
        "#]],
        expect![[r#"
            void handle(const char *b)
            0 Entry `` 2 →2
            1 Exit `` 1
            2 Expression `get_privilege()` 1 →3
            3 Declaration `char *a = NULL` 2 →4
            4 Declaration `size_t len = 0` 2 →5
            5 Expression `len = strlen(b) + 1` 4 →6
            6 Expression `a = malloc(len)` 3 →7
            7 If `a == NULL` 3 True→8 False→11
            8 Expression `report()` 1 →9
            9 Expression `drop_privilege()` 1 →10
            10 Return `return` 1 →1
            11 Expression `strcpy(a, b)` 3 →12
            12 Expression `drop_privilege()` 2 →1
        "#]],
    ];
    for (source, expected) in E1.iter().zip(expected) {
        check(&format!("{HEAD}{source}"), expected);
    }
}

#[test]
fn equal_text_can_have_another_payload() {
    let payload = |source: &str| {
        let module = model(&format!("{HEAD}{source}"));
        let (_, function) = module.definitions().next().unwrap();
        let piece = function.pieces.iter().position(|piece| piece.text == "strcpy(a, b)").unwrap();
        let body = function.body.as_ref().unwrap();
        let of_piece = body.instructions.iter().filter(|one| one.piece.index() == piece);
        of_piece.map(|one| format!("{:?}", one.op).split(' ').next().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(payload(E1[0]), ["ElementAddress", "Load", "Call"]);
    assert_eq!(payload(E1[1]), ["Load", "Load", "Call"]);
}

#[test]
fn e2_has_the_printed_nodes_and_edges() {
    check(
        "int printf(const char *, ...); void drop_privilege(void); int isMultiplicationSafe(int a, int b);
#define ERR -1
int v1(int j)
{
  j = 8 * j;
  drop_privilege();
  return j;
}
int v2(int j)
{
  j = 8 * j;
  if (j < 0) {
    printf(\"overflow\");
    j = ERR; }
  drop_privilege();
  return j;
}
int v3(int j)
{
  if (!isMultiplicationSafe(8, j)) {
    printf(\"overflow\");
    j = ERR;
  } else {
    j = 8 * j; }
  drop_privilege();
  return j;
}
int is_safe(int a, int b) { if (b == 0) return 1; if (b < 0) return 0; return a <= 2147483647 / b; }",
        expect![[r#"
            int v1(int j)
            0 Entry `` 2 →2
            1 Exit `` 1
            2 Expression `j = 8 * j` 3 →3
            3 Expression `drop_privilege()` 1 →4
            4 Return `return j` 1 →1
            int v2(int j)
            0 Entry `` 2 →2
            1 Exit `` 1
            2 Expression `j = 8 * j` 3 →3
            3 If `j < 0` 3 True→4 False→6
            4 Expression `printf("overflow")` 1 →5
            5 Expression `j = ERR` 2 →6
            6 Expression `drop_privilege()` 1 →7
            7 Return `return j` 1 →1
            int v3(int j)
            0 Entry `` 2 →2
            1 Exit `` 1
            2 If `!isMultiplicationSafe(8, j)` 4 True→3 False→5
            3 Expression `printf("overflow")` 1 →4
            4 Expression `j = ERR` 2 →6
            5 Expression `j = 8 * j` 4 →6
            6 Expression `drop_privilege()` 1 →7
            7 Return `return j` 1 →1
            int is_safe(int a, int b)
            0 Entry `` 5 →2
            1 Exit `` 2
            2 If `b == 0` 3 True→3 False→4
            3 Return `return 1` 2 →1
            4 If `b < 0` 3 True→5 False→6
            5 Return `return 0` 2 →1
            6 Return `return a <= 2147483647 / b` 7 →1
        "#]],
    );
}

#[test]
fn e10_switch() {
    check(
        "int v1(int x) { int r = 0; switch(x){case 1: r=1; break; case 2: r=2; break;} return r; }
int v2(int x) { int r = 0; switch(x){case 1: r=1; break;} return r; }",
        expect![[r#"
            int v1(int x)
            0 Entry `` 2 →2
            1 Exit `` 1
            2 Declaration `int r = 0` 2 →3
            3 Switch `x` 2 1→4 2→6 Default→8
            4 Expression `r=1` 1 →5
            5 Break `break` 1 →8
            6 Expression `r=2` 1 →7
            7 Break `break` 1 →8
            8 Return `return r` 1 →1
            int v2(int x)
            0 Entry `` 2 →2
            1 Exit `` 1
            2 Declaration `int r = 0` 2 →3
            3 Switch `x` 2 1→4 Default→6
            4 Expression `r=1` 1 →5
            5 Break `break` 1 →6
            6 Return `return r` 1 →1
        "#]],
    );
}

#[test]
fn loops() {
    check(
        "int g(int);
void f(int n) {
  for (int i = 0, j = n; i < n && j; i++, j--) g(i);
  for (n = 1;; n++) { if (g(n)) break; else continue; }
  while (n && !g(n)) n--;
  do { g(3); } while (!(n || g(4)));
  do g(5); while (0);
  while (g(6));
  for (n = 0; 1; n++) if (n) return;
}",
        expect![[r#"
            void f(int n)
            0 Entry `` 2 →2
            1 Exit `` 1
            2 Declaration `int i = 0` 3 →3
            3 Declaration `int j = n` 3 →4
            4 For `i < n` 4 True→5 False→8
            5 For `j` 5 True→6 False→8
            6 Expression `g(i)` 3 →7
            7 ForStep `i++, j--` 7 →4
            8 Expression `n = 1` 2 →9
            9 For `` 0 True→10
            10 If `g(n)` 4 True→11 False→12
            11 Break `break` 2 →14
            12 Continue `continue` 1 →13
            13 ForStep `n++` 4 →9
            14 While `n` 4 True→15 False→17
            15 While `!g(n)` 7 True→16 False→17
            16 Expression `n--` 4 →14
            17 Expression `g(3)` 2 →18
            18 DoWhile `n` 4 False→19 True→20
            19 DoWhile `g(4)` 6 False→17 True→20
            20 Expression `g(5)` 3 →21
            21 While `g(6)` 4 True→21 False→22
            22 Expression `n = 0` 3 →23
            23 For `1` 0 True→24
            24 If `n` 4 True→25 False→26
            25 Return `return` 1 →1
            26 ForStep `n++` 4 →23
        "#]],
    );
}

#[test]
fn endless() {
    check(
        "void f(int a) { if (a) for (;;); while (1) { ; } }",
        expect![[r#"
            void f(int a)
            0 Entry `` 2 →2
            1 Exit `` 0
            2 If `a` 7 True→3 False→4
            3 For `` 0 True→3
            4 While `1` 0 True→4
        "#]],
    );
}

#[test]
fn expressions() {
    check(
        "int g(int, int); long w;
int f(int x, int a, int b) {
  g(x, a ? b : g(1, 2));
  w = a && b;
  w = (a) ? b : g(3, 4);
  a ?: g(5, 6);
  x = a ? 1 : 2;
  const char *s = a ? \"yes\" : \"no\";
  a || g(7, 8);
  if ((a && b) == x) g(9, 9);
  if (a ? b : x) g(10, 10);
  return ({ int q = g(x, 1); q && b; }) + (a ? g(1, 1) : b);
}",
        expect![[r#"
            int f(int x, int a, int b)
            0 Entry `` 7 →2
            1 Exit `` 1
            2 Condition `a` 6 True→3 False→4
            3 Arm `b` 1 →5
            4 Arm `g(1, 2)` 1 →5
            5 Expression `g(x, a ? b : g(1, 2))` 2 →6
            6 Condition `a` 3 True→7 False→8
            7 Condition `b` 2 →8
            8 Expression `w = a && b` 5 →9
            9 Condition `a` 3 True→10 False→11
            10 Arm `b` 1 →12
            11 Arm `g(3, 4)` 1 →12
            12 Expression `w = (a) ? b : g(3, 4)` 5 →13
            13 Condition `a` 5 False→14 True→15
            14 Arm `g(5, 6)` 1 →15
            15 Expression `a ?: g(5, 6)` 1 →16
            16 Expression `x = a ? 1 : 2` 5 →17
            17 Declaration `const char *s = a ? "yes" : "no"` 6 →18
            18 Condition `a` 3 False→19 True→20
            19 Condition `g(7, 8)` 2 →20
            20 Expression `a || g(7, 8)` 3 →21
            21 Condition `a` 3 True→22 False→23
            22 Condition `b` 2 →23
            23 If `(a && b) == x` 6 True→24 False→25
            24 Expression `g(9, 9)` 2 →25
            25 If `a` 3 True→26 False→27
            26 If `b` 3 True→28 False→29
            27 If `x` 3 True→28 False→29
            28 Expression `g(10, 10)` 2 →29
            29 Declaration `int q = g(x, 1)` 4 →30
            30 Condition `q` 3 True→31 False→32
            31 Condition `b` 2 →32
            32 Expression `q && b` 3 →33
            33 Condition `a` 7 True→34 False→35
            34 Arm `g(1, 1)` 1 →36
            35 Arm `b` 1 →36
            36 Return `return ({ int q = g(x, 1); q && b; }) + (a ? g(1, 1) : b)` 2 →1
        "#]],
    );
}

#[test]
fn macros() {
    check(
        "#define EACH(i, n) for (int i = 0; i < (n); i++)
#define FAIL(x) do { if (x) return -1; } while (0)
#define TRACE(x)
#define BAIL goto out
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define likely(x) __builtin_expect(!!(x), 1)
int g(int);
int f(int a, int b) {
  EACH(i, a) { g(i); }
  FAIL(a == b);
  TRACE(a);
  if (a == 7) BAIL;
  if (MAX(a, b) && b) g(1);
  if (likely(a && b)) g(2);
  a = MAX(a, b);
out:
  return a;
}",
        expect![[r#"
            int f(int a, int b)
            0 Entry `` 5 →2
            1 Exit `` 2
            2 For `EACH(i, a)` 3 →3
            3 For#1 `EACH(i, a)` 4 True→5 False→6
            4 For#2 `EACH(i, a)` 4 →3
            5 Expression `g(i)` 3 →4
            6 Expression `FAIL(a == b)` 6 True→7 False→8
            7 Expression#1 `FAIL(a == b)` 2 →1
            8 Expression `TRACE(a)` 0 →9
            9 If `a == 7` 3 True→10 False→11
            10 Expression `BAIL` 1 →23
            11 If `MAX(a, b)` 4 True→12 False→13
            12 If#1 `MAX(a, b)` 3 True→14 False→16
            13 If#2 `MAX(a, b)` 3 True→14 False→16
            14 If `b` 3 True→15 False→16
            15 Expression `g(1)` 2 →16
            16 If `likely(a && b)` 10 True→17 False→19
            17 If#1 `likely(a && b)` 3 True→18 False→19
            18 Expression `g(2)` 2 →19
            19 Expression `a = MAX(a, b)` 4 True→20 False→21
            20 Expression#1 `a = MAX(a, b)` 2 →22
            21 Expression#2 `a = MAX(a, b)` 2 →22
            22 Expression#3 `a = MAX(a, b)` 3 →23
            23 Return `return a` 3 →1
        "#]],
    );
}

#[test]
fn jumps() {
    check(
        "int g(int); void h(void) __attribute__((noreturn));
int f(int a, void *p) {
  static void *t[] = {&&one, &&two};
  switch (a) { int unused; case 1: case 2 ... 3: g(1); break; default: g(2); case 9: goto two; }
  if (sizeof(long) == 4) { g(10); } else g(11);
  if (a == 5) h();
  __asm__(\"nop\");
  asm goto(\"\" : : : : two);
  goto *t[a];
one:
  g(3);
two:
  return g(4);
}",
        expect![[r#"
            int f(int a, void *p)
            0 Entry `` 5 →2
            1 Exit `` 1
            2 Declaration `static void *t[] = {&&one, &&two}` 0 →3
            3 Switch `a` 3 1→4 2 ... 3→4 Default→6 9→7
            4 Expression `g(1)` 1 →5
            5 Break `break` 1 →8
            6 Expression `g(2)` 2 →7
            7 Goto `goto two` 1 →16
            8 If `sizeof(long) == 4` 0 False→9
            9 Expression `g(11)` 1 →10
            10 If `a == 5` 3 True→11 False→12
            11 Expression `h()` 2
            12 Asm `__asm__("nop")` 1 →13
            13 Asm `asm goto("" : : : : two)` 1 →14 Indirect→16
            14 Goto `goto *t[a]` 7 Indirect→15 Indirect→16
            15 Expression `g(3)` 2 →16
            16 Return `return g(4)` 1 →1
        "#]],
    );
}

#[test]
fn values_in_memory() {
    check(
        "#include <stdarg.h>
struct s { int a[8]; }; struct s make(int); struct pair { int x, y; };
struct s choose(int c, struct s u, struct pair v, ...) {
  va_list list; va_start(list, v);
  int n = va_arg(list, int);
  struct s r = c ? u : make(n);
  int vla[n];
  vla[0] = v.x;
  va_end(list);
  return r;
}
int main(void) { return 0; }",
        expect![[r#"
            struct s choose(int c, struct s u, struct pair v, ...)
            0 Entry `` 6 →2
            1 Exit `` 1
            2 Declaration `va_list list` 1 →3
            3 Expression `va_start(list, v)` 2 →4
            4 Declaration `int n = va_arg(list, int)` 6 True→5 False→6
            5 Declaration#1 `int n = va_arg(list, int)` 6 →7
            6 Declaration#2 `int n = va_arg(list, int)` 5 →7
            7 Declaration#3 `int n = va_arg(list, int)` 3 →8
            8 Condition `c` 5 True→9 False→10
            9 Arm `u` 1 →11
            10 Arm `make(n)` 2 →11
            11 Declaration `struct s r = c ? u : make(n)` 0 →12
            12 Declaration `int vla[n]` 6 →13
            13 Expression `vla[0] = v.x` 4 →14
            14 Expression `va_end(list)` 4 →15
            15 Return `return r` 0 →1
            int main(void)
            0 Entry `` 2 →2
            1 Exit `` 1
            2 Return `return 0` 0 →1
        "#]],
    );
}

#[test]
fn promises_hold_for_every_kind_of_code() {
    for entry in std::fs::read_dir(support::c_folder()).unwrap() {
        let file = entry.unwrap().path();
        if file.extension().is_none_or(|ending| ending != "c") {
            continue;
        }
        let flags = support::flags(&file);
        let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
        let command = support::command(&file, &flags);
        let (_, mut module) = support::faithful(&command).unwrap();
        let found = support::attributed(&command, &mut module);
        support::sound(&module);
        assert_eq!(found.unattributed, Vec::new(), "{}", file.display());
    }
}

#[test]
fn without_source_pieces_are_lines() {
    let mut module = model("int g(int);\nint f(int a) {\n  if (a)\n    g(1);\n  return a;\n}");
    pieces::add_lines(&mut module);
    let (_, function) = module.definitions().next().unwrap();
    expect![[r#"
        int f(int a)
        0 Entry `` 2 →2
        1 Exit `` 1
        2 Expression `unit.c:3` 3 True→3 False→4
        3 Expression `unit.c:4` 2 →4
        4 Expression `unit.c:5` 1 →1
    "#]]
    .assert_eq(&print(function));
}

#[test]
fn line_directives_and_included_bodies() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("unit.c");
    std::fs::write(folder.path().join("part.h"), "g(1);\n").unwrap();
    std::fs::write(&file, "int g(int);\n#line 100 \"gram.y\"\nint f(int a) {\n  a = g(2);\n#include \"part.h\"\n  return a ? g(3) : 4;\n}\n").unwrap();
    let command = support::command(&file, &[]);
    let (_, mut module) = support::faithful(&command).unwrap();
    let found = support::attributed(&command, &mut module);
    assert_eq!((found.unattributed, found.adopted), (Vec::new(), Vec::new()));
    let (_, function) = module.definitions().next().unwrap();
    let places: Vec<String> = function
        .pieces
        .iter()
        .filter_map(|piece| {
            let span = piece.span?;
            Some(format!("{}:{} {}", module.file(span.file), span.start.line, piece.text))
        })
        .collect();
    expect![[r#"
        gram.y:101 a = g(2)
        part.h:1 g(1)
        gram.y:103 a
        gram.y:103 g(3)
        gram.y:103 4
        gram.y:103 return a ? g(3) : 4"#]]
    .assert_eq(&places.join("\n"));
}
