//! `#line` says where generated code was written. It does not make code of the version vanish.

use crate::project::Project;

#[test]
fn functions_stay_where_their_text_is() {
    for other in [
        "/usr/include/stdio.h",
        "../x.c",
        "/nowhere/y.y",
        "../../../usr/include/string.h",
        "<stdin>",
        "<built-in>",
        "",
    ] {
        let text = |body: &str| {
            format!(
                "#include <stdio.h>\n#line 1 \"{other}\"\nint f(int x) {{ return x + 1; }}\n#line 7 \"{other}\"\n\
                 static int g(int x) {{ return 10 / {body}; }}\nint main(void) {{ return f(1) + g(0); }}\n"
            )
        };
        let project = Project::with_versions(&[&[("a.c", &text("(x + 1)"))], &[("a.c", &text("x"))]]);
        assert_eq!(
            project.statuses("v1", "v2", &[]),
            ["f unchanged", "g updated", "main unchanged"],
            "{other}"
        );
        let found = project.hydrogen(&["check", "v1..v2"]);
        assert_eq!(found.code, Some(1), "{other}: {found:?}");
    }
}

/// Faults in code that a generator made, or that another file includes, are run like those elsewhere.
#[test]
fn programs_of_generated_and_included_code_are_run() {
    let made = |body: &str| {
        format!(
            "#line 3 \"parse.y\"\nstatic int g(int x) {{ return 10 / {body}; }}\n#line 9 \"parse.y\"\nint main(void) {{ return g(0); }}\n"
        )
    };
    let plain = |body: &str| {
        format!("static int g(int x) {{ return 10 / {body}; }}\nint main(void) {{ return g(0); }}\n")
    };
    let makefile = "all:\n\tcc -c all.c\n";
    for project in [
        Project::with_versions(&[
            &[("parse.c", &made("(x + 1)")), ("parse.y", "%%\n")],
            &[("parse.c", &made("x"))],
        ]),
        Project::with_versions(&[
            &[("all.c", "#include \"part.c\"\n"), ("part.c", &plain("(x + 1)")), ("Makefile", makefile)],
            &[("part.c", &plain("x"))],
        ]),
    ] {
        let found = project.hydrogen(&["check", "v1..v2"]);
        assert_eq!(found.code, Some(1), "{found:?}");
    }
}

/// A generator's own file inside of the version counts.
#[test]
fn files_of_the_version_are_named() {
    let text = "#line 3 \"parse.y\"\nint f(int x) { return x; }\n";
    let project = Project::with_versions(&[&[("a.c", text), ("parse.y", "%%\n")]]);
    let found = project.hydrogen(&["functions", "v1", "v1", "--all"]);
    assert!(found.out.contains("parse.y:3"), "{found:?}");
}

/// A file that another one includes is compiled, as a part of it.
#[test]
fn an_included_file_is_compiled() {
    let all = "#include \"part.c\"\nint main(void) { return part(1); }\n";
    let version = |body: &str| format!("int part(int x) {{ return {body}; }}\n");
    let makefile = "all:\n\tcc -c all.c\n";
    let (old, new) = (version("x"), version("x + 1"));
    let project = Project::with_versions(&[
        &[("all.c", all), ("part.c", &old), ("other.c", "int o;\n"), ("Makefile", makefile)],
        &[("part.c", &new), ("other.c", "int o = 1;\n")],
    ]);
    let found = project.hydrogen(&["check", "v1..v2"]);
    let said = found.err.clone() + &found.out;
    let line = said.lines().find(|line| line.contains("not compiled by this build")).unwrap_or_default();
    assert!(line.contains("other.c") && !line.contains("part.c"), "{found:?}");
}

/// Where nothing compiles, nobody knows what changed.
#[test]
fn what_does_not_compile_is_not_unchanged() {
    let project = Project::with_versions(&[
        &[("a.c", "#include \"nowhere.h\"\nint f(void) { return 1; }\n")],
        &[("a.c", "#include \"nowhere.h\"\nint f(void) { return 2; }\n")],
    ]);
    let found = project.hydrogen(&["review", "v1..v2", "--budget", "10s"]);
    assert!(!found.out.contains("no function changed"), "{found:?}");
    assert_eq!(found.code, Some(3), "{found:?}");
    // A version of which nothing can be said is no wrong question.
    for words in [&["compare", "v1..v2"][..], &["run", "v1"], &["explore", "v1"]] {
        let found = project.hydrogen(words);
        assert_eq!(found.code, Some(3), "{words:?}: {found:?}");
    }
}

#[test]
fn limits_are_not_cut_silently() {
    let project = Project::new();
    project.write("a.c", "int main(void) { return 0; }\n");
    for words in [["--memory", "30G"], ["--stack", "3G"]] {
        let found = project.hydrogen(&["run", "a.c", words[0], words[1]]);
        assert!(found.code == Some(2) && found.err.contains("no more than"), "{found:?}");
    }
    assert_eq!(project.hydrogen(&["run", "a.c", "--memory", "4G", "--stack", "2G"]).code, Some(0));
}
