//! `hydrogen why`: which statement makes a test fail since the change.

use crate::project::{Project, Run};

const OLD: &str = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n  int x = atoi(argv[1]), y = atoi(argv[2]), out;\n  out = 0;\n\
    if (x + y == 10) {\n    if (y < 8) {\n      if (x > 4) out = 1;\n      else out = -1;\n    }\n  }\n  printf(\"%d\\n\", out);\n  return 0;\n}\n";

/// E-12 as a program with arguments.
fn new() -> String {
    let swapped = OLD.replace("x + y == 10", "?").replace("y < 8", "x + y == 10").replace('?', "y < 8");
    swapped.replace("x > 4", "x - y >= 1")
}

fn why(old: &str, new: &str, options: &[&str]) -> Run {
    let project = Project::with_versions(&[&[("a.c", old)], &[("a.c", new)]]);
    project.hydrogen(&[&["why", "v1..v2"], options].concat())
}

#[test]
fn the_wrong_comparison_is_the_answer() {
    let run = why(OLD, &new(), &["--", "5", "5"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let first = run.out.lines().next().unwrap_or("");
    assert!(first.starts_with("a.c:8: `x - y >= 1` was `x > 4`; when it decides otherwise"), "{run:?}");
    assert!(!run.out.contains("\n  2. "), "the other tests only changed places: {run:?}");
    assert_eq!(run.out.matches("runs are the same natively").count(), 2, "{run:?}");
    let run = why(OLD, &new(), &["--format", "json", "--", "5", "5"]);
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(json["suspects"].as_array().map(Vec::len), Some(1), "{run:?}");
    assert_eq!(json["suspects"][0]["statement"]["line"], 8, "{run:?}");
    assert_eq!(json["suspects"][0]["passes"], true, "{run:?}");
}

#[test]
fn nothing_to_explain() {
    let run = why(OLD, &new(), &["--", "6", "4"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.out.starts_with("both versions do the same with this input"), "{run:?}");
    let run = why(OLD, OLD, &["--", "5", "5"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.starts_with("equivalent path conditions"), "{run:?}");
    let run = why(OLD, &new(), &["--input", "nonsense"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("no such file"), "{run:?}");
    let run = why(OLD, &new(), &["--of", "smell", "--", "5", "5"]);
    assert_eq!(run.code, Some(2), "{run:?}");
}

const MAKEFILE: &str = "prog: prog.c\n\tcc -o prog prog.c\n\ncheck: prog\n\t./prog 2 2 | grep -q 0\n\techo '5 5' > in.txt; ./prog 5 5 | grep -qx 1\n\nclean:\n\trm -f prog\n";

#[test]
fn a_test_of_a_project_is_enough() {
    let project = Project::with_versions(&[
        &[("Makefile", MAKEFILE), ("prog.c", OLD)],
        &[("Makefile", MAKEFILE), ("prog.c", &new())],
    ]);
    let run = project.hydrogen(&["why", "v1..v2", "--test", "make check"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.starts_with("prog.c:8: `x - y >= 1` was `x > 4`"), "{run:?}");
    for (test, said) in [
        ("true", "the test passes in both versions"),
        ("false", "the test fails in both versions"),
        ("make check 2>/dev/null && exit 1; exit 0", "ask the other way round"),
        ("exit $(($(od -An -N1 -tu1 /dev/urandom) % 120 + 1))", "the test is flaky"),
    ] {
        let run = project.hydrogen(&["why", "v1..v2", "--test", test]);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.out.contains(said), "{test}: {run:?}");
    }
}

#[test]
fn the_users_oracle_decides_what_passes() {
    let run = why(OLD, &new(), &["--oracle", "grep -qx 1", "--", "5", "5"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.out.contains("passes: both give \"1\\n\"") && run.out.contains("fails: \"-1\\n\""),
        "{run:?}"
    );
}

const COUNT: &str = "#include <stdio.h>\nint main(void) {\n  int c, n = 0;\n  while ((c = getchar()) != EOF)\n    if (c == 'a') n++;\n  printf(\"%d\\n\", n);\n  return 0;\n}\n";

#[test]
fn the_page_and_a_smaller_input() {
    let new = COUNT.replace("n++", "n += 2");
    let project = Project::with_versions(&[&[("a.c", COUNT)], &[("a.c", &new)]]);
    project.write("in.txt", "bbb\nxyz\nbab\nqqq\n");
    let run = project.hydrogen(&["why", "v1..v2", "--stdin", "in.txt", "--reduce", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(json["input"]["stdin"], "a", "{run:?}");
    assert_eq!(json["suspects"][0]["statement"]["line"], 5, "{run:?}");
    let run = project.hydrogen(&["why", "v1..v2", "--stdin", "in.txt", "--format", "html"]);
    assert!(run.out.contains("class=\"suspect\"><td class=\"n\">5</td>"), "{run:?}");
    assert!(run.out.contains("<h2>v1: a.c</h2>") && !run.out.contains("<script"), "{run:?}");
    // Both runs, statement by statement: what is printed is the first value of both versions that differs.
    let name = "<h2>v2: the run, from shortly before it differs (+)</h2>";
    let (_, runs) = run.out.split_once(name).expect("the new run");
    assert!(runs.contains("<td class=\"n\">6</td><td class=\"m\">+</td>"), "{runs}");
    let run = project.hydrogen(&["why", "v1..v2", "--stdin", "in.txt", "--format", "md"]);
    assert!(run.out.starts_with("**a.c:5: `n += 2` was `n++`"), "{run:?}");
}

#[test]
fn the_commit_is_found_first() {
    let test = "cc -o p a.c && test $(printf aba | ./p) = 2";
    let broken = COUNT.replace("n++", "n += 2");
    let project = Project::with_versions(&[
        &[("a.c", COUNT)],
        &[("b.txt", "one")],
        &[("a.c", &broken)],
        &[("b.txt", "two")],
    ]);
    let run = project.hydrogen(&["why", "v1..v4", "--test", test, "--bisect"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let commit = project.git(&["rev-parse", "v3"]);
    assert!(run.out.contains(&format!("since {}", &commit[..10])), "{run:?}");
    assert!(run.out.starts_with("a.c:5: `n += 2` was `n++`"), "{run:?}");
}

/// Reads a file by a name of its own, and a variable of the environment.
const SCALE: &str = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nint main(void) {\n  FILE *f = fopen(\"data.txt\", \"r\");\n  \
    const char *mode = getenv(\"MODE\");\n  int n = 0;\n  if (f == NULL) return 2;\n  if (fscanf(f, \"%d\", &n) != 1) return 3;\n  fclose(f);\n  \
    if (mode && strcmp(mode, \"double\") == 0)\n    n = n * 2;\n  printf(\"%d\\n\", n);\n  return 0;\n}\n";

/// The file is gone when the test has ended, and lies where the program is started.
const SCRIPT: &str = "set -e\ncc -o scale scale.c\nhere=$PWD\nd=$(mktemp -d)\nprintf '5\\n' > $d/data.txt\ncd $d\nout=$(MODE=double $here/scale)\n\
    cd $here\nrm -r $d\ntest \"$out\" = 10\n";

#[test]
fn a_script_with_files_and_variables_is_replayed() {
    let broken = SCALE.replace("n * 2", "n + 2");
    let project = Project::with_versions(&[
        &[("scale.c", SCALE), ("test.sh", SCRIPT)],
        &[("scale.c", &broken), ("test.sh", SCRIPT)],
    ]);
    let run = project.hydrogen(&["why", "v1..v2", "--test", "sh test.sh"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.starts_with("scale.c:12: `n = n + 2` was `n = n * 2`"), "{run:?}");
    assert!(run.out.contains("\"10\\n\" in v1, \"7\\n\" in v2"), "{run:?}");
}

const LIBRARY: &str = "int clamp(int x, int high) {\n  if (x > high)\n    return high;\n  return x;\n}\n";
const UNIT_TEST: &str = "#include <stdio.h>\nint clamp(int, int);\nstatic int failed;\nstatic void check(int is, int wanted) {\n  \
    if (is != wanted) { printf(\"%d is not %d\\n\", is, wanted); failed = 1; }\n}\nint main(void) {\n  check(clamp(1, 5), 1);\n  check(clamp(9, 5), 5);\n  return failed;\n}\n";
const LIBRARY_MAKEFILE: &str = "libclamp.a: clamp.o\n\tar rcs libclamp.a clamp.o\n\ntest/other: test/other.c libclamp.a\n\tcc -o $@ $^\n\n\
    test/units: test/units.c libclamp.a\n\tcc -o $@ test/units.c -L. -lclamp\n\ncheck: test/other test/units\n\t./test/other\n\tcd test && ./units\n";

/// The build of the library makes no program at all; the test makes two, and the second one fails.
#[test]
fn the_program_of_a_unit_test_is_explained() {
    let other = "int clamp(int, int);\nint main(void) { return clamp(2, 3) != 2; }\n";
    let files = |library: &'static str| {
        vec![
            ("clamp.c", library),
            ("test/units.c", UNIT_TEST),
            ("test/other.c", other),
            ("Makefile", LIBRARY_MAKEFILE),
        ]
    };
    let broken = "int clamp(int x, int high) {\n  if (x > high)\n    return high - 1;\n  return x;\n}\n";
    let project = Project::with_versions(&[&files(LIBRARY), &files(broken)]);
    let run = project.hydrogen(&["why", "v1..v2", "--test", "make check"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.starts_with("clamp.c:3: `return high - 1` was `return high`"), "{run:?}");
}

#[test]
fn threads_and_sockets_are_named_at_once() {
    let threads = "#include <pthread.h>\n#include <stdio.h>\nstatic void *work(void *p) { *(int *)p += 1; return 0; }\nint main(void) {\n  pthread_t t;\n  int n = 0;\n  \
        if (pthread_create(&t, 0, work, &n)) return 1;\n  pthread_join(t, 0);\n  printf(\"%d\\n\", n);\n  return 0;\n}\n";
    let run = why(threads, &threads.replace("+= 1", "+= 2"), &["--"]);
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(
        run.out.starts_with("v1 uses threads or processes, which runs that are looked into do not have"),
        "{run:?}"
    );
    assert!(run.out.contains("a.c:3 in work: `*(int *)p += 2`"), "{run:?}");
    let sockets = "#include <sys/socket.h>\nint main(void) { return socket(AF_INET, SOCK_STREAM, 0) < 0; }\n";
    let run = why(sockets, &sockets.replace("< 0", "<= 0"), &["--"]);
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.out.contains("v2 uses the network"), "{run:?}");
}

/// A member more moves all others: the statements that use them did not change.
#[test]
fn members_that_moved_are_no_suspects() {
    let old = "#include <stdio.h>\n#include <stdlib.h>\nstruct item { int size; int weight; };\n\
        static struct item *make(int size, int weight) {\n  struct item *it = calloc(1, sizeof(struct item));\n  it->size = size;\n  it->weight = weight;\n  return it;\n}\n\
        int main(int argc, char **argv) {\n  struct item *it = make(argc, atoi(argv[1]));\n  int cost = it->size * it->weight;\n  printf(\"%d\\n\", cost);\n  free(it);\n  return 0;\n}\n";
    let new = old
        .replace("struct item { int size;", "struct item { long id; int flags; int size;")
        .replace("it->size * it->weight", "it->size + it->weight");
    let run = why(old, &new, &["--", "7"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.starts_with("a.c:12: `int cost = it->size + it->weight`"), "{run:?}");
    for moved in ["means something else", "a.c:5 ", "a.c:6 ", "a.c:7 "] {
        assert!(!run.out.contains(moved), "{run:?}");
    }
}

#[test]
fn one_function_is_enough() {
    let old = "int clamp(int x, int high) {\n  if (x > high)\n    return high;\n  return x;\n}\n";
    let run = why(old, &old.replace("x > high", "x >= high - 1"), &["--function", "clamp", "--", "4", "5"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.starts_with("a.c:2: `x >= high - 1` was `x > high`"), "{run:?}");
    assert!(run.out.contains("result = 4") || run.out.contains("= 4"), "{run:?}");
}

#[test]
fn preconditions_and_metrics_are_told() {
    let run = why(OLD, &new(), &["--preconditions", "--", "5", "5"]);
    assert!(run.out.contains("what v2 gives stands on, and the other version does not:"), "{run:?}");
    assert!(run.out.contains("a.c:8 `x - y >= 1`:"), "{run:?}");
    for metric in ["branches", "statements", "blocks", "paths"] {
        let run = why(OLD, &new(), &["--mode", "tr2008", "--metric", metric, "--", "5", "5"]);
        assert_eq!(run.code, Some(1), "{metric}: {run:?}");
        assert!(run.out.contains("a.c:8"), "{metric}: {run:?}");
    }
    // Who wrote it is known, for versions that are commits.
    let run = why(OLD, &new(), &["--", "5", "5"]);
    assert!(run.out.contains("written in "), "{run:?}");
}

#[test]
fn a_finding_of_check_is_explained_without_an_input() {
    let old = "int get(const int *a, int n, int i) {\n  if (i < 0 || i >= n)\n    return -1;\n  return a[i];\n}\n\
        int main(int argc, char **argv) {\n  int a[4] = {1, 2, 3, 4};\n  return get(a, 4, argc);\n}\n";
    let new = old.replace("i >= n", "i > n");
    let project = Project::with_versions(&[&[("a.c", old)], &[("a.c", &new)]]);
    let run = project.hydrogen(&["why", "v1..v2", "--finding", "a.c:4"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.starts_with("a.c:4: "), "{run:?}");
    assert!(run.out.contains("the change comes to it at a.c:2: `i > n`"), "{run:?}");
    let run = project.hydrogen(&["why", "v1..v2", "--finding", "a.c:77"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("has no finding `a.c:77`"), "{run:?}");
}

#[test]
fn the_definition_behind_the_same_words_is_named() {
    let old = "#include <stdio.h>\n#define UP 1\n#define DOWN 2\nint main(int argc, char **argv) {\n  int way = UP;\n  if (argc > 1)\n    way = DOWN;\n  printf(\"%d\\n\", way);\n  return 0;\n}\n";
    let run = why(old, &old.replace("DOWN 2", "DOWN 3"), &["--", "x"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.out.starts_with(
            "a.c:7: `way = DOWN` means something else, for `#define DOWN 3` at a.c:3 was `#define DOWN 2`"
        ),
        "{run:?}"
    );
}

const DOUBLES: &str = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n  int x = atoi(argv[1]);\n  int y = x;\n  if (x > 100) y = x * 2;\n  printf(\"%d\\n\", y);\n  return 0;\n}\n";

/// The contract: what is above 100 is tripled. The new version triples it, and everything from 50 on as well.
#[test]
fn a_contract_decides_what_is_right() {
    let new = DOUBLES.replace("x > 100", "x >= 50").replace("x * 2", "x * 3");
    let project = Project::with_versions(&[&[("a.c", DOUBLES)], &[("a.c", &new)]]);
    let contract = "changed_behavior tripled:\n  requires \\number(\\arg(1)) > 100;\n  ensures \\number(\\out(stdout)) == 3 * \\number(\\arg(1));\n";
    project.write("tripled.chc", contract);
    let ask =
        |argument: &str| project.hydrogen(&["why", "v1..v2", "--contract", "tripled.chc", "--", argument]);
    let run = ask("101");
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.out.starts_with("the versions differ as the contract says"), "{run:?}");
    let run = ask("60");
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.starts_with("a.c:6: `x >= 50` was `x > 100`; when it decides otherwise"), "{run:?}");
    project.write("tripled.chc", "changed_behavior ensures \\out(stdout) == 3;");
    let run = ask("60");
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("tripled.chc: line 1, column"), "{run:?}");
}

/// Three starts go wrong: two for the same reason, one for another.
#[test]
fn every_start_that_goes_wrong_is_looked_into() {
    let old = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n  int x = atoi(argv[2]);\n  if (argv[1][0] == 'a')\n    x = x + 1;\n  else\n    x = x * 2;\n  printf(\"%d\\n\", x);\n  return 0;\n}\n";
    let new = old.replace("x + 1", "x + 2").replace("x * 2", "x * 3");
    let makefile = "prog: prog.c\n\tcc -o prog prog.c\n\ncheck: prog\n\t./prog a 0 | grep -qx 1; a=$$?; ./prog a 1 | grep -qx 2; b=$$?; ./prog b 5 | grep -qx 10 && test $$a$$b = 00\n";
    let project = Project::with_versions(&[
        &[("Makefile", makefile), ("prog.c", old)],
        &[("Makefile", makefile), ("prog.c", &new)],
    ]);
    let run = project.hydrogen(&["why", "v1..v2", "--test", "make check"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.starts_with("prog.c:6: `x = x + 2` was `x = x + 1`"), "{run:?}");
    assert!(run.out.contains("the test's start that goes wrong: ./prog a 0"), "{run:?}");
    assert!(run.out.contains("also goes wrong: ./prog a 1: for the same reason, prog.c:6"), "{run:?}");
    assert!(
        run.out.contains("also goes wrong: ./prog b 5: prog.c:8: `x = x * 3` was `x = x * 2`"),
        "{run:?}"
    );
}

/// A budget that is too short for the run itself still ends, and names the changed statements that were executed.
#[test]
fn the_budget_bounds_the_runs_that_are_looked_into() {
    let old = "#include <stdio.h>\nint main(void) {\n  unsigned x = 1, i;\n  for (i = 0; i < 3000000; i++)\n    x = x * 5 + 1;\n  if (x == 0)\n    x = 7;\n  printf(\"%u\\n\", x + 1);\n  return 0;\n}\n";
    let new = old.replace("x + 1)", "x + 2)").replace("x = 7", "x = 8");
    let run = why(old, &new, &["--budget", "1s"]);
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.out.starts_with("no answer within 1 s: the runs have "), "{run:?}");
    assert!(run.out.contains("a.c:8 in main: "), "{run:?}");
    assert!(!run.out.contains("x = 8"), "it is not executed: {run:?}");
}

/// What a function that is trusted decides is not asked about, and its file can be named instead.
#[test]
fn trusted_functions_and_files_are_left_out() {
    let old = "#include <stdio.h>\n#include <stdlib.h>\nstatic int large(int x) { return x > 10; }\nint main(int argc, char **argv) {\n  if (large(atoi(argv[1]))) puts(\"large\");\n  else puts(\"small\");\n  return 0;\n}\n";
    let new = old.replace("return x > 10;", "if (x > 12) return 1; return 0;");
    let all = why(old, &new, &["--", "11"]);
    assert!(!all.out.contains("of what is trusted"), "{all:?}");
    for name in ["large", "a.c"] {
        let run = why(old, &new, &["--trust", name, "--", "11"]);
        assert!(run.out.contains("conditions of what is trusted were left out"), "{run:?}");
    }
}

/// Long outputs are shown where they begin to differ.
#[test]
fn the_difference_is_shown_where_it_begins() {
    let old = "#include <stdio.h>\nint main(int argc, char **argv) {\n  int i, limit = 30;\n  for (i = 0; i < 60; i++)\n    printf(\"line %d %d\\n\", i, i > limit);\n  return 0;\n}\n";
    let run = why(old, &old.replace("limit = 30", "limit = 40"), &["--of", "stdout"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let told = run.out.lines().nth(1).unwrap_or("");
    assert!(told.contains("…\"line 31 1\\nline 32 1"), "{run:?}");
    assert!(told.contains("…\"line 31 0\\nline 32 0"), "{run:?}");
}

/// What the input does not determine is named.
#[test]
fn the_clock_is_named() {
    let old = "#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\nint main(int argc, char **argv) {\n  int x = atoi(argv[1]);\n  printf(\"%d at %ld\\n\", x + 1, (long)time(NULL));\n  return 0;\n}\n";
    let run = why(old, &old.replace("x + 1", "x + 2"), &["--", "3"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    for version in ["v1", "v2"] {
        let said = format!("standard output of {version} depends on the time of day");
        assert!(run.out.contains(&said), "{run:?}");
    }
}

/// E-16: another program is the reference, and the failing input is nearly right. The repaired one is kept as a test (F-C18, F-C21, F-C30).
#[test]
fn another_implementation_repairs_the_input() {
    let head = "#include <stdio.h>\nint main(void) {\n";
    let reference = format!(
        "{head}  char c[32] = {{0}};\n  if (!fgets(c, sizeof c, stdin)) return 1;\n  if (c[0] == 'G' && c[1] == 'E' && c[2] == 'T') puts(\"200\");\n  else puts(\"400\");\n  return 0;\n}}\n"
    );
    let other = format!(
        "{head}  char line[32] = {{0}};\n  if (!fgets(line, sizeof line, stdin)) return 1;\n  puts(\"200\");\n  return 0;\n}}\n"
    );
    let project = Project::new();
    project.write("reference.c", reference);
    project.write("other.c", other);
    project.write("in.txt", "GOT /\n");
    let two = ["why", "old=reference.c", "new=other.c", "--only-source"];
    let run = project.hydrogen(&[&two[..], &["--stdin", "in.txt", "--save-tests", "kept"]].concat());
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.starts_with("reference.c:5 (old version): "), "{run:?}");
    assert!(run.out.contains("with stdin[1] 'E' instead of 'O'"), "{run:?}");
    let text = std::fs::read_to_string(project.root().join("kept/0001.json")).unwrap();
    let kept: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(kept["stdin"], "GET /\\n", "{kept}");
}

/// No branch asks for the sign of what is returned: with `--predicates` an input speaks against the statement, without none does (F-C16).
#[test]
fn predicates_give_inputs_where_no_branch_decides() {
    let old = "#include <stdio.h>\n#include <unistd.h>\nstatic int rest(int y) {\n  return y - 'c';\n}\nint main(void) {\n  char c;\n  \
        if (read(0, &c, 1) != 1) return 1;\n  c = rest(c);\n  if (write(1, &c, 1) != 1) return 1;\n  return 0;\n}\n";
    let project = Project::with_versions(&[&[("a.c", old)], &[("a.c", &old.replace("y - 'c'", "'c' - y"))]]);
    project.write("in.txt", "e");
    let ask =
        |options: &[&str]| project.hydrogen(&[&["why", "v1..v2", "--stdin", "in.txt"], options].concat());
    let without = ask(&[]);
    assert_eq!(without.code, Some(1), "{without:?}");
    assert!(without.out.starts_with("a.c:4: `return 'c' - y` was `return y - 'c'`"), "{without:?}");
    assert!(!without.out.contains("says otherwise about"), "{without:?}");
    let with = ask(&["--predicates"]);
    assert!(with.out.starts_with("a.c:4: `return 'c' - y` was `return y - 'c'`"), "{with:?}");
    assert!(with.out.contains("says otherwise about `rest returns less than 0`"), "{with:?}");
    assert!(with.out.contains("predicates that no branch asks"), "{with:?}");
}

/// Many tests are rewritten, and one of them the wrong way round. The others decide as before, so they come behind it, also those that are
/// nearer to the wrong output. Brackets are no change.
#[test]
fn of_many_rewritten_tests_the_wrong_one_is_told() {
    let old = "#include <stdio.h>\nstruct item { int kind; int size; };\nstatic int small(struct item *it) {\n  if (it->size < 4)\n    return 1;\n  return 0;\n}\n\
        static int add(struct item *all, int n) {\n  int i, sum = 0;\n  if (all[0].kind != 2)\n    return (-1);\n  for (i = 0; i < n; i++) {\n    if (small(&all[i]))\n      continue;\n    \
        sum += all[i].size;\n    if (all[i].kind == 3)\n      break;\n  }\n  return sum;\n}\nint main(void) {\n  struct item all[] = {{2, 5}, {1, 6}, {3, 7}, {3, 8}};\n  \
        if (small(&all[0]))\n    return 2;\n  printf(\"%d\\n\", add(all, 4));\n  return 0;\n}\n";
    let new = old
        .replace("struct item { int kind; int size; };", "struct item { int kind; int size; };\nstatic int is(const struct item *it, int kind) { return it && it->kind == kind; }")
        .replace("all[0].kind != 2", "is(&all[0], 2)")
        .replace("all[i].kind == 3", "is(&all[i], 3)")
        .replace("it->size < 4", "!(it->size >= 4)")
        .replace("return (-1)", "return -1");
    let run = why(old, &new, &[]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.starts_with("a.c:11: `is(&all[0], 2)` was `all[0].kind != 2`"), "{run:?}");
    let shown = run.out.lines().filter(|line| line.contains("return -1")).count();
    assert_eq!(shown, 0, "brackets are no change: {run:?}");
}

/// The old version reads out of bounds, and prints what it should by luck: it is no reference, and that is said.
#[test]
fn an_old_version_that_faults_itself_is_named() {
    let old = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n  char *text = malloc(1);\n  text[0] = 0;\n  if (text[argc - 2] == '\\n')\n    \
        puts(\"line\");\n  puts(\"done\");\n  return 0;\n}\n";
    let new = old.replace("  text[0] = 0;\n", "  text = NULL;\n  if (!text)\n    exit(3);\n");
    let run = why(old, &new, &[]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.starts_with("a.c:7: `exit(3)` is new"), "{run:?}");
    assert!(
        run.out.contains("out of bounds read in v1 at a.c:6: `text[argc - 2] == '\\n'`: it is wrong itself"),
        "{run:?}"
    );
}

/// What a call gives back as a structure has addresses in it, and these differ wherever something else was allocated before: no wrong value. Neither are
/// the bytes beside a member that fills its word only in part.
#[test]
fn addresses_in_structures_are_no_wrong_values() {
    let text = "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nstruct part { const char *at; int len; };\n\
        static struct part part(const char *at, int len) { struct part p = {at, len}; return p; }\n\
        int main(void) {\n    char *line = malloc(64);\n    if (!fgets(line, 64, stdin)) return 1;\n    LENGTH\n    char *copy = calloc(1, 64);\n    strcpy(copy, line);\n    \
        struct part p = part(copy, n);\n    if (p.len > LIMIT)\n        printf(\"<%.*s>\\n\", p.len, p.at);\n    else\n        printf(\"%.*s\\n\", p.len, p.at);\n    return 0;\n}\n";
    let old = text.replace("LENGTH", "int n = (int)strcspn(line, \"\\n\");").replace("LIMIT", "5");
    let new =
        text.replace("LENGTH", "free(calloc(1, 8)); int n = (int)strlen(line) - 1;").replace("LIMIT", "7");
    let project = Project::with_versions(&[&[("a.c", &old)], &[("a.c", &new)]]);
    std::fs::write(project.root().join("in"), "abcdef\n").unwrap();
    let run = project.hydrogen(&["why", "v1..v2", "--stdin", "in"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let answer = run.out.lines().next().unwrap_or_default();
    assert!(answer.contains("p.len > 7"), "{}", run.out);
}

/// An output that neither version has is refused, with those that there are.
#[test]
fn an_output_that_nobody_writes_is_refused() {
    let run = why(OLD, &new(), &["--of", "file:none.txt", "--", "5", "5"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("neither version writes a file"), "{run:?}");
    let run = why(OLD, &new(), &["--of", "named", "--", "5", "5"]);
    assert_eq!(run.code, Some(2), "{run:?}");
}
