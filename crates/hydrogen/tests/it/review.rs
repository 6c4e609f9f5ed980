//! `hydrogen review`: the answers of all commands about a change, and what is told when some of them fail.

use crate::project::Project;
use serde_json::Value;

const OLD: &str = "static int clamp(int x) { if (x > 100) return 100; return x; }\nint ratio(int a, int b) { if (b == 0) return 0; return clamp(a) / b; }\nint main(int argc, char **argv) { return ratio(argc, argc - 1); }\n";
/// `clamp` is written differently, `ratio` lost its guard.
const NEW: &str = "static int clamp(int x) { return x > 100 ? 100 : x; }\nint ratio(int a, int b) { return clamp(a) / b; }\nint main(int argc, char **argv) { return ratio(argc, argc - 1); }\n";

fn project() -> Project {
    Project::with_versions(&[&[("a.c", OLD)], &[("a.c", NEW)]])
}

/// The ids of a review's items, with their topics.
fn items(json: &str) -> Vec<(String, String)> {
    let review: Value = serde_json::from_str(json).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    review["items"].as_array().unwrap().iter().map(|item| (text(&item["id"]), text(&item["topic"]))).collect()
}

#[test]
fn a_change_on_one_screen() {
    let project = project();
    let run = project.hydrogen(&["review", "v1..v2"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.starts_with("v1 → v2: "), "{}", run.out);
    assert!(run.out.contains("≠ a.c:2 ratio()") || run.out.contains("✗ a.c:2 ratio()"), "{}", run.out);
    assert!(run.out.contains("✓ a.c:1 clamp()"), "{}", run.out);
    assert!(run.out.lines().count() < 45, "one screen: {}", run.out);
}

#[test]
fn an_item_is_explained_and_a_baseline_silences_it() {
    let project = project();
    let json = project.hydrogen(&["review", "v1..v2", "--format", "json", "-o", "base.json"]);
    assert_eq!(json.code, Some(1), "{json:?}");
    let written = std::fs::read_to_string(project.root().join("base.json")).unwrap();
    let (id, _) = items(&written).into_iter().find(|(_, topic)| topic == "different").unwrap();
    let told = project.hydrogen(&["explain", &id]);
    assert_eq!(told.code, Some(0), "{told:?}");
    assert!(told.out.contains("ratio()") && told.out.contains("All of it: hydrogen "), "{}", told.out);
    assert_eq!(project.hydrogen(&["explain", "nothing"]).code, Some(2));
    let again = project.hydrogen(&["review", "v1..v2", "--baseline", "base.json"]);
    assert_ne!(again.code, Some(1), "what is known is no finding: {again:?}");
    assert!(again.out.contains("(known)"), "{}", again.out);
}

#[test]
fn without_a_range_the_work_tree_is_meant() {
    let project = project();
    project.write("a.c", NEW.replace("int a, int b) {", "int a, int b) { if (!b) return 7;"));
    let run = project.hydrogen(&["review"]);
    assert!(run.out.starts_with("HEAD → the work tree: "), "{run:?}");
    assert!(run.out.contains("ratio()"), "{}", run.out);
}

#[test]
fn other_forms_are_whole() {
    let project = project();
    let form = |name: &str| project.hydrogen(&["review", "v1..v2", "--format", name]).out;
    assert!(form("md").starts_with("### What this change did\n"));
    assert!(form("html").trim_end().ends_with("</html>"));
    let sarif: Value = serde_json::from_str(&form("sarif")).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
}

#[test]
fn what_could_not_be_asked_is_missing_not_fatal() {
    let project = project();
    let run = project.hydrogen(&["review", "v1..v2", "--budget", "1ms"]);
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.out.contains("Missing"), "{}", run.out);
    let wrong = project.hydrogen(&["review", "nosuch"]);
    assert!(wrong.code == Some(2) && wrong.err.contains("`nosuch`"), "{wrong:?}");
}
