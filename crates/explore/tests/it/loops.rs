//! Counted loops are one step, and what they leave is what they compute.

use crate::support::{options, program};
use hydrogen_evidence::Input;
use hydrogen_explore::{Assignment, ByPath, Concolic, Options, Symbolic, explore, holds};
use hydrogen_machine::{Limits, World};
use hydrogen_term::{Evaluator, Pool};

/// The terms of one run say what every other run computes, if it goes the same way; gives how many conditions there are.
fn check(body: &str) -> usize {
    let source = format!(
        "int main(void) {{ unsigned in, ia; int im; hydrogen_symbolic(&in, 4, \"n\"); hydrogen_symbolic(&ia, 4, \"a\"); hydrogen_symbolic(&im, 4, \"m\");\n\
         unsigned n = in, a = ia; int m = im;\n\
         unsigned s = 0, t = 5; unsigned long l = 0; int k = 0; {body}\n\
         hydrogen_output(\"s\", s); hydrogen_output(\"t\", t); hydrogen_output(\"l\", l); hydrogen_output(\"k\", k); return 0; }}"
    );
    let program = program(&source, false);
    let input = |n: u32, a: u32, m: i32| {
        let named = [("n", n), ("a", a), ("m", m as u32)];
        let named = named.map(|(name, value)| (name.into(), value.to_le_bytes().to_vec()));
        Input { named: named.into(), ..Input::default() }
    };
    let limits = Limits { steps: 1_000_000, ..Limits::default() };
    let symbolic = Symbolic::default();
    let mut conditions = 0;
    for (seen, (n, a, m)) in [(3, 7, 2), (0, 0, 0), (9, 1, -4)].into_iter().enumerate() {
        let mut monitor = Concolic::new(&program, &symbolic, &World::default(), Pool::new());
        monitor.summaries = true;
        monitor.audit = Some(Default::default());
        let run = program.run_with(World::default().with_input(&input(n, a, m)), limits.clone(), monitor);
        let (pool, path) = (&run.monitor.pool, &run.monitor.path);
        let terms: Vec<_> = run.monitor.outputs.iter().map(|one| one.value).collect();
        if seen == 0 {
            conditions = path.len();
        }
        for (n, a, m) in [
            (3, 7, 2),
            (0, 0, 0),
            (1, 0, -1),
            (2, u32::MAX, 5),
            (100, 99, 100),
            (1000, 3, i32::MIN),
            (50, 60, 7),
        ] {
            let other = input(n, a, m);
            if !path.iter().all(|one| holds(pool, &other, one.term)) {
                continue;
            }
            let run = program.run(World::default().with_input(&other), limits.clone());
            let model = other.model(pool, &pool.variables(&terms));
            let mut evaluator = Evaluator::new(pool, &model);
            for (term, (name, value)) in terms.iter().zip(&run.world.named_outputs) {
                assert_eq!(evaluator.bits(*term) as u64, *value, "{body}: {name} for n={n} a={a} m={m}");
            }
        }
    }
    conditions
}

#[test]
fn what_a_loop_leaves_is_what_it_computes() {
    for body in [
        "for (unsigned i = 0; i < n; i++) s += i;",
        "for (unsigned i = a; i < n; i++) { s += 3 * i + a; t -= i; }",
        "unsigned i; for (i = 2; i < n; i++) { s = s + 1; l = l + i; } t = i;",
        "for (unsigned i = 0; i < n; i++) { t = i * a; s += t; }",
        "for (int i = -3; i < m; i++) { s += i; l += i; k = i; }",
        "for (unsigned long i = 0; i < n; i++) l += 2 * i + 1;",
        "for (unsigned i = 0; i < n; i++) t = 9;",
    ] {
        assert_eq!(check(body), 0, "{body}");
    }
}

#[test]
fn other_loops_are_followed() {
    for body in [
        "for (unsigned i = 0; i < n && i < 20; i++) s += i;",
        "for (unsigned i = 0; i < n; i += 2) s += i;",
        "for (int i = 0; i < m; i++) k += 3;",
        "for (unsigned i = 0; i < n; i++) s = s * 2 + 1;",
        "for (unsigned i = 0; i < n; i++) if (i & 1) s++;",
        "for (unsigned i = 0; i < n; i++) { s += t; t += i; }",
    ] {
        assert!(check(body) > 0, "{body}");
    }
}

#[test]
fn a_sum_that_is_asked_for_is_found() {
    let source = "int main(void) { unsigned n, s = 0; hydrogen_symbolic(&n, 4, \"n\"); if (n > 100000) return 2;\n\
        for (unsigned i = 0; i < n; i++) s += i; if (s == 4950) return 1; return 0; }";
    let found = explore(
        &program(source, false),
        &World::default(),
        Input::default(),
        &Options { ..options() },
        &ByPath,
    );
    assert_eq!(found.alarms, []);
    assert!(found.is_complete(), "{:?}", found.missing);
    assert_eq!(found.tests.len(), 3);
}
