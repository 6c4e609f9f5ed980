//! What holds for all pairs.

use super::indices::injective;
use super::support::{input, program, run};
use hydrogen_machine::World;
use hydrogen_pair::{Alignment, Observable, Pair, Statement, unsteady};
use hydrogen_testkit::generate::{PRELUDE, Style, program as generate};

const STYLES: [Style; 5] = [Style::Scalars, Style::Memory, Style::Calls, Style::Jumps, Style::Indices];

fn world(number: u64) -> World {
    let mut world = World::default();
    world.entry = format!("p{number}");
    world
}

/// Several random programs in one file: `HYDROGEN_RANDOM=FROM..TO` takes others than usual.
fn numbers() -> std::ops::Range<u64> {
    let asked = std::env::var("HYDROGEN_RANDOM").ok();
    let range = asked.as_deref().and_then(|text| text.split_once("..")).unwrap_or(("0", "12"));
    range.0.parse().unwrap()..range.1.parse().unwrap()
}

fn source(style: Style) -> String {
    numbers().fold(PRELUDE.to_owned(), |text, number| text + &generate(number, style))
}

/// A program beside itself does the same on every input, statement for statement, with the same terms.
#[test]
fn a_program_is_equal_to_itself() {
    for style in STYLES {
        let (one, two) = (program(&source(style)), program(&source(style)));
        let mut pair = Pair::new(&[&one, &two]);
        for number in numbers() {
            for bits in [0, 7, 13, 22, 31] {
                let given = input(&[("a", bits & 3), ("b", bits >> 2 & 3), ("c", bits >> 4)]);
                let runs = run(&mut pair, &world(number), &given);
                injective(&runs[0]);
                assert!(runs[0].outcome.same(&runs[1].outcome, &Observable::usual()));
                assert_eq!(runs[0].instances.all, runs[1].instances.all, "{style:?} {number} {bits}");
                let terms = |at: usize| runs[at].seen.path.iter().map(|one| one.term).collect::<Vec<_>>();
                assert_eq!(terms(0), terms(1), "the same conditions are the same terms");
                assert_eq!(runs[0].seen.outputs, runs[1].seen.outputs);
            }
        }
    }
}

/// Random edits, with the versions in both orders: what is said of one is the mirror image of the other.
#[test]
fn swapping_versions_mirrors_everything() {
    for style in [Style::Scalars, Style::Jumps] {
        let old = source(style);
        let new = old.replace("u + ", "u - ").replace("w = ", "w = 1 + ");
        let (one, two) = (program(&old), program(&new));
        let (mut forth, mut back) = (Pair::new(&[&one, &two]), Pair::new(&[&two, &one]));
        for number in numbers() {
            let given = input(&[("a", 1), ("b", 2), ("c", 1)]);
            let (there, here) =
                (run(&mut forth, &world(number), &given), run(&mut back, &world(number), &given));
            let same = |runs: &[hydrogen_pair::Ran]| {
                runs[0].outcome.differences(&runs[1].outcome, &Observable::usual())
            };
            assert_eq!(same(&there), same(&here));
            let a = Alignment::of(&there[0].instances, &there[1].instances);
            let b = Alignment::of(&here[0].instances, &here[1].instances);
            let counts = |it: &Alignment| (it.pairs().count(), it.by_order);
            assert_eq!(counts(&a), counts(&b), "{number}");
            assert_eq!(a.second_of.len(), b.first_of.len());
            let matched = |list: &[Option<u32>]| list.iter().map(Option::is_some).collect::<Vec<_>>();
            if a.by_order == 0 {
                assert_eq!(matched(&a.second_of), matched(&b.first_of), "{number}");
            }
        }
    }
}

/// Edits of code that is not executed leave every instance where it was.
fn not_executed(edits: &[&str]) {
    let text = |edit: &str| {
        format!(
            "static int f(int n) {{ if (n == 77) {{ {edit} n++; out: n--; }} return n * 2; }}\
             int main(void) {{ int a = in(\"a\"), s = 0; for (int i = 0; i < 3; i++) {{ if (a == 77) {{ {edit} s++; out: s += 2; }}\
             s += f(i); if (s > 4) break; }} return s; }}"
        )
        .replace("f(a); n++", "n++")
        .replace("static int f(int n) {", "static int f(int n) { int a = n;")
    };
    let first = program(&text(""));
    for edit in edits {
        let second = program(&text(edit));
        let mut pair = Pair::new(&[&first, &second]);
        let runs = run(&mut pair, &World::default(), &input(&[("a", 2)]));
        let ids = |at: usize| {
            runs[at].instances.all.iter().map(|it| (it.index, it.node, it.values)).collect::<Vec<_>>()
        };
        assert_eq!(ids(0), ids(1), "{edit}");
    }
}

#[test]
fn edits_of_what_is_not_executed_match_everything() {
    not_executed(&[
        "a = 1;",
        "while (a < 5) a++;",
        "if (a) goto out;",
        "f(a);",
        "for (;;) { if (a++ > 3) break; }",
        // A second `return` brings a place for the value to all of them, and a jump to the first.
        "return 3;",
        "if (a) return 3;",
    ]);
}

/// An instruction leads to its node, and the node back to the instruction, in every version that has it.
#[test]
fn sites_and_nodes_lead_to_each_other() {
    let old =
        "int g(int x) { return x + 1; } int main(void) { int a = in(\"a\"); if (a > 2) a = g(a); return a; }";
    let new = "int g(int x) { return x + 1; } int main(void) { int a = in(\"a\"); a++; if (a > 2) a = g(a); return a; }";
    let (one, two) = (program(old), program(new));
    let mut pair = Pair::new(&[&one, &two]);
    let mut shared = 0;
    for (at, program) in [&one, &two].into_iter().enumerate() {
        for function in program.ids() {
            let Some(code) = program.code(function) else { continue };
            for pc in 0..code.instrs.len() as u32 {
                let site = hydrogen_machine::Site { function, pc };
                let node = pair.nodes.at(at, site).unwrap();
                assert!(pair.nodes.sites(at, node).contains(&site));
                assert!(
                    matches!(pair.nodes.statement(node), Statement::Graph(_)) || !program.is_users(function)
                );
                if pair.nodes.is_shared(node) {
                    assert!(!pair.nodes.sites(1 - at, node).is_empty());
                    shared += 1;
                } else {
                    assert_eq!(pair.nodes.line(at, node).map(|it| it.1), Some(1));
                }
            }
        }
    }
    assert!(shared > 0);
}

/// A program that prints the time, or where something lies, is found out (P-6).
#[test]
fn what_the_input_does_not_determine_is_named() {
    let limits = super::support::limits();
    let check = |source: &str, expect: &[&str]| {
        let Some(program) = hydrogen_testkit::hosted(source) else { return };
        let found = unsteady(&program, &World::default(), &input(&[]), &limits, &Observable::usual());
        let shown: Vec<String> =
            found.iter().map(|(what, difference)| format!("{} by {what}", difference.observable)).collect();
        assert_eq!(shown, expect);
    };
    check("#include <stdio.h>\nint main(void) { puts(\"always\"); return 0; }\n", &[]);
    check(
        "#include <stdio.h>\n#include <time.h>\nint main(void) { printf(\"%ld\\n\", (long)time(0)); return 0; }\n",
        &["standard output by the time of day"],
    );
    check(
        "#include <stdio.h>\n#include <stdlib.h>\nint main(void) { printf(\"%p\\n\", malloc(1)); return 0; }\n",
        &["standard output by where objects lie"],
    );
}
