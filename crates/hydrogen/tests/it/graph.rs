//! Many versions in one graph, as users see it.

use crate::project::Project;

const HEADER: &str = "#include <stdlib.h>\n#include <string.h>\nvoid get(void), drop(void), report(void);\n";

/// The spec's worked example: an overflow, a wrong fix, a forgotten release, both mended.
fn overflow() -> Project {
    let body = |lines: &str| {
        format!("{HEADER}void handle(const char *b) {{\n  get();\n{lines}  strcpy(a, b);\n  drop();\n}}\n")
    };
    let declared = "  char *a = NULL;\n  size_t len = 0;\n";
    let guard = |more: &str| format!("  if (a == NULL) {{\n    report();\n{more}    return;\n  }}\n");
    let versions = [
        body("  char a[16];\n"),
        body(&format!("{declared}  len = strlen(b);\n  a = malloc(len);\n")),
        body(&format!("{declared}  len = strlen(b);\n  a = malloc(len);\n{}", guard(""))),
        body(&format!("{declared}  len = strlen(b) + 1;\n  a = malloc(len);\n{}", guard("    drop();\n"))),
    ];
    let project = Project::new();
    for (number, text) in versions.iter().enumerate() {
        project.commit(&[("handle.c", text)]);
        project.git(&["tag", &format!("v{}", number + 1)]);
    }
    project
}

#[test]
fn every_statement_knows_its_versions() {
    let project = overflow();
    for options in [&["--check"][..], &["--check", "--syntax"][..]] {
        let run = project.hydrogen(&[&["graph", "v*", "--format", "json"], options].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
        let graph: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        let versions = |text: &str| -> Vec<String> {
            let nodes = graph["nodes"].as_array().unwrap().iter().filter(|node| node["text"] == text);
            nodes.map(|node| node["versions"].to_string().replace('"', "")).collect()
        };
        assert_eq!(versions("strcpy(a, b)"), ["[v1,v2,v3,v4]"]);
        assert_eq!(versions("char a[16]"), ["[v1]"]);
        assert_eq!(versions("len = strlen(b)"), ["[v2,v3]"]);
        assert_eq!(versions("len = strlen(b) + 1"), ["[v4]"]);
        assert_eq!(versions("drop()"), ["[v4]", "[v1,v2,v3,v4]"]);
        assert_eq!(graph["versions"], serde_json::json!(["v1", "v2", "v3", "v4"]));
    }
}

#[test]
fn one_thread_or_many_give_the_same_graph() {
    let project = overflow();
    let arguments = ["graph", "v*", "--format", "text"];
    let one = project.hydrogen(&[&["--jobs", "1"], &arguments[..]].concat());
    std::fs::remove_dir_all(project.cache()).unwrap();
    let many = project.hydrogen(&[&["--jobs", "8"], &arguments[..]].concat());
    assert_eq!(one.out, many.out);
    assert!(one.out.contains("strcpy(a, b)"), "{one:?}");
}

#[test]
fn a_difference_is_told_by_statements() {
    let project = overflow();
    let run = project.hydrogen(&["diff", "v1", "v2"]);
    for line in [
        "-     6  char a[16]",
        "+     8  len = strlen(b)",
        "~    10  strcpy(a, b)   [compiles to other code]",
    ] {
        assert!(run.out.contains(line), "{line} is not in {}", run.out);
    }
    assert!(!run.out.contains("get()") && !run.out.contains("drop()"), "{}", run.out);
    let same = project.hydrogen(&["diff", "v2", "v2"]);
    assert_eq!(same.out, "no difference\n");
}

#[test]
fn the_history_of_a_statement_and_of_a_function() {
    let project = overflow();
    let statement = project.hydrogen(&["history", "handle.c:15", "v*"]);
    assert!(statement.out.contains("strcpy(a, b)") && statement.out.contains("introduced"), "{statement:?}");
    let function = project.hydrogen(&["history", "handle", "v*"]);
    assert_eq!(function.out.lines().count(), 4, "{function:?}");
    let nowhere = project.hydrogen(&["history", "handle.c:1", "v*"]);
    assert_eq!(nowhere.code, Some(2), "{nowhere:?}");
}

#[test]
fn the_picture_is_one_page() {
    let project = overflow();
    let page = project.root().join("g.html");
    let run = project.hydrogen(&[
        "graph",
        "v*",
        "--syntax",
        "--format",
        "html",
        "--output",
        page.to_str().unwrap(),
    ]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let text = std::fs::read_to_string(page).unwrap();
    assert!(text.contains("<html") && text.contains("strcpy(a, b)"));
}

#[test]
fn a_version_that_cannot_be_read_is_left_out() {
    let project = overflow();
    project.commit(&[("handle.c", "this is no C\n")]);
    project.git(&["tag", "v5"]);
    let run = project.hydrogen(&["stats", "v*"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.err.contains("v5") && run.out.contains("4 versions"), "{run:?}");
}

#[test]
fn adding_a_version_is_building_all_at_once() {
    let project = overflow();
    let write = |name: &str, arguments: &[&str]| {
        let file = project.root().join(name);
        let options = ["--format", "hyg", "--output", file.to_str().unwrap()];
        let run = project.hydrogen(&[&["graph"], arguments, &options].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
        std::fs::read(file).unwrap()
    };
    write("three.hyg", &["v1", "v2", "v3"]);
    let added = write("added.hyg", &["v4", "--base", "three.hyg"]);
    let all = write("all.hyg", &["v1", "v2", "v3", "v4"]);
    assert!(added == all, "the files differ");
    let elsewhere = project.root().join("..");
    let root = project.root();
    let there = [
        "-C",
        root.to_str().unwrap(),
        "graph",
        "v4",
        "--base",
        "three.hyg",
        "--format",
        "hyg",
        "-o",
        "c.hyg",
    ];
    let run = crate::project::run(project.command().current_dir(elsewhere).args(there));
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(std::fs::read(root.join("c.hyg")).unwrap() == all, "paths count from the folder given with -C");
    project.write("broken.hyg", &all[..all.len() - 9]);
    let run = project.hydrogen(&["graph", "v4", "--base", "broken.hyg"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("broken.hyg"), "{run:?}");
}

#[test]
fn a_file_that_does_not_compile_is_no_change() {
    let project = Project::new();
    let main = "int f(int);\nint main(void) { return f(1); }\n";
    let good = "int f(int x) {\n  x = x + 1;\n  return x;\n}\n";
    let versions = [good, "int f(int x) {\n  x = x +;\n  return x;\n}\n", &good.replace("+ 1", "+ 2")];
    for (number, text) in versions.iter().enumerate() {
        project.commit(&[("f.c", text), ("main.c", main)]);
        project.git(&["tag", &format!("v{}", number + 1)]);
    }
    let diff = project.hydrogen(&["diff", "v1", "v2"]);
    assert!(diff.out.starts_with("0 functions changed"), "{diff:?}");
    assert!(diff.out.contains("nothing is said of them: 1 function\n  ? f.c:1 f\n"), "{diff:?}");
    // From the models, and again from the kept graph: the same words, warnings included.
    let history = project.hydrogen(&["history", "f", "v*"]);
    assert!(history.out.contains("v2") && history.out.contains("unknown (its file could not be read)"));
    assert!(!history.out.contains("removed\n") && history.err.contains("expected expression"), "{history:?}");
    let again = project.hydrogen(&["history", "f", "v*"]);
    assert_eq!((&history.out, &history.err), (&again.out, &again.err));
    let step = project.hydrogen(&["diff", "v1", "v3", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&step.out).unwrap();
    assert_eq!(json["functions"][0]["statements"].as_array().unwrap().len(), 2, "{json}");
    let stats = project.hydrogen(&["stats", "v*", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&stats.out).unwrap();
    assert_eq!((&json["steps"][0]["deleted"], &json["steps"][0]["unread"]), (&0.into(), &1.into()));
    let page = project.hydrogen(&["graph", "v*", "--format", "html"]);
    assert!(page.out.contains(r#""missing":["f.c"]"#), "the page knows what it does not know");
}

#[test]
fn a_kept_graph_goes_on_as_if_built_at_once() {
    let project = overflow();
    let hyg = |names: &[&str], file: &str| {
        let run = project.hydrogen(&[&["graph"], names, &["--format", "hyg", "--output", file]].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
        std::fs::read(project.root().join(file)).unwrap()
    };
    hyg(&["v1", "v2"], "two.hyg");
    let grown = hyg(&["v1", "v2", "v3", "v4"], "grown.hyg");
    let again = hyg(&["v1", "v2", "v3", "v4"], "again.hyg");
    std::fs::remove_dir_all(project.cache()).unwrap();
    let fresh = hyg(&["v1", "v2", "v3", "v4"], "fresh.hyg");
    assert!(grown == fresh && again == fresh);
    // A damaged one is built again.
    let graphs = std::process::Command::new("find")
        .arg(project.cache())
        .args(["-path", "*graph*", "-type", "f"])
        .output();
    for file in String::from_utf8(graphs.unwrap().stdout).unwrap().lines() {
        std::fs::write(file, b"nonsense").unwrap();
    }
    assert!(hyg(&["v1", "v2", "v3", "v4"], "mended.hyg") == fresh);
}

/// Releases of two branches: each is compared with what it was made from, not with the one before it in the list.
#[test]
fn releases_of_a_branch_follow_their_ancestors() {
    let project = Project::new();
    let text = |more: &str| format!("int f(int x) {{\n  x = x + 1;\n{more}  return x;\n}}\n");
    let tag = |name: &str, more: &str| {
        project.commit(&[("f.c", &text(more)), ("other.txt", name)]);
        project.git(&["tag", name]);
    };
    tag("v1", "");
    project.git(&["branch", "stable"]);
    project.commit(&[("other.txt", "between")]);
    tag("v2", "  x = x * 2;\n");
    project.git(&["checkout", "-q", "stable"]);
    project.commit(&[("other.txt", "on the branch")]);
    tag("v1.1", "  x = x * 3;\n");
    let run = project.hydrogen(&["graph", "v1", "v2", "v1.1", "--format", "json", "--syntax"]);
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(json["commits"][1]["parents"], serde_json::json!([0]));
    assert_eq!(json["commits"][2]["parents"], serde_json::json!([0]), "{run:?}");
}

#[test]
fn calls_through_pointers_are_followed_on_request() {
    let table = |second: &str| {
        format!(
            "static int one(int x) {{ return x; }}\nstatic int two(int x) {{ return -x; }}\n\
             static int (*const table[2])(int) = {{ one, {second} }};\n\
             int call(int i, int x) {{\n  return table[i & 1](x);\n}}\n\
             int other(int (*f)(int)) {{\n  return f(1);\n}}\nint main(void) {{ return call(0, 1) + two(1); }}\n"
        )
    };
    let project = Project::with_versions(&[&[("a.c", &table("one"))], &[("a.c", &table("two"))]]);
    let calls = |options: &[&str]| -> Vec<String> {
        let run = project.hydrogen(&[&["graph", "v*", "--format", "json"], options].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
        let graph: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        let node = |text: &str| {
            let nodes = graph["nodes"].as_array().unwrap();
            nodes.iter().find(|node| node["text"] == text).unwrap()["id"].clone()
        };
        let from = [node("return table[i & 1](x)"), node("return f(1)")];
        let all = graph["calls"].as_array().unwrap().iter().filter(|call| from.contains(&call["from"]));
        let mut all: Vec<String> =
            all.map(|call| format!("{} {} {}", call["kind"], call["name"], call["versions"])).collect();
        all.sort();
        all.into_iter().map(|call| call.replace('"', "")).collect()
    };
    assert_eq!(calls(&[]), ["unknown return f(1) [v1,v2]", "unknown return table[i & 1](x) [v1,v2]"]);
    let followed = calls(&["--pointers", "--check"]);
    assert!(followed.contains(&"function one [v1,v2]".to_owned()), "{followed:?}");
    assert!(followed.contains(&"function two [v2]".to_owned()), "{followed:?}");
    assert!(
        followed.contains(&"unknown return f(1) [v1,v2]".to_owned()),
        "a caller from outside may pass anything: {followed:?}"
    );
    assert!(!followed.iter().any(|call| call.contains("unknown return table")), "{followed:?}");
}

/// A header's own functions are part of every file that includes it: graph and check say so.
#[test]
fn functions_of_headers_are_called() {
    let header = |body: &str| format!("static inline int twice(int x) {{ return {body}; }}\n");
    let unit = |name: &str, body: &str| {
        format!("#include \"h.h\"\nint {name}(int x) {{ return twice(x) {body}; }}\n")
    };
    let project = Project::with_versions(&[
        &[("h.h", &header("x * 2")), ("a.c", &unit("f", "+ 1")), ("b.c", &unit("g", "- 1"))],
        &[("a.c", &unit("f", "+ 2"))],
        &[("h.h", &header("x + x"))],
        // Another file has one of that name for itself.
        &[("b.c", "static int twice(int x) { return x; }\nint g(int x) { return twice(x); }\n")],
    ]);
    for syntax in [&["--syntax"][..], &[]] {
        let run = project.hydrogen(&[&["graph", "--check", "v1", "v2", "v3", "v4"], syntax].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
    }
}

/// Where one of two versions cannot be read, the graph is no answer.
#[test]
fn a_graph_without_one_of_two_versions_is_no_answer() {
    let project = Project::with_versions(&[&[("a.c", "int f;\n")], &[("a.c", "int f = 1;\n")]]);
    let tree = project.git(&["rev-parse", "v2^{tree}"]);
    std::fs::remove_file(project.root().join(".git/objects").join(&tree[..2]).join(tree[2..].trim()))
        .unwrap();
    let run = project.hydrogen(&["graph", "--syntax", "v1", "v2"]);
    assert_eq!(run.code, Some(3), "{run:?}");
}
