//! What is said of single statements by their own functions.
#![allow(clippy::unwrap_used)]

use hydrogen_evidence::Class;
use hydrogen_ir::InstructionId;
use hydrogen_local::{Certainty, Statement, judge};
use hydrogen_term::{Engine, standard};
use hydrogen_testkit::Compile;

const HEAD: &str = "typedef unsigned long size_t; void *malloc(size_t); void *realloc(void *, size_t); void free(void *);\n\
size_t strlen(const char *); void *memset(void *, int, size_t);\nstruct box { char *text; int n; int v[4]; };\n\
int other(void); void take(char *);\n";

/// What is said of the statement of `f` that begins so: `always`, `never`, `nothing`, or when.
fn said(code: &str, statement: &str, class: Class) -> String {
    let module = Compile::default().model(&format!("{HEAD}{code}\n"));
    let function = module.definitions().find(|(_, one)| one.name == "f").unwrap().0;
    let own = module.function(function);
    let piece = own.pieces.iter().position(|piece| piece.text.starts_with(statement));
    let piece = piece.unwrap_or_else(|| panic!("no `{statement}` in {:#?}", own.pieces));
    let all = own.body.as_ref().unwrap().instructions.iter().enumerate();
    let instructions =
        all.filter(|(_, one)| one.piece.index() == piece).map(|(at, _)| InstructionId::at(at)).collect();
    let mut engine = Engine::new(standard(), Default::default()).alone();
    match judge(&Statement { module: &module, function, instructions }, &mut engine) {
        Err(obstacle) => format!("{obstacle:?}"),
        Ok(found) => match found.classes.get(&class) {
            None => "nothing".to_owned(),
            Some(Certainty::Always) if found.is_sure => "always, and it is reached".to_owned(),
            Some(Certainty::Always) => "always".to_owned(),
            Some(Certainty::Never) => "never".to_owned(),
            Some(Certainty::Sometimes { when }) => when.clone().unwrap_or_else(|| "sometimes".to_owned()),
        },
    }
}

fn check(code: &str, statement: &str, class: Class, expect: &str) {
    assert_eq!(said(code, statement, class), expect, "{code}: {statement}");
}

#[test]
fn lives_of_blocks() {
    use Class::{DoubleFree, UseAfterFree};
    let sure = "always, and it is reached";
    check("char f(char *p) { free(p); return p[1]; }", "return p[1]", UseAfterFree, "p != 0");
    check(
        "char f(char *p) { if (!p) return 0; free(p); return p[1]; }",
        "return p[1]",
        UseAfterFree,
        "always",
    );
    check("char f(char *p) { *p = 1; free(p); return p[1]; }", "return p[1]", UseAfterFree, sure);
    check("void f(char *p) { *p = 1; free(p); free((void *)p); }", "free((void *)p)", DoubleFree, sure);
    check("void f(char *p) { *p = 1; free(p); free((void *)p); }", "free(p)", DoubleFree, "nothing");
    let members = "char f(struct box *s) { s->text[0] = 1; free(s->text); s->n = 0; return s->text[0]; }";
    check(members, "return s->text", UseAfterFree, sure);
    let loops =
        "char f(char *p, int n) { int i; for (i = 0; i < n; i++) other(); *p = 1; free(p); return p[i]; }";
    check(loops, "return p[i]", UseAfterFree, sure);
    let callee = "static void drop(struct box *s) { free(s->text); } char f(struct box *s) { s->text[0] = 1; drop(s); return s->text[0]; }";
    check(callee, "return s->text", UseAfterFree, sure);
    let before_more = "int f(char *p, int n) { *p = 1; free(p); p[0] = 2; if (n) other(); return other(); }";
    check(before_more, "p[0] = 2", UseAfterFree, sure);
    let in_a_branch =
        "void f(struct box *s, char *q) { *q = 1; if (s->n == 3) { free(q); *q = 2; } other(); }";
    check(in_a_branch, "*q = 2", UseAfterFree, "always");
    let in_a_round = "void f(char *p, int n) { for (int i = 0; i < n; i++) { *p = 1; free(p); *p = 2; } }";
    check(in_a_round, "*p = 2", UseAfterFree, "always");
    // Where there is no room for more, the block stays.
    let kept = "char f(char *p) { *p = 1; char *q = realloc(p, 100); if (!q) return p[0]; return q[0]; }";
    check(kept, "return p[0]", UseAfterFree, "nothing");
    let set = "char f(struct box *s, char *q) { free(s->text); s->text = q; return s->text[0]; }";
    check(set, "return s->text", UseAfterFree, "nothing");
    check("void f(void) { char t[4]; free(t); }", "free(t)", DoubleFree, sure);
}

#[test]
fn bounds() {
    use Class::Overflow;
    let sure = "always, and it is reached";
    check("int f(int i) { int t[4] = {0}; return t[i]; }", "return t[i]", Overflow, "i < 0 || i > 3");
    check("int f(int i) { int t[4] = {0}; return t[i & 3]; }", "return t[i & 3]", Overflow, "never");
    check("int f(void) { int t[4] = {0}; return t[4]; }", "return t[4]", Overflow, sure);
    check(
        "int f(struct box *s, int i) { if (i > 3 || i < 0) return 0; return s->v[i]; }",
        "return s->v",
        Overflow,
        "nothing",
    );
    let block = "void f(size_t n) { char *p = malloc(n); if (!p) return; p[n] = 0; }";
    check(block, "p[n] = 0", Overflow, "always");
    // An index that leaves an array may still be inside of the structure, which is no fault of a run and not impossible either.
    let inside = |index: &str| format!("int f(int i) {{ struct box b = {{0}}; return b.v[i & {index}]; }}");
    check(&inside("7"), "return b.v", Overflow, "(i & 0x7) * 4 > 16");
    check(&inside("3"), "return b.v", Overflow, "never");
}

#[test]
fn numbers() {
    use Class::{Division, Shift, SignedOverflow};
    check("int f(int a, int b) { return a / b; }", "return a / b", Division, "b == 0");
    check("int f(int a, int b) { if (b < 1) b = 1; return a / b; }", "return a / b", Division, "never");
    check("int f(int a, int n) { return a << n; }", "return a << n", Shift, "n < 0 || n > 31");
    check(
        "int f(int a) { if (a > 100 || a < 0) return 0; return a + 1; }",
        "return a + 1",
        SignedOverflow,
        "never",
    );
    check("int f(void) { return 1 / (other() & 0); }", "return 1 /", Division, "always, and it is reached");
}

#[test]
fn null() {
    use Class::Null;
    check("int f(int *p) { if (p) return 0; return *p; }", "return *p", Null, "always");
    check("int f(int *p) { return *p; }", "return *p", Null, "p == 0");
    check("int f(int *p) { *p = 1; return *p; }", "return *p", Null, "never");
    check("int f(char *p) { if (p) return 0; return (int)strlen(p); }", "return (int)strlen", Null, "always");
    check("int f(void) { int x; int *q = &x; *q = 1; return *q; }", "return *q", Null, "never");
    check("char f(void) { char *p = malloc(4); return p[1]; }", "return p[1]", Null, "sometimes");
}

#[test]
fn what_depends_on_where_objects_lie_is_not_said() {
    let ordered =
        "int f(void) { char a[4], b[4]; take(a); take(b); if (a < b) return 1 / (other() & 0); return 0; }";
    check(ordered, "return 1 /", Class::Division, "Obstacle(\"what happens depends on where objects lie\")");
}
