//! `hydrogen run`. Where the C library was not fetched, these tests say so and pass.

use crate::project::{Project, Run, run};

const OVERFLOW: &str = "#include <stdio.h>
#include <stdlib.h>

static char *make(int n)
{
\treturn malloc(n);
}

int main(int argc, char **argv)
{
\tchar *p = make(argc);
\tputs(\"hello\");
\tfflush(stdout);
\tp[argc] = 1;
\treturn 0;
}
";

/// The tool's answer; `None` without a C library.
fn answer(project: &Project, arguments: &[&str]) -> Option<Run> {
    let answer = project.hydrogen(arguments);
    if answer.err.contains("the C library is missing") {
        hydrogen_testkit::skip(&answer.err);
        return None;
    }
    Some(answer)
}

#[test]
fn a_heap_overflow_is_shown_with_its_lines() {
    let project = Project::new();
    project.write("overflow.c", OVERFLOW);
    let Some(run) = answer(&project, &["run", "overflow.c", "--", "one", "two"]) else { return };
    assert_eq!(run.code, Some(1), "{run:?}");
    assert_eq!(run.out, "hello\n");
    let expected = [
        "fault: out of bounds write: write of 1 byte 0 bytes behind the end of a heap object of 3 bytes",
        "at main (overflow.c:14:10)",
        "| p[argc] = 1;",
        "allocated",
        "at make (overflow.c:6:9)",
        "| return malloc(n);",
    ];
    let mut rest = run.err.as_str();
    for words in expected {
        let at = rest.find(words).unwrap_or_else(|| panic!("`{words}` is not in order in {}", run.err));
        rest = &rest[at + words.len()..];
    }
}

#[test]
fn json_has_everything() {
    let project = Project::new();
    project.write("overflow.c", OVERFLOW);
    let Some(run) = answer(&project, &["run", "overflow.c", "--format", "json"]) else { return };
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(json["end"]["fault"], "out-of-bounds-write");
    assert_eq!(json["end"]["stack"][0]["line"], 14);
    assert_eq!(json["end"]["object"]["allocated"][0]["function"], "make");
    assert_eq!(json["stdout"], "hello\n");
    assert!(json["statistics"]["instructions"].as_u64().unwrap() > 100);
}

#[test]
fn status_input_environment_and_files() {
    let project = Project::new();
    project.write(
        "main.c",
        "#include <stdio.h>\n#include <stdlib.h>\nint helper(int);\nint main(void) { char b[20]; FILE *f = fopen(\"in.txt\", \"r\"); fgets(b, 20, f); \
         fclose(f); printf(\"%s%s %d\\n\", b, getenv(\"WHO\"), getchar()); f = fopen(\"out.txt\", \"w\"); fputs(\"made\", f); fclose(f); return helper(VALUE); }",
    );
    project.write("helper.c", "int helper(int n) { return n + 2; }");
    project.write("data/in.txt", "mapped\n");
    project.write("stdin", "A");
    let arguments = [
        "run",
        "main.c",
        "helper.c",
        "--map",
        "data",
        "--stdin",
        "stdin",
        "--env",
        "WHO=me",
        "--cflags",
        "-DVALUE=5",
        "--files",
        "made",
        "--passthrough",
    ];
    let Some(run) = answer(&project, &arguments) else { return };
    assert_eq!((run.code, run.out.as_str()), (Some(7), "mapped\nme 65\n"), "{run:?}");
    assert_eq!(std::fs::read(project.root().join("made/out.txt")).unwrap(), b"made");
    assert!(!project.root().join("data/out.txt").exists());
}

#[test]
fn a_version_runs_as_it_was() {
    let first = [
        (
            "prog.c",
            "#include <stdio.h>\nint answer(void);\nint main(void) { printf(\"%d\\n\", answer()); return 0; }",
        ),
        ("answer.c", "int answer(void) { return 1; }"),
        ("tool.c", "int main(void) { return 9; }"),
    ];
    let second = [("answer.c", "int answer(void) { return 2; }")];
    let project = Project::with_versions(&[&first, &second]);
    let Some(run) = answer(&project, &["run", "v1", "--unit", "prog.c"]) else { return };
    assert_eq!((run.code, run.out.as_str()), (Some(0), "1\n"), "{run:?}");
    assert_eq!(project.hydrogen(&["run", "v2", "--unit", "prog.c"]).out, "2\n");
    let run = project.hydrogen(&["run", "v2"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("--unit") && run.err.contains("tool.c"), "{}", run.err);
}

#[test]
fn limits_and_gaps_are_told_apart() {
    let project = Project::new();
    project.write("endless.c", "int main(void) { for (;;) ; }");
    project.write("gap.c", "void nowhere(void);\nint main(void) {\n nowhere();\n}");
    project.write("asm.c", "int main(void) { __asm__(\"rdtscp\"); return 0; }");
    project.write("none.c", "int f(void) { return 0; }");
    let check = |arguments: &[&str], code: i32, words: &[&str]| {
        let Some(run) = answer(&project, arguments) else { return };
        assert_eq!(run.code, Some(code), "{run:?}");
        words.iter().for_each(|word| assert!(run.err.contains(word), "`{word}` is not in {}", run.err));
    };
    check(&["run", "endless.c", "--steps", "100000"], 3, &["the limit on steps", "endless.c:1"]);
    check(&["run", "gap.c"], 2, &["`nowhere`", "gap.c:3"]);
    check(&["run", "asm.c"], 3, &["rdtscp", "asm.c:1"]);
    check(&["run", "none.c"], 2, &["no unit defines `main`", "--entry"]);
    check(&["run", "none.c", "--entry", "f"], 0, &["exit status 0"]);
    check(&["run", "missing.c"], 2, &["does not exist"]);
}

#[test]
fn without_the_library_plain_programs_still_run() {
    let project = Project::new();
    project.write("plain.c", "int main(int argc, char **argv) { return argc; }");
    project.write("library.c", "int puts(const char *);\nint main(void) {\n puts(\"x\");\n return 0; }");
    let without =
        |arguments: &[&str]| run(project.command().env("HYDROGEN_MUSL", "/nowhere").args(arguments));
    let plain = without(&["run", "plain.c", "--passthrough", "--", "x"]);
    assert_eq!(plain.code, Some(2), "{plain:?}");
    assert!(plain.err.contains("the C library is missing"), "{plain:?}");
    let library = without(&["run", "library.c"]);
    assert_eq!(library.code, Some(2));
    assert!(library.err.contains("`puts`") && library.err.contains("library.c:3"), "{library:?}");
}

/// A program that reads more than its memory holds gets the null pointer, as natively, and the ledger says so.
#[test]
fn input_larger_than_the_memory_is_survived() {
    let project = Project::new();
    project.write(
        "big.c",
        "#include <stdio.h>\n#include <stdlib.h>\nint main(void) {\n\tsize_t size = 0, room = 1 << 16, got;\n\tchar *all = malloc(room);\n\
         \twhile ((got = fread(all + size, 1, room - size, stdin)) > 0)\n\t\tif ((size += got) == room) {\n\
         \t\t\tchar *more = realloc(all, room *= 2);\n\t\t\tif (!more) { free(all); return 5; }\n\t\t\tall = more;\n\t\t}\n\
         \tprintf(\"%zu\\n\", size);\n\tfree(all);\n\treturn 0;\n}\n",
    );
    project.write("in", vec![b'x'; 3_000_000]);
    let arguments = ["run", "big.c", "--stdin", "in", "--memory", "1M", "--passthrough"];
    let Some(run) = answer(&project, &arguments) else { return };
    assert_eq!(run.code, Some(5), "{run:?}");
    assert!(run.err.contains("memory is full"), "{}", run.err);
    assert_eq!(project.hydrogen(&["run", "big.c", "--stdin", "in"]).out, "3000000\n");
}

const LIST: &str = "struct node { struct node *next; int n; };
static int sum(const int *a, int n) { int s = 0; while (n--) s += *a++; return s; }
int max3(int a, int b, int c) { int m = a > b ? a : b; return m > c ? m : c; }
int length(struct node *p) { int n = 0; while (p && n < 3) { p = p->next; n++; } return n; }
int use(void) { return sum(0, 0); }
";

#[test]
fn a_function_is_called_with_its_arguments() {
    let project = Project::new();
    project.write("list.c", LIST);
    let arguments = ["run", "list.c", "--function", "sum", "--native", "--", "[1,2,-9]", "3"];
    let Some(run) = answer(&project, &arguments) else { return };
    assert_eq!(run.code, Some(0), "{run:?}");
    for line in ["hydrogen:   result = -6\n", "hydrogen:   a[2] = -9\n", "hydrogen: natively the same\n"] {
        assert!(run.err.contains(line), "{run:?}");
    }
    let run = project.hydrogen(&["run", "list.c", "--function", "sum", "--", "[1,2]", "3"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.err.contains("out of bounds read"), "{run:?}");
}

#[test]
fn a_function_is_no_entry_point() {
    let project = Project::new();
    project.write("list.c", LIST);
    let Some(run) = answer(&project, &["explore", "list.c", "--entry", "max3"]) else { return };
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("call it with --function max3"), "{run:?}");
}

#[test]
fn a_function_finds_globals_functions_and_numbers_and_native_tests_agree() {
    let project = Project::new();
    let source = "static int mode = 5; void set(int m) { mode = m; }\n\
        static int twice(int n) { return 2 * n; } int (*const all[])(int) = {twice};\n\
        int use(int (*run)(int), double weight) { if (!run) return mode == 3; return weight > 2.0 ? run(mode) : 0; }\n";
    project.write("use.c", source);
    let arguments = ["explore", "use.c", "--function", "use", "--all", "--native"];
    let Some(run) = answer(&project, &arguments) else { return };
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("natively, 3 of 3 tests do the same"), "{run:?}");
    assert!(run.out.contains("global variables that it reads may hold anything"), "{run:?}");
}

#[test]
fn a_function_is_explored_with_its_memory() {
    let project = Project::new();
    project.write("list.c", LIST);
    let Some(run) = answer(&project, &["explore", "list.c", "--function", "length", "--all", "-o", "tests"])
    else {
        return;
    };
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("complete within --shape depth=3,elements=4"), "{run:?}");
    assert!(run.out.contains("length(p = &<p>) with <p>: 16 bytes, p->next = &<p>"), "{run:?}");
    let again = ["run", "list.c", "--function", "length", "--native", "--test", "tests/0002.json"];
    let run = project.hydrogen(&again);
    assert!(run.err.contains("natively the same"), "{run:?}");
}
