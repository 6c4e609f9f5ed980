//! `hydrogen compare`: proved equal, a difference that was run, or open.

use crate::project::Project;

/// What `compare` says of two versions of a file: the exit code and the text.
fn compare(old: &str, new: &str, options: &[&str]) -> (Option<i32>, String) {
    let project = Project::with_versions(&[&[("a.c", old)], &[("a.c", new)]]);
    let run = project.hydrogen(&[&["compare", "v1..v2"], options].concat());
    assert!(run.code.is_some_and(|code| code < 4), "{run:?}");
    (run.code, run.out)
}

const SUM: &str = "int sum(const int *a, int n) { int s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }\nint main(void) { return 0; }\n";

#[test]
fn a_refactoring_is_equal() {
    let new = "static int step(int s, int v) { return s + v; }\nint sum(const int *items, int count) { int total = 0, at = 0; while (at < count) { total = step(total, items[at]); at++; } return total; }\nint main(void) { return 0; }\n";
    let (code, out) = compare(SUM, new, &[]);
    assert_eq!(code, Some(0), "{out}");
    assert!(out.contains("equal    a.c:2 sum (proved") && out.contains("1 equal, 0 differ, 0 open"), "{out}");
}

#[test]
fn a_difference_was_run() {
    let (code, out) = compare(
        "int half(int x) { return x / 2; }\nint main(void) { return half(4); }\n",
        "int half(int x) { return x >> 1; }\nint main(void) { return half(4); }\n",
        &[],
    );
    assert_eq!(code, Some(1), "{out}");
    assert!(
        out.contains("differs  a.c:1 half") && out.contains("v1: returns") && out.contains("v2: returns"),
        "{out}"
    );
}

#[test]
fn undefined_behaviour_is_an_outcome_unless_left_out() {
    let (old, new) = (
        "int twice(int x) { return x * 2; }\nint main(void) { return 0; }\n",
        "int twice(int x) { return (int)(2u * (unsigned)x); }\nint main(void) { return 0; }\n",
    );
    let (code, out) = compare(old, new, &[]);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("faults (signed overflow"), "{out}");
    let (code, out) = compare(old, new, &["--assume-defined"]);
    assert_eq!(code, Some(0), "{out}");
}

#[test]
fn what_is_not_followed_is_open() {
    let (code, out) = compare(
        "volatile int v;\nint get(void) { return v + v; }\nint main(void) { return 0; }\n",
        "volatile int v;\nint get(void) { return 2 * v; }\nint main(void) { return 0; }\n",
        &[],
    );
    assert_eq!(code, Some(3), "{out}");
    assert!(out.contains("volatile"), "{out}");
}

#[test]
fn a_changed_initial_value_is_told() {
    let (code, out) = compare(
        "static int limit = 5;\nint get(void) { return limit; }\nint main(void) { return get(); }\n",
        "static int limit = 6;\nint get(void) { return limit; }\nint main(void) { return get(); }\n",
        &[],
    );
    assert_eq!(code, Some(3), "{out}");
    assert!(out.contains("limit"), "{out}");
}

#[test]
fn files_are_versions_and_json_is_complete() {
    let project = Project::with_versions(&[&[
        ("a.c", "int f(int a, int b) { return a + b; }\n"),
        ("b.c", "int f(int x, int y) { return y + x; }\n"),
    ]]);
    let run = project.hydrogen(&["compare", "old=a.c", "new=b.c", "--format", "json"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    let answer: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(answer["functions"][0]["verdict"], "equal");
    assert!(answer["functions"][0]["proof"]["certificate"].is_object(), "{answer}");
}

#[test]
fn a_function_that_is_missing_is_bad_use() {
    let project = Project::with_versions(&[&[("a.c", SUM)], &[("a.c", "int main(void) { return 0; }\n")]]);
    let run = project.hydrogen(&["compare", "v1..v2", "--function", "sum"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("v2") && run.err.contains("sum"), "{run:?}");
}

const MEAN: [&str; 2] = [
    "double mean(double a, double b) { return (a + b) / 2; }\nint other(int x) { return x + 1; }\nint main(void) { return 0; }\n",
    "double mean(double a, double b) { return a + (b - a) / 2; }\nint other(int x) { return x + 2; }\nint main(void) { return 0; }\n",
];

#[test]
fn what_is_equal_in_the_reals_alone_differs_natively_too() {
    let (code, out) = compare(MEAN[0], MEAN[1], &["--function", "mean"]);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("natively they differ too"), "{out}");
    let (code, out) = compare(
        "double half(double x) { return x / 2; }\nint main(void) { return 0; }\n",
        "double half(double x) { return x * 0.5; }\nint main(void) { return 0; }\n",
        &[],
    );
    assert_eq!(code, Some(0), "{out}");
}

#[test]
fn a_difference_is_a_folder_that_replays() {
    let project = Project::with_versions(&[&[("a.c", MEAN[0])], &[("a.c", MEAN[1])]]);
    let run = project.hydrogen(&["compare", "v1..v2", "--output", "found", "--format", "md"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("| `mean`") && run.out.contains("**differs**"), "{run:?}");
    for name in ["input.json", "replay.sh", "old.c", "new.c"] {
        assert!(project.root().join("found/mean").join(name).is_file(), "{name} is missing");
    }
    let again =
        project.hydrogen(&["run", "v1", "--function", "mean", "--test", "found/mean/input.json", "--native"]);
    assert_eq!(again.code, Some(0), "{again:?}");
    assert!(again.err.contains("natively the same"), "{again:?}");
}

#[test]
fn one_difference_is_enough_if_asked_so() {
    let (code, out) = compare(MEAN[0], MEAN[1], &["--stop-on-difference"]);
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("1 differ, 1 open"), "{out}");
}

#[test]
fn what_is_not_observed_does_not_differ() {
    let (old, new) = (
        "int set(int *p, int x) { *p = x; return 0; }\nint main(void) { return 0; }\n",
        "int set(int *p, int x) { *p = x + x; return 0; }\nint main(void) { return 0; }\n",
    );
    let (code, out) = compare(old, new, &["--assume-defined"]);
    assert_eq!(code, Some(1), "{out}");
    let (code, out) = compare(old, new, &["--assume-defined", "--observe", "return"]);
    assert_eq!(code, Some(3), "{out}");
}

#[test]
fn a_page_shows_every_function() {
    let (code, out) = compare(MEAN[0], MEAN[1], &["--format", "html"]);
    assert_eq!(code, Some(1));
    assert!(
        out.contains("<b>mean</b>") && out.contains("<b>other</b>") && out.contains("hydrogen_put"),
        "{out}"
    );
}

#[test]
fn time_is_no_difference() {
    let (code, out) = compare(
        "#include <time.h>\nlong now(int x) { return time(0) + x; }\nint main(void) { return 0; }\n",
        "#include <time.h>\nlong now(int x) { return time(0) + x + 0 * clock(); }\nint main(void) { return 0; }\n",
        &[],
    );
    assert_ne!(code, Some(1), "{out}");
}
