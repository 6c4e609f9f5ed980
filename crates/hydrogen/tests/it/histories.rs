//! Small histories, one Markdown file each: blocks ```` ```c v1/a.c ```` are the files of versions, blocks ```` ```run ARGUMENTS ````
//! what the tool prints, byte for byte, when it is asked so in their repository.

use crate::project::Project;
use std::collections::BTreeMap;
use std::path::Path;

#[test]
fn histories_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/histories");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    for path in paths {
        check(&path.file_name().unwrap().to_string_lossy(), &std::fs::read_to_string(&path).unwrap());
    }
}

fn check(name: &str, text: &str) {
    let mut versions: BTreeMap<String, Vec<(String, String)>> = BTreeMap::new();
    let mut runs: Vec<(String, String)> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(head) = line.strip_prefix("```") else { continue };
        let block = lines.by_ref().take_while(|line| !line.starts_with("```"));
        let body: String = block.map(|line| format!("{line}\n")).collect();
        match head.split_once(' ') {
            Some(("c", place)) => {
                let (version, path) = place.split_once('/').expect("a version and a path");
                versions.entry(version.to_owned()).or_default().push((path.to_owned(), body));
            }
            Some(("run", arguments)) => runs.push((arguments.to_owned(), body)),
            _ => panic!("{name}: a block `{head}`"),
        }
    }
    let project = Project::new();
    for (version, files) in &versions {
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (&**path, &**text)).collect();
        project.commit(&files);
        project.git(&["tag", version]);
    }
    assert!(!runs.is_empty(), "{name} asks nothing");
    for (arguments, expected) in runs {
        let run = project.hydrogen(&arguments.split_whitespace().collect::<Vec<_>>());
        assert_eq!(run.out, expected, "{name}: {arguments}\n{}", run.err);
        assert_eq!(run.code, Some(0), "{name}: {arguments}\n{}", run.err);
    }
}

const V1: &str = "int f(int a)\n{\n  a = a + 1;\n  return a;\n}\n";
const V2: &str = "int f(int a)\n{\n  a = a + 1;\n  a = a * 2;\n  return a;\n}\n";

/// Two lines of history from `c0`: on one, Cyd changes the program; on the other, Sid changes a text. Then they are merged.
fn two_lines() -> Project {
    let project = Project::new();
    let commit = |author: &str, day: u32, files: &[(&str, &str)]| {
        files.iter().for_each(|(path, text)| project.write(path, text));
        project.git(&["add", "-A"]);
        let (author, date) = (format!("{author} <a@b>"), format!("2024-02-0{day}T00:00:00Z"));
        project.git(&["commit", "-q", "-m", &format!("by {author}"), "--author", &author, "--date", &date]);
    };
    commit("Ann", 1, &[("a.c", V1)]);
    project.git(&["tag", "c0"]);
    commit("Dan", 2, &[("README", "docs")]);
    commit("Cyd", 3, &[("a.c", V2)]);
    project.git(&["tag", "c2"]);
    project.git(&["checkout", "-q", "-b", "side", "c0"]);
    commit("Sid", 4, &[("NEWS", "docs")]);
    project.git(&["checkout", "-q", "main"]);
    project.git(&["merge", "-q", "--no-ff", "-m", "merge", "side"]);
    project.git(&["tag", "release"]);
    project
}

#[test]
fn a_commit_is_compared_with_its_own_parents() {
    let project = two_lines();
    for mode in [&["--syntax"][..], &[]] {
        let ask = |place: &str, more: &[&str]| {
            let arguments = [&["history", place, "c0..HEAD", "--format", "json"], mode, more].concat();
            let run = project.hydrogen(&arguments);
            assert_eq!(run.code, Some(0), "{run:?}");
            let answer: serde_json::Value = serde_json::from_str(&run.out).unwrap();
            answer["history"].as_array().unwrap().clone()
        };
        let added = ask("a.c:4", &[]);
        assert_eq!(added.len(), 1, "{added:?}");
        assert_eq!((&added[0]["event"], &added[0]["author"]), (&"introduced".into(), &"Cyd <a@b>".into()));
        let old = ask("a.c:3", &[]);
        assert_eq!(old.len(), 1, "{old:?}");
        assert_eq!(old[0]["author"], "Ann <a@b>");
        assert!(old[0]["event"].as_str().unwrap().starts_with("before "), "{old:?}");
        let unasked = ask("a.c:3", &["--no-older"]);
        assert_eq!((unasked.len(), &unasked[0]["author"]), (1, &serde_json::Value::Null), "{unasked:?}");
        let function = ask("f", &[]);
        assert_eq!(function.len(), 2, "{function:?}");
        assert_eq!(
            (&function[0]["author"], &function[1]["author"]),
            (&"Ann <a@b>".into(), &"Cyd <a@b>".into())
        );
        let stats = project.hydrogen(&[&["stats", "c0..HEAD", "--format", "json"], mode].concat());
        let stats: serde_json::Value = serde_json::from_str(&stats.out).unwrap();
        let modified = |step: &serde_json::Value| step["modified"].as_u64().unwrap();
        let steps: Vec<u64> = stats["steps"].as_array().unwrap().iter().map(modified).collect();
        assert_eq!((steps.len(), steps.iter().sum::<u64>()), (4, 1), "{stats}");
        assert_eq!(stats["sizes"]["versions"], 4);
    }
}

#[test]
fn a_release_names_the_commit_and_not_the_tagged_merge() {
    let project = two_lines();
    let run = project.hydrogen(&["history", "a.c:4", "c0", "release", "--syntax"]);
    assert!(run.out.contains("introduced in release, written in ") && run.out.contains("Cyd"), "{run:?}");
    let run = project.hydrogen(&["history", "f", "c0", "release", "--syntax"]);
    let changed: Vec<&str> = run.out.lines().filter(|line| line.contains("changed")).collect();
    assert!(changed.len() == 1 && !changed[0].contains('@'), "nobody is named for all between: {run:?}");
}

/// F65: since when a value comes from where it does; and F24: a version has the same chains alone and among others.
#[test]
fn values_have_a_history() {
    let v3 = V2.replace("a = a * 2", "b = a * 2").replace("int f(int a)", "int f(int a, int b)");
    let project = Project::with_versions(&[&[("a.c", V1)], &[("a.c", V2)], &[("a.c", &v3)]]);
    let events = |arguments: &[&str]| -> Vec<String> {
        let run = project.hydrogen(&[&["history", "--uses", "--format", "json"], arguments].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
        let value: serde_json::Value = serde_json::from_str(&run.out).unwrap();
        let text =
            |entry: &serde_json::Value| format!("{} {}", entry["version"], entry["event"]).replace('"', "");
        value["history"].as_array().unwrap().iter().map(text).collect()
    };
    for syntax in [&[][..], &["--syntax"]] {
        assert_eq!(
            events(&[&["a.c:5", "v1", "v2", "v3"], syntax].concat()),
            [
                "v1 introduced",
                "v2 `a` now comes from line 4: a = a * 2",
                "v2 `a` no longer comes from line 3: a = a + 1",
                "v3 `a` now comes from line 3: a = a + 1",
                "v3 `a` no longer comes from line 4: a = a * 2",
            ]
        );
        // What happened between two versions does not depend on which others are in the list.
        let pair = events(&[&["a.c:5", "v2", "v3", "--no-older"], syntax].concat());
        assert_eq!(pair[0], "v2 before v2");
        assert_eq!(pair[1..], events(&[&["a.c:5", "v1", "v2", "v3"], syntax].concat())[1..]);
    }
    let run = project.hydrogen(&["history", "f", "v1", "--uses"]);
    assert_eq!(run.code, Some(2), "{run:?}");
}

#[test]
fn a_sample_of_versions_has_an_average() {
    let versions: Vec<String> = (0..6).map(|n| V2.replace("* 2", &format!("* {n}"))).collect();
    let project = Project::new();
    for (n, text) in versions.iter().enumerate() {
        project.commit(&[("a.c", text)]);
        project.git(&["tag", &format!("v{n}")]);
    }
    let csv = |arguments: &[&str]| {
        let run = project.hydrogen(&[&["stats", "v*", "--syntax", "--format", "csv"], arguments].concat());
        assert_eq!(run.code, Some(0), "{run:?}");
        run.out
    };
    assert_eq!(csv(&[]).lines().count(), 6, "{}", csv(&[]));
    let some = csv(&["--sample", "3", "--seed", "5"]);
    assert!((3..=4).contains(&some.lines().count()), "{some}");
    assert_eq!(some, csv(&["--sample", "3", "--seed", "5"]));
    let text = project.hydrogen(&["stats", "v*", "--syntax"]).out;
    let average = text.lines().find(|line| line.starts_with("average")).expect("an average");
    assert!(average.contains("1.00"), "{text}");
}

/// A body that became a function of its own was not written then, however short its statements are; the old name stays as a wrapper.
#[test]
fn a_body_that_moved_was_written_before() {
    let project = Project::new();
    let body = "  int y = x * 3;\n  if (y > limit)\n    y -= 4;\n  while (y % 2)\n    y++;\n  total += y;\n";
    let commit = |author: &str, text: &str| {
        project.write("a.c", text);
        project.git(&["add", "-A"]);
        project.git(&["commit", "-q", "-m", "a change", "--author", &format!("{author} <a@b>")]);
    };
    commit("Ann", &format!("int limit, total;\nint f(int x) {{\n{body}  return y;\n}}\n"));
    commit(
        "Bob",
        &format!(
            "int limit, total;\nstatic int inner(int x, int z) {{\n{body}  return y + z;\n}}\nint f(int x) {{\n  return inner(x, 0);\n}}\n"
        ),
    );
    let written_by = |line: u32| {
        let place = format!("a.c:{line}");
        let run = project.hydrogen(&["history", &place, "HEAD", "--syntax"]);
        assert_eq!(run.code, Some(0), "{run:?}");
        run.out
    };
    for line in 3..=8 {
        assert!(written_by(line).contains("Ann"), "{line}: {}", written_by(line));
    }
    assert!(written_by(9).contains("Bob") && written_by(12).contains("Bob"));
}
