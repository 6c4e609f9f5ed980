//! Bad input gets a clear error, or an answer that says what is missing.

use crate::project::{Project, Run, run};

const GOOD: &str = "int good(void) { return 1; }\n";

fn check(run: &Run, code: i32, words: &[&str]) {
    assert_eq!(run.code, Some(code), "{run:?}");
    for word in words {
        assert!(run.err.contains(word), "`{word}` is not in {}", run.err);
    }
    assert!(!run.err.contains("panicked"), "{}", run.err);
}

#[test]
fn an_unknown_ref_names_its_neighbours() {
    let project = Project::with_versions(&[&[("a.c", GOOD)]]);
    project.git(&["tag", "release-1"]);
    check(&project.hydrogen(&["functions", "relaese-1", "HEAD"]), 2, &["relaese-1", "release-1"]);
}

#[test]
fn a_place_that_cannot_be_there_is_refused_before_anything_is_built() {
    let project = Project::with_versions(&[&[("parse.c", GOOD), ("Makefile", "all:\n\tcc -c parse.c\n")]]);
    let asked = |bug: &str, words: &[&str]| {
        let run = project.hydrogen(&["impact", "--bug", bug, "v1"]);
        check(&run, 2, words);
        assert!(!run.err.contains("WARN"), "something was built: {}", run.err);
    };
    asked("parze.c:1@v1", &["v1 has no file `parze.c`", "is it parse.c?"]);
    asked("parse.c:7@v1", &["parse.c has 1 lines in v1", "no line 7"]);
    asked("parse.c:1", &["parse.c:1@VERSION"]);
}

#[test]
fn an_empty_repository_says_so() {
    let project = Project::new();
    check(&project.hydrogen(&["functions", "HEAD~1", "HEAD"]), 2, &["no commit"]);
}

#[test]
fn outside_a_repository_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let project = Project::new();
    let answer = run(project.command().current_dir(folder.path()).args(["functions", "a", "b"]));
    check(&answer, 2, &["repository"]);
}

#[test]
fn a_version_without_c_files_is_undecided() {
    let project = Project::with_versions(&[&[("README", "nothing")], &[("a.c", GOOD)]]);
    check(&project.hydrogen(&["functions", "v1", "v2"]), 3, &["v1"]);
}

#[test]
fn a_unit_with_errors_is_left_out_in_clangs_words() {
    let broken = "int broken(void) { return }\n";
    let missing = "#include \"nowhere.h\"\nint f(void) { return 1; }\n";
    let other = "int other(void) { return 3; }\n";
    let files: &[(&str, &str)] =
        &[("a.c", GOOD), ("b.c", other), ("broken.c", broken), ("missing.c", missing)];
    let project = Project::with_versions(&[files, &[("a.c", "int good(void) { return 2; }\n")]]);
    let answer = project.hydrogen(&["functions", "v1", "v2"]);
    check(&answer, 0, &["broken.c:1", "expected expression", "nowhere.h", "2 of 4 units are missing"]);
    assert!(answer.out.contains("updated") && answer.out.contains("good"), "{answer:?}");
}

#[test]
fn where_most_units_fail_there_is_no_answer_and_the_first_line_says_what_helps() {
    let configure = "#!/bin/sh\necho 'configure: error: \"libevent not found\"' >&2\nexit 1\n";
    let user = "#include \"config.h\"\nint f(void) { return 1; }\n";
    let project = Project::with_versions(&[
        &[
            ("configure", configure),
            ("a.c", GOOD),
            ("b.c", user),
            ("c.c", user),
            ("d.c", user),
            ("e.c", user),
        ],
        &[("a.c", "int good(void) { return 2; }\n")],
    ]);
    for command in ["functions", "graph", "diff"] {
        let answer = project.hydrogen(&[command, "v1", "v2"]);
        check(&answer, 3, &["4 of 5 units are missing from the answer; -v lists them", "this is no answer"]);
        let first = answer.err.lines().next().unwrap_or_default();
        assert!(first.contains("`libevent` is missing; install"), "{first}");
        assert!(answer.err.lines().count() < 12, "{}", answer.err);
    }
}

#[test]
fn a_unit_that_fails_in_one_version_is_no_deletion() {
    let broken = "int f(void) { return }\n";
    let project = Project::with_versions(&[
        &[("a.c", GOOD), ("b.c", "int f(void) { return 1; }\n")],
        &[("b.c", broken)],
        &[("b.c", "int f(void) { return 2; }\n")],
    ]);
    for (old, new) in [("v1", "v2"), ("v2", "v3")] {
        assert_eq!(project.statuses(old, new, &[]), ["good unchanged"]);
        check(&project.hydrogen(&["functions", old, new]), 0, &["b.c:1 f: left out"]);
    }
    assert_eq!(project.statuses("v1", "v3", &[]), ["good unchanged", "f updated"]);
}

#[test]
fn a_build_that_stops_half_way_is_no_deletion() {
    let makefile = "all:\n\t$(CC) -c a.c\n\t$(CC) -c b.c\n";
    let files: &[(&str, &str)] =
        &[("Makefile", makefile), ("a.c", GOOD), ("b.c", "int f(void) { return 1; }\n")];
    let stops = makefile.replace("\t$(CC) -c b.c", "\tfalse\n\t$(CC) -c b.c");
    let project = Project::with_versions(&[files, &[("Makefile", &stops)]]);
    assert_eq!(project.statuses("v1", "v2", &[]), ["good unchanged"]);
    check(&project.hydrogen(&["functions", "v1", "v2"]), 0, &["b.c: the build stopped", "b.c:1 f: left out"]);
}

#[test]
fn a_build_that_hangs_ends_at_its_limit() {
    let makefile = "all:\n\tsleep 100\n";
    let project = Project::with_versions(&[&[("Makefile", makefile), ("a.c", GOOD)]]);
    let answer = project.hydrogen(&["--build-timeout", "1s", "functions", "v1", "v1"]);
    assert!(answer.err.contains("1"), "{answer:?}");
    assert!(answer.code != Some(0) || answer.err.contains("make"), "{answer:?}");
    assert!(!answer.err.contains("panicked"), "{answer:?}");
}

#[test]
fn malformed_bitcode_names_the_file() {
    let project = Project::with_versions(&[&[("a.c", GOOD)]]);
    project.write("bad.bc", "not bitcode at all");
    project.write("cut.bc", [0x42, 0x43, 0xc0, 0xde, 0x35, 0x14, 0, 0, 5]);
    for file in ["bad.bc", "cut.bc"] {
        check(&project.hydrogen(&["ir", file]), 3, &[file]);
    }
}

#[test]
fn strange_names_and_bytes_are_no_obstacle() {
    let project = Project::new();
    project.write("a dir/new\nline.c", "int odd(void) { return 1; }\n");
    project.write("latin.c", b"/* caf\xe9 */\nconst char *latin(void) { return \"caf\xe9\"; }\n");
    project.commit(&[]);
    project.git(&["tag", "v1"]);
    project.write("latin.c", b"/* caf\xe9 */\nconst char *latin(void) { return \"th\xe9\"; }\n");
    project.commit(&[]);
    for options in [&[][..], &["--syntax"][..]] {
        assert_eq!(project.statuses("v1", "HEAD", options), ["odd unchanged", "latin updated"]);
    }
}

#[test]
fn a_long_line_is_no_obstacle() {
    let filler = "x+=1;".repeat(100_000);
    let project =
        Project::with_versions(&[&[("a.c", &format!("int f(int x) {{ return x; /* {filler} */ }}\n"))]]);
    assert_eq!(project.statuses("v1", "v1", &[]), ["f unchanged"]);
    let blob = format!("char blob[] = \"{}\";\nint f(void) {{ return 1; }}\n", "y".repeat(10_000_000));
    project.commit(&[("a.c", &blob)]);
    assert_eq!(project.statuses("HEAD", "HEAD", &["--syntax"]), ["f unchanged"]);
}

#[test]
fn a_wrong_configuration_names_line_and_column() {
    let project =
        Project::with_versions(&[&[("a.c", GOOD), ("hydrogen.toml", "[build]\ncommnad = \"make\"\n")]]);
    check(&project.hydrogen(&["functions", "v1", "v1"]), 2, &["hydrogen.toml:2:1", "commnad"]);
}

#[test]
fn a_cache_that_cannot_be_written_is_only_slower() {
    let project = Project::with_versions(&[&[("a.c", GOOD)]]);
    let answer =
        run(project.command().env("HYDROGEN_CACHE", "/proc/nowhere").args(["functions", "v1", "v1"]));
    assert_eq!(answer.code, Some(0), "{answer:?}");
    assert!(answer.out.contains("1 unchanged"), "{answer:?}");
}

#[test]
fn an_output_that_cannot_be_written_is_an_error() {
    let project = Project::with_versions(&[&[("a.c", GOOD)]]);
    let answer = project.hydrogen(&["functions", "v1", "v1", "--output", "/nonexistent/x.json"]);
    check(&answer, 2, &["/nonexistent/x.json"]);
}

#[test]
fn slips_of_the_hand_are_not_silent() {
    let old = "int f(int x) { return x; }\nint main(void) { return f(1); }\n";
    let project =
        Project::with_versions(&[&[("a.c", old)], &[("a.c", &old.replace("return x;", "return x + 1;"))]]);
    let run = project.hydrogen(&["check", "v1..v2", "--solver", "nosuch"]);
    assert!(run.code == Some(2) && run.err.contains("there is no solver `nosuch`"), "{run:?}");
    let run = project.hydrogen(&["functions", "v1", "v2", "--cache-dir", "/proc/nothing"]);
    assert!(run.code == Some(0) && run.err.contains("/proc/nothing"), "{run:?}");
    project.write("hydrogen.toml", "[analysis]\nsuppress = [\"nokind:a.c\"]\n");
    let run = project.hydrogen(&["check", "v1..v2"]);
    assert!(run.code == Some(2) && run.err.contains("`nokind` is no kind"), "{run:?}");
    project.write("hydrogen.toml", "[analysis]\nentry_points = [\"nofunction\"]\n");
    let run = project.hydrogen(&["check", "v1..v2"]);
    assert!(run.err.contains("no version has a function `nofunction`"), "{run:?}");
}
