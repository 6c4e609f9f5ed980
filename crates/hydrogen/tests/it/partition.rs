//! `hydrogen compare --inputs`: proved for every input, or inputs that differ.

use crate::project::{Project, Run};

const HEAD: &str = "#include <stdio.h>\n#include <stdlib.h>\n";

fn program(body: &str) -> String {
    format!(
        "{HEAD}{body}\nint main(int argc, char **argv) {{ if (argc < 2) return 1; printf(\"%d\\n\", f(atoi(argv[1]))); return 0; }}\n"
    )
}

fn compare(old: &str, new: &str, options: &[&str]) -> Run {
    let project = Project::with_versions(&[&[("a.c", &program(old))], &[("a.c", &program(new))]]);
    let run = project.hydrogen(&[&["compare", "v1..v2"], options].concat());
    assert!(run.code.is_some_and(|code| code < 4), "{run:?}");
    run
}

#[test]
fn a_difference_is_shown_with_both_outcomes() {
    let run = compare(
        "int f(int x) { if (x > 10) return 1; return 0; }",
        "int f(int x) { if (x >= 10) return 1; return 0; }",
        &["--inputs", "arg:1:int", "--", "3"],
    );
    assert_eq!(run.code, Some(1), "{run:?}");
    for part in [
        "differs  arg 1: \"10\"",
        "v1: exits with 0, writes \"0\\n\"",
        "v2: exits with 0, writes \"1\\n\"",
        "natively the same",
        "the partitions hold every input",
        "counted",
    ] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
}

#[test]
fn equality_is_proved_for_every_input() {
    let (old, new) =
        ("int f(int x) { return x < 0 ? 1 : 2; }", "int f(int x) { if (x >= 0) return 2; return 1; }");
    let run = compare(old, new, &["--inputs", "arg:1:int", "--", "3"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("equal for 100 % of the inputs"), "{}", run.out);
    assert!(run.out.contains("equal: proved for every input"), "{}", run.out);
    let run = compare(old, new, &["--function", "f", "--inputs", "call"]);
    assert_eq!(run.code, Some(0), "{run:?}");
}

#[test]
fn a_function_is_compared_by_its_calls() {
    let run = compare(
        "int f(int x) { return x == 41 ? 1 : 0; }",
        "int f(int x) { return x == 42 ? 1 : 0; }",
        &["--function", "f", "--inputs", "call"],
    );
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.out.contains("41") && run.out.contains("42") && run.out.contains("natively the same"),
        "{}",
        run.out
    );
}

#[test]
fn the_picture_is_a_page_of_its_own() {
    let project = Project::with_versions(&[
        &[("a.c", &program("int f(int x) { return x > 1; } /* </script> */"))],
        &[("a.c", &program("int f(int x) { return x > 2; } /* </script> */"))],
    ]);
    let run = project.hydrogen(&[
        "compare",
        "v1..v2",
        "--inputs",
        "arg:1:int",
        "--no-native",
        "--picture",
        "map.html",
        "--",
        "3",
    ]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let page = std::fs::read_to_string(project.root().join("map.html")).expect("the page was written");
    let data = page.split("id=\"data\">").nth(1).and_then(|rest| rest.split("</script>").next());
    let data: serde_json::Value = serde_json::from_str(data.unwrap_or_default()).expect("the data is JSON");
    assert_eq!(data["verdict"], "differs");
    assert!(data["partitions"].as_array().is_some_and(|list| list.len() >= 3), "{data}");
    assert!(!page.contains("src=") && !page.contains("http"), "nothing is fetched");
}

#[test]
fn bad_use_is_told() {
    let project = Project::with_versions(&[&[("a.c", &program("int f(int x) { return x; }"))]]);
    let check = |words: &[&str], part: &str| {
        let run = project.hydrogen(&[&["compare", "v1", "v1"], words].concat());
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.err.contains(part), "{run:?}");
    };
    check(&["--inputs", "disk:3"], "disk:3");
    check(&["--inputs", "call"], "--function");
    check(&["--inputs", "arg:1:int", "--rename", "x"], "NEW=OLD");
    check(&["--inputs", "call", "--function", "nobody"], "nobody");
    check(&["--explain"], "--inputs");
}

/// A15: what a suite tries, by partitions. Two of three tests go the same way; none is where the versions differ.
#[test]
fn a_suite_is_measured_by_partitions() {
    let (old, new) = (
        "int f(int x) { if (x > 10) return 1; return 0; }",
        "int f(int x) { if (x >= 10) return 1; return 0; }",
    );
    let project = Project::with_versions(&[&[("a.c", &program(old))], &[("a.c", &program(new))]]);
    project.write("suite", "3\n4\n50\nword\n");
    let run =
        project.hydrogen(&["compare", "v1..v2", "--inputs", "arg:1:int", "--tests", "suite", "--", "3"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    for part in [
        "the 3 tests are in 2 of 3 partitions (66.7 %); of 1 in which the versions differ, in 0",
        "1 tests have another form than --inputs",
    ] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
}

/// Random inputs are of the space that is compared: numbers in their range, every length of standard input.
#[test]
fn the_share_of_random_inputs_is_that_of_the_space() {
    let number = |least: u32| {
        format!(
            "#include <stdlib.h>\nint main(int n, char **v) {{ int x = n > 1 ? atoi(v[1]) : 0; return x > {least}; }}\n"
        )
    };
    let read = |last: u32| {
        format!("#include <stdio.h>\nint main(void) {{ int c = getchar(); return c > 127 ? {last} : 0; }}\n")
    };
    for (one, other, inputs, share) in
        [(number(24), number(49), "arg:1:int:0..99", 0.25), (read(1), read(2), "stdin:0-2", 1.0 / 3.0)]
    {
        let project = Project::with_versions(&[&[("a.c", &one)], &[("a.c", &other)]]);
        let words = ["--baseline", "random", "--runs", "1500", "--format", "json", "--", "3"];
        let run = project.hydrogen(&[&["compare", "v1..v2", "--inputs", inputs], &words[..]].concat());
        let json: serde_json::Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{run:?}"));
        let (tests, differ) = (json["tests"].as_f64().unwrap(), json["differences"].as_f64().unwrap());
        assert!((differ / tests - share).abs() < 0.05, "{inputs} {}", run.out);
    }
}
