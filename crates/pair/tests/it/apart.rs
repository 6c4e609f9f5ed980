//! When outcomes differ, as a term; function entry.

use super::support::{input, limits, program, run};
use hydrogen_evidence::Input;
use hydrogen_explore::{FunctionEntry, Kind, Symbolic, holds};
use hydrogen_machine::World;
use hydrogen_pair::{Apart, Facts, Observable, Pair, Ran, Setting, near};
use hydrogen_term::{Engine, Limits, Term, standard};
use hydrogen_testkit::generate::{PRELUDE, Style, program as generate};
use hydrogen_trace::Static;
use std::collections::BTreeMap;

/// For random edits, every input, and every other input that goes the same ways in both versions: the term says of the other input
/// what running it shows.
fn check(style: Style, numbers: std::ops::Range<u64>) -> (usize, usize) {
    let old = numbers.clone().fold(PRELUDE.to_owned(), |text, number| text + &generate(number, style));
    let new = old.replace("u + ", "u - ").replace("w = ", "w = 1 + ").replace("return r & 7", "return r & 3");
    let (one, two) = (program(&old), program(&new));
    let mut pair = Pair::new(&[&one, &two]);
    let (mut same, mut different) = (0, 0);
    let observables = Observable::usual();
    for number in numbers {
        let mut world = World::default();
        world.entry = format!("p{number}");
        let inputs: Vec<Input> =
            (0..32).map(|bits| input(&[("a", bits & 3), ("b", bits >> 2 & 3), ("c", bits >> 4)])).collect();
        let runs: Vec<Vec<Ran>> = inputs.iter().map(|given| run(&mut pair, &world, given)).collect();
        for (at, both) in runs.iter().enumerate().step_by(3) {
            let apart = Apart::of(&mut pair.pool, &both[0], &both[1], &observables).unwrap();
            assert!(apart.given.iter().all(|term| holds(&pair.pool, &inputs[at], *term)));
            assert_eq!(apart.unclear, Vec::<String>::new());
            for (other, ran) in inputs.iter().zip(&runs) {
                if !apart.given.iter().all(|term| holds(&pair.pool, other, *term)) {
                    continue;
                }
                let differs = !ran[0].outcome.same(&ran[1].outcome, &observables);
                assert_eq!(holds(&pair.pool, other, apart.differ), differs, "{number} {other:?}\n{old}");
                *if differs { &mut different } else { &mut same } += 1;
            }
        }
    }
    (same, different)
}

#[test]
fn the_term_says_what_running_shows() {
    let mut found = (0, 0);
    for style in [Style::Scalars, Style::Memory, Style::Calls] {
        let (same, different) = check(style, 0..6);
        found = (found.0 + same, found.1 + different);
    }
    assert!(found.0 > 100 && found.1 > 100, "{found:?}");
}

/// Runs one call in both versions; the numbers are those of the function's parameters and members.
fn called(
    old: &str,
    new: &str,
    function: &str,
    values: &[(&str, u64)],
    look: impl Fn(&mut Pair<'_>, Vec<Ran>),
) {
    let (one, two) = (program(old), program(new));
    let mut pair = Pair::new(&[&one, &two]);
    let entry = FunctionEntry { function: function.into(), unit: None, depth: 2, elements: 3 };
    let symbolic = Symbolic { call: Some(entry), ..Symbolic::default() };
    let named: BTreeMap<_, _> =
        values.iter().map(|(name, value)| ((*name).into(), value.to_le_bytes().to_vec())).collect();
    let given = Input { named, ..Input::default() };
    let (world, limits) = (World::default(), limits());
    let runs = pair.run(Setting { world: &world, symbolic: &symbolic, limits: &limits }, &given).unwrap();
    look(&mut pair, runs);
}

/// What stands for the object of a pointer in an input.
fn object(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    }) | 1
}

#[test]
fn a_caller_sees_result_arguments_globals_and_new_objects() {
    let text = |more: &str| {
        format!(
            "struct s {{ int n; struct s *next; }}; int count; static struct s made;\n\
             struct s *f(struct s *p, int k) {{ p->n += k; count += 2; {more} made.n = k; made.next = p; return &made; }}\n\
             int main(void) {{ return 0; }}"
        )
    };
    let values = [("p", object("p")), ("p->n", 4), ("k", 3)];
    called(&text(""), &text("p->next = p;"), "f", &values, |pair, runs| {
        let lines = ["count = 2", "made.n = 3", "made.next = &<p> + 0", "p->n = 7", "result = &made + 0"];
        assert_eq!(runs[0].outcome.memory, lines);
        let mut more: Vec<&str> = lines.to_vec();
        more.insert(4, "p->next = &<p> + 0");
        assert_eq!(runs[1].outcome.memory, more);
        let apart = Apart::of(&mut pair.pool, &runs[0], &runs[1], &Observable::usual()).unwrap();
        assert_eq!(pair.pool.as_bool(apart.differ), Some(true));
    });
}

/// A structure that is laid out differently is the same by its members' names, and values are compared as terms.
#[test]
fn members_are_compared_by_name_and_as_terms() {
    let old = "struct s { int a, b; }; void f(struct s *p, int k) { p->a = p->b * 2 + k; } int main(void) { return 0; }";
    let new = "struct s { long more; int b, a; }; void f(struct s *p, int k) { p->a = k + p->b + p->b; } int main(void) { return 0; }";
    let other = "struct s { int a, b; }; void f(struct s *p, int k) { p->a = p->b + p->b + k + (k == 77); } int main(void) { return 0; }";
    let values = [("p", object("p")), ("p->b", 4), ("k", 3)];
    called(old, new, "f", &values, |pair, runs| {
        assert_eq!(runs[0].outcome.memory, ["p->a = 11"]);
        let apart = Apart::of(&mut pair.pool, &runs[0], &runs[1], &Observable::usual()).unwrap();
        assert_eq!(pair.pool.as_bool(apart.differ), Some(false), "the same term");
    });
    called(old, other, "f", &values, |pair, runs| {
        let apart = Apart::of(&mut pair.pool, &runs[0], &runs[1], &Observable::usual()).unwrap();
        let given = |k: u64| {
            let mut other = runs[0].input.clone();
            other.named.insert("k".into(), k.to_le_bytes().to_vec());
            other
        };
        assert!(apart.given.iter().all(|term| holds(&pair.pool, &given(77), *term)));
        assert!(!holds(&pair.pool, &given(3), apart.differ) && holds(&pair.pool, &given(77), apart.differ));
        // The solver finds the one input, and leaves the rest of it alone.
        let mut engine = Engine::new(standard(), Limits::default());
        let conditions: Vec<Term> = apart.given.iter().copied().chain([apart.differ]).collect();
        let found = near(&mut engine, &mut pair.pool, &conditions, &runs[0].input).unwrap();
        assert_eq!(u32::from_le_bytes(found.named[bstr::BStr::new("k")][..4].try_into().unwrap()), 77);
        assert_eq!(found.named[bstr::BStr::new("p->b")][..4], [4, 0, 0, 0]);
    });
}

/// What memory comes in belongs to every condition of an instance that the run comes to after having looked at it.
#[test]
fn conditions_hold_what_memory_comes_in() {
    let text = "struct s { int n; }; int f(struct s *p, int k) { int r = p[1].n; if (k > 3) r = 1; if (k < r) return 1; return 0; } int main(void) { return 0; }";
    let values = [("p", object("p")), ("(more(p))", 1), ("more(p)", 1), ("k", 5)];
    called(text, text, "f", &values, |pair, runs| {
        let statics = Static::new(pair.programs()[0], &["f"]);
        let facts = Facts::new(&statics, &runs[0]).unwrap();
        let last = runs[0].seen.path.iter().rposition(|one| one.kind == Kind::Branch).unwrap();
        let condition = facts.turning(last).unwrap();
        let fits = |name: &str, value: u64| {
            let mut other = runs[0].input.clone();
            other.named.insert(name.into(), value.to_le_bytes().to_vec());
            condition.holds(&pair.pool, &other)
        };
        assert!(fits("k", 4) && !fits("k", 3) && !fits("p", 0) && !fits("more(p)", 0) && fits("more(p)", 2));
    });
}
