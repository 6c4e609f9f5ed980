//! Every JSON answer follows its published schema.

use crate::project::{Project, Run};
use serde_json::Value;
use std::path::Path;

const OLD: &str = "#include <stdio.h>\n#include <stdlib.h>\nint share(int a, int b) { if (b == 0) return 0; return a / b; }\nint main(int argc, char **argv) { printf(\"%d\\n\", share(argc > 1 ? atoi(argv[1]) : 4, argc)); return 0; }\n";

/// Reads the schema that an answer names, and holds the answer against it.
fn check(run: &Run) {
    let answer: Value = serde_json::from_str(&run.out).unwrap_or_else(|error| panic!("{error}: {run:?}"));
    assert_eq!(answer["tool"], "hydrogen", "{run:?}");
    assert!(answer["version"].is_string(), "{run:?}");
    let name = answer["schema"].as_str().and_then(|name| name.split('/').next()).expect("a schema is named");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/schemas/{name}.json"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let schema: Value = serde_json::from_str(&text).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let wrong: Vec<String> =
        validator.iter_errors(&answer).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(wrong.is_empty(), "{name}: {wrong:#?}");
}

#[test]
fn answers_follow_their_schemas() {
    let new = OLD.replace("if (b == 0) return 0; ", "");
    let project = Project::with_versions(&[&[("a.c", OLD)], &[("a.c", &new)]]);
    project.write("tests.txt", "7\n0 0\n");
    project.write("errors.txt", "v1 v2 a report\n");
    let commands: &[&[&str]] = &[
        &["versions"],
        &["versions", "--files", "v1"],
        &["functions", "v1", "v2"],
        &["delta", "v1..v2"],
        &["diff", "v1", "v2"],
        &["diff", "v1", "v2", "--paths"],
        &["graph", "v1", "v2"],
        &["graph", "v1", "v2", "--calls"],
        &["graph", "v1", "v2", "--reaching", "share"],
        &["ir", "v1", "--function", "share"],
        &["history", "a.c:3", "v1", "v2"],
        &["stats", "v1", "v2"],
        &["complexity", "HEAD"],
        &["interact", "HEAD"],
        &["affects", "HEAD"],
        &["mine", "regressions", "HEAD~1..HEAD"],
        &["mine", "statistics", "HEAD"],
        &["mine", "introduced", "--test", "grep -q 'b == 0' a.c"],
        &["mine", "classify", "v1..v2", "--build", "true", "--test", "grep -q 'b == 0' a.c"],
        &["mine", "study", "errors.txt"],
        &["doctor"],
        &["depends", "a.c"],
        &["depends", "a.c", "--to", "a.c:3"],
        &["depends", "a.c", "--uses", "a.c:4"],
        &["compare", "v1..v2", "--budget", "5s"],
        &["compare", "v1..v2", "--deltas"],
        &["expose", "v1..v2", "--no-native", "--budget", "5s"],
        &["select", "v1..v2", "--tests", "tests.txt"],
        &["check", "v1..v2"],
        &["verify", "v1..v2", "--bug", "a.c:3"],
        &["impact", "--bug", "a.c:3@v2", "v1", "v2"],
        &["review", "v1..v2", "--budget", "20s"],
    ];
    for words in commands {
        check(&project.hydrogen(&[*words, &["--format", "json"]].concat()));
    }
    project.hydrogen(&["env", "record", "-o", "run.rec", "--", "grep", "-q", "7", "tests.txt"]);
    project.write("tests.txt", "0 0\n");
    for words in [&["env", "why", "--recorded", "run.rec"][..], &["env", "diff", "run.rec"]] {
        check(
            &project.hydrogen(&[words, &["--format", "json", "--", "grep", "-q", "7", "tests.txt"]].concat()),
        );
    }
    project.write("tests.txt", "7\n0 0\n");
    for more in [&[][..], &["--baseline", "dart"]] {
        let words = ["compare", "v1..v2", "--inputs", "arg:1:int", "--no-native", "--format", "json"];
        check(&project.hydrogen(&[&words, more, &["--", "7"]].concat()));
    }
    // A proof with a certificate, functions without a body and without instructions, files without a commit.
    project.write(
        "one.c",
        "unsigned f(unsigned n) { unsigned s = 0; while (n) { s = s * 7 + n % 13; n = n / 2; } return s; }\n",
    );
    project.write("two.c", "unsigned f(unsigned n) { unsigned s = 0; while (n) { s = s * 8 - s + n % 13; n = n >> 1; } return s; }\n");
    for words in [
        &["compare", "one.c", "two.c", "--budget", "20s"][..],
        &["ir", "v1"],
        &["ir", "v1", "--syntax"],
        &["ir", "v1", "--link"],
        &["complexity", "one.c", "two.c"],
        &["complexity", "--history", "2"],
    ] {
        check(&project.hydrogen(&[words, &["--format", "json"]].concat()));
    }
    // Their own arguments come last.
    check(&project.hydrogen(&["interact", "HEAD", "--run", "--format", "json", "--", "7"]));
    check(&project.hydrogen(&["why", "--format", "json", "v1", "v2", "--", "7"]));
    for command in ["run", "slice", "explore"] {
        check(&project.hydrogen(&[command, "--format", "json", "a.c", "--", "7"]));
    }
}
