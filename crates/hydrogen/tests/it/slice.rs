//! `hydrogen slice` and `hydrogen explore --by rsc`. Where the C library was not fetched, these tests say so and pass.

use crate::project::{Project, Run};

const COUNT: &str = "#include <stdio.h>

static int words, lines;

static void count(void)
{
\tint c, inside = 0;
\twhile ((c = getchar()) != EOF) {
\t\tif (c == '\\n')
\t\t\tlines++;
\t\tif (c == ' ' || c == '\\n')
\t\t\tinside = 0;
\t\telse if (!inside) {
\t\t\tinside = 1;
\t\t\twords++;
\t\t}
\t}
}

int main(void)
{
\tcount();
\tprintf(\"%d words\\n\", words);
\treturn lines > 2;
}
";

/// The tool's answer; `None` without a C library.
fn answer(project: &Project, arguments: &[&str]) -> Option<Run> {
    let answer = project.hydrogen(arguments);
    if answer.err.contains("the C library is missing") {
        hydrogen_testkit::skip(&answer.err);
        return None;
    }
    Some(answer)
}

fn project() -> Project {
    let project = Project::new();
    project.write("count.c", COUNT);
    project.write("in.txt", "one two\nthree\n");
    project
}

/// The marks of the lines in the listing.
fn marked(text: &str) -> Vec<u32> {
    let mark = |line: &str| {
        let (number, rest) = line.trim_start().split_once(' ')?;
        rest.starts_with("* ").then(|| number.parse().ok()).flatten()
    };
    text.lines().filter_map(mark).collect()
}

#[test]
fn the_exit_status_and_the_output_depend_on_different_lines() {
    let project = project();
    let Some(run) = answer(&project, &["slice", "count.c", "--stdin", "in.txt", "--of", "exit"]) else {
        return;
    };
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.starts_with("relevant slice of exit status 0: "), "{}", run.out);
    assert_eq!(marked(&run.out), [8, 9, 10, 22, 24], "{}", run.out);
    let run = answer(&project, &["slice", "count.c", "--stdin", "in.txt"]).expect("it was there");
    assert_eq!(marked(&run.out), [7, 8, 11, 12, 13, 14, 15, 22, 23], "{}", run.out);
    assert!(!run.out.contains('\x1b'), "no colours where no one sees them");
}

#[test]
fn a_slice_is_also_for_programs() {
    let project = project();
    let arguments = [
        "slice",
        "count.c",
        "--stdin",
        "in.txt",
        "--at",
        "count.c:15#2",
        "--kind",
        "dynamic",
        "--format",
        "json",
    ];
    let Some(run) = answer(&project, &arguments) else { return };
    let value: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
    assert_eq!(value["criterion"], "execution 2 of count.c:15");
    assert_eq!((&value["kind"], &value["end"]["status"]), (&"dynamic".into(), &0.into()));
    let lines = value["files"][0]["lines"].as_array().expect("lines");
    let line = |number: u32| lines.iter().find(|one| one["line"] == number).expect("executed");
    assert!(line(15)["sliced"].as_u64() > Some(0));
    assert_eq!(line(10)["sliced"], 0);
}

#[test]
fn bad_questions_are_answered() {
    let project = project();
    for (arguments, words) in [
        (["--at", "count.c"], "write FILE:LINE"),
        (["--at", "count.c:2"], "no instruction of the program is at count.c:2"),
        (["--at", "count.c:15#9"], "count.c:15 was executed 3 times in this run"),
        (["--of", "nothing"], "the run gives out nothing as `nothing`; there is: stdout"),
        (["--of", "global:nothing"], "the program has no global variable `nothing`"),
        (["--of", "file:nothing"], "there is no file nothing when the run ends"),
    ] {
        let mut all = vec!["slice", "count.c", "--stdin", "in.txt"];
        all.extend(arguments);
        let Some(run) = answer(&project, &all) else { return };
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.err.contains(words), "{}", run.err);
    }
}

#[test]
fn a_variable_and_a_file_are_explained() {
    let project = project();
    let of = |what: &str| answer(&project, &["slice", "count.c", "--stdin", "in.txt", "--of", what]);
    let Some(run) = of("global:lines") else { return };
    assert!(run.out.contains("what the global variable `lines` holds at the end: "), "{}", run.out);
    assert_eq!(marked(&run.out), [8, 9, 10, 22], "{}", run.out);
    let source = "#include <stdio.h>\nint main(int argc, char **argv) {\n int a = argc + 1, b = argc + 2;\n\
        FILE *one = fopen(\"one\", \"w\");\n fprintf(one, \"%d\", a);\n fclose(one);\n\
        FILE *two = fopen(\"two\", \"w\");\n b++;\n fprintf(two, \"%d\", b);\n fclose(two);\n return 0; }\n";
    project.write("files.c", source);
    let two = project.hydrogen(&["slice", "files.c", "--of", "file:two", "--kind", "dynamic"]);
    assert!(two.out.contains("what was written to the file two: "), "{}", two.out);
    let lines = marked(&two.out);
    assert!(lines.contains(&8) && lines.contains(&9), "{}", two.out);
}

#[test]
fn a_fault_is_explained() {
    let project = Project::new();
    let source = "#include <stdlib.h>\nint main(int argc, char **argv) {\n int n = argc + 2, other = 7;\n char *p = malloc(3);\n other++;\n p[n] = 1;\n return other; }\n";
    project.write("bad.c", source);
    let Some(run) = answer(&project, &["slice", "bad.c"]) else { return };
    assert!(run.out.starts_with("relevant slice of the fault: out of bounds write"), "{}", run.out);
    assert_eq!(marked(&run.out), [3, 4, 6], "{}", run.out);
}

#[test]
fn behaviours_are_fewer_than_paths() {
    let project = Project::new();
    let source = "#include <hydrogen.h>\nint seen;\nint main(void) {\n int x, y, z, a, b = 2;\n hydrogen_symbolic(&x, sizeof x, \"x\"); hydrogen_symbolic(&y, sizeof y, \"y\");\n\
        hydrogen_symbolic(&z, sizeof z, \"z\");\n x &= 255; y &= 255; z &= 15;\n if (x - y > 0) a = x; else a = y;\n if (x + y > 10) b = a;\n if (z * z > 3) seen = 1; else seen = 2;\n\
        hydrogen_output(\"out\", b);\n return 0; }\n";
    project.write("foo.c", source);
    let tests = |arguments: &[&str]| {
        let mut all = vec!["explore", "foo.c", "--format", "json", "--fresh"];
        all.extend(arguments);
        let run = answer(&project, &all)?;
        let value: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
        assert_eq!(value["complete"], true, "{}", run.out);
        Some(value["tests"].as_array().expect("tests").len())
    };
    assert!(tests(&["--by", "rsc", "--of", "out"]).is_none_or(|count| count == 3));
    assert!(tests(&["--by", "rsc"]).is_none_or(|count| count == 3));
    assert!(tests(&[]).is_none_or(|count| count == 8));
}

/// Standard input reaches conditions through the library, also when more than one monitor watches.
#[test]
fn what_the_exit_status_does_not_depend_on_is_one_behaviour() {
    let project = Project::new();
    let source = "#include <stdio.h>\nint verbose;\nint main(void) {\n if (getchar() == 'v') verbose = 1;\n if (getchar() == 'k') return 3;\n return 0; }\n";
    project.write("in.c", source);
    for (by, of, count) in [("rsc", Some("exit"), 2), ("rsc", None, 2), ("path", None, 4)] {
        let mut all =
            vec!["explore", "in.c", "--symbolic", "stdin:2", "--fresh", "--format", "json", "--by", by];
        all.extend(of.iter().flat_map(|name| ["--of", name]));
        let Some(run) = answer(&project, &all) else { return };
        let value: serde_json::Value = serde_json::from_str(&run.out).expect("JSON");
        assert_eq!(value["complete"], true, "{}", run.out);
        assert_eq!(value["tests"].as_array().map(Vec::len), Some(count), "{by} {of:?}");
    }
}

/// F-D17: what could fault where no output depends on it is named, with the branch that hides it.
#[test]
fn what_no_output_depends_on_and_could_crash_is_warned_about() {
    let project = Project::new();
    project.write(
        "e33.c",
        "#include <hydrogen.h>\nint p[4], q[4]; static int moved(char *s) { int n = 0; while (*s) { s++; n++; } return n; }\nint main(void) {\n\tint x, i = 7;\n\thydrogen_symbolic(&x, sizeof x, \"x\");\n\
         \tif (x > 0)\n\t\tp[i] = 0;\n\tq[x & 7] = 1; moved(\"ab\");\n\thydrogen_output(\"out\", 1);\n\treturn 0;\n}\n",
    );
    let arguments = ["explore", "e33.c", "--by", "rsc", "--of", "out"];
    let Some(run) = answer(&project, &arguments) else { return };
    assert_eq!(run.code, Some(0), "{run:?}");
    for words in [
        "warning: e33.c:7: out of bounds write is possible; no output depends on it, and no run turned the branch at e33.c:6\n",
        "warning: e33.c:8: out of bounds write is possible; no output depends on it, while it depends on the input",
    ] {
        assert!(run.out.contains(words), "`{words}` is not in {}", run.out);
    }
    let run = project.hydrogen(&[&arguments[..], &["--format", "json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let warnings = json["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert_eq!((&warnings[0]["file"], &warnings[0]["line"]), (&"e33.c".into(), &7.into()));
    assert_eq!(
        (&warnings[0]["fault"], &warnings[0]["executed"]),
        (&"out-of-bounds-write".into(), &false.into())
    );
    assert_eq!(warnings[0]["branch"]["line"], 6);
    // By path both are found instead.
    let run = project.hydrogen(&["explore", "e33.c", "--faults"]);
    assert!(!run.out.contains("warning") && run.out.contains("out-of-bounds-write e33.c:7"), "{}", run.out);
}

/// F-D12: the check of priorities finds nothing, and belongs to relevant slices.
#[test]
fn priorities_are_checked_on_request() {
    let project = project();
    let arguments =
        ["explore", "count.c", "--symbolic", "stdin:3", "--by", "rsc", "--of", "exit", "--check-priorities"];
    let Some(run) = answer(&project, &arguments) else { return };
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("complete: "), "{}", run.out);
    let run = project.hydrogen(&["explore", "count.c", "--symbolic", "stdin:3", "--check-priorities"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("--check-priorities needs --by rsc"), "{}", run.err);
}

const MAXIMUM: &str = "#include <stdio.h>
#include <stdlib.h>
static int larger(int x, int y)
{
\tint b = 2, a;
\tif (x - y > 0)
\t\ta = x;
\telse
\t\ta = y;
\tif (x + y > 10)
\t\tb = a;
\treturn b;
}
int main(int argc, char **argv)
{
\tint out = larger(getchar() - '0', getchar() - '0');
\tprintf(\"%d\\n\", out);
\treturn out < 5 && argc > 9;
}
";

/// F-D11: line by line from the criterion to the input.
#[test]
fn a_slice_is_explained_backwards() {
    let project = Project::new();
    project.write("larger.c", MAXIMUM);
    project.write("in", "65");
    let arguments =
        ["slice", "larger.c", "--stdin", "in", "--symbolic", "stdin:2", "--at", "larger.c:12", "--explain"];
    let Some(run) = answer(&project, &arguments) else { return };
    assert_eq!(run.code, Some(0), "{run:?}");
    let expected = "\
line         values                                                                  to explain  condition
larger.c:12                                                                          b           true
larger.c:11  b = a                                                                   a           true
larger.c:10  b = a                                                                   a, x, y     x + y > 10
larger.c:7   b = x, a = x                                                            x, y        x + y > 10
larger.c:6   b = x, a = x                                                            x, y        x - y > 0 && x + y > 10
";
    let table = run.out.split_once("\n\n").map_or("", |parts| parts.1);
    let cells = |text: &str| -> Vec<Vec<String>> {
        let row = |line: &str| {
            line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).map(str::to_owned).collect()
        };
        text.lines().map(row).collect()
    };
    assert_eq!(cells(table)[..6], cells(expected)[..], "{}", run.out);
    // At the end everything is said by the input.
    let last = cells(table).last().unwrap().join(" ");
    assert!(
        last.starts_with("larger.c:16 ") && last.contains("stdin[0]") && last.contains("stdin[1]"),
        "{last}"
    );
    let run = project.hydrogen(&[&arguments[..], &["--format", "json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    let rows = json["explanation"]["rows"].as_array().unwrap();
    assert_eq!(rows[2]["to_explain"], serde_json::json!(["a", "x", "y"]));
    assert_eq!(rows[4]["condition"], serde_json::json!(["x - y > 0", "x + y > 10"]));
}

#[test]
fn a_slice_is_also_a_page() {
    let project = Project::new();
    project.write("larger.c", MAXIMUM);
    project.write("in", "62");
    let arguments = ["slice", "larger.c", "--stdin", "in", "--at", "larger.c:12", "--html", "slice.html"];
    let Some(run) = answer(&project, &arguments) else { return };
    assert_eq!(run.code, Some(0), "{run:?}");
    let page = std::fs::read_to_string(project.root().join("slice.html")).unwrap();
    let class = |line: u32| {
        let (_, rest) = page.split_once(&format!("-{line}\" class=\"")).unwrap();
        rest.split_once('"').unwrap().0.to_owned()
    };
    // Had the sum been larger, another value would have come out: the branch matters, though no value comes from it.
    assert_eq!(
        [5, 6, 10, 11, 12].map(class),
        ["dynamic", "executed", "relevant", "none", "dynamic"],
        "{page}"
    );
}

/// The first example of the literature: blocks and what decides about them, values forwards, and what is turned around.
const BASIC: &str = "#include <stdio.h>
int main(void)
{
\tint x, y, o;
\tscanf(\"%d\", &x);
\tscanf(\"%d\", &y);
\tif (x > 0) {
\t\ty = y + 1;
\t\tif (y > 0)
\t\t\to = 10;
\t\telse
\t\t\to = 20;
\t} else
\t\to = 30;
\treturn o;
}
";

#[test]
fn what_decides_about_each_statement_is_told() {
    let project = Project::new();
    project.write("basic.c", BASIC);
    let Some(run) = answer(&project, &["depends", "basic.c", "--format", "json"]) else { return };
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{run:?}"));
    let by = |line: u64| {
        let rows = found["control"].as_array().unwrap();
        let row = rows.iter().find(|row| row["line"] == line).unwrap_or_else(|| panic!("{line}: {run:?}"));
        let list = row["decided_by"].as_array().unwrap();
        list.iter()
            .map(|one| format!("{} {}", one["line"], one["outcome"].as_str().unwrap()))
            .collect::<Vec<_>>()
    };
    let always: [String; 0] = [];
    for line in [5, 6, 7, 15] {
        assert_eq!(by(line), always, "{line}");
    }
    for (line, decided) in [(8, "7 true"), (9, "7 true"), (10, "9 true"), (12, "9 false"), (14, "7 false")] {
        assert_eq!(by(line), [decided], "{line}");
    }
}

#[test]
fn distances_count_branches_and_no_calls() {
    let project = Project::new();
    project.write(
        "far.c",
        "static int inner(int x) {\n\tif (x > 5)\n\t\treturn 1;\n\treturn 0;\n}\nint main(int argc, char **argv) {\n\
         \tif (argc > 1)\n\t\treturn inner(argc);\n\treturn 2;\n}\n",
    );
    let Some(run) = answer(&project, &["depends", "far.c", "--to", "far.c:3", "--format", "json"]) else {
        return;
    };
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{run:?}"));
    let nearest = |line: u64| {
        let rows = found["branches"].as_array().unwrap();
        let row = rows.iter().find(|row| row["line"] == line).unwrap_or_else(|| panic!("{line}: {run:?}"));
        row["sides"].as_array().unwrap().iter().filter_map(|side| side["distance"].as_u64()).min()
    };
    assert_eq!((nearest(2), nearest(7)), (Some(1), Some(2)), "{run:?}");
    assert!(run.out.contains("null"), "the other side of line 7 does not lead there: {run:?}");
    assert_eq!(project.hydrogen(&["depends", "far.c", "--to", "far.c:99"]).code, Some(2));
}

#[test]
fn first_uses_of_a_definition_are_listed() {
    let project = Project::new();
    project.write(
        "uses.c",
        "int shared;\nstatic int get(void) { return shared; }\nint main(int argc, char **argv) {\n\tint y = 2, o;\n\
         \tint *p = &o;\n\t*p = 4;\n\tif (argc > 1)\n\t\to = y;\n\telse\n\t\ty = 3;\n\tshared = o;\n\treturn y + get();\n}\n",
    );
    let Some(run) = answer(&project, &["depends", "uses.c", "--uses", "uses.c:4"]) else { return };
    let uses = |line: u32| {
        let run =
            project.hydrogen(&["depends", "uses.c", "--uses", &format!("uses.c:{line}"), "--format", "json"]);
        let found: serde_json::Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{run:?}"));
        let all =
            found["definitions"].as_array().unwrap().iter().flat_map(|one| one["uses"].as_array().unwrap());
        all.map(|one| one["line"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(uses(4), [8, 12], "{run:?}");
    // Through a pointer.
    assert_eq!(uses(6), [11]);
    assert_eq!(uses(10), [12]);
    // In another function.
    assert_eq!(uses(11), [2]);
}

#[test]
fn a_run_is_told_line_by_line() {
    let project = Project::new();
    project.write("basic.c", BASIC);
    project.write("in", "1 1");
    let arguments =
        ["run", "basic.c", "--stdin", "in", "--symbolic", "stdin:3", "--table", "--format", "json"];
    let Some(run) = answer(&project, &arguments) else { return };
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{run:?}"));
    assert!(found["dependent"].as_u64().unwrap() > 10, "{run:?}");
    let rows = found["table"]["rows"].as_array().unwrap();
    let row = |line: u64| {
        rows.iter().rev().find(|row| row["line"] == line).unwrap_or_else(|| panic!("{line}: {run:?}"))
    };
    let value = |line: u64, name: &str| {
        let values = row(line)["values"].as_array().unwrap();
        let found = values.iter().rev().find(|one| one["name"] == name);
        found.unwrap_or_else(|| panic!("{name} at {line}: {run:?}"))["value"].as_str().unwrap().to_owned()
    };
    assert_eq!(value(5, "x"), "(unsigned)stdin[0] - 48");
    assert_eq!(value(6, "y"), "(unsigned)stdin[2] - 48");
    assert_eq!(value(8, "y"), "(unsigned)stdin[2] - 47");
    assert_eq!(value(10, "o"), "10");
    assert!(row(7)["condition"].as_array().unwrap().len() == 1, "{run:?}");
    let text = project.hydrogen(&["run", "basic.c", "--stdin", "in", "--symbolic", "stdin:3", "--table"]);
    assert!(text.err.contains("basic.c:8") && text.err.contains("depend on the input"), "{text:?}");
}

const THREE: &str = "#include <stdlib.h>
int main(int argc, char **argv)
{
\tint x = atoi(argv[1]), y = atoi(argv[2]);
\tint b = 2, a;
\tif (x - y > 0)
\t\ta = x;
\telse
\t\ta = y;
\tif (x + y > 10)
\t\tb = a;
\treturn b;
}
";

#[test]
fn executions_stand_with_what_they_depend_on() {
    let project = Project::new();
    project.write("three.c", THREE);
    let arguments = ["slice", "three.c", "--of", "exit", "--instances", "--format", "json", "--", "6", "5"];
    let Some(run) = answer(&project, &arguments) else { return };
    let found: serde_json::Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{run:?}"));
    let all = found["executions"].as_array().unwrap();
    let of =
        |line: u64| all.iter().find(|one| one["line"] == line).unwrap_or_else(|| panic!("{line}: {run:?}"));
    let line_of =
        |number: &serde_json::Value| all[number.as_u64().unwrap() as usize]["line"].as_u64().unwrap();
    let data = |line: u64| of(line)["data"].as_array().unwrap().iter().map(line_of).collect::<Vec<_>>();
    assert_eq!((line_of(&of(7)["control"]), line_of(&of(11)["control"])), (6, 10), "{run:?}");
    assert_eq!((data(7), data(11), data(12)), (vec![4], vec![7], vec![11]), "{run:?}");
    let text = project.hydrogen(&["slice", "three.c", "--of", "exit", "--instances", "--", "6", "5"]);
    assert!(text.out.contains("three.c:11#1"), "{text:?}");
}

#[test]
fn a_variable_at_a_line_is_explained() {
    let project = Project::new();
    project.write("three.c", THREE);
    let sliced = |place: &str| {
        let run = project.hydrogen(&["slice", "three.c", "--at", place, "--format", "json", "--", "6", "2"]);
        let found: serde_json::Value = serde_json::from_str(&run.out).unwrap_or_else(|_| panic!("{run:?}"));
        let lines = found["files"][0]["lines"].as_array().unwrap();
        let inside = lines.iter().filter(|line| line["sliced"].as_u64() > Some(0));
        inside.map(|line| line["line"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    let Some(_) = answer(&project, &["slice", "three.c", "--at", "three.c:12:b", "--", "6", "2"]) else {
        return;
    };
    // That `b` was not set again depends on the second branch.
    assert_eq!(sliced("three.c:12:b"), [4, 5, 10, 12]);
    assert_eq!(sliced("three.c:10:a"), [4, 6, 7, 10]);
    assert_eq!(sliced("three.c:6:x"), [4, 6]);
    // An expression is what is computed there, whatever its blanks.
    assert_eq!(sliced("three.c:10:x+y"), [4, 10]);
    assert_eq!(sliced("three.c:6:x - y > 0#1"), [4, 6]);
    for (place, words) in [
        ("three.c:12:nothing", "no variable `nothing`"),
        ("three.c:11:b", "executed 0 times"),
        ("three.c:10:x * z", "does not stand on line 10"),
    ] {
        let run = project.hydrogen(&["slice", "three.c", "--at", place, "--", "6", "2"]);
        assert!(run.code == Some(2) && run.err.contains(words), "{run:?}");
    }
}
