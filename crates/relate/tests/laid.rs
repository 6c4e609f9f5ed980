//! Structures whose members lie elsewhere: what is compared is members of one name, never bytes.
#![allow(clippy::unwrap_used)]

mod common;

use common::compile;
use hydrogen_align::Laid;
use hydrogen_relate::{Options, Subject, Verdict, check, compare_programs};
use hydrogen_term::Smtlib;
use std::time::Duration;

/// The members of a structure and what is done with them.
fn code(members: &str, functions: &str) -> String {
    format!("struct s {{ {members} }};\nstruct outer {{ int k; struct s in[2]; int last; }};\n{functions}\n")
}

/// Whether `f` is proved equal, and the checker follows.
fn is_equal(old: (&str, &str), new: (&str, &str)) -> bool {
    let [one, other] = [old, new].map(|(members, functions)| compile(&code(members, functions)));
    let found = compare_programs(
        &one,
        &other,
        Some(&["f".to_owned()].into()),
        &Options::default(),
        |_| {},
        |_, _, _| false,
    );
    let judged = found.judged.iter().find(|judged| judged.name == "f").unwrap();
    let Verdict::Equal(proof) = &judged.verdict else { return false };
    let laid = Laid::of(&one, &other);
    let (a, b) = laid.as_ref().map_or((&one, &other), |laid| (&laid.old, &laid.new));
    if let Some(certificate) = &proof.certificate {
        let (old, new) =
            (Subject { module: a, function: judged.old }, Subject { module: b, function: judged.new });
        check(certificate, old, new, Box::new(Smtlib::z3()), Duration::from_secs(10)).unwrap();
    }
    true
}

const SUM: &str = "int f(struct s *p) { p->b = p->a + p->c; return p->b; }";
const SUM_AGAIN: &str = "int f(struct s *p) { int t = p->c + p->a; p->b = t; return t; }";

#[test]
fn members_that_moved_are_the_same() {
    let old = ("int a; int b; int c;", SUM);
    for members in [
        "int a; int c; int b;",
        "int a; long more; int b; int c;",
        "int a; int b; int c; long more;",
        "int a; char text[3]; int c; int b; int other;",
    ] {
        assert!(is_equal(old, (members, SUM)), "{members}");
        assert!(is_equal(old, (members, SUM_AGAIN)), "{members}");
        assert!(is_equal((members, SUM), old), "{members}");
    }
}

#[test]
fn another_member_in_the_same_place_is_another_one() {
    let first = "int f(struct s *p) { return p->b; }";
    let other = "int f(struct s *p) { return p->c; }";
    // The very same bytes.
    assert!(!is_equal(("int a; int b; int c;", first), ("int a; int c; int b;", other)));
    assert!(is_equal(("int a; int b; int c;", first), ("int a; int c; int b;", first)));
    let set = |name: &str| format!("void f(struct s *p, int v) {{ p->{name} = v; }}");
    assert!(!is_equal(("int a; int b; int c;", &set("b")), ("int a; int c; int b;", &set("c"))));
    // What a caller sees of a new member counts, too.
    let more = "void f(struct s *p, int v) { p->b = v; p->more = 0; }";
    assert!(!is_equal(("int a; int b;", &set("b")), ("int a; int more; int b;", more)));
}

#[test]
fn callers_of_what_is_not_comparable_are_not_compared() {
    let helper = |name: &str| {
        format!(
            "static int get(struct s *p) {{ return p->{name}; }}\nint f(struct s *p) {{ return get(p) + 1; }}"
        )
    };
    assert!(!is_equal(("int b; int c;", &helper("b")), ("int c; int b;", &helper("c"))));
    let only_new = "static int get(struct s *p) { return *(int *)p; }\nint f(struct s *p) { return get(p); }";
    assert!(!is_equal(("int b; int c;", "int f(struct s *p) { return p->b; }"), ("int c; int b;", only_new)));
}

#[test]
fn bytes_of_a_structure_are_not_compared() {
    // The second member is not the same one, whatever the bytes are.
    let bytes = "int f(struct s *p) { return *(int *)((char *)p + 4); }";
    assert!(!is_equal(("int a; int b; int c;", bytes), ("int a; int c; int b;", bytes)));
    let copies = "void *memcpy(void *, const void *, unsigned long);\nint f(struct s *p) { int t[2]; memcpy(t, p, 8); return t[1]; }";
    assert!(!is_equal(("int a; int b; int c;", copies), ("int a; int c; int b;", copies)));
    let cast = "int f(struct s *p) { return ((int *)p)[1]; }";
    assert!(!is_equal(("int a; int b; int c;", cast), ("int a; int c; int b;", cast)));
    let by_value = "int f(struct s v) { return v.b; }";
    assert!(!is_equal(("int a; int b;", by_value), ("int b; int a;", "int f(struct s v) { return v.a; }")));
}

#[test]
fn what_holds_a_structure_that_changed_moves_with_it() {
    let inside = "int f(struct outer *o, int i) { return o->in[i & 1].b + o->last; }";
    let again = "int f(struct outer *o, int i) { int t = o->last; return t + o->in[i & 1].b; }";
    assert!(is_equal(("int a; int b;", inside), ("int a; long more; int b;", again)));
    let other = "int f(struct outer *o, int i) { return o->in[i & 1].a + o->last; }";
    assert!(!is_equal(("int a; int b;", inside), ("int a; long more; int b;", other)));
}

#[test]
fn a_member_of_another_type_is_not_the_same() {
    let get = "long f(struct s *p) { return p->b; }";
    assert!(!is_equal(("int a; int b;", get), ("int a; long b;", get)));
}

#[test]
fn another_name_in_the_same_place_is_no_change() {
    let get = |name: &str| format!("int f(struct s *p) {{ return p->a + p->{name}; }}");
    assert!(is_equal(("int a; int b;", &get("b")), ("int a; int count;", &get("count"))));
}
