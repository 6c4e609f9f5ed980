//! Single functions: every shape of memory that matters, once.

use super::support::{options, program};
use hydrogen_evidence::Input;
use hydrogen_explore::{ByPath, FunctionEntry, Globals, Options, Surroundings, Symbolic, explore};
use hydrogen_machine::{End, World};

/// The calls that exploration finds, with how they end; sorted.
fn calls(source: &str, function: &str, depth: u32, elements: u64) -> Vec<String> {
    calls_in(source, function, (depth, elements), Surroundings::default())
}

fn calls_in(
    source: &str,
    function: &str,
    (depth, elements): (u32, u64),
    surroundings: Surroundings,
) -> Vec<String> {
    let program = program(source, false);
    let entry = FunctionEntry { function: function.into(), unit: None, depth, elements };
    assert_eq!(entry.refusal(&program), None);
    let symbolic = Symbolic { call: Some(entry), surroundings, ..Symbolic::default() };
    let first = symbolic.with_globals(&program, Input::default());
    let options = Options { symbolic, ..options() };
    let found = explore(&program, &World::default(), first, &options, &ByPath);
    assert_eq!(found.alarms, []);
    let show = |test: &hydrogen_explore::Test| {
        let call = options.symbolic.call_of(&program, &test.input).unwrap();
        match &test.end {
            End::Exit(_) => call.to_string(),
            End::Fault(fault) => format!("{} -> {}", call, fault.kind.name()),
            other => format!("{call} -> {other:?}"),
        }
    };
    let mut shown: Vec<String> = found.tests.iter().map(show).collect();
    assert!(found.is_complete(), "{:?} {shown:#?}", found.missing);
    shown.sort();
    shown
}

const LIST: &str = "struct node { struct node *next; int n; };
int length(struct node *p) { int n = 0; while (p && n < 3) { p = p->next; n++; } return n; }
int third(const int *a) { return a[2] == 7; }";

#[test]
fn every_shape_of_a_short_list_once() {
    let node = |name: &str| format!("<{name}>: 16 bytes");
    let (p, q, r) = (node("p"), node("p->next"), node("p->next->next"));
    // The third node's pointer is looked at too: it leads back to one of the three, or nowhere.
    let last = |to: &str| {
        let three = format!("{p}, p->next = &<p->next>; {q}, p->next->next = &<p->next->next>; {r}");
        format!("length(p = &<p>) with {three}, p->next->next->next = &<{to}>")
    };
    assert_eq!(
        calls(LIST, "length", 3, 1),
        [
            "length(p = &<p>) with ".to_owned() + &p,
            format!("length(p = &<p>) with {p}, p->next = &<p->next>; {q}"),
            format!(
                "length(p = &<p>) with {p}, p->next = &<p->next>; {q}, p->next->next = &<p->next->next>; {r}"
            ),
            last("p->next->next"),
            last("p->next"),
            last("p"),
            format!("length(p = &<p>) with {p}, p->next = &<p->next>; {q}, p->next->next = &<p->next>"),
            format!("length(p = &<p>) with {p}, p->next = &<p->next>; {q}, p->next->next = &<p>"),
            format!("length(p = &<p>) with {p}, p->next = &<p>"),
            "length(p = NULL)".to_owned(),
        ]
    );
}

#[test]
fn objects_grow_until_the_access_is_inside() {
    let found = calls(LIST, "third", 2, 3);
    let faults = found.iter().filter(|call| call.contains("out-of-bounds")).count();
    let nulls = found.iter().filter(|call| call.contains("null-dereference")).count();
    // One and two elements are too few; with three, no branch asks what they are.
    assert_eq!((found.len(), faults, nulls), (4, 2, 1), "{found:#?}");
}

/// L-5: constants, and variables of the file that nothing writes, keep their values; others hold anything where they are read.
#[test]
fn global_variables_hold_anything_or_what_they_begin_with() {
    let source = "static int mode = 5; static const int fixed[2] = {1, 2}; static int table[2] = {3, 4}; static struct { int n; } *there;
void set(int m) { mode = m; there = 0; }
int f(int n) { return mode == 3 ? fixed[1] : table[0] + n; }
int g(void) { if (!there) return 2; if (there->n > 7) return 1; return 0; }";
    assert_eq!(calls(source, "f", 2, 2), ["f(n = 0)"]);
    let any = Surroundings { globals: Globals::Any, ..Surroundings::default() };
    assert_eq!(calls_in(source, "f", (2, 2), any), ["f(n = 0)", "f(n = 0); mode, mode = 3"]);
    let found = calls_in(source, "g", (2, 1), any);
    let there = "g() with <there>: 4 bytes";
    assert_eq!(found.len(), 3, "{found:#?}");
    assert!(found[0] == "g()" && found[1].starts_with(there) && found[2].starts_with(there), "{found:#?}");
}

/// L-6: null, or a function of the program of that type whose address somebody takes.
#[test]
fn pointers_to_functions_lead_to_those_of_their_type() {
    let source = "static int one(int n) { return n + 1; } static int two(int n) { return n + 2; } static long other(int n) { return n; }
int (*const operations[])(int) = {one, two}; long (*const others[])(int) = {other};
struct s { int (*operation)(int); };
int direct(int (*operation)(int)) { return operation ? operation(3) : 0; }
int inside(struct s *p) { return p->operation(3); }";
    let expect = ["direct(operation = NULL)", "direct(operation = one)", "direct(operation = two)"];
    assert_eq!(calls(source, "direct", 2, 1), expect);
    let found = calls(source, "inside", 2, 1);
    assert_eq!(found.len(), 4, "{found:#?}");
    assert!(found.iter().any(|call| call.ends_with("p->operation = two")), "{found:#?}");
}

#[test]
fn floating_point_numbers_come_in() {
    let source = "struct s { float f; }; int f(double x) { if (x * x > 2.0) return 1; return 0; } int g(struct s *p) { if (p->f == 0.5f) return 1; return 0; }";
    assert_eq!(calls(source, "f", 2, 1).len(), 2);
    assert_eq!(calls(source, "g", 2, 1).len(), 3);
}

/// L-3: with strings asked for, nobody runs over the end of the text.
#[test]
fn texts_end() {
    let source = "int length(const char *s) { int n = 0; while (*s) { s++; n++; } return n; }";
    let count = |found: &[String], what: &str| found.iter().filter(|call| call.contains(what)).count();
    let found = calls(source, "length", 1, 3);
    assert_eq!((found.len(), count(&found, "out-of-bounds")), (7, 3), "{found:#?}");
    let strings = Surroundings { strings: true, ..Surroundings::default() };
    let found = calls_in(source, "length", (1, 3), strings);
    assert_eq!((found.len(), count(&found, "out-of-bounds")), (4, 0), "{found:#?}");
    assert_eq!(count(&found, "null-dereference"), 1);
}

/// L-4: bit-fields and unions are bytes.
#[test]
fn bit_fields_and_unions_come_in() {
    let source = "struct s { unsigned a : 3, b : 5; }; union u { char c; int n; };
int f(struct s *p) { if (!p) return 0; if (p->b == 9) return 1; return 2; }
int g(union u *p) { if (!p) return 0; if (p->n == 0x12345) return 1; return 2; }";
    assert_eq!(calls(source, "f", 1, 1).len(), 3);
    assert_eq!(calls(source, "g", 1, 1).len(), 3);
}
