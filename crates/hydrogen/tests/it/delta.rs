//! `hydrogen delta`: each hunk's effect, in every form.

use crate::project::Project;
use serde_json::Value;

const OLD: &str = "#include <string.h>\nint limit = 4;\nvoid put(char *d, const char *s, unsigned long len)\n{\n  memcpy(d, s, len);\n}\nint clamp(int x) { if (x > 100) return 100; return x; }\nint main(int argc, char **argv) { char b[4]; put(b, argv[0], 2); return clamp(argc) + limit; }\n";

fn project() -> Project {
    let new = OLD
        .replace("  memcpy", "  if (len)\n    memcpy")
        .replace("limit = 4", "limit = 5")
        .replace("{ if (x > 100) return 100; return x; }", "{ return x > 100 ? 100 : x; }");
    Project::with_versions(&[&[("a.c", OLD)], &[("a.c", &new)]])
}

#[test]
fn every_hunk_is_told() {
    let run = project().hydrogen(&["delta", "v1..v2"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    for line in [
        "v1 → v2: 1 function does something else, 1 changed function does the same, 1 variable begins otherwise",
        "a.c:3 put()",
        "when len == 0: no longer calls memcpy(d, s, len)",
        "Otherwise as before.",
        "Changed and does the same: clamp()",
        "limit: begins as 5, was 4",
    ] {
        assert!(run.out.contains(line), "{line}\n{}", run.out);
    }
}

#[test]
fn one_function_and_a_refactoring() {
    let project = project();
    let one = project.hydrogen(&["delta", "v1..v2", "--function", "clamp"]);
    assert!(one.out.contains("clamp()") && !one.out.contains("put()"), "{}", one.out);
    assert_eq!(project.hydrogen(&["delta", "v1..v2", "--expect", "none"]).code, Some(1));
    let same = Project::with_versions(&[
        &[("a.c", "int f(int a) { int b = a + 1; return b; }\n")],
        &[("a.c", "int f(int count) { return count + 1; }\n")],
    ]);
    assert_eq!(same.hydrogen(&["delta", "v1..v2", "--expect", "none"]).code, Some(0));
}

#[test]
fn other_forms_are_whole() {
    let project = project();
    let form = |name: &str| project.hydrogen(&["delta", "v1..v2", "--format", name]).out;
    let json: Value = serde_json::from_str(&form("json")).unwrap();
    let delta = &json["functions"][0]["regions"][0]["deltas"][0];
    assert_eq!((&delta["condition"], &delta["certainty"]), (&"len == 0".into(), &"exact".into()), "{json:#}");
    assert!(form("md").contains("no longer calls memcpy"), "{}", form("md"));
    assert!(form("html").starts_with("<!DOCTYPE html>"), "{}", form("html"));
}

#[test]
fn what_is_not_compiled_is_said() {
    let project = Project::with_versions(&[&[("a.c", OLD)], &[("a.c", "int f( {\n")]]);
    let run = project.hydrogen(&["delta", "v1..v2"]);
    assert!(run.code == Some(3) || run.code == Some(2), "{run:?}");
    assert!(run.out.contains("a.c") || run.err.contains("a.c"), "{run:?}");
}

#[test]
fn review_leads_with_it() {
    let run = project().hydrogen(&["review", "v1..v2", "--budget", "20s"]);
    let at = |words: &str| run.out.find(words).unwrap_or_else(|| panic!("{words}: {}", run.out));
    assert!(at("What the change does differently") < at("What changed"), "{}", run.out);
    assert!(run.out.contains("put(): when len == 0: no longer calls memcpy(d, s, len)"), "{}", run.out);
}
