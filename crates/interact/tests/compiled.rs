//! With compiled code, members, buffers and functions behind pointers are told apart.
#![allow(clippy::unwrap_used)]

mod lines;

use hydrogen_interact::{Dependence, StatementId};
use hydrogen_testkit::Compile;
use lines::affected;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

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
    check(source, "first", &["reads first"], &["reads first"]);
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
    check(source, "put", &["reads a"], &["reads a", "reads b"]);
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

#[test]
fn a_result_does_not_go_down_again() {
    let source = "int sink;
static void keep(int v) {
  sink = v; /*keeps*/
}
static int next(int v) {
  keep(v); /*hands down*/
  return v + 1; /*next*/
}
static int twice(int v) {
  return v * 2; /*twice*/
}
int main(int argc, char **argv) {
  int n = next(argc); /*calls*/
  return twice(next(n)); /*both*/
}
";
    // In `twice(next(n))` what `next` gives goes into `twice`; what `n` is comes from `next`, too.
    let expect = ["calls", "both", "twice", "hands down", "keeps"];
    let expect: BTreeSet<String> = expect.iter().map(|&it| it.to_owned()).collect();
    assert_eq!(affected(source, true, "next"), expect);
    let alone = source.replace("twice(next(n))", "twice(n)");
    let expect: BTreeSet<String> = ["calls", "both", "twice"].iter().map(|&it| it.to_owned()).collect();
    assert_eq!(affected(&alone, true, "next"), expect);
}

#[test]
fn what_is_printed_comes_back_by_files_only() {
    let source = "#include <stdio.h>
int sink;
static void tell(int v) {
  fprintf(stderr, \"%d\\n\", v); /*tells*/
}
static void keep(FILE *f, int v) {
  fprintf(f, \"%d\\n\", v); /*keeps*/
}
int main(int argc, char **argv) {
  FILE *f = fopen(\"x\", \"w+\"); /*opens*/
  tell(argc); /*calls tell*/
  keep(f, argc); /*calls keep*/
  rewind(f); /*back*/
  sink = fgetc(f); /*reads*/
  return argv[0][0]; /*argument*/
}
";
    let set = |names: &[&str]| names.iter().map(|&it| it.to_owned()).collect::<BTreeSet<String>>();
    assert_eq!(affected(source, true, "tells"), set(&[]));
    assert_eq!(affected(source, true, "keeps"), set(&["back", "reads"]));
}

#[test]
fn what_stands_behind_an_end_depends_on_it() {
    let source = "#include <stdlib.h>
int sink;
static void must(int v) {
  if (v > 3) /*asks*/
    exit(1); /*ends*/
  sink = v; /*inside*/
}
int main(int argc, char **argv) {
  must(argc); /*calls*/
  sink = 2; /*behind*/
  return 0; /*returns*/
}
";
    let expect = ["ends", "inside", "behind", "returns"].map(str::to_owned);
    assert_eq!(affected(source, true, "asks"), BTreeSet::from(expect));
}

/// The functions that depend on one of a function's statements, in several files.
fn reached(files: &[(&str, &str)], file: &str, name: &str) -> BTreeSet<String> {
    let files: BTreeMap<String, String> =
        files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect();
    let options = hydrogen_syntax::Options::default();
    let unit =
        |(name, text): (&String, &String)| Arc::new(hydrogen_syntax::read(name, text.as_bytes(), &options));
    let program = hydrogen_ir::link(Compile::default().models(&files)).module;
    let dependence = Dependence::with_code(files.iter().map(unit).collect(), &program);
    let place = |at: u32| {
        let (unit, function, _) = dependence.place(StatementId(at));
        (unit.module.name.clone(), function.name.clone())
    };
    let all = 0..dependence.len() as u32;
    let starts = all.clone().filter(|&at| place(at) == (file.to_owned(), name.to_owned())).map(StatementId);
    let slice = dependence.forward(starts);
    all.filter(|&at| slice[at as usize]).map(|at| place(at).1).collect()
}

fn names<const N: usize>(names: [&str; N]) -> BTreeSet<String> {
    names.into_iter().map(str::to_owned).collect()
}

#[test]
fn programs_do_not_see_each_other() {
    let files = [
        (
            "one.c",
            "void put(int); int get(void);\nint of_one(void) { return get(); }\nint main(void) { put(1); return of_one(); }\n",
        ),
        (
            "other.c",
            "void put(int); int get(void);\nint of_other(void) { return get(); }\nint main(void) { put(2); return of_other(); }\n",
        ),
        ("shared.c", "static int kept;\nvoid put(int v) { kept = v; }\nint get(void) { return kept; }\n"),
        ("left.c", "int get(void);\nint for_others(void) { return get(); }\n"),
    ];
    assert_eq!(reached(&files, "one.c", "main"), names(["main", "put", "get", "of_one"]));
    assert_eq!(reached(&files, "other.c", "main"), names(["main", "put", "get", "of_other"]));
    let of_all = names(["put", "get", "of_one", "of_other", "main"]);
    assert!(reached(&files, "shared.c", "put").is_superset(&of_all));
    assert!(reached(&files, "shared.c", "get").contains("for_others"));
}

#[test]
fn a_file_that_others_include_belongs_to_all_of_them() {
    let files = [
        ("lib.c", "int f(int v) { return v + 1; }\n"),
        ("a.c", "#include \"lib.c\"\nint of_a(void) { return f(1); }\nint main(void) { return of_a(); }\n"),
        ("b.c", "int f(int);\nint of_b(void) { return f(2); }\nint main(void) { return of_b(); }\n"),
    ];
    assert_eq!(reached(&files, "lib.c", "f"), names(["f", "of_a", "of_b", "main"]));
}
