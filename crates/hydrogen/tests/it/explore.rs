//! `hydrogen explore`, and `run` with symbolic input. Where the C library was not fetched, these tests say so and pass.

use crate::project::{Project, Run};
use serde_json::Value;
use std::process::Stdio;
use std::time::Duration;

/// A parser of `key=value` with a mistake in it.
const PARSER: &str = "#include <stdio.h>
#include <string.h>

static char key[4];

int main(void)
{
\tint c, n = 0;
\twhile ((c = getchar()) != EOF && c != '=') {
\t\tif (c < 'a' || c > 'z')
\t\t\treturn 1;
\t\tkey[n++] = c;
\t}
\tif (c == EOF)
\t\treturn 2;
\tprintf(\"%d\\n\", n);
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

fn parser() -> Project {
    let project = Project::new();
    project.write("parse.c", PARSER);
    project
}

#[test]
fn a_parser_is_explored_and_its_tests_replay_natively() {
    let project = parser();
    let arguments = ["explore", "parse.c", "--symbolic", "stdin:5", "--output", "tests", "--native"];
    let Some(run) = answer(&project, &arguments) else { return };
    assert_eq!(run.code, Some(1), "{run:?}");
    for words in ["out-of-bounds-write parse.c:12", "| key[n++] = c;", "do the same", "complete: "] {
        assert!(run.out.contains(words), "`{words}` is not in {}", run.out);
    }
    // Five letters without `=` do not fit into the array, so that the end of the input is never seen.
    assert!(run.out.contains("never executed: parse.c:15\n"), "{}", run.out);
    let tests = project.root().join("tests");
    let stdin = std::fs::read(tests.join("0001.stdin")).unwrap();
    assert_eq!(stdin.len(), 5);
    assert!(std::fs::read_to_string(tests.join("0001.sh")).unwrap().contains("0001.stdin"));
    assert!(
        std::fs::read_to_string(tests.join("coverage.csv"))
            .unwrap()
            .starts_with("test,seconds,instructions\n1,")
    );
    // A test runs alone as well.
    let run = project.hydrogen(&["run", "parse.c", "--test", "tests/0001.json"]);
    assert!(run.err.contains("exit status 1"), "{run:?}");
}

#[test]
fn json_has_everything_and_is_the_same_for_any_number_of_threads() {
    let project = parser();
    let arguments = |jobs: &'static str| {
        ["--jobs", jobs, "explore", "parse.c", "--symbolic", "stdin:3", "--format", "json", "--fresh"]
    };
    let Some(one) = answer(&project, &arguments("1")) else { return };
    assert_eq!(one.code, Some(0), "{one:?}");
    assert_eq!(one.out, project.hydrogen(&arguments("3")).out);
    let json: Value = serde_json::from_str(&one.out).unwrap();
    assert_eq!(json["complete"], true);
    let count = json["tests"].as_array().unwrap().len();
    assert_eq!(json["conditions"].as_array().unwrap().len(), count);
    assert_eq!(json["outputs"].as_array().unwrap().len(), count);
    assert!(json["ledger"].is_array() && json["coverage"]["files"][0]["executed"].is_array());
    let first = &json["conditions"][0]["conditions"];
    assert_eq!(first[0]["text"], "stdin[0] != 61", "{first}");
    assert_eq!(first[0]["line"], 9);
    let exits: Vec<&Value> =
        json["tests"].as_array().unwrap().iter().map(|test| &test["end"]["status"]).collect();
    assert!(
        exits.contains(&&Value::from(0))
            && exits.contains(&&Value::from(1))
            && exits.contains(&&Value::from(2))
    );
}

#[test]
fn outputs_are_said_as_expressions() {
    let project = Project::new();
    project.write(
        "e.c",
        "#include <hydrogen.h>\n#include <stdio.h>\nint main(void) { int x; hydrogen_symbolic(&x, sizeof x, \"x\"); int y = getchar();\n\
         if (x > 5) hydrogen_output(\"out\", x + y); putchar(y); return 0; }",
    );
    project.write("in", "A");
    let arguments = ["run", "e.c", "--symbolic", "stdin:1", "--stdin", "in", "--symout"];
    let Some(run) = answer(&project, &arguments) else { return };
    assert_eq!((run.code, run.out.as_str()), (Some(0), "A"), "{run:?}");
    for words in ["x < 6", "e.c:4", "stdout = \"{stdin[0]}\"", "exit = 0"] {
        assert!(run.err.contains(words), "`{words}` is not in {}", run.err);
    }
    let run = project.hydrogen(&["explore", "e.c", "--symbolic", "stdin:1", "--signature"]);
    assert!(run.out.contains("out = x + (unsigned)stdin[0]"), "{}", run.out);
    assert!(run.out.contains("complete"), "{}", run.out);
}

#[test]
fn harnesses_for_klee_work_as_they_are() {
    let project = Project::new();
    project.write(
        "k.c",
        "#include <klee/klee.h>\nint main(void) { int a = klee_range(0, 10, \"a\"), b; klee_make_symbolic(&b, sizeof b, \"b\");\n\
         klee_assume(b > a); return b == a + 3; }",
    );
    let Some(run) = answer(&project, &["explore", "k.c", "--native"]) else { return };
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("complete"), "{run:?}");
    assert!(!run.out.contains("differs"), "{run:?}");
}

#[test]
fn a_place_is_reached() {
    let project = parser();
    let search = "directed:parse.c:16";
    let Some(run) = answer(&project, &["explore", "parse.c", "--symbolic", "stdin:5", "--search", search])
    else {
        return;
    };
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("reached by test"), "{run:?}");
}

#[test]
fn an_interrupted_exploration_goes_on() {
    let project = Project::new();
    // Each byte doubles the paths: this does not end by itself in time.
    project.write(
        "many.c",
        "#include <stdio.h>\nint main(void) { int n = 0; for (int i = 0; i < 24; i++) if (getchar() & 1) n++; return n; }",
    );
    let arguments = ["explore", "many.c", "--symbolic", "stdin:24", "--output", "tests"];
    if answer(&project, &["run", "many.c"]).is_none() {
        return;
    }
    let mut command = project.command();
    let child = command.args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let state = project.root().join("tests/state.jsonl");
    let answers = || std::fs::read_to_string(&state).unwrap_or_default().lines().count();
    for _ in 0..600 {
        if answers() > 100 {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let stopped =
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(stopped.success());
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(130), "{text}");
    // A second after the signal everything ends: a slow machine has told nothing by then.
    assert!(text.is_empty() || text.contains("interrupted; start it again to go on"), "{text}");
    let before = answers();
    let run = project.hydrogen(&[&arguments[..], &["--tests", "10"]].concat());
    assert!(run.out.contains("of them earlier"), "{run:?}");
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(answers() >= before, "nothing is lost");
}

#[test]
fn bad_use_is_refused_with_a_reason() {
    let project = parser();
    project.write("gap.c", "void nowhere(int);\nint main(void) { nowhere(1); return 0; }");
    let refused = |arguments: &[&str], words: &str| {
        let run = project.hydrogen(arguments);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.err.contains(words), "`{words}` is not in {}", run.err);
    };
    refused(&["explore", "parse.c", "--symbolic", "stdin"], "stdin:N");
    refused(&["explore", "parse.c", "--symbolic", "stdin:0"], "no byte");
    refused(&["explore", "parse.c", "--search", "wild"], "generational");
    refused(&["explore", "missing.c"], "does not exist");
    refused(&["explore", "parse.c", "--output", "parse.c"], "folder");
    refused(&["run", "parse.c", "--test", "parse.c"], "no test");
    let Some(_) = answer(&project, &["run", "gap.c"]) else { return };
    refused(&["explore", "parse.c", "--search", "directed:parse.c:999"], "no line");
    refused(&["explore", "gap.c", "--native"], "natively");
    let run = project.hydrogen(&["explore", "gap.c"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("`nowhere`"), "{run:?}");
}

/// A version is built natively by its own commands: macros of the command line, a header that the build makes, one of two programs.
#[test]
fn versions_replay_natively() {
    let project = Project::new();
    project.write(
        "Makefile",
        "all: calc other\ngenerated.h:\n\techo '#define LIMIT 3' > generated.h\n\
         calc: calc.o twice.o\n\t$(CC) -o calc calc.o twice.o\ncalc.o: calc.c generated.h\n\t$(CC) -DADDED=4 -c calc.c\n\
         other: other.o\n\t$(CC) -o other other.o\n",
    );
    project.write(
        "calc.c",
        "#include <stdio.h>\n#include \"generated.h\"\nint twice(int);\n\
         int main(void) { int c = getchar(); if (c > 'a' && c - 'a' < LIMIT) { printf(\"%d\\n\", twice(c) + ADDED); return 3; } puts(\"no\"); return 0; }\n",
    );
    project.write("twice.c", "int twice(int n) { return n * 2; }\n");
    project.write("other.c", "int main(void) { return 9; }\n");
    project.write("in", "b");
    project.commit(&[]);
    let arguments = [
        "explore",
        "HEAD",
        "--unit",
        "calc.c",
        "--symbolic",
        "stdin:1",
        "--native",
        "--by",
        "rsc",
        "--of",
        "exit",
    ];
    let Some(run) = answer(&project, &arguments) else { return };
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("natively, 3 of 3 tests do the same"), "{}", run.out);
    let run = project.hydrogen(&["run", "HEAD", "--unit", "calc.c", "--stdin", "in", "--native"]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), "200\n"), "{run:?}");
    assert!(run.err.contains("natively the program does the same"), "{}", run.err);
    // From the cache as well, and a file alone.
    let run = project.hydrogen(&["run", "HEAD", "--unit", "calc.c", "--native", "--format", "json"]);
    assert!(run.out.contains("\"native\": \"same\""), "{run:?}");
    let run = project.hydrogen(&["run", "other.c", "--native", "--passthrough"]);
    assert_eq!(run.code, Some(9), "{run:?}");
}

/// Options of `getopt` are the first arguments where none is given.
#[test]
fn all_arguments_come_from_getopt() {
    let project = Project::new();
    project.write(
        "opts.c",
        "#include <stdio.h>\n#include <unistd.h>\nint main(int argc, char **argv) {\n\tint c, n = 0;\n\
         \twhile ((c = getopt(argc, argv, \"vn:\")) != -1)\n\t\tswitch (c) {\n\t\tcase 'v': n += 1; break;\n\
         \t\tcase 'n': n += optarg[0] == 'q' ? 20 : 10; break;\n\t\tdefault: return 9;\n\t\t}\n\treturn n; }\n",
    );
    let arguments = ["explore", "opts.c", "--symbolic", "arg:*", "--tests", "40", "--format", "json"];
    let Some(run) = answer(&project, &arguments) else { return };
    let found: Value = serde_json::from_str(&run.out).unwrap();
    let status = |test: &Value| test["end"]["status"].as_i64();
    let ends: std::collections::BTreeSet<_> =
        found["tests"].as_array().unwrap().iter().filter_map(status).collect();
    for wanted in [9, 11, 20] {
        assert!(ends.contains(&wanted), "{ends:?}");
    }
    project.write("none.c", "int main(void) { return 0; }\n");
    let run = project.hydrogen(&["explore", "none.c", "--symbolic", "arg:*"]);
    assert!(run.code == Some(2) && run.err.contains("getopt"), "{run:?}");
}

/// Another solver gives the same, its questions can be had, and both are refused with a reason where they cannot be.
#[test]
fn solvers_are_chosen_and_their_questions_written() {
    let project = Project::new();
    let source = "#include <hydrogen.h>\nint main(void) { unsigned x; hydrogen_symbolic(&x, sizeof x, \"x\"); \
                  if (x * x == 1522756) return 1; return x > 7 && x < 9; }\n";
    project.write("square.c", source);
    let folder = project.root().join("smt");
    let dump = folder.to_str().unwrap();
    let with = |more: &[&str]| {
        let run = project.hydrogen(&[&["explore", "square.c", "--format", "json"], more].concat());
        let found: Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{run:?}"));
        let status = |test: &Value| test["end"]["status"].as_i64();
        let mut ends: Vec<_> = found["tests"].as_array().unwrap().iter().filter_map(status).collect();
        ends.sort_unstable();
        (found["complete"].as_bool(), ends)
    };
    let Some(first) = answer(&project, &["explore", "square.c"]) else { return };
    assert_eq!(first.code, Some(0), "{first:?}");
    let usual = with(&[]);
    assert_eq!(usual.0, Some(true));
    assert!(usual.1.contains(&1), "{usual:?}");
    assert_eq!(with(&["--solver", "z3"]), usual);
    assert_eq!(with(&["--dump-smt", dump]), usual);
    let mut questions = Vec::new();
    for part in std::fs::read_dir(&folder).unwrap().flatten() {
        questions.extend(std::fs::read_dir(part.path()).unwrap().flatten().map(|file| file.path()));
    }
    assert!(!questions.is_empty());
    for question in &questions {
        let text = std::fs::read_to_string(question).unwrap();
        assert!(text.contains("(check-sat)"), "{text}");
    }
    let run = project.hydrogen(&["explore", "square.c", "--solver", "no-such-solver"]);
    assert_eq!(run.code, Some(2), "{run:?}");
}

/// Only what is named changes.
#[test]
fn parameters_and_globals_are_named() {
    let project = Project::new();
    let source = "int limit = 5;\nint f(int a, int b) { if (a > limit) return 1; if (b == 3) return 2; return 0; }\n\
                  void set(int v) { limit = v; }\n";
    project.write("f.c", source);
    let with = |more: &[&str]| {
        let words = [&["explore", "f.c", "--function", "f", "--format", "json"], more].concat();
        let run = project.hydrogen(&words);
        let found: Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{run:?}"));
        (found["complete"].as_bool(), found["tests"].as_array().unwrap().len())
    };
    let Some(_) = answer(&project, &["explore", "f.c", "--function", "f"]) else { return };
    assert_eq!(with(&[]), (Some(true), 3));
    assert_eq!(with(&["--symbolic", "param:b"]), (Some(true), 2));
    assert_eq!(with(&["--symbolic", "global:limit"]), (Some(true), 2));
    assert_eq!(with(&["--symbolic", "param:a", "--symbolic", "global:limit"]), (Some(true), 2));
    let run = project.hydrogen(&["explore", "f.c", "--function", "f", "--symbolic", "param:c"]);
    assert!(run.code == Some(2) && run.err.contains("no parameter `c`"), "{run:?}");
}

/// The main example of the literature on relevant slices: which of its eight paths compute the output in the same way.
const THREE_WAYS: &str = "#include <hydrogen.h>
#include <stdio.h>
int main(void)
{
\tint x, y, z;
\thydrogen_symbolic(&x, sizeof x, \"x\");
\thydrogen_symbolic(&y, sizeof y, \"y\");
\thydrogen_symbolic(&z, sizeof z, \"z\");
\thydrogen_assume((x > -100) & (x < 100) & (y > -100) & (y < 100) & (z > -100) & (z < 100));
\tint b = 2, a;
\tif (x - y > 0)
\t\ta = x;
\telse
\t\ta = y;
\tif (x + y > 10)
\t\tb = a;
\tif (z * z > 3)
\t\tputs(\"more\");
\telse
\t\tputs(\"less\");
\thydrogen_output(\"out\", b);
\treturn 0;
}
";

#[test]
fn paths_that_compute_the_output_alike_are_one_group() {
    let project = Project::new();
    project.write("foo.c", THREE_WAYS);
    let arguments = ["explore", "foo.c", "--groups", "--of", "out", "--format", "json"];
    let Some(run) = answer(&project, &arguments) else { return };
    let found: Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{run:?}"));
    let mut sizes: Vec<usize> = found["groups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| group["tests"].as_array().unwrap().len())
        .collect();
    sizes.sort_unstable();
    assert_eq!(found["tests"].as_array().unwrap().len(), 8, "{run:?}");
    assert_eq!(sizes, [2, 2, 4], "{run:?}");
    let text = project.hydrogen(&["explore", "foo.c", "--groups", "--of", "out"]);
    assert!(text.out.contains("3 groups by what the output depends on"), "{text:?}");
}
