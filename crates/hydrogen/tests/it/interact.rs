//! `hydrogen interact` and `hydrogen impact-of`.

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
    assert!(project.hydrogen(&["interact", "HEAD", "--format", "csg"]).out.starts_with("hydrogen-csg 1\n"));
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
    let value = json(&project, &["impact-of", "HEAD", "--format", "json"]);
    let found = &value["dependences"];
    let begun = found["begun"].as_array().unwrap();
    assert_eq!(begun.len(), 1, "{found:#}");
    assert_eq!(begun[0]["dependent"]["line"], 10);
    let on: Vec<u64> =
        begun[0]["on"].as_array().unwrap().iter().map(|it| it["line"].as_u64().unwrap()).collect();
    assert_eq!(on, [4, 7]);
    assert_eq!(found["ceased"], serde_json::json!([]));
    let text = project.hydrogen(&["impact-of", "HEAD"]).out;
    assert!(text.contains("a.c:10 f: o = o + 1 now depends on a.c:4, a.c:7\n"), "{text}");
    assert!(text.ends_with("2 begun, 0 ceased\n"), "{text}");
}

#[test]
fn the_impact_of_a_commit() {
    let project = Project::with_versions(&[&[("a.c", OLD)], &[("a.c", &both(OLD))]]);
    let value = json(&project, &["impact-of", "HEAD", "--format", "json"]);
    assert_eq!(value["hunks"].as_array().unwrap().len(), 2);
    assert_eq!(value["outputs"][0]["line"], 3);
    assert_eq!(value["interference"][0]["hunks"], serde_json::json!([0, 1]));
    assert_eq!(value["functions"].as_array().unwrap().len(), 3);
    let text = project.hydrogen(&["impact-of", "HEAD"]).out;
    assert!(text.contains("hunks 0 and 1 may affect the same"), "{text}");
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
    let value = json(&project, &["impact-of", "main", "--with", "side", "--format", "json"]);
    assert_eq!(value["verdict"], "may interfere", "{value:#}");
    assert!(value["both"].to_string().contains("printf"), "{value:#}");
    assert_eq!(project.git(&["count-objects", "-v"]), before);
    // Textual conflicts are for the user to solve.
    project.commit(&[("a.c", &far.replace("shift(int a) { return a; }", "shift(int a) { return a + 9; }"))]);
    let run = project.hydrogen(&["impact-of", "main", "--with", "side"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("conflict in a.c"), "{}", run.err);
}
