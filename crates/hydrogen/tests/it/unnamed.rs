//! A fix without a named bug, as users see it.

use crate::project::Project;

fn copies() -> Project {
    let code = |guard: &str| {
        format!(
            "#include <string.h>\nchar g[16];\nint put(const char *s, unsigned len) {{\n{guard}  memcpy(g, s, len);\n  return 0;\n}}\n"
        )
    };
    let guard = "  if (len > 16)\n    return 1;\n";
    let project = Project::new();
    for (tag, text) in [
        ("v1", format!("int other;\n{}", code(""))),
        ("v2", code("")),
        ("v3", code(guard)),
        ("v4", code(guard).replace("return 0", "return (0)")),
    ] {
        project.commit(&[("put.c", &text)]);
        project.git(&["tag", tag]);
    }
    project
}

#[test]
fn the_bug_is_found_from_its_fix() {
    let project = copies();
    let run = project.hydrogen(&["verify", "v2..v3", "--fix", "v2..v3"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    for line in [
        "The fix takes states away from these statements, the best candidates first.",
        "put.c:4 in put() (v2): memcpy(g, s, len)",
        "v3 fixes it",
    ] {
        assert!(run.out.contains(line), "{line}\n{}", run.out);
    }
    let run = project.hydrogen(&["impact", "--fix", "v2..v3", "v1", "v2", "v4"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("put.c:4 in put() (v2): memcpy(g, s, len)"), "{run:?}");
    assert!(run.out.contains("fixed in v4"), "{run:?}");
    let run = project.hydrogen(&["patch", "--from", "v2..v3", "v1", "v2", "--format", "json"]);
    let answer: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(answer["candidates"], true, "{run:?}");
    let finding = &answer["findings"][0];
    assert_eq!(finding["location"]["text"], "memcpy(g, s, len)");
    let verdicts: Vec<String> = finding["verdicts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| format!("{} {}", one["version"], one["verdict"]))
        .collect();
    assert_eq!(verdicts.join(", ").replace('"', ""), "v1 present, v3->v1 fixed, v2 present, v3->v2 fixed");
}

#[test]
fn a_fix_that_changes_nothing_is_told() {
    let project = copies();
    let run = project.hydrogen(&["verify", "v3..v4", "--fix", "v3..v4"]);
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.out.contains("The fix changes no statement's condition that can be seen."), "{run:?}");
    for (arguments, message) in [
        (
            &["verify", "v2..v3"][..],
            "which bug? name its statement with --bug FILE:LINE, or have what the change fixes looked for with --fix v2..v3",
        ),
        (
            &["impact", "v2", "v3"],
            "which bug? name its statement with --bug FILE:LINE@VERSION, or a change that fixes it with --fix A..B",
        ),
    ] {
        let run = project.hydrogen(arguments);
        assert!(run.code == Some(2) && run.err.contains(message), "{run:?}");
    }
}

/// Names that the user gave to folders are versions wherever a range is.
#[test]
fn ranges_of_named_folders() {
    let folder = tempfile::tempdir().unwrap();
    let code = |guard: &str| format!("int f(int *p) {{\n{guard}  return *p;\n}}\n");
    for (name, guard) in [("old", ""), ("new", "  if (!p)\n    return 0;\n")] {
        std::fs::create_dir(folder.path().join(name)).unwrap();
        std::fs::write(folder.path().join(name).join("a.c"), code(guard)).unwrap();
    }
    let project = Project::new();
    let place = |name: &str| format!("{name}={}", folder.path().join(name).display());
    let run = project.hydrogen(&[
        "impact",
        "--bug",
        "a.c:2@old",
        "--fix",
        "old..new",
        &place("old"),
        &place("new"),
    ]);
    assert!(run.out.contains("measured by") && run.err.is_empty(), "{run:?}");
}
