//! `hydrogen complexity`.

use crate::project::Project;
use serde_json::Value;

const OLD: &str = "int f(int a) {\n  if (a)\n    return 1;\n  return 2;\n}\n";
const NEW: &str = "int f(int a) {\n  if (a)\n    return 3;\n  a++;\n  return 4;\n}\n";

/// The commits of a run's JSON.
fn commits(project: &Project, arguments: &[&str]) -> Vec<Value> {
    let mut all = vec!["complexity", "--format", "json"];
    all.extend(arguments);
    let run = project.hydrogen(&all);
    assert_eq!(run.code, Some(0), "{run:?}");
    let value: Value = serde_json::from_str(&run.out).unwrap();
    value["commits"].as_array().unwrap().clone()
}

/// One commit's JSON.
fn one(project: &Project, arguments: &[&str]) -> Value {
    let mut all = commits(project, arguments);
    assert_eq!(all.len(), 1);
    all.remove(0)
}

#[test]
fn a_commit_has_its_numbers() {
    let project = Project::with_versions(&[&[("a.c", OLD)], &[("a.c", NEW)]]);
    let commit = one(&project, &["HEAD"]);
    for (key, expect) in [
        ("cloc", 3),
        ("cycc", 2),
        ("edges", 4),
        ("nodes", 4),
        ("components", 1),
        ("functions", 1),
        ("files", 1),
    ] {
        assert_eq!(commit[key], expect, "{key} of {commit}");
    }
    assert_eq!(commit["sequences"], serde_json::json!([["3"], ["4"]]));
    assert_eq!(commit["commit"].as_str().unwrap().len(), 40);
    let run = project.hydrogen(&["complexity", "--sequences"]);
    assert!(run.out.contains("CyCC 2 = 4 edges - 4 nodes + 2 x 1 component"), "{}", run.out);
    assert!(run.out.contains("  (3)\n  (4)\n") && run.out.contains("reading: full"), "{}", run.out);
}

#[test]
fn two_files_and_two_folders_need_no_repository() {
    let project = Project::new();
    project.write("x/old.c", OLD);
    project.write("x/new.c", NEW);
    project.write("before/a.c", OLD);
    project.write("after/a.c", NEW);
    assert_eq!(one(&project, &["x/old.c", "x/new.c"])["cycc"], 2);
    assert_eq!(one(&project, &["before", "after"])["cycc"], 2);
    let run = project.hydrogen(&["complexity", "x/old.c", "x/gone.c"]);
    assert_eq!(run.code, Some(2));
    assert!(run.err.contains("gone.c"), "{}", run.err);
}

#[test]
fn a_history_is_ranked_and_correlated() {
    let version = |n: usize| -> String {
        let lines: String = (0..n).map(|i| format!("  if (a > {i}) g({i}, {n});\n")).collect();
        format!("int f(int a) {{\n{lines}  return a;\n}}\n")
    };
    let project = Project::new();
    for n in [1, 3, 2, 6, 4] {
        project.commit(&[("a.c", &version(n))]);
    }
    project.commit(&[("README", "text")]);
    let run = project.hydrogen(&["complexity", "--history", "6", "--top", "2"]);
    let lines: Vec<&str> = run.out.lines().collect();
    assert!(lines[0].starts_with("commit"), "{}", run.out);
    assert_eq!(lines.len(), 7, "{}", run.out);
    assert!(
        lines[3].contains("6 commits, reading full: 5 with executable changes, 1 with no executable change")
    );
    assert!(lines[4].starts_with("CyCC: 50 % have at most "), "{}", run.out);
    assert!(lines[5].contains("Spearman") && lines[5].contains("p "), "{}", run.out);
    let csv = project.hydrogen(&["complexity", "--history", "6", "--format", "csv"]).out;
    assert_eq!(csv.lines().count(), 7);
    assert!(csv.lines().last().unwrap().contains("no executable change"));
    let html = project.hydrogen(&["complexity", "--history", "6", "--format", "html"]).out;
    assert!(html.contains("<svg") && html.contains("second reviewer") && !html.contains("http://"));
    // The order of threads does not matter.
    let json = |jobs| project.hydrogen(&["complexity", "--history", "6", "--format", "json", "-j", jobs]).out;
    assert_eq!(json("1"), json("4"));
}

#[test]
fn root_commits_add_everything() {
    let project = Project::with_versions(&[&[("a.c", OLD)]]);
    let commit = one(&project, &["HEAD"]);
    assert_eq!((&commit["cloc"], &commit["functions"]), (&3.into(), &1.into()));
}

#[test]
fn merges_count_what_no_parent_has() {
    let project = Project::with_versions(&[&[("a.c", OLD), ("b.c", "int g(void) { return 1; }\n")]]);
    project.git(&["checkout", "-q", "-b", "side"]);
    project.commit(&[("b.c", "int g(void) { return 2; }\n")]);
    project.git(&["checkout", "-q", "main"]);
    project.commit(&[("a.c", NEW)]);
    project.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    let merge = one(&project, &["HEAD"]);
    assert_eq!(merge["reason"], "no executable change");
    assert_eq!(merge["notes"][0], "a merge without changes of its own");
    assert_eq!(one(&project, &["HEAD", "--first-parent"])["cycc"], 1);
    // A merge that adds something that neither side has.
    project.git(&["reset", "-q", "--hard", "HEAD~"]);
    project.git(&["merge", "-q", "--no-ff", "--no-commit", "side"]);
    project.commit(&[("a.c", &NEW.replace("a++", "a--"))]);
    let merge = one(&project, &["HEAD"]);
    assert_eq!((&merge["cycc"], &merge["cloc"]), (&1.into(), &1.into()));
}

/// A structure that compares a version number counts where the comparison comes to something else.
#[test]
fn a_version_number_that_a_structure_compares_is_no_change_of_it() {
    let header = |version: u32| {
        format!(
            "#define VER {version}\nstruct s {{\n  int a;\n#if VER < 9\n  int b;\n#endif\n  int c;\n}};\n"
        )
    };
    let code = "#include \"s.h\"\nint v(void) { return VER; }\nint c(struct s *p) { return p->c; }\nint n(struct s q) { return q.a; }\n";
    let project = Project::with_versions(&[
        &[("s.h", &header(3)), ("s.c", code)],
        &[("s.h", &header(4)), ("s.c", code)],
        &[("s.h", &header(9)), ("s.c", code)],
    ]);
    let changed = |commit: &str| -> Vec<String> {
        let commit = one(&project, &[commit]);
        let changed = commit["changed"].as_array().unwrap().iter();
        changed.map(|it| it["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(changed("v2"), ["v"]);
    assert!(changed("v3").len() > 1, "{:?}", changed("v3"));
}

#[test]
fn renames_are_no_changes() {
    let project = Project::with_versions(&[&[("a.c", OLD)]]);
    project.git(&["mv", "a.c", "moved.c"]);
    project.commit(&[]);
    assert_eq!(one(&project, &["HEAD"])["reason"], "no executable change");
    // Moved and edited: only the edit counts.
    project.git(&["mv", "moved.c", "again.c"]);
    project.commit(&[("again.c", &OLD.replace("2", "5"))]);
    let commit = one(&project, &["HEAD"]);
    assert_eq!((&commit["cycc"], &commit["cloc"]), (&1.into(), &1.into()));
}

#[test]
fn what_is_no_c_is_said_and_never_stops_a_history() {
    let project = Project::with_versions(&[&[("a.c", OLD)]]);
    let inner = Project::with_versions(&[&[("x.c", OLD)]]);
    let hash = inner.git(&["rev-parse", "HEAD"]);
    let entry = format!("160000,{},sub", hash.trim());
    project.git(&["update-index", "--add", "--cacheinfo", &entry]);
    project.git(&["commit", "-q", "-m", "a submodule"]);
    project.git(&["rm", "-q", "--cached", "sub"]);
    project.write("image.png", [0u8, 159, 146, 150, 255]);
    project.write("broken.c", [b'{', 0, 255, b'"', b'(', b'\n']);
    project.write("t.cpp", "class A {};");
    project.git(&["add", "-A"]);
    project.git(&["commit", "-q", "-m", "binary"]);
    std::os::unix::fs::symlink("nowhere", project.root().join("link.c")).unwrap();
    project.commit(&[]);
    let commits = commits(&project, &["--history", "10"]);
    assert_eq!(commits.len(), 4);
    assert_eq!(commits[0]["cloc"], 3);
    assert!(commits[1]["notes"][0].as_str().unwrap().contains("1 submodules changed"));
    assert!(commits[2]["notes"].to_string().contains("only C is read"), "{}", commits[2]);
    assert!(commits[1..].iter().all(|commit| commit["reason"] == "no executable change"), "{commits:?}");
}

#[test]
fn old_c_and_code_behind_conditionals_are_read() {
    let old = "int f(a, b)\n  int a;\n  char *b;\n{\n#ifdef FAST\n  return a;\n#else\n  a = g(a);\n  return a + 1;\n#endif\n}\n";
    let new = old.replace("a + 1", "a + 2");
    let project = Project::with_versions(&[&[("a.c", old)], &[("a.c", &new)]]);
    let commit = one(&project, &["HEAD"]);
    assert_eq!((&commit["cycc"], &commit["cloc"], &commit["functions"]), (&1.into(), &1.into(), &1.into()));
}

#[test]
fn generated_files_are_measured() {
    let table = |seed: usize| -> String {
        let functions = (0..4000).map(|f| {
            let lines: String =
                (0..48).map(|line| format!("  t[{line}] = {};\n", (f * 7 + line) % 97 + seed)).collect();
            format!("void fill{f}(int *t) {{\n{lines}}}\n")
        });
        functions.collect()
    };
    let (old, new) = (table(1), table(2));
    assert!(new.lines().count() >= 200_000);
    let project = Project::with_versions(&[&[("table.c", &old)], &[("table.c", &new)]]);
    let commit = one(&project, &["HEAD"]);
    // One block per function.
    assert_eq!((&commit["cloc"], &commit["nodes"]), (&192_000.into(), &4002.into()));
    assert_eq!(commit["sequences"].as_array().unwrap().len(), 100);
    assert_eq!(commit["sequences_left_out"], 3900);
}

#[test]
fn shallow_clones_say_what_is_missing() {
    let project = Project::with_versions(&[&[("a.c", OLD)], &[("a.c", NEW)], &[("a.c", OLD)]]);
    let clone = Project::new();
    let url = format!("file://{}", project.root().display());
    clone.git(&["fetch", "-q", "--depth", "2", &url, "main"]);
    clone.git(&["reset", "-q", "--hard", "FETCH_HEAD"]);
    let commits = commits(&clone, &["--history", "10"]);
    assert_eq!(commits.len(), 2);
    assert!(commits[0]["reason"].as_str().unwrap().contains("shallow"), "{commits:?}");
    assert_eq!(commits[1]["cycc"], 2);
}

#[test]
fn the_thesis_reading_differs() {
    let old = "int f(int a) { log(a); return a; }\nint main(void) { f(1); return f(2); }\n";
    let new = old.replace("log(a); return a", "return a * 2");
    let project = Project::with_versions(&[&[("a.c", old)], &[("a.c", &new)]]);
    assert_eq!(one(&project, &["HEAD", "--reading", "thesis"])["cycc"], 1);
    // `f` is called twice, so that its change may follow itself.
    assert_eq!(one(&project, &["HEAD", "--reading", "full"])["cycc"], 2);
}

#[test]
fn bad_use_is_told() {
    let project = Project::with_versions(&[&[("a.c", OLD)]]);
    for (arguments, part) in [
        (&["complexity", "nonsense"][..], "nonsense"),
        (&["complexity", "HEAD..HEAD"], "HEAD"),
        (&["complexity", "--history", "0"], "0"),
        (&["complexity", "."], "two files or two folders"),
    ] {
        let run = project.hydrogen(arguments);
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.err.contains(part), "{run:?}");
    }
}

#[test]
fn one_change_of_many_places_counts_once() {
    let calls: String = (0..6).map(|n| format!("int g{n}(char *s) {{ return put(s, {n}); }}\n")).collect();
    let old = format!("int put(char *s, int n) {{ return s[n]; }}\n{calls}");
    for (new, kind, cycc) in [
        (old.replace("put", "peek"), "renamed", 1),
        (old.replace("char *s", "const char *s"), "qualified", 1),
        (calls.replace("put(s,", "put(0, s,"), "argument", 2),
    ] {
        // Where only calls change, the function itself is not in the new version: that is a change of its own.
        let project = Project::with_versions(&[&[("a.c", &old)], &[("a.c", &new)]]);
        let commit = one(&project, &["HEAD"]);
        assert_eq!(commit["mechanical"][0]["kind"], kind, "{commit}");
        assert!(commit["mechanical"][0]["places"].as_u64().unwrap() >= 6, "{commit}");
        assert_eq!(commit["cycc"], cycc, "{commit}");
        // For comparison with published numbers, every place counts.
        let thesis = one(&project, &["HEAD", "--reading", "thesis"]);
        assert_eq!(thesis["mechanical"], serde_json::json!([]), "{thesis}");
        let text = project.hydrogen(&["complexity", "HEAD"]).out;
        assert!(text.contains("counted once: "), "{text}");
    }
    // Numbers and operators are no names: what they do depends on the place.
    let project =
        Project::with_versions(&[&[("a.c", &old)], &[("a.c", &old.replace("return put", "return -put"))]]);
    assert_eq!(one(&project, &["HEAD"])["mechanical"], serde_json::json!([]));
}
