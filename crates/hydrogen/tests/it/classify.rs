//! `hydrogen mine classify`: the worked examples W8 and W9 as histories, built and run.

use crate::project::{Project, Run};
use serde_json::{Value, json};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// W9: `lhs` is declared, set and used by three changes.
fn cut(changed: bool) -> String {
    let [declared, set, used] = if changed {
        ["  int lhs = 0;\n", "      lhs = 1;\n", "      c = lhs;\n"]
    } else {
        ["", "", "      c = v;\n"]
    };
    format!(
        "#include <assert.h>\n#include <ctype.h>\nint main(int argc, char **argv) {{\n  char *fs = argv[1];\n  int v = 0, c = 0, init = 1;\n\
         {declared}  for (;;) {{\n    if (isdigit(*fs)) {{\n      v = *fs - '0';\n{set}    }} else if (*fs == '-') {{\n{used}      init = c ? v : 1;\n\
         \x20   }} else if (*fs == 0) {{\n      assert(init != 0);\n      break;\n    }}\n    fs++;\n  }}\n  return 0;\n}}\n"
    )
}

/// W8: the allocation is guarded (C.1), the access is guarded (C.2), and raising the end is deleted (C.3).
fn overflow(changed: bool) -> String {
    let (allocate, guard) = if changed {
        ("  if (hi_end)\n    sel = calloc(hi_end + 1, 1);\n", "      && hi_end\n")
    } else {
        ("  if (hi_end < tail_from) hi_end = tail_from;\n  sel = calloc(hi_end + 1, 1);\n", "")
    };
    format!(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\
static unsigned char *sel, starts[64];\nstatic size_t hi_end, tail_from;\nstatic int have_delim;\n\
static int selected(size_t k) {{ return sel[k]; }}\n\
static void note_start(size_t k) {{ if (k < sizeof starts) starts[k] = 1; }}\n\
static void plan(const char *spec) {{\n  size_t lo[8], hi[8];\n  int n = 0;\n  while (*spec) {{\n    char *e;\n\
\x20   size_t a = strtoul(spec, &e, 10), b = a;\n    if (*e == '-') {{ e++; if (*e >= '0' && *e <= '9') b = strtoul(e, &e, 10); else b = 0; }}\n\
\x20   if (!b) {{ if (!tail_from || a < tail_from) tail_from = a; }}\n\
\x20   else {{ lo[n] = a; hi[n] = b; n++; if (b > hi_end) hi_end = b; }}\n    spec = *e == ',' ? e + 1 : e;\n  }}\n{allocate}\
\x20 for (int r = 0; r < n; r++) {{ note_start(lo[r]); for (size_t k = lo[r]; k <= hi[r]; k++) sel[k] = 1; }}\n\
\x20 if (have_delim && tail_from\n{guard}      && !selected(tail_from))\n    note_start(tail_from);\n}}\n\
int main(int argc, char **argv) {{\n  have_delim = argv[1][0] != 0;\n  plan(argv[2]);\n  int printed = 0;\n\
\x20 for (size_t k = 1; k <= strlen(argv[3]); k++) {{\n    int on = tail_from && k >= tail_from || k <= hi_end && selected(k);\n    if (!on) continue;\n\
\x20   if (printed && have_delim && k < sizeof starts && starts[k]) putchar(argv[1][0]);\n    putchar(argv[3][k - 1]);\n    printed = 1;\n  }}\n\
\x20 putchar('\\n');\n  return 0;\n}}\n"
    )
}

const BUILD: &str = "clang-19 -w -o cut cut.c";

fn classify(project: &Project, arguments: &[&str]) -> (Run, Value) {
    let run = project.hydrogen(&[&["mine", "classify", "--format", "json"], arguments].concat());
    let value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{run:?}"));
    (run, value)
}

/// The critical sequence is ⟨1, 5, 7⟩, and ⟨5, 7⟩ by the strict rule: without the declaration nothing builds.
#[test]
fn w9_needs_three_changes() {
    let project = Project::with_versions(&[&[("cut.c", &cut(false))], &[("cut.c", &cut(true))]]);
    let arguments =
        ["v1..v2", "--build", BUILD, "--test", "./cut 0-", "--test", "./cut 1-", "--test", "./cut -- -0"];
    let (run, value) = classify(&project, &arguments);
    assert_eq!(run.code, Some(1), "{run:?}");
    let changed: Vec<&str> =
        value["changes"].as_array().unwrap().iter().map(|it| it["text"].as_str().unwrap()).collect();
    assert_eq!(changed, ["int lhs = 0;", "lhs = 1;", "c = lhs;"]);
    let test = &value["tests"][0];
    assert_eq!(
        (&test["class"], &test["differential_error"]),
        (&json!("regression"), &json!(true)),
        "{test:#}"
    );
    let interaction = &test["interaction"];
    assert_eq!(interaction["label"], "CIE", "{interaction:#}");
    assert_eq!(interaction["critical"], json!([0, 1, 2]));
    assert_eq!(interaction["skippable"], json!([1, 2]));
    // What does not build is said, and is no verdict.
    assert!(interaction["answers"]["does not build"].as_u64().unwrap() >= 1, "{interaction:#}");
    for other in [1, 2] {
        assert_eq!(value["tests"][other]["class"], "unchanged, correct");
    }
    let text = project.hydrogen(&["mine", "classify", "v2", "--build", BUILD, "--test", "./cut 0-"]).out;
    assert!(text.contains("fail together: cut.c:6, cut.c:10, cut.c:12\n"), "{text}");
    assert!(text.contains("can each be left out: cut.c:10, cut.c:12\n"), "{text}");
}

/// Neither guard alone shows the error; the deletion alone does, with which the guards came. By taking changes back it is
/// therefore no interaction.
#[test]
fn w8_is_made_by_the_deletion() {
    let project = Project::with_versions(&[&[("cut.c", &overflow(false))], &[("cut.c", &overflow(true))]]);
    let overflows = "./cut : 1,1234567890- 123456789";
    let arguments = ["v1..v2", "--build", BUILD, "--test", overflows, "--test", "./cut , 7- hello_world"];
    let (_, value) = classify(&project, &arguments);
    let test = &value["tests"][0];
    assert_eq!(
        (&test["class"], &test["new"]),
        (&json!("regression"), &json!("is ended by signal 11")),
        "{test:#}"
    );
    assert_eq!(test["interaction"]["label"], "non-CIE", "{test:#}");
    assert_eq!(test["interaction"]["critical"], json!([0]));
    assert_eq!(value["tests"][1]["class"], "unchanged, correct");
    let (_, value) = classify(&project, &[&arguments[..5], &["--granularity", "line"]].concat());
    let changes = value["changes"].as_array().unwrap();
    let kinds: Vec<(&str, &str)> =
        changes.iter().map(|it| (it["kind"].as_str().unwrap(), it["text"].as_str().unwrap())).collect();
    assert_eq!(
        kinds,
        [
            ("deleted", "if (hi_end < tail_from) hi_end = tail_from;"),
            ("added", "if (hi_end)"),
            ("added", "&& hi_end")
        ]
    );
    assert_eq!(value["tests"][0]["interaction"]["critical"], json!([0]), "{value:#}");
}

/// Every row of the matrix against a version that is right.
#[test]
fn classes_against_an_oracle() {
    let version = |a: &str, b: &str, c: &str, d: &str| format!("echo {a}\n---{b}\n---{c}\n---{d}\n");
    let project = Project::with_versions(&[
        &[("out", &version("1", "1", "1", "1")), ("a.c", "int a;\n")],
        &[("out", &version("1", "2", "3", "3")), ("a.c", "int b;\n")],
        &[("out", &version("1", "1", "3", "4")), ("a.c", "int b;\n")],
    ]);
    let line = |number: usize| format!("sed -n {number}p out");
    let (tests, mut arguments) =
        ([line(1), line(2), line(3), line(4)], vec!["v1..v2", "--build", "true", "--oracle", "v3"]);
    for test in &tests {
        arguments.extend(["--test", test]);
    }
    let (run, value) = classify(&project, &arguments);
    let classes: Vec<&str> =
        value["tests"].as_array().unwrap().iter().map(|it| it["class"].as_str().unwrap()).collect();
    assert_eq!(classes, ["unchanged, correct", "regression", "progression", "incomplete fix"]);
    // The regression is not in a C file: that is said.
    assert_eq!(run.code, Some(3));
    let interaction = &value["tests"][1]["interaction"];
    assert!(interaction["reason"].as_str().unwrap().contains("other files"), "{interaction:#}");
}

#[test]
fn what_cannot_be_judged_is_not() {
    let project = Project::with_versions(&[&[("cut.c", &cut(false))], &[("cut.c", "int main( {\n")]]);
    let (run, value) = classify(&project, &["v2", "--build", BUILD, "--test", "./cut 0-"]);
    assert_eq!((run.code, &value["tests"][0]["class"]), (Some(3), &json!("unclassified")), "{value:#}");
    assert!(value["tests"][0]["reason"].as_str().unwrap().contains("new version does not build"));
    // A flaky test.
    let project = Project::with_versions(&[&[("cut.c", &cut(false))], &[("cut.c", &cut(true))]]);
    let flaky = "test $(od -An -N1 -tu1 /dev/urandom) -lt 128";
    let (run, value) = classify(&project, &["v2", "--build", "true", "--test", flaky, "--repeat", "20"]);
    assert_eq!(run.code, Some(3));
    assert!(value["tests"][0]["reason"].as_str().unwrap().contains("flaky"), "{value:#}");
    // A budget that is too small.
    let few = ["v2", "--build", BUILD, "--test", "./cut 0-", "--configurations", "2"];
    let (run, value) = classify(&project, &few);
    assert_eq!((run.code, &value["tests"][0]["interaction"]["label"]), (Some(3), &json!("unclassified")));
    assert!(value["tests"][0]["interaction"]["reason"].as_str().unwrap().contains("budget"), "{value:#}");
}

/// Interrupted, it leaves nothing behind: neither the checkouts nor what the test started.
#[test]
fn an_interrupt_leaves_nothing_behind() {
    let project = Project::with_versions(&[&[("cut.c", &cut(false))], &[("cut.c", &cut(true))]]);
    let temporary = project.root().join("../temporary");
    std::fs::create_dir(&temporary).unwrap();
    let seconds = format!("60.{}", std::process::id());
    let test = format!("sleep {seconds}");
    let runs = || {
        let all = std::fs::read_dir("/proc").unwrap().flatten();
        let lines = all.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
        lines.filter(|line| line.starts_with(format!("sleep\0{seconds}").as_bytes())).count() > 0
    };
    let mut child = project
        .command()
        .args(["mine", "classify", "v2", "--build", "true", "--test", &test])
        .env("TMPDIR", &temporary)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let started = Instant::now();
    while !runs() && started.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 1);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(std::fs::read_dir(&temporary).unwrap().count(), 0);
}
