//! What a check tells of a change, by runs of both versions: forwards, and backwards.
#![allow(clippy::unwrap_used)]

#[path = "../../query/tests/common/mod.rs"]
mod common;
mod support;

use common::{Code, compile, graph_of};
use hydrogen_evidence::{Class, Finding, Status};
use hydrogen_graph::VersionId;
use hydrogen_library::Library;
use hydrogen_query::{Analyst, Budget, Check, Program, Strategy};
use hydrogen_witness::Runner;
use support::Compiled;

/// What is told as new or fixed, a line each, with the codes of what it rests on.
fn told(old: &str, new: &str) -> Vec<String> {
    let code: Code = vec![vec![compile(old)], vec![compile(new)]];
    let graph = graph_of(&code);
    let program = Program { graph: &graph, code: &code };
    let mut analyst = Analyst::new(program, hydrogen_term::standard(), Library::default(), Budget::default());
    analyst.confirm_with(Runner::new(Compiled(&code), None));
    let kinds: Vec<Class> = Class::FAULTS.into_iter().filter(|kind| !kind.is_pedantic()).collect();
    let (old, new) = (VersionId::at(0), VersionId::at(1));
    let check = Check { old, new, kinds: &kinds, strategy: Strategy::Demand, strict: false };
    let line = |finding: &Finding| {
        let word = match finding.status? {
            Status::New => "new",
            Status::Fixed => "fixed",
            _ => return None,
        };
        let codes = finding.verdicts.iter().flat_map(|ruling| ruling.ledger.iter().map(|entry| entry.code()));
        let codes = codes.filter(|code| matches!(*code, "tested-by" | "same-input-harmless"));
        let codes: Vec<&str> = codes.collect();
        Some(
            format!("{word} {} {} {}", finding.kind.word(), finding.location.text, codes.join(" "))
                .trim()
                .to_owned(),
        )
    };
    analyst.check(&check, &mut |_, _| {}).iter().filter_map(line).collect()
}

fn check(old: &str, new: &str, forwards: &[&str], backwards: &[&str]) {
    if hydrogen_testkit::archive().is_none() {
        return;
    }
    assert_eq!(told(old, new), forwards, "forwards");
    assert_eq!(told(new, old), backwards, "backwards");
}

#[test]
fn a_null_that_the_other_version_tests_for_behind_a_copy() {
    let code = |test: &str| {
        format!(
            "struct reply {{ int type; }};
int kind_of(void *given) {{
  struct reply *r = given;
  {test}
  return r->type;
}}"
        )
    };
    let (old, new) = (code(""), code("if (r == 0) return -1;"));
    check(&old, &new, &["fixed null return r->type tested-by"], &["new null return r->type tested-by"]);
}

#[test]
fn a_member_that_the_other_version_tests_for() {
    let code = |test: &str| {
        format!(
            "struct table {{ int (*close)(int); }};
struct conn {{ struct table *funcs; int fd; }};
int closes(struct conn *c) {{
  if (c->fd > 0 {test} && c->funcs->close)
    return 1;
  return 0;
}}"
        )
    };
    let found = told(&code(""), &code("&& c->funcs"));
    if hydrogen_testkit::archive().is_some() {
        assert!(
            found.iter().any(|one| one.starts_with("fixed null") && one.contains("tested-by")),
            "{found:?}"
        );
    }
}

#[test]
fn a_guard_that_nobody_needs_is_no_new_fault_where_callers_are_seen() {
    // All callers pass the address of a variable: that the guard is gone changes nothing.
    let code = |test: &str| {
        format!(
            "static int get(int *p) {{
  {test}
  return *p;
}}
int first(int n) {{ return get(&n); }}
int second(int n) {{ int m = n & 7; return get(&m); }}"
        )
    };
    check(&code("if (!p) return 0;"), &code(""), &[], &[]);
}

#[test]
fn a_state_that_no_test_is_about_is_no_finding() {
    // `count` never exceeds `room`; that one version would survive it says nothing.
    let code = |test: &str| {
        format!(
            "#include <stdlib.h>
struct list {{ int count, room; int *items; }};
int push(struct list *l, int item) {{
  if (l->count {test} l->room)
    return -1;
  l->items[l->count++] = item;
  return 0;
}}"
        )
    };
    let found = told(&code(">="), &code("=="));
    assert!(!found.iter().any(|one| one.starts_with("new")), "{found:?}");
}

#[test]
fn a_layout_that_changed_makes_another_call_of_the_same_bytes() {
    let code = |member: &str, used: &str| {
        format!(
            "struct conn {{ {member} int *data; int fd; }};
int get(struct conn *c) {{
  if (c->fd > 3 {used})
    return *c->data;
  return 0;
}}"
        )
    };
    let (old, new) = (code("", ""), code("long first;", "&& c->first"));
    let found = told(&old, &new);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn what_happens_whoever_calls_is_the_changes_doing() {
    let code = |how: &str| {
        format!(
            "#include <time.h>
static int seed(void) {{
  {how}
}}
extern int elsewhere(int);
int begin(int n) {{ return elsewhere(n) ? seed() : 0; }}"
        )
    };
    let old = code("return (int)time(0) * 433494437;");
    let new = code("return (int)((unsigned)time(0) * 433494437u);");
    let found = told(&old, &new);
    if hydrogen_testkit::archive().is_some() {
        assert!(found.iter().any(|one| one.starts_with("fixed signed-overflow")), "{found:?}");
    }
}

#[test]
fn a_test_about_something_else_says_nothing_of_a_null() {
    // The old version tests `loud`; that the new one fails for a null pointer, which nobody passes, is no finding.
    let code = |what: &str| {
        format!(
            "struct name {{ int first; }};
extern int put(int);
int say(struct name *n, int loud) {{
  {what}
}}"
        )
    };
    let (old, new) = (code("if (loud) return put(1); return put(0);"), code("return put(n->first + loud);"));
    let found = told(&old, &new);
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn what_an_unseen_function_would_answer_is_not_known() {
    // Whether the new version is right rests on what `fits()` answers.
    let code = |test: &str| {
        format!(
            "extern int fits(int);
static int table[8];
int get(unsigned i) {{
  {test}
  return table[i];
}}"
        )
    };
    let found = told(&code(""), &code("if (!fits((int)i)) return 0;"));
    assert!(found.is_empty(), "{found:?}");
}
