//! `hydrogen mine`.

use crate::project::Project;
use serde_json::Value;

/// A history in which the third commit breaks `f`, the fourth does not build, and the sixth repairs it.
fn history() -> Project {
    let project = Project::new();
    let f = |value: &str, rest: &str| format!("int f(void) {{\n  int x = {value};\n  return x;\n}}\n{rest}");
    let versions = [
        f("1", ""),
        f("1", "int g(void) { return 1; }\n"),
        f("2", "int g(void) { return 1; }\n"),
        f("2", "int g(void) { return 2; } broken\n"),
        f("2", "int g(void) { return 3; }\n"),
        f("1", "int g(void) { return 3; }\n"),
    ];
    for (number, version) in versions.iter().enumerate() {
        project.write("a.c", version);
        project.git(&["add", "-A"]);
        let message =
            if number == 5 { "Fix a regression introduced by deadbeef1 (bug 42)" } else { "a step" };
        project.git(&["commit", "-q", "-m", message]);
        project.git(&["tag", &format!("v{}", number + 1)]);
    }
    project
}

const TEST: &str = "grep -q 'x = 1' a.c";
const BUILD: &str = "! grep -q broken a.c";

#[test]
fn messages_and_news_name_candidates() {
    let project = history();
    project.write("NEWS", "* f works again [bug introduced in v3.0]\n");
    project.commit(&[("b.c", "int h(void) { return 1; }\n")]);
    let run = project.hydrogen(&["mine", "regressions", "--format", "json"]);
    let value: Value = serde_json::from_str(&run.out).unwrap();
    let found = value["candidates"].as_array().unwrap();
    assert_eq!(found.len(), 2, "{value:#}");
    assert_eq!(found[0]["news"][0], "introduced");
    assert_eq!(found[1]["bugs"][0], "42");
    assert_eq!(found[1]["introduced_by"], "deadbeef1");
    let text = project.hydrogen(&["mine", "regressions"]).out;
    assert!(text.ends_with("2 candidates in 7 commits\n"), "{text}");
}

#[test]
fn a_test_finds_who_introduced_an_error() {
    let project = history();
    let arguments =
        ["mine", "introduced", "--test", TEST, "--build", BUILD, "--fix", "v6", "--format", "json"];
    let run = project.hydrogen(&arguments);
    assert_eq!(run.code, Some(0), "{run:?}");
    let value: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(value["commit"].as_str().unwrap(), project.git(&["rev-parse", "v3"]).trim());
    assert_eq!(value["validation"]["valid"], true, "{value:#}");
    assert_eq!(value["validation"]["points"].as_array().unwrap().len(), 4);
    assert_eq!(value["overlap"]["of_these_written_by_introducing"], 1, "{value:#}");
    assert_eq!(value["life_span_days"], 0);
}

#[test]
fn what_cannot_be_tested_is_said() {
    let project = history();
    // Without the build command, the test itself says that it cannot tell.
    let skipping = "grep -q 'return 1; }' a.c && exit 125; grep -q 'x = 1' a.c";
    let run = project.hydrogen(&["mine", "introduced", "--test", skipping, "--bad", "v5", "--good", "v1"]);
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.out.contains("one of these") && run.out.contains("skipped"), "{}", run.out);
    let run = project.hydrogen(&["mine", "introduced", "--test", "no-such-program", "--bad", "v5"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("cannot be run"), "{}", run.err);
    let run = project.hydrogen(&["mine", "introduced", "--test", TEST, "--bad", "v1"]);
    assert!(run.err.contains("must fail") && run.code == Some(2), "{run:?}");
}

#[test]
fn flaky_tests_are_detected() {
    let project = history();
    // A test in the jail leaves nothing behind that the next run could count, so it has to throw dice.
    let flaky = "grep -q 'x = 1' a.c && exit 0; grep -q 'return 3' a.c && exit 1; test $(od -An -N1 -tu1 /dev/urandom) -lt 128";
    let run = project.hydrogen(&[
        "mine",
        "introduced",
        "--test",
        flaky,
        "--bad",
        "v5",
        "--good",
        "v1",
        "--repeat",
        "20",
    ]);
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.out.contains("flaky"), "{}", run.out);
}

#[test]
fn a_study_has_its_statistics() {
    let project = history();
    project.write("pairs.txt", "# errors\nv3 v6 bug 42\n! v4 v5 a race\nv2 v3\n");
    let run = project.hydrogen(&["mine", "study", "pairs.txt", "--format", "json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let value: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(value["incorrect_fixes"], 1);
    assert_eq!(value["excluded"], serde_json::json!(["v4 v5 a race"]));
    assert_eq!(value["chains"], serde_json::json!([["v2", "v3", "v6"]]));
    assert_eq!(value["errors"][0]["fixing_cycc"], 1);
    assert_eq!(value["without_overlap"]["errors"], 1, "{value:#}");
    assert!(
        project.hydrogen(&["mine", "study", "pairs.txt"]).out.contains("incorrect fixes: v2 -> v3 -> v6")
    );
}

/// The shape of the published table, from a history that is counted by hand.
#[test]
fn a_history_has_one_table_of_regressions() {
    let project = history();
    let introducing = project.git(&["rev-parse", "v3"]).trim().to_owned();
    project.write("a.c", "int f(void) {\n  return 7;\n}\n");
    project.git(&["add", "-A"]);
    let message = format!("f: fix a segfault\n\nA regression introduced by {introducing}.");
    project.git(&["commit", "-q", "-m", &message]);
    project.write("tests/check.sh", "true\n");
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "tests: check f"]);
    let run = project.hydrogen(&["mine", "statistics", "--format", "json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let value: Value = serde_json::from_str(&run.out).unwrap();
    let row = |what: &str| {
        let all = value["statistics"].as_array().unwrap();
        let row = all.iter().find(|row| row["what"] == what).unwrap_or_else(|| panic!("{what}: {value:#}"));
        (row["count"].as_f64().unwrap(), row["of"].as_u64())
    };
    assert_eq!(row("looked at, merges left out"), (8.0, None));
    assert_eq!(row("change code"), (7.0, Some(8)));
    assert_eq!(row("change tests only"), (1.0, Some(8)));
    assert_eq!(row("fixes of a regression"), (2.0, Some(2)));
    assert_eq!(row("fixes of a crash that are of a regression"), (1.0, Some(1)));
    assert_eq!(row("regressions that name who introduced them"), (1.0, Some(2)));
    assert_eq!(row("tests"), (1.0, Some(8)));
    let csv = project.hydrogen(&["mine", "statistics", "--format", "csv"]).out;
    assert!(
        csv.starts_with("group,what,count,of,share\ncommits,") && csv.contains("\nlabel,tests,1,8,0.1250\n"),
        "{csv}"
    );
}
