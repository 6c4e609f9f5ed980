//! `hydrogen expose`: an input on which two versions differ, that there is none, or what is missing.

use crate::project::{Project, Run};

const REACH: &str = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n    int x, y, o;\n    if (argc < 2) return 2;\n    x = atoi(argv[1]);\n    if (x > 0) {\n        \
    y = 3;\n        if (x - y > 0)\n            o = y;\n        else\n            o = 0;\n    } else\n        o = -1;\n    if (x > 20)\n        o = 10;\n    printf(\"%d\\n\", o);\n    return 0;\n}\n";

fn expose(old: &str, new: &str, options: &[&str]) -> (Project, Run) {
    let project = Project::with_versions(&[&[("a.c", old)], &[("a.c", new)]]);
    let run = project.hydrogen(&[&["expose", "v1..v2"], options].concat());
    (project, run)
}

/// What a command of the shell gives: its exit code, and what it prints.
fn sh(project: &Project, command: &str) -> (Option<i32>, String) {
    let run =
        std::process::Command::new("sh").arg("-c").arg(command).current_dir(project.root()).output().unwrap();
    (run.status.code(), String::from_utf8_lossy(&run.stdout).into_owned())
}

/// A person replays what was written in two commands, and the suite does not grow twice.
#[test]
fn a_difference_is_a_test() {
    let new = REACH.replace("y = 3", "y = 2");
    let (project, run) = expose(REACH, &new, &["-o", "tests", "--", "-1"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    for part in [
        "difference 1: standard output",
        "out: 0   | out: 2",
        "born",
        "y = 2",
        "came out",
        "natively, both the same",
    ] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    let folder = project.root().join("tests");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!((read("001/old.out"), read("001/new.out")), ("0\n".to_owned(), "2\n".to_owned()));
    // One command shows both; each alone says whose behaviour it is, by its exit code too.
    let (code, out) = sh(&project, "sh tests/001/replay.sh");
    assert_eq!(code, Some(0), "{out}");
    assert_eq!(out, "== old: exit 0\n0\n-- as the old version\n== new: exit 0\n2\n-- as the new version\n");
    assert_eq!(sh(&project, "sh tests/001/replay.sh old").0, Some(1));
    assert_eq!(sh(&project, "sh tests/001/replay.sh new").0, Some(0));
    // And so does a program that somebody built.
    sh(
        &project,
        "git show v1:a.c > old.c && cc -w old.c -o old && git show v2:a.c > new.c && cc -w new.c -o new",
    );
    assert_eq!(sh(&project, "sh tests/001/replay.sh ./old").0, Some(1));
    assert_eq!(sh(&project, "cd tests && sh 001/replay.sh ../new").0, Some(0));
    let suite = read("suite.json");
    let again = project.hydrogen(&["expose", "v1..v2", "-o", "tests", "--", "-1"]);
    assert_eq!((again.code, again.out), (run.code, run.out));
    assert_eq!(suite, read("suite.json"));
    let page = project.hydrogen(&["expose", "v1..v2", "--format", "html", "--no-native", "--", "-1"]);
    assert_eq!(page.code, Some(1), "{page:?}");
    assert!(
        page.out.starts_with("<!doctype html>") && page.out.contains("y = 3") && page.out.contains("y = 2"),
        "{}",
        page.out
    );
    // What was written is a test that is there already.
    let first = project.hydrogen(&["expose", "v1..v2", "--tests", "tests", "--format", "json"]);
    assert_eq!(first.code, Some(1), "{first:?}");
    let answer: serde_json::Value = serde_json::from_str(&first.out).unwrap();
    assert_eq!(answer["findings"][0]["how"], "the test 001");
    assert_eq!(answer["statistics"]["asked"], serde_json::json!({}));
}

#[test]
fn a_refactoring_is_proved() {
    let text = "#include <stdio.h>\n#include <stdlib.h>\nstatic int f(int x) { BODY }\nint main(int argc, char **argv) { if (argc > 1) printf(\"%d\\n\", f(atoi(argv[1]))); return 0; }\n";
    let (_, run) = expose(
        &text.replace("BODY", "int s = 0; for (int i = 0; i < x; i++) s ^= i; return s;"),
        &text.replace("BODY", "int sum = 0, i = 0; while (i < x) { sum ^= i; i++; } return sum;"),
        &["--", "3"],
    );
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("proved: f behave"), "{}", run.out);
}

#[test]
fn every_path_was_seen() {
    let text = "#include <stdlib.h>\nint main(int argc, char **argv) { int x = atoi(argv[1]); volatile int y = EXPRESSION; return y & 1; }\n";
    let (old, new) = (text.replace("EXPRESSION", "x & 3"), text.replace("EXPRESSION", "x & 5"));
    let (_, run) = expose(&old, &new, &["--inputs", "arg:1:int", "--", "3"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("on every pair of paths the same comes out"), "{}", run.out);
}

/// A change in a macro or a table only, code that nobody calls, and nothing at all.
#[test]
fn what_counts_as_a_change() {
    let text = "#include <stdio.h>\n#define WORD \"yes\"\nstatic const int table[3] = {1, 2, 3};\nint main(int argc, char **argv) { (void)argv; if (argc > 3) puts(WORD); return table[argc % 3]; }\n";
    let (_, run) = expose(text, &text.replace("yes", "no"), &["--no-native"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("out: yes | out: no"), "{}", run.out);
    let (_, run) = expose(text, &text.replace("2, 3}", "2, 4}"), &["--no-native"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let unused = format!("{text}int nobody(int x) {{ return x * 2; }}\n");
    let (_, run) = expose(text, &unused, &[]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("nobody calls it"), "{}", run.out);
    let (_, run) = expose(text, &format!("/* a comment */\n{text}"), &[]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("is the same"), "{}", run.out);
}

/// A program that one version alone has is compared with nothing: that is no proof.
#[test]
fn versions_without_a_common_entry() {
    let old = "int main(void) { return 1; }\n";
    let (_, run) = expose(old, &old.replace("main", "other"), &[]);
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.out.contains("only v1 has `main`"), "{}", run.out);
}

/// A host has more memory than the machine: what a program does without it is no difference unless it was seen natively.
#[test]
fn memory_that_only_the_machine_does_not_have() {
    let old = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n    \
        long n = argc > 1 ? atoi(argv[1]) : 0;\n    if (n < 1 || n > 8000) return 2;\n    char *p = malloc((size_t)n << 20);\n    \
        if (!p) { puts(\"none\"); return 1; }\n    p[0] = 1;\n    return 0;\n}\n";
    let new = old.replace("    if (!p) { puts(\"none\"); return 1; }\n", "");
    assert_ne!(old, new);
    let (_, run) = expose(old, &new, &["--budget", "15s", "--inputs", "arg:1:int", "--", "7000"]);
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.out.contains("not counted: "), "{}", run.out);
}

/// A table that a program fills from its command line is given more than it has room for.
#[test]
fn more_arguments_than_there_is_room_for() {
    let old = "#include <stdio.h>\n#include <stdlib.h>\nstatic int table[8];\nint main(int argc, char **argv) {\n    int n = 0, sum = 0;\n    \
        for (int i = 1; i < argc && n < 8; i++) table[n++] = atoi(argv[i]);\n    for (int i = 0; i < n; i++) sum += table[i];\n    \
        printf(\"%d\\n\", sum);\n    return 0;\n}\n";
    let (_, run) = expose(old, &old.replace("n < 8", "n <= 8"), &[]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.out.contains("out of bounds")
            || run.out.contains("out-of-bounds")
            || run.out.contains("overflow"),
        "{}",
        run.out
    );
}

#[test]
fn bad_input_is_said() {
    let (project, run) =
        expose("int f(void) { return 1; }\n", "int f(void) { return 2; }\n", &["--", "some", "arguments"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("no unit defines `main` in both versions"), "{}", run.err);
    let run = project.hydrogen(&["expose", "v1..v9"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    let (project, run) = expose(REACH, &REACH.replace("y = 3", "y = 2"), &["--tests", "nowhere"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("no such folder"), "{}", run.err);
    // A test that crashes both versions, and time that is over at once.
    project.write("suite/crash.args", "\n");
    let run = project.hydrogen(&[
        "expose",
        "v1..v2",
        "--tests",
        "suite",
        "--budget",
        "1ms",
        "--inputs",
        "arg:1:int",
        "--",
        "-1",
    ]);
    assert!(matches!(run.code, Some(1 | 3)), "{run:?}");
}

/// A function alone, of a library that has no `main`.
#[test]
fn a_function_is_called_alone() {
    let text = "struct s { int n; int v[4]; };\nint sum(struct s *p) { int t = 0; for (int i = 0; i LESS p->n && i < 4; i++) t ^= p->v[i]; return t; }\n";
    let (project, run) = expose(
        &text.replace("LESS", "<"),
        &text.replace("LESS", "<="),
        &["--function", "sum", "-o", "tests"],
    );
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("difference 1: memory") && run.out.contains("result = "), "{}", run.out);
    assert!(run.out.contains("natively, both the same"), "{}", run.out);
    let test = std::fs::read_to_string(project.root().join("tests/001/new_test.c")).unwrap();
    assert!(test.contains("sum("), "{test}");
    let (code, out) = sh(&project, "sh tests/001/replay.sh");
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("-- as the old version") && out.contains("-- as the new version"), "{out}");
    assert_eq!(sh(&project, "sh tests/001/replay.sh old").0, Some(1));
    let (_, run) = expose(
        "int twice(int x) { return x & 7 ? (x & 7) * 2 : 0; }\n",
        "int twice(int x) { return (x & 7) + (x & 7); }\n",
        &["--function", "twice"],
    );
    assert_eq!(run.code, Some(0), "{run:?}");
    let run = project.hydrogen(&["expose", "v1..v2", "--function", "nobody"]);
    assert_eq!(run.code, Some(2), "{run:?}");
}

const LIBRARY: &str = "#include \"lib.h\"\nstatic int digit(char c) { return c >= '0' && c <= '9'; }\nint value(const char *text) { int v = 0; if (!text) return -1; \
    while (digit(*text)) v = (v * 10 + *text++ - '0') % 1000; return v; }\n";

/// A library has no `main`, or only those of its tests: its functions are called, those that others can call first.
#[test]
fn a_library_is_called() {
    let header = ("lib.h", "int value(const char *text);\n");
    let new = LIBRARY.replace("c <= '9'", "c < '9'");
    let test = ("test_lib.c", "#include \"lib.h\"\nint main(void) { return value(\"12\") != 12; }\n");
    for others in [&[header][..], &[header, test]] {
        let files = |text: &'static str| [&[("lib.c", text)][..], others].concat();
        let (old, new) = (files(LIBRARY), files(Box::leak(new.clone().into_boxed_str())));
        let project = Project::with_versions(&[&old, &new]);
        let run = project.hydrogen(&["expose", "v1..v2", "-o", "tests"]);
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.out.contains("value(") && run.out.contains("functions are called alone"), "{}", run.out);
        assert!(run.out.contains("natively, both the same"), "{}", run.out);
        assert!(project.root().join("tests/001/new_test.c").is_file());
    }
    // What only adds a function changes nothing for those who were there.
    let more = format!("{LIBRARY}int more(int x) {{ return x + value(\"1\"); }}\n");
    let project = Project::with_versions(&[&[("lib.c", LIBRARY), header], &[("lib.c", &more), header]]);
    let run = project.hydrogen(&["expose", "v1..v2"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("no function that both versions have"), "{}", run.out);
}

/// Of several programs, one that comes to the change is chosen, and the reader is told.
#[test]
fn one_of_several_programs_is_chosen() {
    let common = "int step(int x) { return x + 1; }\n";
    let one = "int main(void) { return 0; }\n";
    let two = "#include <stdlib.h>\nint step(int x);\nint main(int argc, char **argv) { return argc > 1 ? step(atoi(argv[1])) & 7 : 0; }\n";
    let project = Project::with_versions(&[
        &[("common.c", common), ("one.c", one), ("two.c", two)],
        &[("common.c", &common.replace("+ 1", "+ 2")), ("one.c", one), ("two.c", two)],
    ]);
    let run = project.hydrogen(&["expose", "v1..v2"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("the program of two.c; there are others (one.c)"), "{}", run.out);
    assert!(
        run.out.contains("difference 1: end (") && run.out.contains("natively, both the same"),
        "{}",
        run.out
    );
}

/// A pattern and a line must fit each other before anything comes out: made of inputs that are there, not asked for bit by bit.
#[test]
fn parts_of_an_input_fit_each_other() {
    let text = "#include <stdio.h>\n#include <string.h>\nint main(int argc, char **argv) {\n    char line[32], set[32];\n    int n = 0;\n    if (argc < 2 || argv[1][0] != '[') return 1;\n    \
        for (const char *p = argv[1] + 1; *p && *p != ']' && n < 30; p++) {\n        if (*p == '@' && p[1]) p++;\n        set[n++] = *p;\n    }\n    set[n] = 0;\n    \
        while (fgets(line, sizeof line, stdin))\n        for (char *c = line; *c; c++) putchar(strchr(set, *c) && n > 1 ? '#' : *c);\n    return 0;\n}\n";
    let (_, run) =
        expose(text, &text.replace("if (*p == '@' && p[1]) p++;", ""), &["--no-native", "--", "abc"]);
    assert_eq!(run.code, Some(1), "{run:?}");
}

const W8: &str = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nstatic unsigned char *sel, starts[64]; static size_t hi_end, tail_from; static int have_delim;\n\
static int selected(size_t k) { return sel[k]; }\nstatic void note_start(size_t k) { if (k < sizeof starts) starts[k] = 1; }\nstatic void plan(const char *spec) {\n  size_t lo[8], hi[8]; int n = 0;\n\
  while (*spec && n < 8) { char *e; size_t a = strtoul(spec,&e,10), b = a;\n    if (*e=='-') { e++; if (*e>='0'&&*e<='9') b = strtoul(e,&e,10); else b = 0; }\n\
    if (!b) { if (!tail_from || a < tail_from) tail_from = a; }\n    else { lo[n]=a; hi[n]=b; n++; if (b > hi_end) hi_end = b; }\n    if (e == spec) break;\n    spec = *e==',' ? e+1 : e; }\n\
ALLOCATE\n  for (int r=0;r<n;r++) { note_start(lo[r]); for (size_t k=lo[r];k<=hi[r];k++) sel[k]=1; }\n  if (have_delim && tail_from GUARD\n      && !selected(tail_from)) note_start(tail_from);\n}\n\
int main(int argc, char **argv) {\n  if (argc < 4 || strlen(argv[2]) > 8) return 2;\n  have_delim = argv[1][0] != 0;\n  plan(argv[2]);\n  size_t k = 1; int any = 0;\n\
  for (const char *c = argv[3]; *c; c++, k++)\n    if ((tail_from && k >= tail_from) || (k <= hi_end && sel[k])) { if (k < sizeof starts && starts[k] && any && have_delim) putchar(argv[1][0]); putchar(*c); any = 1; }\n  putchar(10);\n  return 0;\n}\n";

/// W8: an overflow that needs a finite range, an open one behind it and a delimiter, found without any assertion in the code.
#[test]
fn an_overflow_is_found() {
    let old = W8
        .replace("ALLOCATE", "  if (hi_end < tail_from) hi_end = tail_from;\n  sel = calloc(hi_end+1,1);")
        .replace("GUARD", "");
    let new =
        W8.replace("ALLOCATE", "  if (hi_end)\n    sel = calloc(hi_end+1,1);").replace("GUARD", "&& hi_end");
    let (_, run) = expose(&old, &new, &["--budget", "4m", "--golden", "v1", "--", ",", "2-3", "hello"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("fault: ") && run.out.contains("regression"), "{}", run.out);
}

const LINES: &str = "#include <stdio.h>\n#include <string.h>\n#include \"lib.h\"\nint value(const char *line, char *out) {\n    const char *at = line;\n    if (strncmp(line, \"set \", 4)) return 0;\n    \
    at = SEARCH;\n    if (!at || !at[1]) return 0;\n    strcpy(out, at + 1);\n    return 1;\n}\nint each(FILE *in, int (*handle)(const char *, void *), void *user) {\n    char line[200], out[200];\n    int n = 0;\n    \
    while (fgets(line, sizeof line, in))\n        if (value(line, out)) n += handle(out, user);\n    return n;\n}\n";

/// A library that is used through files and functions of its callers, with an example and data beside it: what is found runs in both versions.
#[test]
fn a_library_that_reads_files() {
    let header = (
        "lib.h",
        "#include <stdio.h>\nint each(FILE *in, int (*handle)(const char *, void *), void *user);\n",
    );
    let example = (
        "examples/show.c",
        "#include \"../lib.h\"\nstatic int show(const char *text, void *user) { (void)user; fputs(text, stdout); return 1; }\n\
         int main(int argc, char **argv) {\n    FILE *in = argc > 1 ? fopen(argv[1], \"r\") : NULL;\n    return in ? each(in, show, NULL) == 0 : 2;\n}\n",
    );
    let data = ("tests/some.conf", "# a comment\nset a=1\nset b:2=3\nset c\n");
    let (old, new) = (
        LINES.replace("int value", "static int value").replace("SEARCH", "strchr(line, '=')"),
        LINES.replace("int value", "static int value").replace("SEARCH", "strpbrk(line, \"=:\")"),
    );
    let project = Project::with_versions(&[
        &[("lib.c", &old), header, example, data],
        &[("lib.c", &new), header, example, data],
    ]);
    let run = project.hydrogen(&["expose", "v1..v2", "-o", "found", "--budget", "40s"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let (code, out) = sh(&project, "sh found/001/replay.sh");
    assert_eq!(code, Some(0), "{out}\n{}", run.out);
}

/// How far the change gets, and why it stops, where that is asked for.
#[test]
fn what_stops_a_change_is_said() {
    let text = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n    int x = argc > 1 ? atoi(argv[1]) : 0;\n    int y = LIMIT;\n    \
        if (x % 2 == 0 && x > 7 && x < 9)\n        y = 8;\n    puts(y > 5 ? \"large\" : \"small\");\n    return 0;\n}\n";
    let (_, run) = expose(
        &text.replace("LIMIT", "6"),
        &text.replace("LIMIT", "7"),
        &["--explain", "--no-native", "--inputs", "arg:1:int", "--", "3"],
    );
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(
        run.out.contains("changed  a.c:5") && run.out.contains("gives the same in both versions"),
        "{}",
        run.out
    );
    let (_, page) = expose(
        &text.replace("LIMIT", "6"),
        &text.replace("LIMIT", "3"),
        &["--explain", "--no-native", "--format", "html", "--", "3"],
    );
    assert!(page.out.contains("how far the change gets"), "{}", page.out);
}

/// Tests that crash both versions, that do not end, and time that is over: what is said, and the exit code.
#[test]
fn tests_that_do_not_come_to_an_end() {
    let text = "#include <stdlib.h>\nint main(int argc, char **argv) {\n    int x = argc > 1 ? atoi(argv[1]) : 0;\n    if (x == 1) abort();\n    if (x == 2) return *(volatile int *)0;\n    \
        while (x == 3) argc++;\n    return x > 1000 ? CODE : 0;\n}\n";
    let (old, new) = (text.replace("CODE", "1"), text.replace("CODE", "2"));
    let project = Project::with_versions(&[&[("a.c", &old)], &[("a.c", &new)]]);
    project.write("tests.txt", "1\n2\n3\n");
    let search = ["expose", "v1..v2", "--tests", "tests.txt", "--steps", "200000", "--no-native"];
    let run = project.hydrogen(&[&search[..], &["--budget", "30s"]].concat());
    assert_eq!(run.code, Some(1), "{run:?}");
    let run = project.hydrogen(&[&search[..], &["--budget", "1ms"]].concat());
    assert!(matches!(run.code, Some(1 | 3)), "{run:?}");
    if run.code == Some(3) {
        assert!(run.out.contains("--budget gives more"), "{}", run.out);
    }
}

/// Options of the program, with arguments that fit, where nobody gave a command line.
#[test]
fn several_options_are_needed() {
    let text = "#include <getopt.h>\n#include <stdio.h>\n#include <string.h>\nint main(int argc, char **argv) {\n    \
        static const struct option names[] = {{\"wide\", no_argument, 0, 'w'}, {\"separator\", required_argument, 0, 's'}, {0, 0, 0, 0}};\n    \
        int wide = 0, c;\n    const char *separator = \" \";\n    \
        while ((c = getopt_long(argc, argv, \"ws:\", names, 0)) != -1) {\n        if (c == 'w') wide = 1;\n        else if (c == 's') separator = optarg;\n        else return 2;\n    }\n    \
        if (optind >= argc) { fputs(\"an operand is missing\\n\", stderr); return 1; }\n    \
        for (int i = optind; i < argc; i++)\n        printf(\"%*s%s\", wide && separator[0] == ',' ? WIDTH : 1, argv[i], separator);\n    return 0;\n}\n";
    let (_, run) =
        expose(&text.replace("WIDTH", "1"), &text.replace("WIDTH", "5"), &["--budget", "2m", "--no-native"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("difference 1: standard output"), "{}", run.out);
}

/// A message in other words is told, and does not hide what else changed; where words are all that changed, they are the answer.
#[test]
fn words_do_not_hide_a_difference() {
    let old = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n    \
        if (argc != 2) { fputs(\"one argument is needed\\n\", stderr); return 1; }\n    int x = atoi(argv[1]);\n    printf(\"%d\\n\", x > 11 ? 1 : 0);\n    return 0;\n}\n";
    let words = old.replace("one argument is needed", "usage: give a number");
    let (_, run) = expose(old, &words, &["--no-native"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("words of messages alone") && !run.out.contains("difference 2"), "{}", run.out);
    let (_, run) = expose(old, &words.replace("x > 11", "x > 12"), &["--no-native"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("out: 0") && run.out.contains("out: 1"), "{}", run.out);
}

/// musl sets `errno` for an empty number, glibc does not: that is no difference of the program where it is built with the latter.
#[test]
fn what_only_the_machines_library_does_is_not_counted() {
    if !hydrogen_program::CLibrary::is_another() {
        return;
    }
    let old = "#include <errno.h>\n#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n    \
        if (argc != 2) return 1;\n    errno = 0;\n    long x = strtol(argv[1], 0, 10);\n    \
        if (argv[1][0] == 0) printf(\"%d\\n\", 0);\n    return x == 7;\n}\n";
    let (_, run) = expose(old, &old.replace("\\n\", 0)", "\\n\", errno)"), &["--budget", "6s", "--", ""]);
    assert!(run.out.contains("not counted: with the platform's own C library"), "{run:?}");
    assert_eq!(run.code, Some(3), "{run:?}");
}

/// A version that is right, with messages of its own: only what the new version does wrong ends the search.
#[test]
fn the_right_version_may_say_it_in_other_words() {
    let text = |message: &str, limit: u32| {
        format!(
            "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {{\n    if (argc != 2) {{ fputs(\"{message}\\n\", stderr); return 1; }}\n    \
             printf(\"%d\\n\", atoi(argv[1]) > {limit});\n    return 0;\n}}\n"
        )
    };
    let project = Project::with_versions(&[
        &[("a.c", &text("a number is missing", 11))],
        &[("a.c", &text("no number was given", 12))],
        &[("a.c", &text("usage: a NUMBER", 11))],
    ]);
    let run = project.hydrogen(&["expose", "v1..v2", "--golden", "v3", "--no-native"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains(", regression") && run.out.contains("arguments: 12"), "{}", run.out);
}

/// A program that walks over its arguments by itself: its options are the letters among which `main` chooses.
#[test]
fn options_without_getopt() {
    let text = "#include <stdio.h>\nint main(int argc, char **argv) {\n    int count = 0, quiet = 0, all = 0, i;\n    \
        for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1]; i++)\n        switch (argv[i][1]) {\n        case 'c': count = 1; break;\n        case 'q': quiet = 1; break;\n        \
        case 'a': all = 1; break;\n        default: return 2;\n        }\n    \
        if (i < argc) puts(count && quiet && !all ? \"WORD\" : argv[i]);\n    return 0;\n}\n";
    let (_, run) = expose(
        &text.replace("WORD", "some"),
        &text.replace("WORD", "none"),
        &["--budget", "2m", "--no-native"],
    );
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("-c") && run.out.contains("-q"), "{}", run.out);
}

/// What shows a change of a library needs a set, a flag and a letter that fit each other; its tests give calls that are near to that.
#[test]
fn tests_of_a_library_say_what_it_is_called_with() {
    let lib = "#include <ctype.h>\n#include \"lib.h\"\nint find(const char *re, const char *s, int len, int flags) {\n    for (int i = 0; i < len; i++) {\n        const char *p = re;\n        \
        if (*p != '[') {\n            if (*p == s[i]) return i;\n            continue;\n        }\n        for (p++; *p && *p != ']'; p++) {\n            \
        if (p[1] == '-' && p[2] && p[2] != ']') {\n                if (flags AND 4 ? tolower(s[i]) >= tolower(p[0]) && tolower(s[i]) <= tolower(p[2]) : s[i] >= p[0] && s[i] <= p[2]) return i;\n                \
        p += 2;\n            } else if (*p == s[i]) return i;\n        }\n    }\n    return -1;\n}\n";
    let header = ("lib.h", "int find(const char *re, const char *s, int len, int flags);\n");
    let test = (
        "test.c",
        "#include \"lib.h\"\nint main(void) { return find(\"[a-f]\", \"1c2\", 3, 0) != 1 || find(\"c\", \"12c\", 3, 2) != 2; }\n",
    );
    let (old, new) = (lib.replace("AND", "&&"), lib.replace("AND", "&"));
    let project =
        Project::with_versions(&[&[("lib.c", &old), header, test], &[("lib.c", &new), header, test]]);
    let run = project.hydrogen(&["expose", "v1..v2", "--budget", "2m", "--no-native"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("find("), "{}", run.out);
}

/// Several differences are wanted: none of them is the same again with other numbers.
#[test]
fn differences_are_not_told_twice() {
    let text = "#include <stdio.h>\n#include <stdlib.h>\nstatic int f(int x, int y) {\n    if (y == 7) return SEVEN;\n    if (x > 3) return MORE;\n    return x;\n}\n\
        int main(int argc, char **argv) { if (argc > 2) printf(\"%d\\n\", f(atoi(argv[1]), atoi(argv[2]))); return 0; }\n";
    let (_, run) = expose(
        &text.replace("SEVEN", "1").replace("MORE", "5"),
        &text.replace("SEVEN", "2").replace("MORE", "6"),
        &["--findings", "2", "--no-native", "--format", "json"],
    );
    assert_eq!(run.code, Some(1), "{run:?}");
    let answer: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let found: Vec<&str> = answer["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|one| one["new"]["stdout"].as_str())
        .collect();
    assert_eq!(found.len(), 2, "{}", run.out);
    assert_ne!(found[0], found[1], "{}", run.out);
}

/// A test of the suite that both versions pass is where new ones come from: both of its path conditions lead to an input on which they part.
#[test]
fn a_test_that_passes_leads_to_one_that_does_not() {
    let text = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n    int x = argc > 1 ? atoi(argv[1]) : 0, y = argc > 2 ? atoi(argv[2]) : 0;\n    \
        if (y == 271828) puts(x > LIMIT ? \"more\" : \"less\");\n    return 0;\n}\n";
    let (old, new) = (text.replace("LIMIT", "1000"), text.replace("LIMIT", "1001"));
    let project = Project::with_versions(&[&[("a.c", &old)], &[("a.c", &new)]]);
    project.write("suite/passes.args", "5 271828\n");
    let run = project.hydrogen(&["expose", "v1..v2", "--tests", "suite", "--no-native"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("arguments: 1001 271828") && run.out.contains("found by asking"), "{}", run.out);
}

/// What people try a program with in their scripts is where the search begins: nobody guesses such a word.
#[test]
fn test_scripts_say_what_a_program_takes() {
    let text = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n    unsigned h = 7;\n    if (argc < 3) return 2;\n    \
        for (char *p = argv[1]; *p; p++) h = (h ^ (unsigned char)*p) * 16777619u;\n    if (h != HASHu) return 1;\n    puts(atoi(argv[2]) > LIMIT ? \"large\" : \"small\");\n    return 0;\n}\n";
    let hash = b"tangerine".iter().fold(7u32, |h, byte| (h ^ u32::from(*byte)).wrapping_mul(16_777_619));
    let text = text.replace("HASH", &hash.to_string());
    let (old, new) = (text.replace("LIMIT", "50"), text.replace("LIMIT", "51"));
    let script = ("tests/run.sh", "#!/bin/sh\ntest \"$(./a tangerine 3)\" = small || exit 1\n");
    let project = Project::with_versions(&[&[("a.c", &old), script], &[("a.c", &new), script]]);
    let run = project.hydrogen(&["expose", "v1..v2", "--no-native", "--budget", "20s"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("arguments: tangerine 51"), "{}", run.out);
}

/// What the build leaves out was not looked at: that nothing else changed is no answer.
#[test]
fn files_that_are_not_built_are_named() {
    let build = ("hydrogen.toml", "[build]\nsources = [\"a.c\"]\n");
    let main = ("a.c", "int main(void) { return 0; }\n");
    let (old, new) = ("int twice(int x) { return x * 2; }\n", "int twice(int x) { return x + 2; }\n");
    let project =
        Project::with_versions(&[&[build, main, ("more/b.c", old)], &[build, main, ("more/b.c", new)]]);
    let run = project.hydrogen(&["expose", "v1..v2"]);
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(
        run.out.contains("more/b.c changed and is not part of the program that was built"),
        "{}",
        run.out
    );
}

/// That a test changed says nothing of what it tests.
#[test]
fn functions_of_tests_are_not_called() {
    let lib = "int twice(int x) { return x * 2; }\nint half(int x) { return x / 2; }\n";
    let test = "#include <stdio.h>\nint twice(int);\nint works(void) { puts(\"twice\"); return twice(2) == 4; }\nint main(void) { return !works(); }\n";
    let project = Project::with_versions(&[
        &[("lib.c", lib), ("tests.c", test)],
        &[("lib.c", &lib.replace("x / 2", "x >> 1")), ("tests.c", &test.replace("(2) == 4", "(3) == 6"))],
    ]);
    let run = project.hydrogen(&["expose", "v1..v2", "--budget", "10s"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("half(") && !run.out.contains("works("), "{}", run.out);
}

/// A script that replays a test of a program that speaks to the machine brings along what it needs to be compiled anywhere.
#[test]
fn a_replay_brings_our_header_along() {
    let code = |least: u32| {
        format!(
            "#include <stdio.h>\n#include <hydrogen.h>\nint main(void) {{ int n; hydrogen_symbolic(&n, sizeof n, \"n\"); printf(\"%d\\n\", n > {least}); return 0; }}\n"
        )
    };
    let (project, run) = expose(&code(5), &code(6), &["-o", "tests"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let (code, out) = sh(&project, "sh tests/001/replay.sh 2>&1");
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("as the old version") && out.contains("as the new version"), "{out}");
}

/// Where what differs is not claimed, nobody says that every input gives the same.
#[test]
fn a_program_that_prints_the_time_does_not_give_the_same() {
    let code = |word: &str| {
        format!(
            "#include <stdio.h>\n#include <time.h>\nint main(void) {{ int c = getchar(); printf(\"%ld\\n\", (long)time(0)); if (c == 'x') puts(\"{word}\"); return 0; }}\n"
        )
    };
    let (_, run) = expose(&code("one"), &code("two"), &["--budget", "20s"]);
    assert!(!run.out.contains("gives the same"), "{run:?}");
    assert_ne!(run.code, Some(0), "{run:?}");
}

/// Where only what a program names as its output differs, the replay compares that.
#[test]
fn named_outputs_are_replayed() {
    let project = Project::new();
    let program = |limit: u32| {
        format!(
            "#include <hydrogen.h>\n#include <stdio.h>\nint main(void) {{ unsigned n = 0; hydrogen_symbolic(&n, sizeof n, \"n\"); \
             hydrogen_output(\"r\", n > {limit} ? -1 : 2); puts(\"same\"); return 0; }}\n"
        )
    };
    project.write("a.c", program(100));
    project.write("b.c", program(90));
    let run = project.hydrogen(&["expose", "a.c", "b.c", "-o", "tests", "--budget", "20s"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let (code, out) = sh(&project, "sh tests/001/replay.sh");
    assert_eq!(code, Some(0), "{out}");
    assert_eq!(sh(&project, "sh tests/001/replay.sh old").0, Some(1));
    assert_eq!(sh(&project, "sh tests/001/replay.sh new").0, Some(0));
}
