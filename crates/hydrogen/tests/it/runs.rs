//! Runs that repeat, overlap, stop and go on.

use crate::project::Project;
use std::process::Stdio;
use std::time::Duration;

fn many_units() -> Project {
    let project = Project::new();
    for number in 0..12 {
        let body = format!(
            "#include <stdio.h>\nint f{number}(int a) {{ printf(\"%d\", a); return a + {number}; }}\n"
        );
        project.write(&format!("f{number}.c"), body);
    }
    project.commit(&[]);
    project.git(&["tag", "v1"]);
    project.commit(&[("f3.c", "int f3(int a) { return a; }\n")]);
    project.git(&["tag", "v2"]);
    project
}

#[test]
fn one_thread_or_many_give_the_same_bytes() {
    let project = many_units();
    let arguments = ["functions", "v1", "v2", "--format", "json"];
    let first = project.hydrogen(&[&["--jobs", "1"], &arguments[..]].concat());
    let cached = project.hydrogen(&arguments);
    std::fs::remove_dir_all(project.cache()).unwrap();
    let many = project.hydrogen(&[&["--jobs", "8"], &arguments[..]].concat());
    assert_eq!(first.out, cached.out);
    assert_eq!(first.out, many.out);
    assert!(first.out.contains("\"f3\""), "{first:?}");
}

#[test]
fn only_what_changed_is_compiled_again() {
    let project = many_units();
    project.hydrogen(&["functions", "v1", "v1"]);
    let before = modules(&project);
    project.hydrogen(&["functions", "v1", "v2"]);
    assert_eq!(before, 12);
    assert_eq!(modules(&project), 13);
    // A comment that moves nothing, and a header that nobody reads, change no unit.
    project.commit(&[(
        "f4.c",
        "#include <stdio.h>\nint f4(int a) { printf(\"%d\", a); return a + 4; } // so\n",
    )]);
    project.commit(&[("unused.h", "#define UNUSED 1\n")]);
    project.hydrogen(&["functions", "v2", "HEAD"]);
    assert_eq!(modules(&project), 13);
}

/// How many units were ever compiled.
fn modules(project: &Project) -> u64 {
    let run = project.hydrogen(&["cache", "show", "--format", "json"]);
    let stats: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    stats["kinds"]["module"]["entries"].as_u64().unwrap_or(0)
}

#[test]
fn two_processes_share_the_cache() {
    let project = many_units();
    let start = || {
        let mut command = project.command();
        command.args(["functions", "v1", "v2", "--format", "json"]).stdout(Stdio::piped());
        command.spawn().unwrap()
    };
    let (one, two) = (start(), start());
    let (one, two) = (one.wait_with_output().unwrap(), two.wait_with_output().unwrap());
    assert!(one.status.success() && two.status.success());
    assert_eq!(one.stdout, two.stdout);
}

#[test]
fn a_killed_run_loses_nothing() {
    let project = many_units();
    for delay in [30, 150, 400] {
        let mut child = project
            .command()
            .args(["--jobs", "1", "functions", "v1", "v2"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(delay));
        let _ = child.kill();
        child.wait().unwrap();
    }
    let statuses = project.statuses("v1", "v2", &[]);
    assert_eq!(statuses.iter().filter(|one| one.ends_with("unchanged")).count(), 11);
    assert!(statuses.contains(&"f3 updated".to_owned()));
}

#[test]
fn an_interrupt_ends_the_run_and_the_next_one_goes_on() {
    let project = Project::with_versions(&[&[
        ("Makefile", "all:\n\tsleep 30\n"),
        ("a.c", "int f(void) { return 1; }\n"),
    ]]);
    let child = project
        .command()
        .args(["functions", "v1", "v1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    let stopped =
        std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(stopped.success());
    let output = child.wait_with_output().unwrap();
    let err = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{err}");
    assert!(err.contains("interrupted"), "{err}");
    project.commit(&[("Makefile", "all:\n\t$(CC) -c a.c\n")]);
    assert_eq!(project.statuses("HEAD", "HEAD", &[]), ["f unchanged"]);
}

#[test]
fn the_cache_can_be_shown_and_cleared() {
    let project = many_units();
    project.hydrogen(&["functions", "v1", "v2"]);
    let shown = project.hydrogen(&["cache"]);
    assert!(shown.out.contains("module") && shown.out.contains("limit"), "{shown:?}");
    let cleared = project.hydrogen(&["cache", "clear"]);
    assert!(cleared.out.contains("removed"), "{cleared:?}");
    assert_eq!(modules(&project), 0);
}

#[test]
fn a_number_among_the_arguments_confirms_a_fault() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/multiply");
    let version = |name: &str| format!("{name}={}", folder.join(name).display());
    let project = Project::new();
    let run = project.hydrogen(&[
        "impact",
        "--bug",
        "start.c:10@v1",
        "--kind",
        "signed-overflow",
        &version("v1"),
        &version("v2"),
        &version("v3"),
    ]);
    assert_eq!(run.code, Some(1), "{run:?}");
    for line in ["v1       present", "v2       present", "v3       fixed", "confirmed by a run"] {
        assert!(run.out.contains(line), "{line}: {}", run.out);
    }
}
