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
        ("test -e again && exit 0; touch again; exit 1", "the test is flaky"),
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
