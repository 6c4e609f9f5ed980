//! Structures that lie in memory in another way are found, others are not.
#![allow(clippy::unwrap_used)]

use hydrogen_align::laid_out_otherwise;
use hydrogen_ir::{FunctionId, Module};
use hydrogen_testkit::Compile;

fn f(module: &Module) -> FunctionId {
    module.definitions().find(|(_, function)| function.name == "f").unwrap().0
}

fn said(old: &str, new: &str) -> Option<String> {
    let code = |members: &str| {
        format!(
            "struct in {{ {members} }}; struct out {{ struct in *in; int n; }}; int f(struct out *p) {{ return p->in->k; }}"
        )
    };
    let [old, new] = [old, new].map(|members| Compile::default().model(&code(members)));
    laid_out_otherwise((&old, f(&old)), (&new, f(&new)))
}

#[test]
fn the_same_layout_is_the_same() {
    assert_eq!(said("int k; long m;", "int k; long m;"), None);
}

#[test]
fn another_name_in_the_same_place_is_the_same() {
    assert_eq!(said("int k; long m;", "int k; long other;"), None);
}

#[test]
fn a_member_more_or_less_is_another_layout() {
    assert_eq!(said("int k; long m;", "int k; long m; int last;"), Some("struct in".to_owned()));
    assert_eq!(said("long m; int k;", "int k;"), Some("struct in".to_owned()));
}

#[test]
fn members_that_change_places_are_another_layout() {
    assert_eq!(said("int k; int m;", "int m; int k;"), Some("struct in".to_owned()));
}
