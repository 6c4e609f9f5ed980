//! Single functions: every shape of memory that matters, once.

use super::support::{options, program};
use hydrogen_evidence::Input;
use hydrogen_explore::{ByPath, FunctionEntry, Options, Symbolic, explore};
use hydrogen_machine::{End, World};

/// The calls that exploration finds, with how they end; sorted.
fn calls(source: &str, function: &str, depth: u32, elements: u64) -> Vec<String> {
    let program = program(source, false);
    let entry = FunctionEntry { function: function.into(), unit: None, depth, elements };
    assert_eq!(entry.refusal(&program), None);
    let symbolic = Symbolic { call: Some(entry.clone()), ..Symbolic::default() };
    let options = Options { symbolic, ..options() };
    let found = explore(&program, &World::default(), Input::default(), &options, &ByPath);
    assert_eq!(found.alarms, []);
    let show = |test: &hydrogen_explore::Test| {
        let call = entry.call(&program, &test.input).unwrap();
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
