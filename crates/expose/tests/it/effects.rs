//! How far a change gets, and why it stops (F-B12 to F-B16, N-4).

use super::support::{input, options, program, shapes};
use hydrogen_expose::{Effects, Search, Stopped};
use std::collections::BTreeSet;

/// The graph of the new version for one input, and that of the old one.
fn effects(old: &str, new: &str, values: &[(&str, i32)]) -> [Effects; 2] {
    let (old, new) = (program(old), program(new));
    let options = options();
    let mut search = Search::new([&old, &new], shapes(), &options);
    search.effects(0, &input(values)).unwrap()
}

/// The statements of a graph, each with why it stops.
fn shown(effects: &Effects) -> Vec<String> {
    let one = |effect: &hydrogen_expose::Effect| {
        let why: Vec<String> = effect
            .stopped
            .iter()
            .map(|(why, by)| format!("{why:?}{}", by.as_ref().map_or(String::new(), |by| format!(" {by}"))))
            .collect();
        format!("{} [{}]", effect.point.text, why.join(", "))
    };
    effects.all.iter().map(one).collect()
}

fn stops(effects: &Effects) -> Vec<Stopped> {
    effects.all.iter().flat_map(|effect| effect.stopped.iter().map(|(why, _)| *why)).collect()
}

/// E-3: a value that nobody uses on this path.
#[test]
fn unused() {
    let text = "int main(void) { int x = in(\"x\"), o; int y = Y; if (x > 0) o = y; else o = 0; hydrogen_output(\"o\", o); return 0; }";
    let [old, new] = effects(&text.replace('Y', "3"), &text.replace('Y', "2"), &[("x", 0)]);
    assert_eq!(stops(&new), [Stopped::Unused], "{:#?}", shown(&new));
    assert_eq!(stops(&old), [Stopped::Unused], "{:#?}", shown(&old));
}

/// E-4: used in a branch that decides alike.
#[test]
fn same_way() {
    let text = "int main(void) { int x = in(\"x\"), o; int y = Y; if (x > y) o = 1; else o = 0; hydrogen_output(\"o\", o); return 0; }";
    let [_, new] = effects(&text.replace('Y', "3"), &text.replace('Y', "2"), &[("x", 0)]);
    assert_eq!(stops(&new), [Stopped::SameWay], "{:#?}", shown(&new));
}

/// E-5: an operation that gives the same.
#[test]
fn masked() {
    let text =
        "int main(void) { int x = in(\"x\"), a, b; a = Y; b = a * x; hydrogen_output(\"o\", b); return 0; }";
    let [_, new] = effects(&text.replace('Y', "3"), &text.replace('Y', "2"), &[("x", 0)]);
    assert_eq!(stops(&new), [Stopped::Masked], "{:#?}", shown(&new));
    assert!(shown(&new)[0].contains("b = a * x"), "{:#?}", shown(&new));
}

/// N-4: two ways from one statement to another; the graph is no tree.
#[test]
fn a_diamond() {
    let text = "int main(void) { int y, a, b, c; y = Y; a = y + 1; b = y + 2; c = a + b; hydrogen_output(\"o\", c); return 0; }";
    let [_, new] = effects(&text.replace('Y', "3"), &text.replace('Y', "2"), &[]);
    let at = |text: &str| new.all.iter().position(|effect| effect.point.text == text).unwrap();
    assert_eq!(new.all[at("y = 2")].to, BTreeSet::from([at("a = y + 1"), at("b = y + 2")]));
    assert!(new.all[at("a = y + 1")].to.contains(&at("c = a + b")));
    assert!(new.all[at("b = y + 2")].to.contains(&at("c = a + b")));
}

/// F-B13: a variable more moves addresses, which are no effect. A refactoring that computes the same has none either, and neither has a run that does not come
/// to the change.
#[test]
fn nothing_happens() {
    let text = "int main(void) { LOCAL int a[3], *p = a; int x = in(\"x\"); p[1] = x; if (x > 5) { x = X; } hydrogen_output(\"o\", p[1]); return 0; }";
    let old = text.replace("LOCAL ", "").replace('X', "1");
    let [one, two] = effects(&old, &text.replace("LOCAL", "int unrelated;").replace('X', "1"), &[("x", 1)]);
    assert_eq!((shown(&one), shown(&two)), (vec![], vec![]));
    let [one, two] = effects(&old, &old.replace("x = 1", "x = 2"), &[("x", 1)]);
    assert_eq!((shown(&one), shown(&two)), (vec![], vec![]));
}
