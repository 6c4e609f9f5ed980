//! What was proved is attacked by runs: which verdicts stand, and what the attack shows where one does not.
#![allow(clippy::unwrap_used)]

#[path = "../../query/tests/common/mod.rs"]
mod common;
mod support;

use common::{Code, compile, graph_of};
use hydrogen_evidence::{Class, Input, Replay, Verdict};
use hydrogen_graph::{NodeId, VersionId, VersionSet};
use hydrogen_library::Library;
use hydrogen_query::{Analyst, Attempt, Budget, Confirm, Entrance, Program, Question, Ran};
use hydrogen_witness::Runner;
use std::collections::BTreeSet;
use support::Compiled;

/// What an attack on a line shows, by calls of this function.
fn attacked(source: &str, kind: Class, entrance: &str, function: &str, text: &str) -> Option<Ran> {
    let code: Code = vec![vec![compile(source)]];
    let line = source.lines().position(|line| line.contains(text)).unwrap() as u32 + 1;
    let file = "main.c".to_owned();
    let attempt = Attempt {
        version: VersionId::at(0),
        kind,
        function: function.to_owned(),
        file: file.clone(),
        lines: BTreeSet::from([line]),
        input: Input::default(),
        without_memory: BTreeSet::new(),
        answers: BTreeSet::new(),
        files: vec![file.clone()],
    };
    let entrances = [Entrance { function: entrance.to_owned(), file }];
    Runner::new(Compiled(&code), None).attacked(&attempt, &entrances, false)
}

/// What is said of a statement that is asked about by name.
fn verdict(source: &str, kind: Class, text: &str) -> Verdict {
    let code: Code = vec![vec![compile(source)]];
    let graph = graph_of(&code);
    let node: NodeId = graph.nodes().find(|&node| graph.text(node) == text).unwrap();
    let program = Program { graph: &graph, code: &code };
    let mut analyst = Analyst::new(program, hydrogen_term::standard(), Library::default(), Budget::default());
    analyst.confirm_with(Runner::new(Compiled(&code), None));
    let versions = VersionSet::all(1);
    let question =
        Question { node, at: VersionId::at(0), kind: Some(kind), versions: &versions, inside: true };
    analyst.judge(&question)[0].verdicts[0].verdict
}

const DIVIDE: &str = "static int divide(int a, int b) {
  return a / b;
}
int rate(int a, int b) { return divide(a & 255, b & 1); }
int safe(int a, int b) { return divide(a & 255, b | 1); }";

#[test]
fn a_call_of_numbers_shows_the_fault() {
    if hydrogen_testkit::archive().is_none() {
        return;
    }
    let shown = attacked(DIVIDE, Class::Division, "rate", "divide", "a / b").unwrap();
    assert_eq!(shown.replay, Replay::Confirmed);
    assert_eq!(attacked(DIVIDE, Class::Division, "safe", "divide", "a / b"), None);
}

#[test]
fn memory_that_was_made_up_is_a_question() {
    if hydrogen_testkit::archive().is_none() {
        return;
    }
    let source = "struct pair { int a; int b; };\nint rate(struct pair *p) {\n  return p->a / p->b;\n}";
    let shown = attacked(source, Class::Division, "rate", "rate", "p->b").unwrap();
    assert!(matches!(shown.replay, Replay::ConfirmedIf { .. }), "{:?}", shown.replay);
    // How large an object is that comes in nobody knows.
    let source = "int third(int *p) {\n  return p[2];\n}";
    assert_eq!(attacked(source, Class::Overflow, "third", "third", "p[2]"), None);
}

#[test]
fn memory_is_refused_now_and_then() {
    if hydrogen_testkit::archive().is_none() {
        return;
    }
    let source = "#include <stdlib.h>\nint first(void) {\n  char *p = malloc(8);\n  p[0] = 1;\n  int n = p[0];\n  free(p);\n  return n;\n}";
    let shown = attacked(source, Class::Null, "first", "first", "p[0] = 1").unwrap();
    assert!(!shown.input.refused.is_empty());
}

#[test]
fn what_is_called_when_the_program_ends_is_run() {
    if hydrogen_testkit::archive().is_none() {
        return;
    }
    let code = |before: &str| {
        format!(
            "#include <stdlib.h>\nstatic char *buf;\nstatic void done(void) {{\n  buf[0] = 1;\n}}\nint main(void) {{\n  buf = malloc(4);\n  if (!buf) return 1;\n  atexit(done);\n  {before}return 0;\n}}"
        )
    };
    assert_eq!(verdict(&code("free(buf);\n  "), Class::UseAfterFree, "buf[0] = 1"), Verdict::Present);
    assert_eq!(verdict(&code(""), Class::UseAfterFree, "buf[0] = 1"), Verdict::Absent);
}

#[test]
fn a_callback_is_run_by_who_hands_it_over() {
    if hydrogen_testkit::archive().is_none() {
        return;
    }
    let code = |context: &str| {
        format!(
            "struct most {{ int n; int max; }};\nstatic void visit(int v, void *c) {{\n  ((struct most *)c)->max = v;\n}}\nstatic void each(void (*f)(int, void *), void *c) {{ for (int i = 0; i < 3; i++) f(i, c); }}\nint largest(void) {{\n  {context} m = {{0}};\n  each(visit, &m);\n  return 0;\n}}"
        )
    };
    let statement = "((struct most *)c)->max = v";
    assert_eq!(verdict(&code("struct most"), Class::Overflow, statement), Verdict::Absent);
    assert_eq!(verdict(&code("struct { int n; }"), Class::Overflow, statement), Verdict::Present);
}
