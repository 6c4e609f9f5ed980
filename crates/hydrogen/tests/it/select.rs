//! `hydrogen select`: which tests a change can affect, and which changes no test executes.

use crate::project::Project;

const TEXT: &str = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n    int x = argc > 1 ? atoi(argv[1]) : 0;\n    if (x > 10)\n        puts(\"large\");\n    \
    else if (x < 0)\n        puts(\"negative\");\n    else\n        puts(\"small\");\n    return 0;\n}\n";

fn project() -> Project {
    let new = TEXT.replace("large", "big").replace("negative", "below zero");
    let project = Project::with_versions(&[&[("a.c", TEXT)], &[("a.c", &new)]]);
    project.write("tests.txt", "1\n20\n2\n30\n");
    project
}

#[test]
fn tests_that_execute_no_change_are_left_out() {
    let run = project().hydrogen(&["select", "v1..v2", "--tests", "tests.txt"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.starts_with("2 of 4 tests can be affected by v1 → v2\n"), "{}", run.out);
    for part in [
        "line 2  a.c:6; differs in standard output",
        "line 4  a.c:6",
        "2 tests execute no statement that changed",
    ] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    let (_, unexecuted) = run.out.split_once("executed by no test:").unwrap();
    assert!(unexecuted.contains("a.c:8") && !unexecuted.contains("a.c:6"), "{unexecuted}");
}

#[test]
fn as_many_as_execute_every_change_are_enough() {
    let run =
        project().hydrogen(&["select", "v1..v2", "--tests", "tests.txt", "--reduce", "--format", "json"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let answer: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let kept: Vec<&str> = answer["tests"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|test| test["kept"] == true)
        .filter_map(|test| test["name"].as_str())
        .collect();
    assert_eq!(kept, ["line 2"]);
}

#[test]
fn a_test_that_does_not_end_counts_as_affected() {
    let run = project().hydrogen(&["select", "v1..v2", "--tests", "tests.txt", "--steps", "10"]);
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(
        run.out.starts_with("4 of 4 tests can be affected") && run.out.contains("not known"),
        "{}",
        run.out
    );
}

/// What covers most comes first; what covers nothing new comes when everything was covered once.
#[test]
fn tests_are_put_in_order() {
    let project = project();
    project.write("tests.txt", "1\n20\n30\n-1\n");
    let run = project.hydrogen(&["select", "v1..v2", "--tests", "tests.txt", "--order", "changes"]);
    let order: Vec<&str> =
        run.out.lines().filter_map(|line| line.trim().strip_prefix("line ")?.get(..1)).collect();
    assert_eq!(order, ["2", "4", "3"], "{}", run.out);
}

/// What a new test should make happen: the effect of the change gets to the sum in a test, and to nothing behind it.
#[test]
fn requirements_up_to_a_distance() {
    let text = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n    int x = argc > 1 ? atoi(argv[1]) : 0;\n    int y = x CHANGE;\n    \
        int z = y & 12;\n    if (z > 4)\n        puts(\"more\");\n    return 0;\n}\n";
    let project = Project::with_versions(&[
        &[("a.c", &text.replace("CHANGE", "+ 1"))],
        &[("a.c", &text.replace("CHANGE", "+ 2"))],
    ]);
    project.write("tests.txt", "0\n3\n");
    let list = ["select", "v1..v2", "--tests", "tests.txt", "--distance"];
    let run = project.hydrogen(&[&list[..], &["2"]].concat());
    assert_eq!(run.code, Some(1), "{run:?}");
    // 0: 1 and 2, both 0 with 12; 3: 4 and 5, both 4.
    for line in [
        "the effect of the change may get to 3 statements, and does to 1",
        "test line 1 and 1 more: a.c:5  int y = x + 2\n",
        "no test: a.c:5  int y = x + 2 → a.c:6  int z = y & 12\n",
        "no test: a.c:5  int y = x + 2 → a.c:6  int z = y & 12 → a.c:7  if (z > 4)\n",
    ] {
        assert!(run.out.contains(line), "{line}: {}", run.out);
    }
    project.write("tests.txt", "2\n");
    let run = project.hydrogen(&[&list[..], &["3"]].concat());
    // 2: 3 and 4, 0 and 4 with 12: the sum behind it differs, what is decided does not.
    assert!(run.out.contains("may get to 4 statements, and does to 2"), "{}", run.out);
}
