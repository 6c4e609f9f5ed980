//! `hydrogen interact` and `hydrogen affects`.

use crate::project::Project;
use serde_json::Value;

const OLD: &str = "int scale(int a) { return a; }\nint shift(int a) { return a; }\n\
int main(int n, char **v) { int x = scale(n); int y = shift(n); printf(\"%d\", x + y); return 0; }\n";

fn both(old: &str) -> String {
    old.replace("int scale(int a) { return a; }", "int scale(int a) { return a * 2; }")
        .replace("int shift(int a) { return a; }", "int shift(int a) { return a + 2; }")
}

fn json(project: &Project, arguments: &[&str]) -> Value {
    let run = project.hydrogen(arguments);
    assert!(matches!(run.code, Some(0 | 3)), "{run:?}");
    serde_json::from_str(&run.out).unwrap()
}

#[test]
fn changes_that_meet_may_interact() {
    let project = Project::with_versions(&[&[("a.c", OLD)], &[("a.c", &both(OLD))]]);
    let graph = json(&project, &["interact", "v1..v2", "--format", "json"]);
    assert_eq!(graph["verdict"], "may interact");
    let kinds: Vec<&str> =
        graph["nodes"].as_array().unwrap().iter().map(|it| it["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["change", "change", "output"], "{graph:#}");
    let text = project.hydrogen(&["interact", "HEAD"]).out;
    assert!(text.contains("a.c:3") && text.contains("depends on a.c:1, a.c:2"), "{text}");
    assert!(project.hydrogen(&["interact", "HEAD", "--format", "dot"]).out.starts_with("digraph changes {"));
    assert!(project.hydrogen(&["interact", "HEAD", "--format", "html"]).out.contains("<table>"));
    let csg = project.hydrogen(&["interact", "HEAD", "--format", "csg"]).out;
    assert!(csg.starts_with("hydrogen-csg 1\n"));
    project.write("kept.csg", &csg);
    let again = project.hydrogen(&["interact", "--import", "kept.csg", "--format", "json"]);
    assert_eq!(again.out, project.hydrogen(&["interact", "HEAD", "--format", "json"]).out, "{}", again.err);
    project.write("kept.csg", "nonsense\n");
    assert_eq!(project.hydrogen(&["interact", "--import", "kept.csg"]).code, Some(2));
}

#[test]
fn a_single_change_has_nothing_to_interact_with() {
    let old = "int g;\nint f(int a) { g = a; return a; }\nint main(void) { return f(g); }\n";
    let project = Project::with_versions(&[&[("a.c", old)], &[("a.c", &old.replace("g = a", "g = a + 1"))]]);
    let run = project.hydrogen(&["interact", "HEAD"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(
        run.out.starts_with("change    a.c:2  f  int f(int a) { g = a + 1; return a; }\n"),
        "{}",
        run.out
    );
    assert!(run.out.contains("cannot interact: there is only one"), "{}", run.out);
    // The whole answer says the same.
    assert_eq!(json(&project, &["interact", "HEAD", "--format", "json"])["verdict"], "cannot interact");
}

#[test]
fn changes_that_never_meet_cannot() {
    let apart =
        |a: &str, b: &str| format!("int f(int a) {{ return {a}; }}\nint g(int a) {{ return {b}; }}\n");
    let project =
        Project::with_versions(&[&[("a.c", &apart("a", "a"))], &[("a.c", &apart("a + 1", "a + 2"))]]);
    let run = project.hydrogen(&["interact", "HEAD"]);
    assert_eq!(run.code, Some(0));
    assert!(run.out.contains("cannot interact"), "{}", run.out);
    // What is deleted is followed too: nothing that the other function does depends on it.
    let with =
        |first: &str| apart("a + 1", "a + 2").replace("{ return a + 1", &format!("{{ {first}return a + 1"));
    project.commit(&[("a.c", &with("a = 2; "))]);
    project.commit(&[("a.c", &with("").replace("return a + 2", "return a + 3"))]);
    let run = project.hydrogen(&["interact", "HEAD"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("deleted: a = 2") && run.out.contains("cannot interact"), "{}", run.out);
    project.commit(&[("a.c", &with("").replace("int g(int a)", "int g(long a)"))]);
    let run = project.hydrogen(&["interact", "HEAD"]);
    assert!(run.code == Some(0) && run.out.contains("may interact"), "{run:?}");
}

/// W1: one statement begins to depend on two others.
#[test]
fn dependences_begin_and_cease() {
    let version = |a: &str, b: &str, o: &str| {
        format!(
            "int f(int i, int j) {{\n  int a = {a};\n  int b = 0;\n  int o = 0;\n  if (a > 0) {{\n    b = {b};\n    o = 1;\n  }}\n  if (b > 0)\n    o = {o};\n  return o; }}\n"
        )
    };
    let (old, new) = (version("i", "j", "2"), version("i + 1", "j + 1", "o + 1"));
    let project = Project::with_versions(&[&[("a.c", &old)], &[("a.c", &new)]]);
    let value = json(&project, &["affects", "HEAD", "--format", "json"]);
    let found = &value["dependences"];
    let begun = found["begun"].as_array().unwrap();
    assert_eq!(begun.len(), 1, "{found:#}");
    assert_eq!(begun[0]["dependent"]["line"], 10);
    let on: Vec<u64> =
        begun[0]["on"].as_array().unwrap().iter().map(|it| it["line"].as_u64().unwrap()).collect();
    assert_eq!(on, [4, 7]);
    assert_eq!(found["ceased"], serde_json::json!([]));
    let text = project.hydrogen(&["affects", "HEAD", "--why"]).out;
    assert!(text.contains("a.c:10 f: o = o + 1 now depends on a.c:4, a.c:7\n"), "{text}");
    assert!(text.ends_with("2 begun, 0 ceased\n"), "{text}");
}

/// W1 with a `main`: on (0, 0) the second change turns line 9 and needs the first one; the third does nothing (B8, B9).
#[test]
fn parts_of_a_change_are_run_one_without_the_other() {
    let version = |a: &str, b: &str, o: &str| {
        format!(
            "int printf(const char *, ...); int atoi(const char *);\n\n  int f(int i, int j) {{\n  int a = {a};\n  int b = 0;\n  int o = 0;\n  if (a > 0) {{\n    b = {b};\n    o = 1;\n  }}\n  if (b > 0)\n    o = {o};\n  return o; }}\n\
             int main(int n, char **v) {{ printf(\"%d\\n\", f(atoi(v[1]), atoi(v[2]))); return 0; }}\n"
        )
    };
    let (old, new) = (version("i", "j", "2"), version("i + 1", "j + 1", "o + 1"));
    let project = Project::with_versions(&[&[("a.c", &old)], &[("a.c", &new)]]);
    let run = project.hydrogen(&["interact", "HEAD", "--run", "--", "0", "0"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let lines: Vec<&str> = run.out.lines().collect();
    assert!(lines[2].starts_with("change 2  a.c:8  changed b = j + 1;"), "{}", run.out);
    assert!(lines[3].contains("a.c:11 `if (b > 0)` goes the other way"), "{}", run.out);
    assert!(lines[3].contains("stdout: \"2\" instead of \"1\""), "{}", run.out);
    assert!(lines[5].contains("no effect in this run"), "{}", run.out);
    assert!(lines[6].starts_with("changes 1 and 2 interact: "), "{}", run.out);
    assert!(run.out.ends_with("1 of 3 pairs of changes interact in this run\n"), "{}", run.out);
    // Where the first change decides alone, nothing interacts; the third one never does.
    let run = project.hydrogen(&["interact", "HEAD", "--run", "--format", "json", "--", "2", "-2"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let value: Value = serde_json::from_str(&run.out).unwrap();
    let pairs = value["pairs"].as_array().unwrap();
    assert!(pairs.len() == 3 && pairs.iter().all(|it| it["interact"] == false), "{value:#}");
}

#[test]
fn the_impact_of_a_commit() {
    let project = Project::with_versions(&[&[("a.c", OLD)], &[("a.c", &both(OLD))]]);
    let value = json(&project, &["affects", "HEAD", "--format", "json"]);
    assert_eq!(value["hunks"].as_array().unwrap().len(), 2);
    assert_eq!(value["outputs"][0]["line"], 3);
    assert_eq!(value["interference"][0]["hunks"], serde_json::json!([0, 1]));
    assert_eq!(value["functions"].as_array().unwrap().len(), 3);
    let text = project.hydrogen(&["affects", "HEAD"]).out;
    assert!(text.contains("changes 0 and 1 may affect the same"), "{text}");
}

#[test]
fn two_branches_are_merged_beside_the_repository() {
    let far = OLD.replace("int shift", "\n\n\n\n\n\nint shift");
    let project = Project::with_versions(&[&[("a.c", &far)]]);
    project.git(&["checkout", "-q", "-b", "side"]);
    project.commit(&[("a.c", &far.replace("shift(int a) { return a; }", "shift(int a) { return a + 2; }"))]);
    project.git(&["checkout", "-q", "main"]);
    project.commit(&[("a.c", &far.replace("scale(int a) { return a; }", "scale(int a) { return a * 2; }"))]);
    let before = project.git(&["count-objects", "-v"]);
    let value = json(&project, &["affects", "main", "--with", "side", "--format", "json"]);
    assert_eq!(value["verdict"], "may interfere", "{value:#}");
    assert!(value["both"].to_string().contains("printf"), "{value:#}");
    assert_eq!(project.git(&["count-objects", "-v"]), before);
    // Textual conflicts are for the user to solve.
    project.commit(&[("a.c", &far.replace("shift(int a) { return a; }", "shift(int a) { return a + 9; }"))]);
    let run = project.hydrogen(&["affects", "main", "--with", "side"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("conflict in a.c"), "{}", run.err);
}

/// Two outputs of which a change affects one, with a function, a global, a loop and memory for each.
fn two_outputs(factor: &str) -> String {
    format!(
        "#include <stdio.h>\n#include <stdlib.h>\nstatic int sum, product = 1;\nstatic int last[4];\n\
static int scale(int a) {{\n  return a * {factor};\n}}\n\
static void note(int a) {{\n  product = product * a;\n}}\n\
static void report(void) {{\n  printf(\"B=%d\\n\", product);\n}}\n\
int main(int argc, char **argv) {{\n  int i;\n  for (i = 1; i < argc; i++) {{\n    int v = atoi(argv[i]);\n    sum += scale(v);\n    note(v);\n\
\x20   last[i % 4] = v;\n    if (v < 0) {{\n      puts(\"negative\");\n      break;\n    }}\n  }}\n  report();\n  printf(\"A=%d\\n\", sum);\n  return 0;\n}}\n"
    )
}

/// B6: the reduced program compiles, and agrees with the new version on the outputs that the change affects.
#[test]
fn a_reduced_program_shows_what_changed() {
    let project = Project::with_versions(&[&[("a.c", &two_outputs("2"))], &[("a.c", &two_outputs("3"))]]);
    let value = json(&project, &["affects", "HEAD", "--reduce", "../reduced", "--format", "json"]);
    let reduced = &value["reduced"];
    assert_eq!(reduced["files"]["compile"], serde_json::json!(["a.c"]), "{reduced:#}");
    assert!(reduced["functions"]["removed"].as_u64().unwrap() >= 2, "{reduced:#}");
    assert_eq!(value["outputs"].as_array().unwrap().len(), 1, "{value:#}");
    let source = std::fs::read_to_string(project.root().join("../reduced/a.c")).unwrap();
    assert!(!source.contains("product * a") && !source.contains("B=") && source.contains("A="), "{source}");
    assert_eq!(source.lines().count(), two_outputs("3").lines().count());
    let program = |folder: &str| {
        let (source, out) =
            (project.root().join(folder).join("a.c"), project.root().join(folder).join("program"));
        let built =
            std::process::Command::new("clang-19").arg("-w").arg(&source).arg("-o").arg(&out).status();
        assert!(built.unwrap().success());
        out
    };
    let (whole, part) = (program("."), program("../reduced"));
    for arguments in [&[][..], &["1"], &["4", "5", "6"], &["7", "-2", "9"], &["0", "0", "1", "2", "3", "4"]] {
        let run = |program: &std::path::Path| {
            let output = std::process::Command::new(program).args(arguments).output().unwrap();
            assert!(output.status.success());
            String::from_utf8(output.stdout).unwrap()
        };
        let affected: String =
            run(&whole).lines().filter(|line| line.starts_with("A=")).map(|it| format!("{it}\n")).collect();
        assert_eq!(run(&part), affected, "{arguments:?}");
    }
    let again = project.hydrogen(&["affects", "HEAD", "--reduce", "../reduced"]);
    assert!(again.code == Some(2) && again.err.contains("not empty"), "{again:?}");
}

/// B3: what is nearer is likelier, and what is not affected is not listed.
#[test]
fn likely_statements_come_first() {
    let project = Project::with_versions(&[&[("a.c", &two_outputs("2"))], &[("a.c", &two_outputs("3"))]]);
    let value = json(&project, &["affects", "HEAD", "--likely", "3", "--format", "json"]);
    let likely = value["likely"].as_array().unwrap();
    let texts: Vec<&str> = likely.iter().map(|it| it["text"].as_str().unwrap()).collect();
    assert_eq!(texts[0], "sum += scale(v)", "{likely:#?}");
    assert!(texts.iter().all(|text| !text.contains("product")), "{likely:#?}");
    let numbers: Vec<f64> = likely.iter().map(|it| it["likelihood"].as_f64().unwrap()).collect();
    assert!(numbers.is_sorted_by(|a, b| a >= b) && numbers[0] < 1.0, "{numbers:?}");
    let text = project.hydrogen(&["affects", "HEAD", "--why", "--likely", "1"]).out;
    assert!(text.contains("likely 0.9000 a.c:"), "{text}");
}

/// Two changes that each set a member of a structure of its own. From the source alone members of one name are one place.
#[test]
fn compiled_code_tells_structures_apart() {
    let version = |plus: &str| {
        format!(
            "#include <stdio.h>\nstruct one {{ int n; }};\nstruct two {{ int n; }};\nstatic void f(struct one *p, int v) {{\n  p->n = v + {plus};\n}}\n\
static void g(struct two *p, int v) {{\n  p->n = v - {plus};\n}}\nint main(int argc, char **argv) {{\n  struct one a;\n  struct two b;\n  f(&a, argc);\n  g(&b, argc);\n\
  printf(\"%d\\n\", a.n);\n  printf(\"%d\\n\", b.n);\n  return 0;\n}}\n"
        )
    };
    let project = Project::with_versions(&[&[("a.c", &version("1"))], &[("a.c", &version("2"))]]);
    let verdict = |more: &[&str]| {
        json(&project, &[&["interact", "HEAD", "--format", "json"], more].concat())["verdict"].clone()
    };
    assert_eq!(verdict(&[]), "may interact");
    assert_eq!(verdict(&["--compiled"]), "cannot interact");
}

/// What a text is made of is read by whoever compares it, though no name of a variable says so.
#[test]
fn texts_are_read_by_functions_of_the_library() {
    let version = |text: &str| {
        format!(
            "#include <stdio.h>\n#include <string.h>\nstatic int decide(const char *s) {{\n  if (strcmp(s, \"x\") == 0)\n    return 1;\n  return 0;\n}}\n\
int main(int argc, char **argv) {{\n  char b[9];\n  strcpy(b, \"{text}\");\n  if (decide(b))\n    puts(\"yes\");\n  return 0;\n}}\n"
        )
    };
    let project = Project::with_versions(&[&[("a.c", &version("x"))], &[("a.c", &version("u"))]]);
    for more in [&[][..], &["--compiled"]] {
        let value = json(&project, &[&["affects", "HEAD", "--format", "json"], more].concat());
        let names: Vec<&str> =
            value["functions"].as_array().unwrap().iter().map(|it| it["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["main", "decide"], "{more:?}");
    }
}

/// The members of a structure are told apart, from the source alone too.
#[test]
fn members_are_told_apart() {
    let version = |plus: &str| {
        format!(
            "#include <stdio.h>\nstruct pair {{ int a, b; }};\nstatic void fill(struct pair *p, int v) {{\n  p->a = v + {plus};\n  p->b = v;\n}}\n\
int main(int argc, char **argv) {{\n  struct pair p;\n  fill(&p, argc);\n  printf(\"A=%d\\n\", p.a);\n  printf(\"B=%d\\n\", p.b);\n  return 0;\n}}\n"
        )
    };
    let project = Project::with_versions(&[&[("a.c", &version("1"))], &[("a.c", &version("2"))]]);
    let outputs = |more: &[&str]| {
        let value = json(&project, &[&["affects", "HEAD", "--format", "json"], more].concat());
        let lines = value["outputs"].as_array().unwrap().iter().map(|it| it["line"].as_u64().unwrap());
        lines.collect::<std::collections::BTreeSet<u64>>()
    };
    assert_eq!(outputs(&[]), [10].into());
    assert_eq!(outputs(&["--compiled"]), [10].into());
    let text = project.hydrogen(&["affects", "HEAD", "--compiled"]).out;
    assert!(text.starts_with("1 change likely affects 2 of 2 functions (100.0 %) and 1 output\n"), "{text}");
}

/// What counts as one change is the user's choice.
#[test]
fn changes_are_counted_as_asked_for() {
    let version = |n: u32| {
        format!(
            "int f(int a) {{\n  a += {n};\n  a *= {n};\n  if (a)\n    a--;\n  return a + {n};\n}}\nint g(int a) {{\n  return a * {n};\n}}\n"
        )
    };
    let project = Project::with_versions(&[&[("a.c", &version(1))], &[("a.c", &version(2))]]);
    let count = |granularity: &str| {
        let arguments = ["affects", "HEAD", "--granularity", granularity, "--format", "json"];
        json(&project, &arguments)["hunks"].as_array().unwrap().len()
    };
    assert_eq!(["statement", "region", "function", "file"].map(count), [4, 3, 2, 1]);
}

/// A function that is only called more or less often is told from one that computes something else.
#[test]
fn functions_that_are_only_called_are_told_apart() {
    let version = |limit: u32| {
        format!(
            "#include <stdio.h>\nstatic void tell(void) {{\n  puts(\"large\");\n}}\nint main(int argc, char **argv) {{\n  if (argc > {limit})\n    tell();\n  return 0;\n}}\n"
        )
    };
    let project = Project::with_versions(&[&[("a.c", &version(1))], &[("a.c", &version(2))]]);
    let text = project.hydrogen(&["affects", "HEAD", "--compiled"]).out;
    let expect = "1 change likely affects 1 of 2 functions (50.0 %) and 1 output\n1 other function may only run more or less often (called so, or behind a possible end of the program), doing as before\n";
    assert!(text.starts_with(expect), "{text}");
}
