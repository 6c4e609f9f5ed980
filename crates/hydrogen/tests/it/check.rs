//! What a change did to the rules of a program, as users see it.

use crate::project::Project;

const HEADER: &str = "#include <stdlib.h>\n#include <string.h>\nvoid get(void), drop(void), report(void);\n";
const RULE: &str = "get => drop";

fn body(lines: &str) -> String {
    format!("{HEADER}void handle(const char *b) {{\n  get();\n{lines}  drop();\n}}\n")
}

/// The spec's worked example, as far as the rule goes: version 2 forgets to drop on an early return, version 3 does not.
fn privilege() -> Project {
    let guard = |more: &str| body(&format!("  if (b == NULL) {{\n    report();\n{more}    return;\n  }}\n"));
    let versions = [body("  report();\n"), guard(""), guard("    drop();\n")];
    let project = Project::new();
    for (number, text) in versions.iter().enumerate() {
        project.commit(&[("handle.c", text)]);
        project.git(&["tag", &format!("v{}", number + 1)]);
    }
    project
}

#[test]
fn a_change_breaks_and_mends_a_rule() {
    let project = privilege();
    let run = project.hydrogen(&["check", "v1..v2", "--rule", RULE, "--only-rules"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    let shown = [
        "v1..v2: 1 new",
        "NEW rule: after get(), drop() must follow on every path",
        "  handle.c:5 in handle() (v2): get()",
        "  > 5 |   get();",
        "  v1       absent   every path from get() calls drop()",
        "  Introduced in v2.",
        "    2. handle.c:6  if (b == NULL)  taken",
        "    4. handle.c:8  return          the end of the path, and drop() was not called",
        "  Ledger of v2: not in the program and taken not to call drop(): report().",
    ];
    for line in shown {
        assert!(run.out.contains(line), "{line}\n{}", run.out);
    }
    assert!(!run.out.contains('\x1b'));
    let run = project.hydrogen(&["check", "v2..v3", "--rule", RULE, "--only-rules"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("v2..v3: 1 fixed"), "{run:?}");
    let run = project.hydrogen(&["check", "v1..v3", "--rule", RULE, "--only-rules"]);
    assert!(run.code == Some(0) && run.out.contains("v1..v3: nothing found"), "{run:?}");
}

#[test]
fn programs_read_the_same() {
    let project = privilege();
    let run = project.hydrogen(&["check", "v2", "--rule", RULE, "--only-rules", "--format", "json"]);
    assert_eq!(run.code, Some(1), "a commit is compared with its parent: {run:?}");
    let json: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(json["command"], "check");
    assert_eq!(json["versions"], serde_json::json!(["v2^1", "v2"]));
    let finding = &json["findings"][0];
    assert_eq!((&finding["kind"], &finding["status"]), (&"rule".into(), &"new".into()));
    let verdicts: Vec<&str> =
        finding["verdicts"].as_array().unwrap().iter().map(|one| one["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["absent", "present"]);
    let path = finding["verdicts"][1]["evidence"]["path"].as_array().unwrap();
    assert_eq!(path.last().unwrap()["text"], "return");
    assert_eq!(json["counters"]["raised"], 1);
    let run = project.hydrogen(&["check", "v1..v2", "--rule", RULE, "--only-rules", "--format", "sarif"]);
    let sarif: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(sarif["version"], "2.1.0");
    assert_eq!(sarif["runs"][0]["results"][0]["baselineState"], "new");
}

#[test]
fn rules_and_suppressions_come_from_the_configuration() {
    let project = privilege();
    project.write("hydrogen.toml", "[rules]\norder = [\"get => drop\"]\n");
    let run = project.hydrogen(&["check", "v1..v2", "--only-rules"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    project.write(
        "hydrogen.toml",
        "[rules]\norder = [\"get => drop\"]\n[analysis]\nsuppress = [\"rule:handle.c\"]\n",
    );
    let run = project.hydrogen(&["check", "v1..v2", "--only-rules"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("Note: 1 finding is suppressed by hydrogen.toml."), "{run:?}");
    project.write("hydrogen.toml", "[rules]\norder = [\"get drop\"]\n");
    let run = project.hydrogen(&["check", "v1..v2", "--only-rules"]);
    assert!(run.code == Some(2) && run.err.contains("hydrogen.toml, [rules] order"), "{run:?}");
}

/// Two branches that are right alone: one returns early, the other takes what must be given back (F62).
#[test]
fn a_merge_is_compared_with_both_parents() {
    let project = Project::new();
    let with = |top: &str, end: &str| {
        format!(
            "{HEADER}void work(int n) {{\n{top}  report();\n  report();\n  report();\n  report();\n{end}  report();\n}}\n"
        )
    };
    project.commit(&[("work.c", &with("", ""))]);
    project.git(&["checkout", "-q", "-b", "early"]);
    project.commit(&[("work.c", &with("", "  if (n)\n    return;\n"))]);
    project.git(&["checkout", "-q", "main"]);
    let locked = with("  get();\n", "").replace("  report();\n}\n", "  report();\n  drop();\n}\n");
    project.commit(&[("work.c", &locked)]);
    project.git(&["merge", "-q", "-m", "both", "early"]);
    let run = project.hydrogen(&["check", "HEAD", "--rule", RULE, "--only-rules"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("HEAD^1..HEAD^2..HEAD: 1 new"), "{run:?}");
    for parent in ["HEAD^1", "HEAD^2"] {
        let run = project.hydrogen(&["check", parent, "--rule", RULE, "--only-rules"]);
        assert_eq!(run.code, Some(0), "{run:?}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    let project = privilege();
    let check = |arguments: &[&str], message: &str| {
        let run = project.hydrogen(&[&["check"], arguments].concat());
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.err.contains(message), "{run:?}");
    };
    check(&["v1..v2", "--only-rules"], "there is nothing to check: give --rule");
    check(&["v1..v2", "--rule", "get drop"], "`get drop` is no rule: it has no `=>`");
    check(&["v1..v9", "--rule", RULE, "--only-rules"], "v9");
    check(&["v1..v1", "--rule", RULE, "--only-rules"], "are the same version");
    check(&["v1", "--rule", RULE, "--only-rules"], "`v1` has no parent");
}

/// Faults on changed paths, and a question about one of them.
#[test]
fn faults_are_new_and_fixed() {
    let project = Project::new();
    let code = |guard: &str| format!("int f(int i) {{\n  int a[4] = {{0}};\n{guard}  return a[i];\n}}\n");
    let guard = "  if (i < 0 || i > 3)\n    return 0;\n";
    for (tag, text) in [("v1", code(guard)), ("v2", code("")), ("v3", code(guard))] {
        project.commit(&[("f.c", &text)]);
        project.git(&["tag", tag]);
    }
    let run = project.hydrogen(&["check", "v1..v2"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("NEW overflow"), "{run:?}");
    let run = project.hydrogen(&["check", "v2..v3"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("FIXED overflow"), "{run:?}");
    let run = project.hydrogen(&["impact", "--bug", "f.c:3@v2", "--kind", "overflow", "v1", "v2", "v3"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("Introduced in v2; fixed in v3."), "{run:?}");
    let table = ["impact", "--bug", "f.c:3@v2", "--kind", "overflow", "--format", "csv", "v1", "v2", "v3"];
    let run = project.hydrogen(&table);
    let mut rows = run.out.lines();
    let head = "release,verdict,impacted,patch_applicable,fixed,kind,file,line,milliseconds";
    assert_eq!(rows.next(), Some(head), "{run:?}");
    let impacted: Vec<&str> = rows.map(|row| row.split(',').nth(2).unwrap()).collect();
    assert_eq!(impacted, ["no", "yes", "no"], "{run:?}");
    let run = project.hydrogen(&["verify", "v2..v3", "--bug", "f.c:3", "--kind", "overflow"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(run.out.contains("v3 fixes it"), "{run:?}");
}

#[test]
fn a_fault_of_a_statement_that_was_split_is_told_once() {
    let old = "#include <stdlib.h>\nint avg(int s, int n) { return s / n; }\nint main(int argc, char **argv) { return argc > 1 ? avg(9, atoi(argv[1])) : 0; }\n";
    let new = old.replace("return s / n;", "return n ? s / n : 0;");
    let project = Project::with_versions(&[&[("a.c", old)], &[("a.c", &new)]]);
    let run = project.hydrogen(&["check", "v1..v2"]);
    assert_eq!(run.out.matches("FIXED division").count(), 1, "{}", run.out);
}

/// The program of a table that is filled by a loop, with its limit.
fn table(most: u32) -> String {
    format!(
        "#include <stdlib.h>\nint table[8];\nint n;\nint main(int argc, char **argv) {{\n  for (int i = 1; i < argc; i++)\n    if (n < {most})\n      \
         table[n++] = atoi(argv[i]);\n  return 0;\n}}\n"
    )
}

/// Nine arguments are needed to see it, and a run with them is shown.
#[test]
fn a_table_that_is_too_small_by_one() {
    let project = Project::with_versions(&[&[("a.c", &table(8))], &[("a.c", &table(9))]]);
    let run = project.hydrogen(&["check", "v1..v2", "--kind", "overflow"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("NEW overflow") && run.out.contains("confirmed by a run"), "{}", run.out);
}

/// What a change leaves undecided is no clean answer.
#[test]
fn undecided_is_not_clean() {
    let code =
        |n: u32| format!("int get(int *p);\nint f(int *p, int i) {{\n  get(p);\n  return p[i + {n}];\n}}\n");
    let project = Project::with_versions(&[&[("a.c", &code(1))], &[("a.c", &code(2))]]);
    let run = project.hydrogen(&["check", "v1..v2"]);
    assert_eq!(run.code, Some(3), "{run:?}");
    assert!(run.out.contains("could not be decided"), "{}", run.out);
}

/// By its own measure every fix is right; a run of the new version shows the fault all the same.
#[test]
fn what_a_run_shows_is_not_fixed() {
    let v1 = "int has_dir(const char *name, unsigned n, int *stop) {\n  const char *slash = name + n;\n  for (;;) {\n    if (*--slash == '/')\n      break;\n    \
              if (*stop)\n      return 0;\n  }\n  return 1;\n}\n";
    let v2 = v1.replace("    if (*--slash == '/')\n      break;\n", "    slash--;\n");
    let v2 = v2.replace("      return 0;\n", "      return 0;\n    if (*slash == '/')\n      break;\n");
    let project = Project::with_versions(&[&[("a.c", v1)], &[("a.c", &v2)]]);
    for kind in [&[][..], &["--kind", "overflow"]] {
        let arguments = [&["verify", "v1..v2", "--bug", "a.c:4", "--fix", "v1..v2"], kind].concat();
        let run = project.hydrogen(&arguments);
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.out.contains("v2 does not fix it: a path remains."), "{}", run.out);
    }
}

/// The way from `main` goes through code that nobody sees; what happens at the function's own entry is told all the same.
#[test]
fn what_some_caller_can_do_is_told() {
    let code = "#include <string.h>\nchar place[16];\nconst char *option(int argc, char **argv);\nint ready(void);\nstatic void put(const char *name) {\n  \
                strcpy(place, name);\n}\nint main(int argc, char **argv) {\n  const char *name = option(argc, argv);\n  if (strlen(name) > 10 && !ready())\n    \
                return 1;\n  put(name);\n  return 0;\n}\n";
    let project = Project::with_versions(&[&[("a.c", code)]]);
    let run = project.hydrogen(&["impact", "--bug", "a.c:6@v1", "--kind", "overflow", "v1"]);
    assert_eq!(run.code, Some(3), "{run:?}");
    let told = "In v1, it happens for any caller of put() that passes this on this path:";
    assert!(run.out.contains(told) && run.out.contains("confirmed by a run"), "{}", run.out);
}

/// A program has as many arguments as it is told, and null behind the last: what its tests exclude is absent, what they forget is there.
#[test]
fn programs_are_started_with_their_arguments() {
    let code = |most: u32, guard: &str| {
        format!(
            "#include <stdio.h>\n#include <stdlib.h>\nint clamp(int x) {{ return x > {most} ? {most} : x; }}\n\
             int main(int argc, char **argv) {{\n{guard}  printf(\"%d\\n\", clamp(atoi(argv[1])));\n  return 0;\n}}\n"
        )
    };
    let guard = "  if (argc < 2)\n    return 1;\n";
    let project = Project::with_versions(&[
        &[("a.c", &code(100, guard))],
        &[("a.c", &code(90, guard))],
        &[("a.c", &code(90, ""))],
    ]);
    let run = project.hydrogen(&["check", "v1..v2"]);
    assert_eq!(run.code, Some(0), "{run:?}");
    assert!(!run.out.contains("could not be decided"), "{}", run.out);
    let run = project.hydrogen(&["check", "v2..v3", "--kind", "null"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(run.out.contains("NEW null") && run.out.contains("confirmed by a run"), "{}", run.out);
    assert!(run.out.contains("input: no input at all"), "{}", run.out);
}

#[test]
fn a_new_fault_is_shown_where_it_is() {
    let program = |divided: &str| {
        format!(
            "#include <stdio.h>\nint main(int count, char **words) {{\n  (void)words;\n  printf(\"%d\\n\", {divided});\n}}\n"
        )
    };
    let project = Project::new();
    project.commit(&[("a.c", &program("count + 2"))]);
    project.commit(&[("a.c", &program("count + 4 / (count - 1)"))]);
    let run = project.hydrogen(&["check", "HEAD~1..HEAD"]);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.out.contains("a.c:4 in main() (HEAD): printf(\"%d\\n\", count + 4 / (count - 1))"),
        "{run:?}"
    );
}
