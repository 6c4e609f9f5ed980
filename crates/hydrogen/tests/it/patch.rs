//! Patches over releases, as users see them.

use crate::project::{Project, Run};
use serde_json::Value;

const HEADER: &str = "#include <stdlib.h>\n#include <string.h>\nvoid get(void), drop(void), report(void);\n";

/// The spec's first example (E1).
fn overflow() -> Project {
    let body = |lines: &str| {
        format!("{HEADER}void handle(const char *b) {{\n  get();\n{lines}  strcpy(a, b);\n  drop();\n}}\n")
    };
    let sized = |plus: &str, rest: &str| {
        body(&format!(
            "  char *a = NULL; size_t len = 0;\n  len = strlen(b){plus};\n  a = malloc(len);\n{rest}"
        ))
    };
    let guard = |more: &str| format!("  if (a == NULL) {{\n    report();\n{more}    return;\n  }}\n");
    let texts = [
        body("  char a[16];\n"),
        sized("", ""),
        sized("", &guard("")),
        sized(" + 1", &guard("    drop();\n")),
    ];
    let project = Project::new();
    for (number, text) in texts.iter().enumerate() {
        project.commit(&[("handle.c", text)]);
        project.git(&["tag", &format!("v{}", number + 1)]);
    }
    project
}

/// Runs `patch`; afterwards no folder of patched releases may be left.
fn patch(project: &Project, arguments: &[&str]) -> Run {
    let temporary = project.root().join("../temporary");
    std::fs::create_dir_all(&temporary).unwrap();
    let run = crate::project::run(project.command().arg("patch").args(arguments).env("TMPDIR", &temporary));
    let left = std::fs::read_dir(&temporary)
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with("hydrogen-patch-"));
    assert_eq!(left.count(), 0, "{run:?}");
    run
}

fn json(project: &Project, arguments: &[&str]) -> (Option<i32>, Value) {
    let run = patch(project, &[arguments, &["--format", "json"]].concat());
    let json = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{run:?}"));
    (run.code, json)
}

/// `version verdict` of all rulings of the first finding by the fault itself.
fn verdicts(json: &Value) -> Vec<String> {
    let rulings = json["findings"][0]["verdicts"].as_array().unwrap().iter();
    let plain = rulings.filter(|one| one["basis"] == "fault");
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    plain.map(|one| format!("{} {}", word(&one["version"]), word(&one["verdict"]))).collect()
}

fn applies(json: &Value, hunk: usize) -> Vec<&str> {
    let list = json["patch"]["hunks"][hunk]["applies"].as_array().unwrap();
    list.iter().map(|one| one.as_str().unwrap()).collect()
}

#[test]
fn a_patch_fixes_the_releases_that_have_a_place_for_it() {
    let project = overflow();
    let ask = ["--from", "v3..v4", "--bug", "handle.c:13", "--kind", "overflow"];
    let (code, answer) = json(&project, &[&ask[..], &["v1", "v2", "v3"]].concat());
    assert_eq!(code, Some(1), "v1 has the fault and no place for the patch: {answer}");
    assert_eq!(answer["command"], "patch");
    assert_eq!(applies(&answer, 0), ["no", "yes", "yes"]);
    assert_eq!(applies(&answer, 1), ["no", "no", "yes"]);
    let expect =
        ["v1 present", "v4->v1 not_applicable", "v2 present", "v4->v2 fixed", "v3 present", "v4->v3 fixed"];
    assert_eq!(verdicts(&answer), expect);
    let run = patch(&project, &[&ask[..], &["--format", "csv", "v1", "v2", "v3"]].concat());
    let rows = run.out.lines().skip(1).map(|row| row.splitn(6, ',').take(5).collect::<Vec<_>>().join(" "));
    let expect = ["v1 present yes no -", "v2 present yes part yes", "v3 present yes yes yes"];
    assert_eq!(rows.collect::<Vec<_>>(), expect, "{run:?}");
    let run = patch(&project, &[&ask[..], &["v2", "v3"]].concat());
    assert_eq!(run.code, Some(0), "{run:?}");
    for line in ["The patch fixes v2, v3.", "`len = strlen(b)` becomes `len = strlen(b) + 1`"] {
        assert!(run.out.contains(line), "{run:?}");
    }
    // The whole patch on what it was made for gives the verdict of the patched version (AINV-6), also when that is asked about.
    let (code, answer) = json(&project, &[&ask[..], &["v3", "v4"]].concat());
    assert_eq!(code, Some(0), "{answer}");
    assert_eq!(verdicts(&answer), ["v3 present", "v4->v3 fixed", "v4 fixed", "v4->v4 not_applicable"]);
    let run = patch(&project, &[&ask[..], &["v2", "--format", "sarif"]].concat());
    assert!(serde_json::from_str::<Value>(&run.out).is_ok_and(|sarif| sarif["version"] == "2.1.0"));
}

/// A fix that is none does not become one elsewhere.
#[test]
fn a_bad_patch_is_seen() {
    let project = overflow();
    let ask = ["--from", "v2..v3", "--bug", "handle.c:9", "--kind", "overflow", "v2"];
    let (code, answer) = json(&project, &ask);
    assert_eq!(code, Some(1), "{answer}");
    assert_eq!(verdicts(&answer), ["v2 present", "v3->v2 present"]);
    assert_eq!(answer["findings"][0]["fixed_in"].as_array().map(Vec::len), Some(0), "{answer}");
    let run = patch(&project, &ask);
    assert!(run.code == Some(1) && run.out.contains("The patch does not fix v2."), "{run:?}");
}

/// One function over release branches (E8): absent, the same, in another layout, and rewritten.
#[test]
fn release_branches() {
    let other = "int other(int x) {\n  return x;\n}\n\n";
    let parse = "int parse(const char *text);\nint parse_long(const char *text, int length);\n";
    let reader = |bound: &str| {
        format!(
            "int read_scale(const char *text, int length) {{\n  char buffer[64];\n  if ({bound})\n    return -1;\n  buffer[length] = 0;\n  return parse(buffer);\n}}\n"
        )
    };
    let layout = "int read_scale(const char *text, int length)\n{\n  char buffer[64];\n\n  /* Checked. */\n  if (length < 0)\n    return -1;\n\n  buffer[length] = 0;\n  return parse(buffer);\n}\n";
    let rewritten =
        "int read_scale(const char *text, int length) {\n  return parse_long(text, length);\n}\n".to_owned();
    let texts = [
        format!("{parse}{other}"),
        format!("{parse}{}", reader("length < 0")),
        format!("{parse}{other}{layout}"),
        format!("{parse}{other}{}", reader("length < 0")),
        format!("{parse}{other}{rewritten}"),
        format!("{parse}{other}{}", reader("length < 0 || length > 63")),
    ];
    let project = Project::new();
    for (name, text) in ["v0", "v1", "v2", "v4", "v5", "fixed"].iter().zip(&texts) {
        if *name == "fixed" {
            project.git(&["checkout", "-q", "v4"]);
        }
        project.commit(&[("scale.c", text)]);
        project.git(&["tag", name]);
    }
    let ask = ["--from", "v4..fixed", "--bug", "scale.c:11", "--kind", "overflow"];
    let (code, answer) = json(&project, &[&ask[..], &["v0", "v1", "v2", "v4", "v5"]].concat());
    assert_eq!(applies(&answer, 0), ["no", "yes", "yes", "yes", "no"]);
    let expect = [
        "v0 not_applicable",
        "fixed->v0 not_applicable",
        "v1 present",
        "fixed->v1 fixed",
        "v2 present",
        "fixed->v2 fixed",
        "v4 present",
        "fixed->v4 fixed",
    ];
    assert_eq!(verdicts(&answer)[..8], expect);
    // What v5 does instead is outside of the program, and that is said.
    assert_eq!(verdicts(&answer)[8..], ["v5 unknown", "fixed->v5 not_applicable"]);
    assert!(answer.to_string().contains("what parse_long() does with its arguments was not looked at"));
    assert_eq!(code, Some(3), "whether v5 has it is open: {answer}");
    let (code, answer) = json(&project, &[&ask[..], &["v0", "v1", "v2", "v4"]].concat());
    assert_eq!(verdicts(&answer), expect);
    assert_eq!(code, Some(0), "every release is fixed or does not have it: {answer}");
}

/// What the patch needs and the release does not have: no verdict.
#[test]
fn a_patch_that_does_not_compile_decides_nothing() {
    let project = Project::new();
    let text = |macros: &str, bound: &str| {
        format!(
            "{macros}void put(char *p, int i) {{\n  char a[8];\n  if ({bound})\n    return;\n  a[i] = *p;\n}}\n"
        )
    };
    project.commit(&[("put.c", &text("", "i < 0"))]);
    project.git(&["tag", "old"]);
    project.commit(&[("put.c", &text("#define MOST 7\n", "i < 0"))]);
    project.git(&["tag", "before"]);
    project.commit(&[("put.c", &text("#define MOST 7\n", "i < 0 || i > MOST"))]);
    project.git(&["tag", "after"]);
    let ask = ["--from", "before..after", "--bug", "put.c:6", "--kind", "overflow", "old"];
    let (code, answer) = json(&project, &ask);
    assert_eq!(code, Some(3), "{answer}");
    assert_eq!(verdicts(&answer), ["old present", "after->old unknown"]);
    assert!(answer.to_string().contains("MOST"), "the compiler's message is told: {answer}");
}

/// A patch that is a number in a macro has no hunks, and fixes all the same.
#[test]
fn what_is_outside_functions_is_carried_too() {
    let project = Project::new();
    let text = |size: u32, more: &str| {
        format!(
            "#define SIZE {size}\n{more}void put(char *p, int i) {{\n  char a[SIZE];\n  if (i < 0 || i > 9)\n    return;\n  a[i] = *p;\n}}\n"
        )
    };
    project.commit(&[("put.c", &text(8, ""))]);
    project.git(&["tag", "v1"]);
    project.commit(&[("put.c", &text(8, "int unrelated;\n"))]);
    project.git(&["tag", "v2"]);
    project.commit(&[("put.c", &text(10, "int unrelated;\n"))]);
    project.git(&["tag", "v3"]);
    let ask = ["--from", "v2..v3", "--bug", "put.c:7", "--kind", "overflow", "v2"];
    let (code, answer) = json(&project, &ask);
    assert_eq!(verdicts(&answer), ["v2 present", "v3->v2 fixed"]);
    assert_eq!(code, Some(0), "{answer}");
}

#[test]
fn what_is_wrong_is_said() {
    let project = overflow();
    let check = |arguments: &[&str], message: &str| {
        let run = patch(&project, arguments);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.err.contains(message), "{run:?}");
    };
    check(&["--from", "v3..v4", "--bug", "handle.c:1", "v2"], "no statement of v3 begins at handle.c:1");
    check(&["--from", "v3..v3", "--bug", "handle.c:13", "v2"], "are the same version");
    check(&["--from", "v3..v9", "--bug", "handle.c:13", "v2"], "v9");
    project.commit(&[("README", "nothing\n")]);
    project.git(&["tag", "text"]);
    check(&["--from", "v4..text", "--bug", "handle.c:14", "v2"], "nothing in the code differs");
}

/// Per hunk and release: whether it applies, and whether it would do alone.
#[test]
fn hunks_are_judged_alone() {
    let code = |other: &str, above: &str, below: &str| {
        format!(
            "int n;\n{other}int put(int at) {{\n  int a[16];\n{above}  n = n * 3;\n  n = n ^ 5;\n{below}  a[at] = 1;\n  return 0;\n}}\n"
        )
    };
    let (high, low) = ("  if (at > 15)\n    return 1;\n", "  if (at < 0)\n    return 1;\n");
    let both = "  if (at < 0 || at > 15)\n    return 1;\n";
    let texts = [
        code("", "", ""),
        code("int other(int x) {\n  return x;\n}\n", "", ""),
        code("", high, low),
        code("", both, "  n = n + 4;\n"),
        "int n;\n".to_owned(),
    ];
    let project = Project::new();
    for (number, text) in texts.iter().enumerate() {
        project.commit(&[("put.c", text)]);
        project.git(&["tag", &format!("v{}", number + 1)]);
    }
    let alone = |json: &Value| -> Vec<String> {
        let rows = json["patch"]["hunks"].as_array().unwrap().iter();
        let words = |row: &Value| -> Vec<String> {
            let list = |key: &str| row[key].as_array().unwrap().clone();
            let pairs = list("applies").into_iter().zip(list("alone"));
            pairs
                .map(|(applies, alone)| format!("{}/{}", applies.as_str().unwrap(), alone.as_str().unwrap()))
                .collect()
        };
        rows.map(|row| words(row).join(" ")).collect()
    };
    let ask = |from: &str| -> Vec<String> {
        ["--from", from, "--bug", "put.c:6@v1", "--kind", "overflow", "v1", "v2", "v5"]
            .map(str::to_owned)
            .to_vec()
    };
    let run = |from: &str, more: &[&str]| {
        let ask = ask(from);
        let ask: Vec<&str> = ask.iter().map(String::as_str).chain(more.iter().copied()).collect();
        patch(&project, &ask)
    };
    let answer =
        |from: &str| -> Value { serde_json::from_str(&run(from, &["--format", "json"]).out).unwrap() };
    // Each guard closes one side.
    let found = answer("v1..v3");
    assert_eq!(alone(&found), ["yes/not_fixed yes/not_fixed no/not_judged"; 2]);
    let expect = [
        "v1 present",
        "v3->v1 fixed",
        "v2 present",
        "v3->v2 fixed",
        "v5 not_applicable",
        "v3->v5 not_applicable",
    ];
    assert_eq!(verdicts(&found), expect);
    // One hunk is the fix, the other has nothing to do with it.
    let found = answer("v1..v4");
    assert_eq!(
        alone(&found),
        ["yes/fixed yes/fixed no/not_judged", "yes/not_fixed yes/not_fixed no/not_judged"]
    );
    let run = run("v1..v4", &[]);
    for line in ["yes, fixes       yes, fixes       no", "yes, not enough  yes, not enough  no"] {
        assert!(run.out.contains(line), "{line}\n{}", run.out);
    }
    assert!(!run.out.contains(", hunk "), "{}", run.out);
}

/// E8, second variant: half of the patch is inside `#ifdef FIXED_POINT`, and both configurations are asked about.
#[test]
fn half_of_a_patch_is_for_one_configuration() {
    let other = "int other(int x) {\n  return x;\n}\n\n";
    let scale = |whole: &str, digits: &str| {
        format!(
            "int parse(const char *text);\nint parse_fixed(const char *digits);\n\n\
             int handle_scale(const char *chunk, unsigned length) {{\n  char text[64];\n#ifdef FIXED_POINT\n  char digits[16];\n#endif\n\
             {whole}  text[length] = 0;\n  text[0] = *chunk;\n\
             #ifdef FIXED_POINT\n{digits}  digits[length] = 0;\n  digits[0] = *text;\n  parse_fixed(digits);\n#endif\n  return parse(text);\n}}\n"
        )
    };
    let (whole, digits) = ("  if (length > 63)\n    return -1;\n", "  if (length > 15)\n    return -2;\n");
    let rewritten = "int parse_chunk(const char *chunk, unsigned length);\n\nint handle_scale(const char *chunk, unsigned length) {\n  return parse_chunk(chunk, length);\n}\n";
    let texts = [
        ("r0", other.to_owned()),
        ("r1.0", scale("", "")),
        ("r1.2", format!("{other}{}", scale("", ""))),
        ("r1.4", format!("{other}int more;\n{}", scale("", ""))),
        ("r1.5", format!("{other}{rewritten}")),
        ("fixed", format!("{other}int more;\n{}", scale(whole, digits))),
    ];
    let project = Project::new();
    for (name, text) in &texts {
        project.commit(&[("scale.c", text)]);
        project.git(&["tag", name]);
    }
    // What r1.5 does instead is outside of the program: with it, whether every release is fixed is open.
    let releases = ["r0", "r1.0", "r1.2", "r1.4", "r1.5"];
    let ask_about = |line: &str, releases: &[&str]| {
        let bug = format!("scale.c:{line}@r1.4");
        patch(
            &project,
            &[
                &["--from", "r1.4..fixed", "--bug", &bug, "--kind", "overflow", "--format", "json"][..],
                releases,
            ]
            .concat(),
        )
    };
    let ask = |line: &str| ask_about(line, &releases);
    let known = |line: &str| ask_about(line, &releases[..4]).code;
    let answer =
        |run: &Run| -> Value { serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{run:?}")) };
    let three = |name: &str| -> Vec<String> {
        ["r1.0", "r1.2", "r1.4"]
            .iter()
            .flat_map(|one| [format!("{one} present"), format!("{name}->{one} fixed")])
            .collect()
    };
    // Without FIXED_POINT the patch is one hunk, and the other copy is not there.
    project.write("hydrogen.toml", "[build]\nsources = [\"*.c\"]\n");
    let run = ask("14");
    let found = answer(&run);
    assert_eq!(found["patch"]["hunks"].as_array().unwrap().len(), 1, "{run:?}");
    assert_eq!(applies(&found, 0), ["no", "yes", "yes", "yes", "no"]);
    assert_eq!(verdicts(&found)[2..8], three("fixed"));
    assert_eq!(verdicts(&found)[0], "r0 not_applicable");
    assert_eq!(verdicts(&found)[8..], ["r1.5 unknown", "fixed->r1.5 not_applicable"]);
    assert_eq!((run.code, known("14")), (Some(3), Some(0)), "{run:?}");
    let run = ask("17");
    assert!(run.code == Some(2) && run.err.contains("no statement of r1.4 begins at scale.c:17"), "{run:?}");

    // With it there are two, and each guards one of the copies.
    project.write("hydrogen.toml", "[build]\nsources = [\"*.c\"]\nflags = [\"-DFIXED_POINT\"]\n");
    for (line, enough) in [("14", 0), ("17", 1)] {
        let run = ask(line);
        let found = answer(&run);
        let hunks = found["patch"]["hunks"].as_array().unwrap();
        assert_eq!(hunks.len(), 2, "{run:?}");
        for hunk in 0..2 {
            assert_eq!(applies(&found, hunk), ["no", "yes", "yes", "yes", "no"]);
        }
        assert_eq!(verdicts(&found)[2..8], three("fixed"), "{run:?}");
        assert_eq!(hunks[enough]["alone"][2], "fixed", "{run:?}");
        assert_ne!(hunks[1 - enough]["alone"][2], "fixed", "{run:?}");
        assert_eq!((run.code, known(line)), (Some(3), Some(0)), "{run:?}");
        let bug = format!("scale.c:{line}");
        let run = project.hydrogen(&["verify", "r1.4..fixed", "--bug", &bug, "--kind", "overflow"]);
        assert!(run.code == Some(0) && run.out.contains("fixed fixes it"), "{run:?}");
    }
}
