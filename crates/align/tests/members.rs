//! Members that only changed their names.
#![allow(clippy::unwrap_used)]

use hydrogen_align::name_members_alike;
use hydrogen_ir::{CType, Module};
use hydrogen_testkit::Compile;

fn members(module: &Module, tag: &str) -> Vec<String> {
    let found = module.ctypes.iter().find_map(|ctype| match ctype {
        CType::Record { name: Some(name), members, .. } if name == tag => Some(members),
        _ => None,
    });
    found.unwrap().iter().map(|member| member.name.clone()).collect()
}

fn check(old: &str, new: &str, expected: &[&str]) {
    let program = |body: &str| format!("struct s {{ {body} }}; int f(struct s *p) {{ return sizeof *p; }}");
    let old = Compile::default().model(&program(old));
    let mut new = [Compile::default().model(&program(new))];
    name_members_alike(&[old], &mut new);
    assert_eq!(members(&new[0], "s"), expected);
}

#[test]
fn members_that_stay_where_they_are_keep_their_names() {
    check("int count; int size;", "int n; int size;", &["count", "size"]);
    check("union { int a; char b; }; int c;", "union { int a; char b; } u; int c;", &["", "c"]);
}

#[test]
fn other_members_are_others() {
    check("int a; int b;", "int b; int a;", &["b", "a"]);
    check("int a; int b;", "int a; int more; int b;", &["a", "more", "b"]);
    check("int a;", "char b; char c; short d;", &["b", "c", "d"]);
}
