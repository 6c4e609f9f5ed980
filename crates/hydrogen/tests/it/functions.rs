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
