//! With compiled code, members, buffers and functions behind pointers are told apart.
#![allow(clippy::unwrap_used)]

use hydrogen_interact::{Dependence, StatementId};
use hydrogen_testkit::Compile;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The lines that depend on the statements of a line. A line is called by the comment at its end.
fn affected(source: &str, compiled: bool, from: &str) -> BTreeSet<String> {
    let unit = hydrogen_syntax::read("a.c", source.as_bytes(), &hydrogen_syntax::Options::default());
    let units = vec![Arc::new(unit)];
    let dependence = if compiled {
        let files = BTreeMap::from([("a.c".to_owned(), source.to_owned())]);
        let program = hydrogen_ir::link(Compile::default().models(&files)).module;
        Dependence::with_code(units, &program)
    } else {
        Dependence::of(units)
    };
    let called = |at: u32| -> Option<String> {
        let (_, function, piece) = dependence.place(StatementId(at));
        let line = function.pieces[piece as usize].span?.start.line;
        let text = source.lines().nth(line as usize - 1)?;
        Some(text.split_once("/*")?.1.trim_end_matches("*/").to_owned())
    };
    let all = 0..dependence.len() as u32;
    let starts: Vec<StatementId> =
        all.clone().filter(|&at| called(at).as_deref() == Some(from)).map(StatementId).collect();
    assert!(!starts.is_empty(), "{from} is nowhere");
    let slice = dependence.forward(starts);
    all.filter(|&at| slice[at as usize]).filter_map(called).filter(|name| name != from).collect()
}

fn check(source: &str, from: &str, expect: &[&str], without: &[&str]) {
    let set = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<BTreeSet<String>>();
    assert_eq!(affected(source, true, from), set(expect), "compiled");
    assert_eq!(affected(source, false, from), set(without), "source alone");
}

#[test]
fn members_are_told_apart() {
    let source = "struct pair { int first, second; };
int sink_first, sink_second;
static void fill(struct pair *p, int v) {
  p->first = v + 1; /*first*/
  p->second = v + 2; /*second*/
}
static void use(struct pair *p) {
  sink_first = p->first; /*reads first*/
  sink_second = p->second; /*reads second*/
}
int main(int argc, char **argv) {
  struct pair p;
  fill(&p, argc);
  use(&p);
  return 0;
}
";
    check(source, "first", &["reads first"], &["second", "reads first", "reads second"]);
}

#[test]
fn buffers_are_told_apart() {
    let source = "int sink_a, sink_b;
static char a[8], b[8];
static void put(char *to, int v) {
  to[1] = v; /*put*/
}
static void put_other(char *to, int v) {
  to[2] = v; /*put other*/
}
int main(int argc, char **argv) {
  put(a, argc);
  put_other(b, argc);
  sink_a = a[3]; /*reads a*/
  sink_b = b[3]; /*reads b*/
  return 0;
}
";
    check(source, "put", &["reads a"], &["put other", "reads a", "reads b"]);
    check(source, "put other", &["reads b"], &["reads a", "reads b"]);
}

#[test]
fn functions_behind_pointers_are_told_apart() {
    let source = "int sink_a, sink_b;
static int one(int v) {
  return v + 1; /*one*/
}
static int two(int v) {
  return v + 2; /*two*/
}
struct table { int (*first)(int); int (*second)(int); };
static struct table table = { one, two };
int main(int argc, char **argv) {
  sink_a = table.first(argc); /*calls one*/
  sink_b = table.second(argc); /*calls two*/
  return 0;
}
";
    let expect = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<BTreeSet<String>>();
    assert_eq!(affected(source, true, "one"), expect(&["calls one"]));
    assert_eq!(affected(source, true, "two"), expect(&["calls two"]));
}
