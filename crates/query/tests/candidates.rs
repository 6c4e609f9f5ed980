//! A fix without a named bug: the statements that it is about.
#![allow(clippy::unwrap_used)]

mod common;

use common::{Code, compile, graph_of};
use hydrogen_graph::Fix;
use hydrogen_graph::{VersionId, VersionSet};
use hydrogen_library::Library;
use hydrogen_query::{Analyst, Budget, Program};

/// The candidates of the change from the first version to the second, with the verdicts of all.
fn check(versions: &[&str], expect: &str) {
    let code: Code = versions.iter().map(|text| vec![compile(text)]).collect();
    let graph = graph_of(&code);
    let program = Program { graph: &graph, code: &code };
    let mut analyst = Analyst::new(program, hydrogen_term::standard(), Library::default(), Budget::default());
    let fix = Fix { before: VersionId::at(0), after: VersionId::at(1) };
    let found = analyst.candidates(fix, None, &VersionSet::all(code.len()));
    let line = |finding: &hydrogen_evidence::Finding| {
        let words: Vec<&str> = finding.verdicts.iter().map(|ruling| ruling.verdict.word()).collect();
        format!("{}: {}", finding.location.text, words.join(", "))
    };
    assert_eq!(found.findings.iter().map(line).collect::<Vec<_>>().join("\n"), expect);
}

fn copy(body: &str) -> String {
    format!("#include <string.h>\nchar g[16];\nint n;\nint put(const char *s, unsigned len) {{\n{body}}}\n")
}

#[test]
fn a_guard_that_is_added_guards_what_follows() {
    let before = copy("  n = 1;\n  memcpy(g, s, len);\n  return 0;\n");
    let after = copy("  n = 1;\n  if (len > 16)\n    return 1;\n  memcpy(g, s, len);\n  return 0;\n");
    let other = copy("  if (len > 8)\n    return 1;\n  n = 1;\n  memcpy(g, s, len);\n  return 0;\n");
    check(&[&before, &after], "memcpy(g, s, len): present, fixed");
    check(&[&before, &after, &other], "memcpy(g, s, len): present, fixed, fixed");
}

#[test]
fn a_guard_that_is_moved_guards_what_it_did_not() {
    let guard = "  if (len > 16)\n    return 1;\n";
    let before = copy(&format!("  memcpy(g, s, len);\n{guard}  return 0;\n"));
    let after = copy(&format!("{guard}  memcpy(g, s, len);\n  return 0;\n"));
    check(&[&before, &after], "memcpy(g, s, len): present, fixed");
}

#[test]
fn operands_that_change_are_seen() {
    let before = copy("  memcpy(g, s, len);\n  return 0;\n");
    let after = copy("  if (len > 16)\n    len = 16;\n  memcpy(g, s, len);\n  return 0;\n");
    check(&[&before, &after], "memcpy(g, s, len): present, fixed");
}

#[test]
fn a_refactoring_is_about_nothing() {
    let before = copy("  unsigned i = len;\n  if (i > 16)\n    return 1;\n  memcpy(g, s, i);\n  return 0;\n");
    let renamed =
        copy("  unsigned k = len;\n  if (k > 16)\n    return 1;\n  memcpy(g, s, k);\n  return 0;\n");
    check(&[&before, &renamed], "");
    let turned = copy(
        "  unsigned i = len;\n  if (i <= 16) {\n    memcpy(g, s, i);\n    return 0;\n  }\n  return 1;\n",
    );
    check(&[&before, &turned], "");
}

#[test]
fn what_is_told_to_the_user_is_not_what_a_fix_is_about() {
    let code = |version: &str, guard: &str| {
        format!(
            "#include <stdio.h>\n#include <string.h>\nchar g[16];\nint put(const char *s, unsigned len) {{\n  \
             printf(\"put {version}\\n\");\n{guard}  n(len);\n  memcpy(g, s, len);\n  return 0;\n}}\n"
        )
    };
    let declared = |text: String| format!("void n(unsigned len);\n{text}");
    let before = declared(code("1", ""));
    let after = declared(code("2", "  if (len > 16)\n    return 1;\n"));
    check(&[&before, &after], "memcpy(g, s, len): present, fixed\nn(len): present, fixed");
}
