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
    assert_eq!(calls_in(source, "f", (2, 2), any), ["f(n = 0)", "f(n = 0); mode = 3"]);
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

/// L-4: structures by value, taken apart into registers or copied, and as results.
#[test]
fn structures_come_in_by_value() {
    let source = "struct p { int x; struct p *next; }; struct l { long pad[2]; int x; struct p *next; };
int small(struct p a) { if (a.x > 3) return 1; if (a.next && a.next->x == 7) return 2; return 0; }
int large(struct l a) { if (a.x > 3) return 1; if (a.next && a.next->x == 7) return 2; return 0; }
int outside(struct l a, int at) { return a.pad[at]; }
struct l made(int n) { struct l r = { { n, 0 }, 0, 0 }; if (n == 9) r.x = 1; return r; }";
    // What is taken apart is read, so its pointer has decided before anything else.
    assert_eq!(calls(source, "small", 2, 1).len(), 5);
    let found = calls(source, "large", 2, 1);
    assert_eq!(found.len(), 4, "{found:#?}");
    assert!(found.iter().any(|call| call.contains("<a.next>: 16 bytes, a.next->x = 7")), "{found:#?}");
    // A structure has its size, however many elements objects may have.
    let found = calls(source, "outside", 2, 3);
    assert!(found.iter().all(|call| !call.contains("more")), "{found:#?}");
    assert_eq!(calls(source, "made", 2, 1), ["made(n = 0)", "made(n = 9)"]);
}

/// L-6, D12: functions without a body answer by what they are given, and the same to the same. Nothing is complete behind them.
#[test]
fn functions_without_a_body_answer() {
    let source = "int ask(int); void *find(int);
int f(int n) { if (n != 2 && n != 3) return 0; if (ask(n) == 7) return 1; return ask(n) == ask(3) ? 2 : 3; }
int g(void) { return find(1) ? 1 : 0; }";
    let program = program(source, false);
    let explored = |function: &str| {
        let entry = FunctionEntry { function: function.into(), unit: None, depth: 2, elements: 1 };
        let symbolic = Symbolic { call: Some(entry), ..Symbolic::default() };
        let options = Options { symbolic, ..options() };
        let found = explore(&program, &World::default(), Input::default(), &options, &ByPath);
        assert_eq!(found.alarms, []);
        assert!(!found.is_complete());
        let ended = |test: &hydrogen_explore::Test| matches!(test.end, End::Exit(_));
        assert!(
            found.tests.iter().all(ended),
            "{:?}",
            found.tests.iter().map(|test| &test.end).collect::<Vec<_>>()
        );
        let call = |test: &hydrogen_explore::Test| {
            options.symbolic.call_of(&program, &test.input).unwrap().to_string()
        };
        found.tests.iter().map(call).collect::<Vec<String>>()
    };
    let found = explored("f");
    for (first, then) in [("f(n = 0)", ""), ("f(n = 2)", "ask(2) gives 7"), ("f(n = 3)", "ask(3) gives 7")] {
        let is_it = |call: &String| call.starts_with(first) && call.contains(then);
        assert!(found.iter().any(is_it), "{first} {then}: {found:#?}");
    }
    // Of two questions at 3 there is one answer, so they never differ.
    assert!(found.iter().all(|call| call.matches("ask(3)").count() <= 1), "{found:#?}");
    assert_eq!(explored("g"), ["g()"]);
}

/// What a function without a body is asked to fill in may be anything; what has a value stays.
#[test]
fn unknown_functions_fill_in_what_has_no_value() {
    let source = "struct time { int hour; char zone; }; void now(struct time *); int more(int, char *);
int f(int n) { struct time t; now(&t); char c = 'a'; if (more(n, &c) > 1 && c != 'a') return 9; if (t.hour == 7) return 1; if (t.zone == 'Z') return 2; return 3; }";
    let found = calls_open(source, "f");
    assert!(
        found.iter().any(|call| call.contains("sets byte 0 of what argument 1 leads to to 7")),
        "{found:#?}"
    );
    assert!(
        found.iter().any(|call| call.contains("sets byte 4 of what argument 1 leads to to 90")),
        "{found:#?}"
    );
    assert!(found.iter().all(|call| !call.contains("->")), "{found:#?}");
    assert_eq!(found.len(), 6, "{found:#?}");
}

/// A pointer to a function that comes from outside may lead outside.
#[test]
fn pointers_lead_to_functions_that_nobody_knows() {
    let source = "int each(int n, int (*visit)(int, void *), void *data) { if (visit(n, data) > 100) return 1; return 0; }";
    let found = calls_open(source, "each");
    let stranger = "visit = any_int_of_int_void_p";
    assert!(found.iter().any(|call| call.contains("visit = NULL") && call.contains("null")), "{found:#?}");
    assert!(found.iter().any(|call| call.contains(stranger) && !call.contains("gives")), "{found:#?}");
    assert!(found.iter().any(|call| call.contains(stranger) && call.contains(") gives ")), "{found:#?}");
}

/// The calls that exploration finds, with how they end, where it need not be complete.
fn calls_open(source: &str, function: &str) -> Vec<String> {
    let program = program(source, false);
    let entry = FunctionEntry { function: function.into(), unit: None, depth: 1, elements: 1 };
    let symbolic = Symbolic { call: Some(entry), ..Symbolic::default() };
    let options = Options { symbolic, ..options() };
    let found = explore(&program, &World::default(), Input::default(), &options, &ByPath);
    assert_eq!(found.alarms, []);
    let show = |test: &hydrogen_explore::Test| {
        let call = options.symbolic.call_of(&program, &test.input).unwrap();
        match &test.end {
            End::Exit(_) => call.to_string(),
            End::Fault(fault) => format!("{call} -> {}", fault.kind.name()),
            other => format!("{call} -> {other:?}"),
        }
    };
    found.tests.iter().map(show).collect()
}

/// `param:NAME` and `global:NAME`: what is not named stays as the call gives it.
#[test]
fn only_what_is_named_changes() {
    use hydrogen_evidence::{Argument, Call, Cell, Object, Value};
    let source = "int mode = 1, other = 5; void set(void) { mode = other = 0; }
int f(int *a, int n, int k) { if (n > 3) return 1; if (k > 3) return 2; if (mode == 9) return 3; if (other == 9) return 4; return a[1] == 8; }";
    let program = program(source, false);
    let mut entry = FunctionEntry { function: "f".into(), unit: None, depth: 2, elements: 1 };
    let number = |value: u64| Value::number(32, value);
    let argument = |name: &str, value: Value| Argument { name: name.into(), value };
    let cell = Cell { at: 4, path: String::new(), value: number(8) };
    let given = Call {
        function: "f".into(),
        arguments: vec![
            argument("a", Value::Object(0, 0)),
            argument("n", number(2)),
            argument("k", number(3)),
        ],
        objects: vec![Object { name: "a".into(), of: "int".into(), size: 8, cells: vec![cell] }],
        ..Call::default()
    };
    let named = entry.seed(&program, &given);
    assert_eq!(entry.elements, 2);
    let only = ["n", "mode"].map(str::to_owned).into();
    assert_eq!(entry.strangers(&program, ["n".to_owned(), "x".to_owned()].iter()), ["x"]);
    let surroundings = Surroundings { globals: Globals::Any, ..Surroundings::default() };
    let symbolic = Symbolic { call: Some(entry), surroundings, only, ..Symbolic::default() };
    let mut first = symbolic.with_globals(&program, Input::default());
    first.named.extend(named.into_iter().map(|(name, bytes)| (name.into(), bytes)));
    let options = Options { symbolic, ..options() };
    let found = explore(&program, &World::default(), first, &options, &ByPath);
    assert_eq!(found.alarms, []);
    assert!(found.is_complete(), "{:?}", found.missing);
    let call =
        |test: &hydrogen_explore::Test| options.symbolic.call_of(&program, &test.input).unwrap().to_string();
    let mut shown: Vec<String> = found.tests.iter().map(call).collect();
    shown.sort();
    assert_eq!(shown.len(), 3, "{shown:#?}");
    assert!(shown.iter().all(|call| call.contains("k = 3) with <a>: 8 bytes, a[1] = 8")), "{shown:#?}");
    assert!(shown.iter().any(|call| call.ends_with("mode = 9")), "{shown:#?}");
}
