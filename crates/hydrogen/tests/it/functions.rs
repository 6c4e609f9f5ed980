//! `hydrogen functions`: what changed, and what only looks as if.

use crate::project::Project;

/// Two versions of some files, and the statuses expected, compiled and from source.
fn check(old: &[(&str, &str)], new: &[(&str, &str)], expect: &[&str]) {
    let project = Project::with_versions(&[old, new]);
    assert_eq!(project.statuses("v1", "v2", &[]), expect, "compiled");
    assert_eq!(project.statuses("v1", "v2", &["--syntax"]), expect, "from source");
}

/// The same for changes that only compiled code shows.
fn check_compiled(old: &[(&str, &str)], new: &[(&str, &str)], expect: &[&str]) {
    let project = Project::with_versions(&[old, new]);
    assert_eq!(project.statuses("v1", "v2", &[]), expect);
}

const TWO: &str = "int f(int a) { return a + 1; }\nint g(int a) { return f(a) * 2; }\n";

#[test]
fn added_deleted_updated_unchanged() {
    let new = "int f(int a) { return a + 2; }\nint h(int a) { return f(a); }\n";
    check(&[("a.c", TWO)], &[("a.c", new)], &["f updated", "g deleted", "h added"]);
}

#[test]
fn comments_and_layout_do_not_count() {
    let new =
        "/* new */\n\nint f(int a)\n{\n  // why\n  return a   +\n 1;\n}\nint g(int a) { return f( a )*2; }\n";
    check(&[("a.c", TWO)], &[("a.c", new)], &["f unchanged", "g unchanged"]);
}

#[test]
fn the_order_of_functions_does_not_count() {
    let new = "int f(int a);\nint g(int a) { return f(a) * 2; }\nint f(int a) { return a + 1; }\n";
    check(&[("a.c", TWO)], &[("a.c", new)], &["g unchanged", "f unchanged"]);
}

#[test]
fn a_line_number_in_an_assertion_does_not_count() {
    let old = "#include <assert.h>\nint f(int a) { assert(a > 0); return a; }\n";
    let new = "#include <assert.h>\n\n\n/* moved */\nint f(int a) { assert(a > 0); return a; }\n";
    check(&[("a.c", old)], &[("a.c", new)], &["f unchanged"]);
}

#[test]
fn a_changed_macro_marks_every_user() {
    let source = "#include \"a.h\"\nint f(void) { return LIMIT; }\nint g(void) { return TWICE; }\nint h(void) { return 5; }\n";
    let header = |limit| format!("#define LIMIT {limit}\n#define TWICE (2 * LIMIT)\n#define OTHER 1\n");
    check(
        &[("a.c", source), ("a.h", &header(1))],
        &[("a.h", &header(2))],
        &["f updated", "g updated", "h unchanged"],
    );
}

#[test]
fn a_changed_layout_marks_every_function_it_reaches() {
    let source =
        "#include \"a.h\"\nint f(struct s *p) { return p->b; }\nint g(struct s *p) { return p != 0; }\n";
    check_compiled(
        &[("a.c", source), ("a.h", "struct s { int a; int b; };\n")],
        &[("a.h", "struct s { int a; long c; int b; };\n")],
        &["f updated", "g unchanged"],
    );
}

/// A macro makes an array in structures longer. Whoever uses what stands behind it, the array itself, or the size of a structure sees
/// that, and nobody else.
#[test]
fn an_array_that_grows_inside_of_a_structure() {
    let header = |size: u32| format!("#define MAX {size}\n{SIZES_H}");
    let old = header(64);
    let new = header(128);
    check(
        &[("a.h", &old), ("a.c", SIZES_C)],
        &[("a.h", &new)],
        &[
            "before unchanged",
            "behind_ updated",
            "it updated",
            "walk unchanged",
            "step updated",
            "count updated",
            "elem updated",
            "viahold updated",
            "viatab unchanged",
            "ownn updated",
            "items_only unchanged",
            "cpy updated",
            "cpy2 updated",
            "alloc updated",
            "local updated",
            "byval updated",
            "pass updated",
            "macro updated",
            "macro2 updated",
            "macro3 unchanged",
            "macro4 updated",
            "typed updated",
            "typedp updated",
            "typeda unchanged",
            "cast updated",
            "castb unchanged",
            "uni unchanged",
            "unir updated",
            "unic updated",
            "nest1 unchanged",
            "nest3 updated",
            "nest4 updated",
            "glob unchanged",
            "globz updated",
            "globp updated",
            "globpa unchanged",
            "globarr updated",
            "unrelated unchanged",
            "inc updated",
            "preinc updated",
            "dbl unchanged",
            "fwd unchanged",
            "off updated",
            "szm updated",
            "szl updated",
        ],
    );
}

/// Whoever calls through a pointer sees what the function is given and gives back.
#[test]
fn the_type_of_a_function_behind_a_pointer() {
    let header = |result: &str| format!("typedef {result}(hook)(void *);\nstruct s {{ hook *own; }};\n");
    let source = "#include \"a.h\"\nstatic hook *all;\nvoid set(hook *it) { all = it; }\n\
        void f(void) { if (all) all(0); }\nvoid g(struct s *p) { p->own(0); }\nvoid k(hook *it) { it(0); }\n";
    let (old, new) = (header("void *"), header("void "));
    let expect = ["set unchanged", "f updated", "g updated", "k updated"];
    check(&[("a.h", &old), ("a.c", source)], &[("a.h", &new)], &expect);
}

/// Where a structure lies in another one depends on its alignment: the source alone does not say that it is the same.
#[test]
fn a_structure_that_grows_inside_of_another_one() {
    let source = |size: u32| {
        format!(
            "struct in {{ int k; char name[{size}]; }};\nstruct out {{ int a; struct in in; }};\n\
             int k(struct out *o) {{ return o->in.k + 1; }}\nint a(struct out *o) {{ return o->a + 1; }}\n"
        )
    };
    let project = Project::with_versions(&[&[("a.c", &source(8))], &[("a.c", &source(16))]]);
    assert_eq!(project.statuses("v1", "v2", &[]), ["k unchanged", "a unchanged"]);
    assert_eq!(project.statuses("v1", "v2", &["--syntax"]), ["k updated", "a unchanged"]);
}

const SIZES_H: &str = r#"#include <stddef.h>
struct in { int k; char nm[MAX]; int m; };
struct s { int a; struct s *next; char buf[MAX]; int z; };
union u { int i; char raw[MAX]; };
struct holder { struct s *items; struct s **tab; struct s own; int n; };
struct outer { int q; struct in in; int r; };
typedef struct s S;
typedef struct s *sp;
#define STEP(p) ((p) + 1)
#define ITEMS(h) ((h)->items)
#define GETA(p) ((p)->a)
#define GETZ(p) ((p)->z)
void *memcpy(void *, const void *, size_t);
void *malloc(size_t);
void use(void *);
extern struct s g;
extern struct s *gp;
extern struct s garr[4];
"#;

const SIZES_C: &str = r#"#include "a.h"
struct s g;
struct s *gp;
struct s garr[4];
int before(struct s *p, int i) { int n = 0; n += p->a + i; n++; p->a = n - 1; return n * 2; }
int behind_(struct s *p) { return p->z; }
char it(struct s *p, int i) { return p->buf[i]; }
struct s *walk(struct s *p) { while (p->next) p = p->next; return p; }
struct s *step(struct s *p, int i) { return p + i; }
int count(struct s *p, struct s *q) { return q - p; }
int elem(struct s *p, int i) { return p[i].a; }
int viahold(struct holder *h, int i) { return h->items[i].a; }
int viatab(struct holder *h, int i) { return h->tab[i]->a + 1; }
int ownn(struct holder *h) { return h->n + 1; }
int items_only(struct holder *h) { return h->items->a + h->items->next->a; }
void cpy(struct s *p, struct s *q) { memcpy(p, q, sizeof(*p)); }
void cpy2(struct s *p, struct s *q) { *p = *q; }
void *alloc(void) { return malloc(sizeof(struct s)); }
void local(void) { struct s v; use(&v); }
int byval(struct s v) { return v.a; }
int pass(struct s *p) { return byval(*p); }
int macro(struct s *p) { return STEP(p)->a; }
int macro2(struct holder *h, int i) { return ITEMS(h)[i].a; }
int macro3(struct s *p) { return GETA(p) + 1; }
int macro4(struct s *p) { return GETZ(p); }
int typed(S *p, int i) { return p[i].a; }
int typedp(sp p, int i) { p += i; return p->a; }
int typeda(S *p, int i) { return p->a + i; }
int cast(void *p, int i) { return ((struct s *)p)[i].a; }
int castb(struct s *p, int i) { return *((char *)p + i); }
int uni(union u *p) { return p->i + 1; }
int unir(union u *p) { return p->raw[0]; }
void unic(union u *p, union u *q) { *p = *q; }
int nest1(struct outer *o) { return o->q + 1; }
int nest3(struct outer *o) { return o->in.m + 1; }
int nest4(struct outer *o) { return o->r + 1; }
int glob(void) { return g.a + 1; }
int globz(void) { return g.z + 1; }
int globp(int i) { return gp[i].a; }
int globpa(int i) { return gp->a + i; }
int globarr(int i) { return garr[i].a; }
int unrelated(int i) { return i + 1; }
int inc(struct s *p) { p++; return p->a; }
int preinc(struct s **pp) { return (*pp)++->a; }
int dbl(struct s **pp, int i) { return pp[i]->a + 1; }
int fwd(struct s *p) { return before(p, 1) + 1; }
int off(void) { return offsetof(struct s, z); }
int szm(struct s *p) { return sizeof p->buf; }
int szl(void) { struct s *p; return sizeof *p; }
"#;

#[test]
fn a_changed_global_marks_its_users() {
    let source = |size| {
        format!(
            "#include <string.h>\nchar g[{size}];\nstatic const int table[] = {{1, 2, {size}}};\n\
             void f(const char *s) {{ if (strlen(s) < 12) strcpy(g, s); }}\n\
             int h(int i) {{ return table[i]; }}\nint k(void) {{ return 1; }}\n"
        )
    };
    check(&[("a.c", &source(8))], &[("a.c", &source(16))], &["f updated", "h updated", "k unchanged"]);
}

#[test]
fn a_global_of_another_unit_marks_its_users() {
    let user = "extern int limit;\nint f(void) { return limit; }\n";
    check_compiled(
        &[("a.c", user), ("b.c", "int limit = 1;\n")],
        &[("b.c", "int limit = 2;\n")],
        &["f updated"],
    );
}

#[test]
fn a_changed_string_is_a_change() {
    let source = |text| {
        format!("const char *f(void) {{ return \"{text}\"; }}\nconst char *g(void) {{ return \"same\"; }}\n")
    };
    check(&[("a.c", &source("a"))], &[("a.c", &source("b"))], &["f updated", "g unchanged"]);
}

#[test]
fn a_macro_that_becomes_a_function_changes_its_users() {
    let users = "int f(int a) { return TWICE(a); }\nint g(int a) { return a; }\n";
    let old = format!("#define TWICE(a) ((a) * 2)\n{users}");
    let new = format!("static int TWICE(int a) {{ return a + a; }}\n{users}");
    let expect = ["TWICE added", "f updated", "g unchanged"];
    check(&[("a.c", &old)], &[("a.c", &new)], &expect);
}

/// The header has the name, and only the file knows what it is made of. Whoever asks for its size sees a change behind it.
#[test]
fn a_type_that_a_file_defines_for_its_header() {
    let header = "typedef struct s t;\nt *make(void);\nint get(t *it);\n";
    let source = |member: &str| {
        format!(
            "#include <stdlib.h>\n#include \"a.h\"\nstruct s {{ int a; {member} b; }};\n\
             t *make(void) {{ return malloc(sizeof(t)); }}\nint get(t *it) {{ return it->a; }}\n"
        )
    };
    let (old, new) = (source("int"), source("double"));
    let project = Project::with_versions(&[&[("a.h", header), ("a.c", &old)], &[("a.c", &new)]]);
    assert_eq!(project.statuses("v1", "v2", &["--syntax"]), ["make updated", "get unchanged"]);
}

#[test]
fn a_pragma_inside_of_a_statement_is_a_part_of_it() {
    let source = |pragma: &str| format!("int g(int a);\nint f(int a) {{\n  return g(\n{pragma}a);\n}}\n");
    check(&[("a.c", &source(""))], &[("a.c", &source("#pragma warning(suppress : 4996)\n"))], &["f updated"]);
}

#[test]
fn a_function_that_moved_is_the_same_function() {
    let project = Project::with_versions(&[&[("a.c", TWO), ("b.c", "int k(void) { return 1; }\n")]]);
    project.write("a.c", "int f(int a);\nint g(int a) { return f(a) * 2; }\n");
    project.commit(&[("b.c", "int k(void) { return 1; }\nint f(int a) { return a + 1; }\n")]);
    let expect = ["g unchanged", "k unchanged", "f unchanged"];
    assert_eq!(project.statuses("v1", "HEAD", &[]), expect);
    assert_eq!(project.statuses("v1", "HEAD", &["--syntax"]), expect);
}

#[test]
fn static_functions_of_one_name_are_kept_apart() {
    let file = |value| format!("static int f(void) {{ return {value}; }}\nint (*p{value})(void) = f;\n");
    let project = Project::with_versions(&[&[("a.c", &file(1)), ("b.c", &file(2))]]);
    project.commit(&[("b.c", "static int f(void) { return 3; }\nint (*p2)(void) = f;\n")]);
    assert_eq!(project.statuses("v1", "HEAD", &[]), ["f unchanged", "f updated"]);
}

#[test]
fn a_makefile_project_needs_no_configuration() {
    let makefile = "CFLAGS = -O2 -DSTEP=3\nprog: main.o lib/step.o\n\t$(CC) -o $@ $^\n%.o: %.c\n\t$(CC) $(CFLAGS) -c -o $@ $<\n";
    let main = "int step(int);\nint main(void) { return step(1); }\n";
    let step = "int step(int a) { return a + STEP; }\nint other(void) { return 0; }\n";
    let project =
        Project::with_versions(&[&[("Makefile", makefile), ("main.c", main), ("lib/step.c", step)]]);
    project.commit(&[("Makefile", &makefile.replace("STEP=3", "STEP=4"))]);
    let expect = ["step updated", "other unchanged", "main unchanged"];
    assert_eq!(project.statuses("v1", "HEAD", &[]), expect);
    let versions = project.hydrogen(&["versions", "HEAD"]);
    assert!(versions.out.contains("make") && versions.out.contains("2 units"), "{versions:?}");
}

#[test]
fn a_generated_header_is_seen_in_every_version() {
    let makefile = "prog: main.c limit.h\n\t$(CC) -o $@ main.c\nlimit.h: limit.txt\n\tsed 's/^/#define LIMIT /' limit.txt > $@\n";
    let main = "#include \"limit.h\"\nint f(void) { return LIMIT; }\nint main(void) { return f(); }\n";
    let project = Project::with_versions(&[
        &[("Makefile", makefile), ("main.c", main), ("limit.txt", "1\n")],
        &[("limit.txt", "2\n")],
        &[("main.c", &main.replace("return f()", "return !f()"))],
    ]);
    assert_eq!(project.statuses("v1", "v2", &[]), ["f updated", "main unchanged"]);
    assert_eq!(project.statuses("v2", "v3", &[]), ["f unchanged", "main updated"]);
}

#[test]
fn folders_are_versions_too() {
    let project = Project::new();
    project.write("one/a.c", TWO);
    project.write("two/a.c", TWO.replace("a + 1", "a + 2"));
    let statuses = project.statuses("old=one", "new=two", &[]);
    assert_eq!(statuses, ["f updated", "g unchanged"]);
}

/// Cases in macros, in front of those that are written, are no statements without a way to them.
#[test]
fn cases_in_macros_are_read_from_the_source() {
    let text = |first: &str| {
        format!(
            "enum {{ T_A, T_B }};\n#define X(t, a) case T_##t: r = a; break;\nint pick(int t, int p) {{\n  int r = 0;\n  switch (t) {{\n  \
             X(A, p + {first})\n  X(B, p + 2)\n  case 9: r = 7; break;\n  }}\n  return r;\n}}\n"
        )
    };
    let project = Project::with_versions(&[&[("s.c", &text("1"))], &[("s.c", &text("10"))]]);
    for syntax in [&["--syntax"][..], &[]] {
        assert_eq!(project.statuses("v1", "v2", syntax), ["pick updated"]);
    }
}
