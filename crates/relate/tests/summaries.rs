//! Cases and deltas of small programs: the worked examples of the specification.
#![allow(clippy::unwrap_used)]

mod common;

use common::{compile, function};
use hydrogen_ir::Module;
use hydrogen_relate::{Case, Options, Subject, Verdict, cases, compare, deltas};
use hydrogen_testkit::Fixture;
use std::{collections::BTreeSet, time::Duration};

fn f(module: &Module) -> Subject<'_> {
    Subject { module, function: function(module, "f") }
}

fn lines(cases: &[Case]) -> String {
    cases.iter().map(|case| format!("{}: {}\n", case.when, case.gives)).collect()
}

/// Blocks ```` ```cases old ````, ```` ```cases new ````, ```` ```deltas ````, ```` ```compare ```` are about two versions, ```` ```cases TURNS CLOSED… ```` about one.
fn check(fixture: &Fixture, name: &str) {
    let modules: Vec<Module> = fixture.versions.iter().map(|files| compile(&files["main.c"])).collect();
    let (first, last) = (f(modules.first().unwrap()), f(modules.last().unwrap()));
    let found = deltas(first, last).unwrap();
    for block in &fixture.blocks {
        let actual = match (block.kind(), block.head.get(1).map_or("", String::as_str)) {
            ("cases", "old") => lines(&found.as_ref().unwrap().old),
            ("cases", "new") => lines(&found.as_ref().unwrap().new),
            ("cases", turns) => {
                let closed: BTreeSet<String> = block.head[2..].iter().cloned().collect();
                lines(&cases(first, &closed, turns.parse().unwrap()).unwrap())
            }
            ("deltas", _) => {
                let line = |one: &hydrogen_relate::Delta| {
                    let possible = if one.is_possible { "possible" } else { "impossible" };
                    format!(
                        "{}: {} became {}, shown by {}: {possible}\n",
                        one.when, one.old, one.new, one.witness
                    )
                };
                found.as_ref().unwrap().deltas.iter().map(line).collect()
            }
            ("compare", _) => {
                let options = Options { time: Duration::from_secs(60), ..Options::default() };
                match compare(first, last, &options) {
                    Verdict::Equal(_) => "equal\n".to_owned(),
                    other => format!("{other:?}\n"),
                }
            }
            _ => continue,
        };
        assert_eq!(actual, block.text, "{name} {:?}", block.head);
    }
}

hydrogen_testkit::fixtures!("fixtures", check, w02 = "w02-deltas", w12 = "w12-hooks",);

/// H1: with all hooks old, or all new, the program of all configurations is that version.
#[test]
fn hooks_that_are_all_old_or_all_new_are_a_version() {
    let body = |a: &str, b: &str, o: &str| {
        format!(
            "int f(int i, int j) {{ int a = {a}, b = 0, o = 0; for (int k = 0; k <= a; k++) {{ b = {b}; o = 1; }} if (b > 0) o = {o}; return o; }}"
        )
    };
    let hooks = |a: &str, b: &str, o: &str| {
        format!(
            "static int hook_a(int i) {{ return {a}; }} static int hook_b(int j) {{ return {b}; }} static int hook_o(int o) {{ return {o}; }} {}",
            body("hook_a(i)", "hook_b(j)", "hook_o(o)")
        )
    };
    let options = Options { time: Duration::from_secs(60), ..Options::default() };
    let is_equal = |one: &str, other: &str| {
        let (one, other) = (compile(one), compile(other));
        matches!(compare(f(&one), f(&other), &options), Verdict::Equal(_))
    };
    for (a, b, o) in [("i", "j", "2"), ("i + 1", "j + 1", "o + 1"), ("i", "j + 1", "2")] {
        assert!(is_equal(&hooks(a, b, o), &body(a, b, o)), "{a} {b} {o}");
    }
    assert!(!is_equal(&hooks("i", "j", "2"), &body("i + 1", "j + 1", "o + 1")));
}
