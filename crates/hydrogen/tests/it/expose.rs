//! `hydrogen expose`: an input on which two versions differ, that there is none, or what is missing.

use crate::project::{Project, Run};

const REACH: &str = "#include <stdio.h>\n#include <stdlib.h>\nint main(int argc, char **argv) {\n    int x, y, o;\n    if (argc < 2) return 2;\n    x = atoi(argv[1]);\n    if (x > 0) {\n        \
    y = 3;\n        if (x - y > 0)\n            o = y;\n        else\n            o = 0;\n    } else\n        o = -1;\n    if (x > 20)\n        o = 10;\n    printf(\"%d\\n\", o);\n    return 0;\n}\n";

fn expose(old: &str, new: &str, options: &[&str]) -> (Project, Run) {
    let project = Project::with_versions(&[&[("a.c", old)], &[("a.c", new)]]);
    let run = project.hydrogen(&[&["expose", "v1..v2"], options].concat());
    (project, run)
}

/// A person replays what was written in two commands, and the suite does not grow twice.
#[test]
fn a_difference_is_a_test() {
    let new = REACH.replace("y = 3", "y = 2");
    let (project, run) = expose(REACH, &new, &["-o", "tests", "--", "-1"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    for part in [
        "difference 1: standard output",
        "out: 0   | out: 2",
        "born",
        "y = 2",
        "came out",
        "natively, both the same",
    ] {
        assert!(run.out.contains(part), "{part}: {}", run.out);
    }
    let folder = project.root().join("tests");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert_eq!((read("001/old.out"), read("001/new.out")), ("0\n".to_owned(), "2\n".to_owned()));
    let sh = |command: &str| {
        let run = std::process::Command::new("sh")
            .arg("-c")
            .arg(command)
            .current_dir(project.root())
            .output()
            .unwrap();
        String::from_utf8_lossy(&run.stdout).into_owned()
    };
    let built =
        "git show v1:a.c > old.c && cc -w old.c -o old && git show v2:a.c > new.c && cc -w new.c -o new";
    sh(built);
    assert_eq!(sh("sh tests/001/replay.sh ./old; sh tests/001/replay.sh ./new"), "0\n2\n");
    let suite = read("suite.json");
    let again = project.hydrogen(&["expose", "v1..v2", "-o", "tests", "--", "-1"]);
    assert_eq!((again.code, again.out), (run.code, run.out));
    assert_eq!(suite, read("suite.json"));
    // What was written is a test that is there already.
    let first = project.hydrogen(&["expose", "v1..v2", "--tests", "tests", "--format", "json"]);
    assert_eq!(first.code, Some(1), "{first:?}");
    let answer: serde_json::Value = serde_json::from_str(&first.out).unwrap();
    assert_eq!(answer["findings"][0]["how"], "the test 001");
    assert_eq!(answer["statistics"]["asked"], serde_json::json!({}));
}

#[test]
fn a_refactoring_is_proved() {
    let text = "#include <stdio.h>\n#include <stdlib.h>\nstatic int f(int x) { BODY }\nint main(int argc, char **argv) { if (argc > 1) printf(\"%d\\n\", f(atoi(argv[1]))); return 0; }\n";
    let (_, run) = expose(
        &text.replace("BODY", "int s = 0; for (int i = 0; i < x; i++) s ^= i; return s;"),
        &text.replace("BODY", "int sum = 0, i = 0; while (i < x) { sum ^= i; i++; } return sum;"),
        &["--", "3"],
    );
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("proved: f behave"), "{}", run.out);
}

#[test]
fn every_path_was_seen() {
    let text = "#include <stdlib.h>\nint main(int argc, char **argv) { int x = atoi(argv[1]); volatile int y = EXPRESSION; return y & 1; }\n";
    let (old, new) = (text.replace("EXPRESSION", "x & 3"), text.replace("EXPRESSION", "x & 5"));
    let (_, run) = expose(&old, &new, &["--inputs", "arg:1:int", "--", "3"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("on every pair of paths the same comes out"), "{}", run.out);
}

/// A change in a macro or a table only, code that nobody calls, and nothing at all.
#[test]
fn what_counts_as_a_change() {
    let text = "#include <stdio.h>\n#define WORD \"yes\"\nstatic const int table[3] = {1, 2, 3};\nint main(int argc, char **argv) { (void)argv; if (argc > 3) puts(WORD); return table[argc % 3]; }\n";
    let (_, run) = expose(text, &text.replace("yes", "no"), &["--no-native"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("out: yes | out: no"), "{}", run.out);
    let (_, run) = expose(text, &text.replace("2, 3}", "2, 4}"), &["--no-native"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let unused = format!("{text}int nobody(int x) {{ return x * 2; }}\n");
    let (_, run) = expose(text, &unused, &[]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("nobody calls it"), "{}", run.out);
    let (_, run) = expose(text, &format!("/* a comment */\n{text}"), &[]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("is the same"), "{}", run.out);
}

#[test]
fn bad_input_is_said() {
    let (project, run) = expose("int f(void) { return 1; }\n", "int f(void) { return 2; }\n", &[]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("main"), "{}", run.err);
    let run = project.hydrogen(&["expose", "v1..v9"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    let (project, run) = expose(REACH, &REACH.replace("y = 3", "y = 2"), &["--tests", "nowhere"]);
    assert_eq!(run.code, Some(2), "{run:?}");
    assert!(run.err.contains("no such folder"), "{}", run.err);
    // A test that crashes both versions, and time that is over at once.
    project.write("suite/crash.args", "\n");
    let run = project.hydrogen(&[
        "expose",
        "v1..v2",
        "--tests",
        "suite",
        "--budget",
        "1ms",
        "--inputs",
        "arg:1:int",
        "--",
        "-1",
    ]);
    assert!(matches!(run.code, Some(1 | 3)), "{run:?}");
}

/// A function alone, of a library that has no `main`.
#[test]
fn a_function_is_called_alone() {
    let text = "struct s { int n; int v[4]; };\nint sum(struct s *p) { int t = 0; for (int i = 0; i LESS p->n && i < 4; i++) t ^= p->v[i]; return t; }\n";
    let (project, run) = expose(
        &text.replace("LESS", "<"),
        &text.replace("LESS", "<="),
        &["--function", "sum", "-o", "tests"],
    );
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("difference 1: memory") && run.out.contains("result = "), "{}", run.out);
    assert!(run.out.contains("natively, both the same"), "{}", run.out);
    let test = std::fs::read_to_string(project.root().join("tests/001/new_test.c")).unwrap();
    assert!(test.contains("sum("), "{test}");
    let (_, run) = expose(
        "int twice(int x) { return x & 7 ? (x & 7) * 2 : 0; }\n",
        "int twice(int x) { return (x & 7) + (x & 7); }\n",
        &["--function", "twice"],
    );
    assert_eq!(run.code, Some(0), "{run:?}");
    let run = project.hydrogen(&["expose", "v1..v2", "--function", "nobody"]);
    assert_eq!(run.code, Some(2), "{run:?}");
}
