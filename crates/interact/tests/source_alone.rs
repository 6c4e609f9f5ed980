//! What the source alone tells apart, and what it must not miss.
#![allow(clippy::unwrap_used)]

mod lines;

use hydrogen_interact::{Dependence, StatementId};
use lines::affected;
use std::collections::BTreeSet;
use std::sync::Arc;

fn check(source: &str, from: &str, expect: &[&str]) {
    let expect: BTreeSet<String> = expect.iter().map(|&name| name.to_owned()).collect();
    assert_eq!(affected(source, false, from), expect);
}

#[test]
fn a_macro_sets_what_stands_on_its_left_sides() {
    let source = "int count, other, limit;
#define COUNT(by) (count += (by) * limit)
#define RAISE(it) ((it)++)
int one(int v) {
  COUNT(v); /*counts*/
  return limit; /*limit*/
}
int two(int v) {
  RAISE(other); /*raises*/
  return v;
}
int main(int argc, char **argv) {
  one(argc);
  two(argc);
  argc = limit; /*reads limit*/
  argc = count; /*reads count*/
  return other; /*reads other*/
}
";
    check(source, "counts", &["reads count"]);
    check(source, "raises", &["reads other"]);
}

#[test]
fn a_macro_may_leave_the_function() {
    let source = "int first, second, runs, kept;
#define FAIL() return -1
#define CHECK(c) do { if (!(c)) FAIL(); } while (0)
#define GIVEN(c, what) do { if (!(c)) what; } while (0)
#define TRY(c) if (!(c)) goto out
static void run(void) {
  runs++; /*runs*/
}
int one(int v) {
  CHECK(v > 1); /*check*/
  run();
  first = 1; /*behind*/
  return 0;
}
int two(int v) {
  GIVEN(v > 1, return 1); /*given*/
  return 0; /*last*/
}
int three(int v) {
  int x = v; /*set*/
  TRY(v > 1);
  x = 0;
out:
  return x; /*out*/
}
int main(int argc, char **argv) {
  if (one(argc)) /*one*/
    second = 2; /*failed*/
  if (two(argc)) /*two*/
    return 3;
  return three(argc); /*three*/
}
";
    check(source, "check", &["runs", "behind", "one", "failed"]);
    // Whether `three` is called at all depends on it.
    check(source, "given", &["last", "two", "set", "out", "three"]);
    check(source, "set", &["out", "three"]);
}

#[test]
fn a_macro_may_be_what_is_assigned_to() {
    let source = "struct node { int mark; struct node *up; };
#define MARK(n) ((n)->mark)
int main(int argc, char **argv) {
  struct node *n = (struct node *)argv;
  MARK(n) = argc; /*sets*/
  return n->mark; /*reads*/
}
";
    check(source, "sets", &["reads"]);
}

#[test]
fn what_macros_call_is_called() {
    let source = "static int sink;
static void keep(int v) {
  sink = v; /*keeps*/
}
#define KEEP(v) keep(v)
#define GIVE(to, v) (to)(v)
#define TELL(v) do { if (told) told(v); } while (0)
static void hand_on(void (*told)(int), int v) {
  TELL(v); /*tells*/
}
int main(int argc, char **argv) {
  int first = argc; /*first*/
  int second = argc; /*second*/
  KEEP(first); /*by a macro*/
  hand_on(keep, second); /*by a pointer*/
  return 0;
}
";
    check(source, "first", &["by a macro", "keeps"]);
    check(source, "second", &["by a pointer", "tells", "keeps"]);
}

#[test]
fn a_function_behind_a_pointer_may_end_the_program() {
    let source = "void exit(int);
static void stop(int v) {
  if (v > 3) /*asks*/
    exit(1); /*ends*/
}
static void each(void (*what)(int), int v) {
  what(v); /*calls*/
}
int main(int argc, char **argv) {
  each(stop, argc); /*each*/
  return 1; /*behind*/
}
";
    check(source, "asks", &["ends", "behind"]);
}

#[test]
fn what_a_function_keeps_is_read_by_its_next_call() {
    let source = "static int next(int by) {
  static int kept;
  int now = kept; /*reads*/
  kept = now + by; /*keeps*/
  return now; /*returns*/
}
int main(int argc, char **argv) {
  next(argc);
  return next(1); /*calls*/
}
";
    assert!(affected(source, false, "keeps").contains("calls"));
}

#[test]
fn calls_through_pointers_reach_functions_that_take_as_many() {
    let source = "static int sink;
static int one(int v) {
  return v + 1; /*one*/
}
static int two(int v, int w) {
  return v + w; /*two*/
}
struct table { int (*first)(int); int (*second)(int, int); };
static struct table table = { one, two };
int main(int argc, char **argv) {
  sink = table.first(argc); /*calls one*/
  argc = table.second(argc, 2); /*calls two*/
  return 0;
}
";
    check(source, "one", &["calls one"]);
    check(source, "two", &["calls two"]);
}

/// The functions that depend on a function's statements, in several files.
fn reached(files: &[(&str, &str)], file: &str, name: &str) -> BTreeSet<String> {
    let options = hydrogen_syntax::Options::default();
    let unit = |(name, text): &(&str, &str)| Arc::new(hydrogen_syntax::read(name, text.as_bytes(), &options));
    let dependence = Dependence::of(files.iter().map(unit).collect());
    let place = |at: u32| {
        let (unit, function, _) = dependence.place(StatementId(at));
        (unit.module.name.clone(), function.name.clone())
    };
    let all = 0..dependence.len() as u32;
    let starts = all.clone().filter(|&at| place(at) == (file.to_owned(), name.to_owned())).map(StatementId);
    let slice = dependence.forward(starts);
    all.filter(|&at| slice[at as usize]).map(|at| place(at).1).collect()
}

#[test]
fn programs_and_static_variables_are_told_apart_by_files() {
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
        ("apart.c", "static int kept;\nint alone(void) { return kept; }\n"),
    ];
    let names = |all: &[&str]| all.iter().map(|&it| it.to_owned()).collect::<BTreeSet<String>>();
    assert_eq!(reached(&files, "one.c", "main"), names(&["main", "put", "get", "of_one"]));
    assert_eq!(reached(&files, "other.c", "main"), names(&["main", "put", "get", "of_other"]));
    assert_eq!(reached(&files, "shared.c", "put"), names(&["put", "get", "of_one", "of_other", "main"]));
}
