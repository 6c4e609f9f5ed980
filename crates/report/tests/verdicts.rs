//! Answers as text, JSON and SARIF.

#![allow(clippy::unwrap_used)]

use expect_test::{Expect, expect};
use hydrogen_evidence::{
    Answer, Basis, Class, Command, Counters, Entry, Evidence, Finding, Ruling, Spot, Status, Verdict,
};
use hydrogen_report::verdicts::{Agreement, Looks, Sources, compare, history, json, sarif, text};

const SOURCE: &str = "void handle(const char *b) {\n  char a[16];\n  strcpy(a, b);\n}\n";

struct Source;

impl Sources for Source {
    fn file(&self, _: &str, file: &str) -> Option<String> {
        (file == "main.c").then(|| SOURCE.to_owned())
    }
}

fn spot(line: u32, text: &str, notes: &[&str]) -> Spot {
    Spot {
        function: "handle".into(),
        file: "main.c".into(),
        line,
        text: text.into(),
        notes: notes.iter().map(|note| (*note).to_owned()).collect(),
    }
}

fn ruling(at: u32, verdict: Verdict) -> Ruling {
    let present = verdict == Verdict::Present;
    let path = vec![spot(2, "char a[16]", &[]), spot(3, "strcpy(a, b)", &["strlen(b) = 16"])];
    let evidence = Evidence {
        path: if present { path } else { vec![] },
        constraint: if present { "strlen(b) >= 16".into() } else { String::new() },
        model: if present { vec![("strlen(b)".into(), "16".into())] } else { vec![] },
        ..Evidence::default()
    };
    let ledger = if verdict == Verdict::Unknown { vec![Entry::LoopBounded] } else { vec![] };
    Ruling { id: at, version: format!("v{}", at + 1), verdict, basis: Basis::Fault, evidence, ledger }
}

fn finding(verdicts: &[Verdict]) -> Finding {
    Finding {
        kind: Class::Overflow,
        message: "strcpy(a, b) writes past the end of a (16 bytes)".into(),
        location: spot(3, "strcpy(a, b)", &[]),
        at_version: "v1".into(),
        node: 7,
        status: None,
        verdicts: verdicts.iter().zip(0..).map(|(verdict, at)| ruling(at, *verdict)).collect(),
    }
}

fn answer(command: Command, findings: Vec<Finding>) -> Answer {
    let versions = findings.first().map_or(0, |finding| finding.verdicts.len());
    let versions = (1..=versions).map(|at| format!("v{at}")).collect();
    Answer {
        findings,
        counters: Counters {
            raised: 1,
            nodes: 9,
            functions: 1,
            questions: 4,
            solver_calls: 1,
            ..Counters::default()
        },
        ..Answer::new(command, versions)
    }
}

fn check(answer: &Answer, documented: Option<&[&str]>, expect: Expect) {
    let list: Option<Vec<String>> =
        documented.map(|list| list.iter().map(|name| (*name).to_owned()).collect());
    let documented = list.map(|list| compare(answer, &list));
    expect.assert_eq(&text(answer, documented.as_ref(), &Source, Looks::default()));
}

const P: Verdict = Verdict::Present;
const A: Verdict = Verdict::Absent;
const F: Verdict = Verdict::Fixed;
const U: Verdict = Verdict::Unknown;
const N: Verdict = Verdict::NotApplicable;

#[test]
fn impact_is_a_matrix_with_a_path() {
    let answer = answer(Command::Impact, vec![finding(&[A, P, P, U, F])]);
    check(
        &answer,
        Some(&["v3", "v5"]),
        expect![[r#"
        overflow: strcpy(a, b) writes past the end of a (16 bytes)
          main.c:3 in handle() (v1): strcpy(a, b)
            2 |   char a[16];
          > 3 |   strcpy(a, b);
            4 | }

          version  verdict  because
          v1       absent   every path to it was refuted
          v2       present  strlen(b) >= 16
          v3       present  strlen(b) >= 16
          v4       unknown  a loop is followed a few rounds only
          v5       fixed    every path to it was refuted
          Introduced in v2; fixed after v3, in v5 at the latest.

          In v2, v3, it happens on this path (lines of v3):
            1. main.c:2  char a[16]
            2. main.c:3  strcpy(a, b)  strlen(b) = 16
            when strlen(b) >= 16
            for example with strlen(b) = 16

          Ledger of v4: a loop is followed a few rounds only.

        Documented and found
          version  documented  found
          v1       -           absent
          v2       -           present         <- found, and not documented
          v3       affected    present
          v4       -           unknown         <- not decided
          v5       affected    fixed           <- documented, and not found
          Found, and not documented: v2.
          Documented, and not found: v5.
          Not decided: v4.

        1 condition raised; 9 nodes and 1 function visited; 4 questions, 1 of them for the solver; 0.0 s
    "#]],
    );
}

#[test]
fn verify_says_it_in_a_sentence() {
    for (verdicts, said) in [
        ([P, F], "v2 fixes it: every path of v1 that has it is closed."),
        ([P, P], "v2 does not fix it: a path remains."),
        ([P, U], "Whether v2 fixes it could not be decided."),
        ([P, N], "The statement is not in v2 any more; that alone is no fix."),
        ([A, A], "v2 does not have it, and neither has v1: there was nothing to fix."),
        ([U, A], "v2 does not have it; whether v1 had it could not be decided."),
    ] {
        let text = text(&answer(Command::Verify, vec![finding(&verdicts)]), None, &(), Looks::default());
        assert!(text.contains(said), "{text}");
    }
    // The fault is found by the fix, and its absence by the safety condition.
    let mut mixed = finding(&[U, A]);
    let by_fix = finding(&[P, F]).verdicts.into_iter();
    let by_fix = by_fix.map(|ruling| Ruling { basis: Basis::Patch, ..ruling });
    mixed.verdicts = mixed.verdicts.into_iter().zip(by_fix).flat_map(|(a, b)| [a, b]).collect();
    let text = text(&answer(Command::Verify, vec![mixed]), None, &(), Looks::default());
    assert!(text.contains("v2 fixes it: every path of v1 that has it is closed."), "{text}");
}

#[test]
fn patch_names_every_release() {
    let text = text(&answer(Command::Patch, vec![finding(&[N, F, P, U])]), None, &(), Looks::default());
    let said = "The patch fixes v2; does not fix v3; does not apply to v1; is not decided for v4.";
    assert!(text.contains(said), "{text}");
    assert!(text.contains("v1       does not apply"), "{text}");
}

#[test]
fn check_tells_new_from_old() {
    let with = |status, verdicts: &[Verdict]| Finding { status: Some(status), ..finding(verdicts) };
    let findings = vec![
        with(Status::Unchanged, &[P, P]),
        with(Status::New, &[A, P]),
        with(Status::Fixed, &[P, F]),
        with(Status::Open, &[A, U]),
    ];
    let mut answer = answer(Command::Check, findings);
    answer.partial = true;
    answer.notes.push("v1: util.c could not be read".into());
    check(
        &answer,
        None,
        expect![[r#"
        v1..v2: 1 new, 1 fixed, 1 not decided, 1 there before and after

        NEW overflow: strcpy(a, b) writes past the end of a (16 bytes)
          main.c:3 in handle() (v1): strcpy(a, b)
            2 |   char a[16];
          > 3 |   strcpy(a, b);
            4 | }

          version  verdict  because
          v1       absent   every path to it was refuted
          v2       present  strlen(b) >= 16
          Introduced in v2.

          In v2, it happens on this path:
            1. main.c:2  char a[16]
            2. main.c:3  strcpy(a, b)  strlen(b) = 16
            when strlen(b) >= 16
            for example with strlen(b) = 16

        FIXED overflow: strcpy(a, b) writes past the end of a (16 bytes)
          main.c:3 in handle() (v1): strcpy(a, b)

        NOT DECIDED overflow: strcpy(a, b) writes past the end of a (16 bytes)
          main.c:3 in handle() (v1): strcpy(a, b)
            2 |   char a[16];
          > 3 |   strcpy(a, b);
            4 | }

          version  verdict  because
          v1       absent   every path to it was refuted
          v2       unknown  a loop is followed a few rounds only

          Ledger of v2: a loop is followed a few rounds only.

        UNCHANGED overflow: strcpy(a, b) writes past the end of a (16 bytes)
          main.c:3 in handle() (v1): strcpy(a, b)

        Note: v1: util.c could not be read.
        The budget ran out: what is not decided above may be decidable.
        1 condition raised; 9 nodes and 1 function visited; 4 questions, 1 of them for the solver; 0.0 s
    "#]],
    );
}

#[test]
fn colours_only_where_wanted() {
    let answer = answer(Command::Impact, vec![finding(&[P, F])]);
    assert!(!text(&answer, None, &Source, Looks::default()).contains('\x1b'));
    assert!(text(&answer, None, &Source, Looks { colour: true }).contains("\x1b[31mpresent"));
}

#[test]
fn history_admits_what_it_does_not_know() {
    let said = |verdicts: &[Verdict]| -> Vec<(String, Option<String>, bool)> {
        history(&finding(verdicts), &[])
            .into_iter()
            .map(|turn| (turn.version, turn.after, turn.vague))
            .collect()
    };
    let turn =
        |version: &str, after: Option<&str>, vague| (version.to_owned(), after.map(str::to_owned), vague);
    assert_eq!(said(&[P, F]), [turn("v1", None, false), turn("v2", Some("v1"), false)]);
    assert_eq!(said(&[A, U, P]), [turn("v3", Some("v1"), true)]);
    assert_eq!(said(&[U, P, N]), [turn("v2", None, true), turn("v3", Some("v2"), false)]);
    assert_eq!(said(&[A, U, A]), []);
}

#[test]
fn advisories_are_compared() {
    let answer = answer(Command::Impact, vec![finding(&[P, P, A, U]), finding(&[N, A, A, A])]);
    let comparison = compare(&answer, &["v1".into(), "v3".into()]);
    let agreements: Vec<Agreement> = comparison.rows.iter().map(|row| row.agreement).collect();
    assert_eq!(
        agreements,
        [Agreement::Same, Agreement::Undocumented, Agreement::NotFound, Agreement::Undecided]
    );
}

#[test]
fn json_has_the_promised_shape() {
    let answer = answer(Command::Impact, vec![finding(&[P, F])]);
    let value = json(&answer, Some(&compare(&answer, &["v1".into()])));
    for key in ["tool", "version", "schema", "command", "versions", "findings", "counters"] {
        assert!(value.get(key).is_some(), "{key}");
    }
    let finding = &value["findings"][0];
    assert_eq!(finding["kind"], "overflow");
    assert_eq!(finding["function"], "handle");
    assert_eq!(finding["location"]["line"], 3);
    let verdict = &finding["verdicts"][0];
    assert_eq!((&verdict["version"], &verdict["verdict"]), (&"v1".into(), &"present".into()));
    assert_eq!(verdict["basis"], "fault");
    assert_eq!(verdict["evidence"]["path"][1]["notes"][0], "strlen(b) = 16");
    assert_eq!(verdict["evidence"]["constraint"], "strlen(b) >= 16");
    assert_eq!(verdict["evidence"]["model"][0]["value"], "16");
    assert_eq!(verdict["ledger"], serde_json::json!([]));
    assert_eq!(finding["introduced_in"], serde_json::json!(["v1"]));
    assert_eq!(finding["fixed_in"], serde_json::json!(["v2"]));
    assert_eq!(value["documented"][1]["agreement"], "same");
}

/// The published schema comes with a crate that is needed for nothing else.
fn schema() -> serde_json::Value {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    // Crates of other platforms need not have been downloaded.
    let platform = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let run = std::process::Command::new(cargo)
        .args(["metadata", "--format-version", "1", "--offline", "--filter-platform", &platform])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let package = packages.iter().find(|package| package["name"] == "serde-sarif").unwrap();
    let manifest = std::path::Path::new(package["manifest_path"].as_str().unwrap());
    let text = std::fs::read_to_string(manifest.with_file_name("src").join("schema.json")).unwrap();
    let mut schema: serde_json::Value = serde_json::from_str(&text).unwrap();
    // One of its patterns has a bracket too many, which not every reader of patterns forgives; we never name a language.
    for part in ["run", "toolComponent"] {
        schema["definitions"][part]["properties"]["language"].as_object_mut().unwrap().remove("pattern");
    }
    schema
}

#[test]
fn sarif_is_what_the_schema_says() {
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let with = |status, verdicts: &[Verdict]| Finding { status: Some(status), ..finding(verdicts) };
    let mut full = answer(
        Command::Check,
        vec![with(Status::New, &[A, P]), with(Status::Fixed, &[P, F]), with(Status::Open, &[U, U])],
    );
    full.partial = true;
    full.notes.push("v1: util.c could not be read".into());
    let logs = [
        full,
        answer(Command::Check, vec![]),
        answer(Command::Impact, vec![finding(&[P, A, U, N]), finding(&[A]), finding(&[N]), finding(&[U])]),
    ];
    for log in &logs {
        let value = sarif(log);
        let problems: Vec<String> = validator
            .iter_errors(&value)
            .map(|error| format!("{}: {error}", error.instance_path()))
            .collect();
        assert_eq!(problems, Vec::<String>::new());
        // And it is read by those who rely on the types.
        let read: serde_sarif::sarif::Sarif = serde_json::from_value(value).unwrap();
        assert_eq!(read.runs[0].results.as_ref().unwrap().len(), log.findings.len());
    }
    let value = sarif(&logs[0]);
    let result = |at: usize| &value["runs"][0]["results"][at];
    let states = [0, 1, 2].map(|at| result(at)["baselineState"].as_str().unwrap());
    assert_eq!(states, ["new", "absent", "updated"]);
    assert_eq!(result(0)["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap().len(), 2);
    assert_eq!((&result(2)["kind"], &result(2)["level"]), (&"open".into(), &"none".into()));
}

#[test]
fn fingerprints_stay_when_lines_move() {
    let print = |answer: &Answer, at: usize| {
        let prints = &sarif(answer)["runs"][0]["results"][at]["partialFingerprints"];
        prints["hydrogen/v1"].as_str().unwrap().to_owned()
    };
    let before = answer(Command::Impact, vec![finding(&[P]), finding(&[P])]);
    let mut after = before.clone();
    for finding in &mut after.findings {
        finding.location.line += 40;
        finding.at_version = "v9".into();
    }
    assert_eq!(print(&before, 0), print(&after, 0));
    assert_ne!(print(&before, 0), print(&before, 1), "two of the same statement are two");
    after.findings[0].location.text = "strcpy(b, a)".into();
    assert_ne!(print(&before, 0), print(&after, 0));
}

/// What the code of a fix decides is told as that, not as a path that was refuted.
#[test]
fn verdicts_by_the_code_of_a_fix_say_so() {
    let mut finding = finding(&[P, F, P, F]);
    let why = [
        vec![Entry::TakenAsFix],
        vec![Entry::TheFixItself, Entry::TakenAsFix],
        vec![Entry::SameAsBefore, Entry::TakenAsFix],
        vec![Entry::SameAsFixed, Entry::TakenAsFix],
    ];
    for (ruling, why) in finding.verdicts.iter_mut().zip(why) {
        *ruling =
            Ruling { basis: Basis::Patch, evidence: Evidence::default(), ledger: why, ..ruling.clone() };
    }
    let told = text(&answer(Command::Impact, vec![finding]), None, &Source, Looks::default());
    assert!(told.contains("the functions that the fix changed are here as they are after it"), "{told}");
    assert!(!told.contains("some input") && !told.contains("refuted"), "{told}");
}
